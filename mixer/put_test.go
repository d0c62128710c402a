package mixer_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/space"
)

// TestPutIsWhereItIsToldAtOnce compares SetPosition and SetListener of a Moment with SetPositions and
// SetListener of the mixer between the blocks, in blocks of any length. The journals must agree.
func TestPutIsWhereItIsToldAtOnce(t *testing.T) {
	const frames, step = 4800, 480
	render := func(wind *sounds.Sound, seed uint64, block int, ahead bool) ([]pcm.Frame, []mixer.Entry) {
		m, err := mixer.New(mixer.Config{Rate: 8000, Voices: 3, Virtual: 3, NoLimiter: true, Journal: 1 << 10})
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		random := rand.New(rand.NewPCG(seed, 1))
		at := func() space.Vector {
			return space.Vector{random.Float64()*20 - 10, random.Float64()*20 - 10, random.Float64()*20 - 10}
		}
		var voices []mixer.Handle
		for i := range 5 {
			h, err := m.Play(wind, mixer.Options{EngineOptions: mixer.EngineOptions{Tag: mixer.Tag(i + 1)}, Gain: pcm.Decibels(-i), Emitter: &space.Emitter{
				Spot: space.Spot{Position: at(), Forward: at()}, Cone: space.Cone{Inner: 60, Outer: 180, OuterGain: -20},
			}})
			if err != nil {
				t.Fatal(err)
			}
			voices = append(voices, h)
		}
		var out []pcm.Frame
		mix := func(until int) {
			for len(out) < until {
				b := make([]pcm.Frame, min(block, until-len(out)))
				m.Render(b)
				out = append(out, b...)
			}
		}
		check := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		for frame := step; frame < frames; frame += step {
			spots := make([]space.Spot, len(voices))
			for i := range spots {
				spots[i] = space.Spot{Position: at(), Forward: at()}
			}
			l := space.Listener{Position: at(), Forward: at(), Width: 12}
			if !ahead {
				mix(frame)
				check(m.SetListener(l))
				check(m.SetPositions(voices, spots))
				continue
			}
			check(m.Engine().At(int64(frame)).SetListener(l))
			for i, s := range spots {
				check(m.Engine().At(int64(frame)).SetPosition([]mixer.Target{mixer.TargetVoice(voices[i]), mixer.TargetTag(mixer.Tag(i + 1))}[i%2], s))
			}
		}
		mix(frames)
		entries := make([]mixer.Entry, 1<<10)
		return out, entries[:m.Engine().Journal(entries)]
	}
	for seed := range uint64(5) {
		wind := sound(t, noise(rand.New(rand.NewPCG(seed, 2)), 8000, 1, 2*frames))
		want, said := render(wind, seed, step, false)
		for _, block := range []int{1, 7, 512, frames} {
			got, _ := render(wind, seed, block, true)
			if i := differ(got, want); i >= 0 {
				t.Fatalf("seed %d, blocks of %d: frame %d is %v, want %v", seed, block, i, got[i], want[i])
			}
		}
		_, entries := render(wind, seed, 512, true)
		if places := func(all []mixer.Entry) (out []string) {
			for _, e := range all {
				if e.Kind == mixer.EntryPlace && e.Frame > 0 {
					out = append(out, fmt.Sprint(e.Frame, e.Start != 0, e.How.Emitter.Spot, e.Listener))
				}
			}
			slices.Sort(out)
			return out
		}; !slices.Equal(places(entries), places(said)) || len(places(said)) < 9 {
			t.Errorf("seed %d: the journals say %d and %d places, and others", seed, len(places(entries)), len(places(said)))
		}
	}
}

// differ returns the index of the first frame that differs from want, or -1.
func differ(got, want []pcm.Frame) int {
	for i := range want {
		if got[i] != want[i] {
			return i
		}
	}
	return -1
}

// TestPutErrors checks the errors for targets without a place and for invalid places.
func TestPutErrors(t *testing.T) {
	m, err := mixer.New(mixer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	bus, _ := m.Bus("master")
	for _, c := range []struct {
		err  error
		want string
	}{
		{err: m.Engine().At(0).SetPosition(mixer.TargetAll(), space.Spot{}), want: "mixer: bad argument: only voices have a place; name one, a tag or a sound"},
		{err: m.Engine().At(0).SetPosition(mixer.TargetBus(bus), space.Spot{}), want: "mixer: bad argument: only voices have a place; name one, a tag or a sound"},
		{err: m.Engine().At(0).SetPosition(mixer.TargetTag(0), space.Spot{}), want: "mixer: bad argument: the target names nothing"},
		{err: m.Engine().At(-2).SetPosition(mixer.TargetTag(1), space.Spot{}), want: "mixer: bad argument: frame -2"},
		{
			err:  m.Engine().At(0).SetPosition(mixer.TargetTag(1), space.Spot{Position: space.Vector{2e9}}),
			want: "mixer: bad argument: a place at [2e+09 0 0] with a velocity of [0 0 0]: coordinates are finite and in -1e9..1e9",
		},
		{
			err:  m.Engine().At(0).SetListener(space.Listener{Strength: 2}),
			want: "mixer: bad argument: strength of the listener: 2 is not in 0.000001..1; NoPan turns it off",
		},
	} {
		if !errors.Is(c.err, mixer.ErrOption) || c.err.Error() != c.want {
			t.Errorf("says %v, want %s", c.err, c.want)
		}
	}
}

// TestPanShowsThePlace checks that Handle.Pan is the sum of the voice's pan and the pan of its place,
// clamped.
func TestPanShowsThePlace(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000})
	defer m.Close()
	flat := space.Flat{Width: 200}
	if err := m.SetListener(flat.Listener(0, 0)); err != nil {
		t.Fatal(err)
	}
	h := play(t, m.Engine().At(mixer.Now), level(t, 1000, 5000, 0.5), mixer.Options{Pan: 0.25, Emitter: flat.Emitter(50, 0)})
	for _, c := range []struct{ x, want float64 }{{x: 50, want: 0.5}, {x: -100, want: -0.25}, {x: 100, want: 0.75}} {
		if err := m.SetPositions([]mixer.Handle{h}, []space.Spot{flat.Spot(c.x, 0)}); err != nil {
			t.Fatal(err)
		}
		m.Render(make([]pcm.Frame, 60))
		if got := h.Pan(); got != c.want {
			t.Errorf("at %v the pan is %v, want %v", c.x, got, c.want)
		}
	}
}

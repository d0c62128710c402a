package beepio_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gopxl/beep/v2"
	"github.com/gopxl/beep/v2/effects"
	"github.com/gopxl/beep/v2/generators"

	"voicepool/beepio"
	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
)

// chain wraps a streamer in effects.
type chain = func(beep.Streamer) beep.Streamer

// section is a band cut of an equalizer.
var section = effects.MonoEqualizerSection{F0: 1000, Bf: 300, GB: 3, G: 9}

// chains lists all effects of beep, and whether they allocate at each call.
func chains() map[string]struct {
	chain     chain
	allocates bool
	ahead     int
} {
	type row = struct {
		chain     chain
		allocates bool
		ahead     int
	}
	return map[string]row{
		"nothing":      {chain: func(s beep.Streamer) beep.Streamer { return s }},
		"Volume":       {chain: func(s beep.Streamer) beep.Streamer { return &effects.Volume{Streamer: s, Base: 2, Volume: -1.5} }},
		"silent":       {chain: func(s beep.Streamer) beep.Streamer { return &effects.Volume{Streamer: s, Base: 2, Silent: true} }},
		"Gain":         {chain: func(s beep.Streamer) beep.Streamer { return &effects.Gain{Streamer: s, Gain: -0.3} }},
		"Pan":          {chain: func(s beep.Streamer) beep.Streamer { return &effects.Pan{Streamer: s, Pan: 0.4} }},
		"Pan to left":  {chain: func(s beep.Streamer) beep.Streamer { return &effects.Pan{Streamer: s, Pan: -1} }},
		"Mono":         {chain: effects.Mono},
		"Swap":         {chain: effects.Swap},
		"own sound":    {chain: func(s beep.Streamer) beep.Streamer { return generators.Silence(-1) }},
		"Ctrl":         {chain: func(s beep.Streamer) beep.Streamer { return &beep.Ctrl{Streamer: s} }},
		"Ctrl, paused": {chain: func(s beep.Streamer) beep.Streamer { return &beep.Ctrl{Streamer: s, Paused: true} }},
		"Transition": {chain: func(s beep.Streamer) beep.Streamer {
			return effects.Transition(s, 3000, 1, 0.1, effects.TransitionEqualPower)
		}},
		"Equalizer": {allocates: true, chain: func(s beep.Streamer) beep.Streamer {
			return effects.NewEqualizer(s, 48000, effects.MonoEqualizerSections{section, {F0: 80, Bf: 30, GB: 1, G: 6}})
		}},
		"stereo Equalizer": {allocates: true, chain: func(s beep.Streamer) beep.Streamer {
			return effects.NewEqualizer(s, 48000, effects.StereoEqualizerSections{{Left: section, Right: section}})
		}},
		"Doppler": {allocates: true, ahead: 512, chain: func(s beep.Streamer) beep.Streamer {
			return effects.Doppler(6, 150, s, func(int) float64 { return 2 })
		}},
		"Resample by 1": {ahead: 512, chain: func(s beep.Streamer) beep.Streamer { return beep.ResampleRatio(4, 1, s) }},
		"many": {allocates: true, ahead: 512, chain: func(s beep.Streamer) beep.Streamer {
			s = effects.Doppler(2, 100, effects.Swap(s), func(int) float64 { return 3 })
			return &effects.Pan{Streamer: effects.Mono(&effects.Gain{Streamer: s, Gain: 2}), Pan: 0.2}
		}},
	}
}

// noise returns distinct frames.
func noise(n int) []pcm.Frame {
	r := rand.New(rand.NewPCG(1, 2))
	out := make([]pcm.Frame, n)
	for i := range out {
		out[i] = pcm.Frame{r.Float32() - 0.5, r.Float32() - 0.5}
	}
	return out
}

// alone returns the output of beep with the chain, in calls of 512 frames, after ahead frames of silence.
func alone(frames []pcm.Frame, c chain, ahead int) []pcm.Frame {
	at := -ahead
	s := c(beep.StreamerFunc(func(samples [][2]float64) (int, bool) {
		clear(samples)
		for i := range samples {
			if at >= 0 && at < len(frames) {
				samples[i] = [2]float64{float64(frames[at][0]), float64(frames[at][1])}
			}
			at++
		}
		return len(samples), true
	}))
	var out []pcm.Frame
	samples := make([][2]float64, 512)
	for len(out) < len(frames) {
		s.Stream(samples)
		for _, x := range samples {
			out = append(out, pcm.Frame{float32(x[0]), float32(x[1])})
		}
	}
	return out
}

// TestInsert checks that each effect has the same output as in beep, delayed by Delay, with the same bits for
// all block sizes.
func TestInsert(t *testing.T) {
	most := longtest.Amount(8000, 20000)
	frames := noise(most)
	for name, c := range chains() {
		r := rand.New(rand.NewPCG(3, 4))
		want := alone(frames, c.chain, c.ahead)
		for range longtest.Amount(2, 3) {
			i, err := beepio.NewInsert(c.chain)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if i.Delay() != 512+c.ahead {
				t.Fatalf("%s: the delay is %d frames, want %d", name, i.Delay(), 512+c.ahead)
			}
			got := append([]pcm.Frame{}, frames...)
			for at, n := 0, 0; at < most; at += n {
				n = min(1+r.IntN([]int{1, 7, 960}[r.IntN(3)]), most-at)
				i.Process(got[at : at+n])
			}
			for k := 512; k < most; k++ {
				if got[k] != want[k-512] {
					t.Fatalf("%s: frame %d is %v, want %v", name, k, got[k], want[k-512])
				}
			}
			for k := range 512 {
				if got[k] != (pcm.Frame{}) {
					t.Fatalf("%s: frame %d is %v, want silence", name, k, got[k])
				}
			}
		}
	}
}

func TestInsertAllocatesNothing(t *testing.T) {
	frames := noise(700)
	for name, c := range chains() {
		i, err := beepio.NewInsert(c.chain)
		if err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(20, func() { i.Process(frames) }); n != 0 && !c.allocates {
			t.Errorf("%s: %v allocations a block", name, n)
		}
	}
}

// TestInsertRefuses lists invalid chains.
func TestInsertRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		chain chain
		want  string
	}{
		"no chain":    {func(beep.Streamer) beep.Streamer { return nil }, "there is no chain"},
		"no function": {nil, "nil pointer"},
		"a panic":     {func(beep.Streamer) beep.Streamer { panic("broken") }, "broken"},
		"a late panic": {func(s beep.Streamer) beep.Streamer {
			return beep.StreamerFunc(func([][2]float64) (int, bool) { panic("later") })
		}, "later"},
		"an end":  {func(s beep.Streamer) beep.Streamer { return beep.Take(5000, s) }, "it comes to an end"},
		"silence": {func(s beep.Streamer) beep.Streamer { return generators.Silence(100) }, "it comes to an end"},
		"NaN": {func(s beep.Streamer) beep.Streamer {
			return &effects.Gain{Streamer: &effects.Volume{Streamer: s, Base: -1, Volume: 0.5}}
		}, "NaN or Inf"},
		"faster":       {func(s beep.Streamer) beep.Streamer { return beep.ResampleRatio(4, 2, s) }, "takes more frames than it gives, as a resampler does"},
		"slower":       {func(s beep.Streamer) beep.Streamer { return beep.ResampleRatio(4, 0.5, s) }, "takes fewer frames than it gives, as a resampler does"},
		"a rate":       {func(s beep.Streamer) beep.Streamer { return beep.Resample(4, 44100, 48000, s) }, "fewer frames"},
		"another rate": {func(s beep.Streamer) beep.Streamer { return beep.Resample(4, 48000, 44100, s) }, "more frames"},
		"much slower":  {func(s beep.Streamer) beep.Streamer { return beep.ResampleRatio(4, 0.03, s) }, "fewer frames"},
	} {
		_, err := beepio.NewInsert(c.chain)
		if !errors.Is(err, beepio.ErrStreamer) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestInsertTakenOut checks that a chain that fails later is removed, and the bus continues.
func TestInsertTakenOut(t *testing.T) {
	for name, fail := range map[string]func(samples [][2]float64) int{
		"panic":   func([][2]float64) int { panic("broken") },
		"NaN":     func(s [][2]float64) int { s[5][1] = math.NaN(); return len(s) },
		"Inf":     func(s [][2]float64) int { s[511][0] = math.Inf(-1); return len(s) },
		"the end": func(s [][2]float64) int { return 0 },
	} {
		made, calls := 0, 0
		i, err := beepio.NewInsert(func(s beep.Streamer) beep.Streamer {
			made++
			return beep.StreamerFunc(func(samples [][2]float64) (int, bool) {
				n, ok := s.Stream(samples)
				if made == 2 {
					if calls++; calls == 3 {
						n = fail(samples)
					}
				}
				return n, ok
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		m, err := mixer.New(mixer.Config{NoLimiter: true, Insert: i})
		if err != nil {
			t.Fatal(err)
		}
		out := make([]pcm.Frame, 10000)
		m.Render(out)
		if st := m.Stats(); st.Faults != 1 || calls < 3 || calls > 5 { // the rest of the block passes through unchanged
			t.Errorf("%s: %d faults after %d calls", name, st.Faults, calls)
		}
	}
}

// TestInsertPaused checks that input that arrives while the chain does not read is dropped.
func TestInsertPaused(t *testing.T) {
	var ctrl *beep.Ctrl
	i, err := beepio.NewInsert(func(s beep.Streamer) beep.Streamer {
		ctrl = &beep.Ctrl{Streamer: s}
		return ctrl
	})
	if err != nil {
		t.Fatal(err)
	}
	frames := noise(60000)
	got := append([]pcm.Frame{}, frames...)
	i.Process(got[:5120])
	ctrl.Paused = true
	i.Process(got[5120:40960])
	ctrl.Paused = false
	i.Process(got[40960:])
	for k := 41472; k < len(got); k++ {
		if got[k] != frames[k-i.Delay()] {
			t.Fatalf("after a pause frame %d is not that of %d", k, k-i.Delay())
		}
	}
}

package mixer_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// A scene is a list of calls with their frames, drawn from a seed from all calls of a mixer.
type scene struct {
	config mixer.Config
	length int64
	calls  []func(m *mixer.Mixer, s *sceneState) error
	frames []int64
}

type sceneState struct {
	sounds  []*sounds.Sound
	handles []mixer.Handle
	groups  []*mixer.Group
}

const sceneRate = 8000

// sceneSounds returns noise, tones and a decay, mono and stereo, some with loops.
func sceneSounds(t testing.TB) []*sounds.Sound {
	r := rand.New(rand.NewPCG(1, 2))
	var out []*sounds.Sound
	for i := range 8 {
		n := 200 + i*i*90
		c := 1 + i%2
		data := make([]float32, n*c)
		env := sounds.Envelope{Hop: 160}
		for j := range data {
			decay := 1 - float64(j)/float64(len(data))
			data[j] = float32((r.Float64()*2 - 1) * decay * 0.7)
		}
		for j := 0; j < n; j += 160 {
			d := 1 - float64(j)/float64(n)
			env.Once = append(env.Once, float32(d*d*0.1*float64(1+i)))
			env.Loop = append(env.Loop, 0.05)
		}
		s := sounds.Samples{Name: fmt.Sprint("s", i), Rate: sceneRate, Channels: c, Data: data, Envelope: env}
		if i%3 == 1 {
			s.Loop = [2]int64{int64(n / 3), int64(n/3 + 7*i*i)}
		}
		out = append(out, sound(t, s))
	}
	return out
}

// newScene draws a scene with the policy overflow from seed.
func newScene(seed uint64, overflow mixer.Overflow) *scene {
	r := rand.New(rand.NewPCG(seed, 99))
	sc := &scene{length: 6000, config: mixer.Config{
		Rate: sceneRate, Voices: 1 + r.IntN(12), Overflow: overflow, RejectQuietest: r.IntN(4) == 0 && (overflow == mixer.StealQuietest || overflow == mixer.GrowPool),
		Grow: mixer.Grow{Step: 2, Max: 20, Idle: 50 * time.Millisecond}, MaxVoices: 20,
		NoLimiter: r.IntN(3) == 0, Commands: 512,
		Buses: []mixer.BusConfig{
			{Name: "sfx", Gain: -3, Voices: r.IntN(6)},
			{Name: "music", Pan: 0.3, Pitch: 1, Duck: mixer.Duck{When: "sfx", By: 12, Attack: 7 * time.Millisecond, Release: 31 * time.Millisecond}},
		},
	}}
	ms := func(n int) time.Duration { return time.Duration(r.IntN(n)) * time.Millisecond }
	maybe := func(d time.Duration) time.Duration {
		if r.IntN(2) == 0 {
			return 0
		}
		return d
	}
	target := func(m *mixer.Mixer, s *sceneState, kind int, n uint64) mixer.Target {
		switch {
		case kind < 4 && len(s.handles) > 0:
			return mixer.TargetVoice(s.handles[n%uint64(len(s.handles))])
		case kind < 6:
			return mixer.TargetTag(mixer.Tag(1 + n%3))
		case kind < 7:
			return mixer.TargetSound(s.sounds[n%uint64(len(s.sounds))])
		}
		b, _ := m.Bus([]string{"sfx", "music", "master"}[n%3])
		return mixer.TargetBus(b)
	}
	for range 150 {
		frame := r.Int64N(sc.length)
		var call func(m *mixer.Mixer, s *sceneState) error
		which, kind, n := r.IntN(20), r.IntN(9), r.Uint64()
		over := maybe(ms(80))
		switch {
		case which < 12:
			o := mixer.Options{
				Gain: pcm.Decibels(r.Float64()*30 - 25), Pan: r.Float64()*2 - 1, Pitch: pcm.Semitones(r.IntN(25) - 12),
				Priority: r.IntN(3), EngineOptions: mixer.EngineOptions{Protect: r.IntN(12) == 0, Tag: mixer.Tag(r.IntN(4)), Ref: mixer.Ref(len(sc.calls)), Quality: sounds.Quality(r.IntN(2)), Base: mixer.Base{Gain: pcm.Decibels(-r.IntN(6)), Speed: []float64{0, 1, 1.1, 0.5}[r.IntN(4)]}}, Loop: r.IntN(4) == 0,
				From: maybe(maybe(ms(40))), For: maybe(ms(300)), FadeIn: maybe(maybe(ms(60))),
			}
			if r.IntN(3) == 0 {
				o.Pitch = 0
			}
			bus, group, pick := r.IntN(3), r.IntN(4), r.IntN(8)
			call = func(m *mixer.Mixer, s *sceneState) error {
				o := o
				o.Bus, _ = m.Bus([]string{"sfx", "music", "master"}[bus])
				if group < len(s.groups) {
					o.Group = s.groups[group]
				}
				h, err := m.Engine().At(frame).Play(s.sounds[pick], o)
				s.handles = append(s.handles, h)
				return err
			}
		case which < 14:
			call = func(m *mixer.Mixer, s *sceneState) error {
				return m.Engine().At(frame).Stop(target(m, s, kind, n), over)
			}
		case which < 15:
			call = func(m *mixer.Mixer, s *sceneState) error { return m.Engine().At(frame).Pause(target(m, s, kind, n)) }
		case which < 17:
			call = func(m *mixer.Mixer, s *sceneState) error { return m.Engine().At(frame).Resume(target(m, s, kind, n)) }
		case which < 18:
			size := 1 + r.IntN(20)
			call = func(m *mixer.Mixer, s *sceneState) error { return m.Engine().At(frame).Resize(size) }
		default:
			c := mixer.Change{
				Fields: mixer.Fields(1 + r.IntN(7)), Gain: pcm.Decibels(r.Float64()*100 - 90), Pan: r.Float64()*2 - 1,
				Pitch: pcm.Semitones(r.Float64()*24 - 12), Mute: r.IntN(2) == 0,
			}
			call = func(m *mixer.Mixer, s *sceneState) error {
				c, t := c, target(m, s, kind, n)
				if kind >= 7 && n%2 == 0 {
					c.Fields |= mixer.FieldMute
				}
				if kind >= 7 && n%3 == 2 { // the master
					c.Fields = c.Fields&^mixer.FieldPitch | mixer.FieldGain
				}
				return m.Engine().At(frame).Set(t, c, over)
			}
		}
		sc.calls = append(sc.calls, call)
		sc.frames = append(sc.frames, frame)
	}
	return sc
}

// run renders the scene in blocks. It returns its frames, its events without groups and buses, which belong to a mixer,
// and the last stats.
func (sc *scene) run(t testing.TB, sounds []*sounds.Sound, block func(at int64) int) (frames []pcm.Frame, events []modelEvent, st mixer.Stats) {
	t.Helper()
	m := newMixer(t, sc.config)
	s := &sceneState{sounds: sounds}
	for i, limit := range []int{0, 2, 3} {
		g, err := m.NewGroup(fmt.Sprint("g", i), mixer.GroupOptions{Voices: limit, Cooldown: time.Duration(i) * 9 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		s.groups = append(s.groups, g)
	}
	for i, call := range sc.calls {
		if err := call(m, s); err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
	}
	polled := make([]mixer.Event, 64)
	last := int64(-1)
	frames = make([]pcm.Frame, sc.length)
	for at := int64(0); at < sc.length; {
		n := min(int64(block(at)), sc.length-at)
		rendered := frames[at : at+n]
		m.Render(rendered)
		at += n
		for _, f := range rendered {
			for _, x := range f {
				if x != x || math.Abs(float64(x)) > 1e6 {
					t.Fatalf("a sample is %v", x)
				}
			}
		}
		for k := m.Events(polled); k > 0; k = m.Events(polled) {
			for _, ev := range flatEvents(polled[:k]) {
				if ev.Frame < last {
					t.Fatalf("an event of frame %d after one of frame %d", ev.Frame, last)
				}
				last = ev.Frame
				ev.Group, ev.ByGroup, ev.Bus = nil, nil, mixer.Bus{}
				events = append(events, ev)
			}
		}
		st = m.Stats()
		if st.Asked != st.Started+st.Rejected+st.Limited || st.Started != st.Ended+st.Stopped+st.Stolen+st.Playing {
			t.Fatalf("the identities do not hold: %+v", st)
		}
	}
	if st.EventsLost != 0 || st.Late != 0 || st.Pending != 0 {
		t.Fatalf("lost, late or left over: %+v", st)
	}
	return frames, events, st
}

// TestBlocksDoNotShow renders random scenes in blocks of many lengths. Bits, events and counters must be
// equal.
func TestBlocksDoNotShow(t *testing.T) {
	sounds := sceneSounds(t)
	policies := []mixer.Overflow{mixer.StealQuietest, mixer.StealOldest, mixer.StealGain, mixer.Reject, mixer.GrowPool}
	stolen, limited, rejected := int64(0), int64(0), int64(0)
	next := longtest.Every(2)
	defer longtest.Checks(18)()
	rapid.Check(t, func(rt *rapid.T) {
		sc := newScene(rapid.Uint64().Draw(rt, "seed"), policies[rapid.IntRange(0, 4).Draw(rt, "policy")])
		blocks := []func(int64) int{func(int64) int { return 512 }, func(int64) int { return 1 }, func(int64) int { return 7 }, func(int64) int { return 4096 }, func(at int64) int { return 1 + int(at*7919)%601 }}
		bits, events, st := sc.run(t, sounds, blocks[0])
		stolen, limited, rejected = stolen+st.Stolen, limited+st.Limited, rejected+st.Rejected
		for i, b := range blocks[1:] {
			if i > 0 && !next() {
				continue
			}
			b2, e2, s2 := sc.run(t, sounds, b)
			if !slices.Equal(e2, events) {
				rt.Fatalf("blocks %d: other events", i+1)
			}
			if !slices.Equal(b2, bits) {
				rt.Fatalf("blocks %d: other bits", i+1)
			}
			if s2 != st {
				rt.Fatalf("blocks %d: %+v, want %+v", i+1, s2, st)
			}
		}
	})
	if longtest.Enabled() && (stolen == 0 || limited == 0 || rejected == 0) {
		t.Errorf("the scenes steal %d, limit %d, reject %d: they prove too little", stolen, limited, rejected)
	}
}

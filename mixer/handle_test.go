package mixer_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
)

func TestZeroHandle(t *testing.T) {
	var h mixer.Handle
	if h.State() != mixer.StateNone || h.Number() != 0 || h.Position() != 0 {
		t.Error("the zero handle names something")
	}
	for name, err := range map[string]error{
		"Stop": h.Stop(0), "Pause": h.Pause(), "Resume": h.Resume(), "SetGain": h.SetGain(0), "SetPan": h.SetPan(0),
		"SetPitch": h.SetPitch(0), "SetSpeed": h.SetSpeed(1), "Fade": h.Fade(0, 0),
	} {
		if err != mixer.ErrGone {
			t.Errorf("%s of the zero handle says %v", name, err)
		}
	}
}

func TestBadArguments(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Buses: []mixer.BusConfig{{Name: "sfx"}}})
	other := newMixer(t, mixer.Config{Rate: 1000, Buses: []mixer.BusConfig{{Name: "sfx"}}})
	s := level(t, 1000, 10, 1)
	h := play(t, m.Engine().At(0), s, mixer.Options{})
	foreignBus, _ := other.Bus("sfx")
	foreignGroup, _ := other.NewGroup("g", mixer.GroupOptions{Voices: 1})
	bus, _ := m.Bus("sfx")
	nan := math.NaN()
	start := func(o mixer.Options) error { _, err := m.Play(s, o); return err }
	set := func(c mixer.Change) error { return m.Engine().At(0).Set(mixer.TargetVoice(h), c, 0) }
	for name, err := range map[string]error{
		"gain":             start(mixer.Options{Gain: 25}),
		"NaN gain":         start(mixer.Options{Gain: pcm.Decibels(nan)}),
		"base gain":        start(mixer.Options{EngineOptions: mixer.EngineOptions{Base: mixer.Base{Gain: -121}}}),
		"pan":              start(mixer.Options{Pan: 1.1}),
		"pitch":            start(mixer.Options{Pitch: 49}),
		"speed":            start(mixer.Options{Speed: -1}),
		"base speed":       start(mixer.Options{EngineOptions: mixer.EngineOptions{Base: mixer.Base{Speed: 17}}}),
		"priority":         start(mixer.Options{Priority: 1000001}),
		"negative from":    start(mixer.Options{From: -1}),
		"quality":          start(mixer.Options{EngineOptions: mixer.EngineOptions{Quality: 9}}),
		"foreign bus":      start(mixer.Options{Bus: foreignBus}),
		"foreign group":    start(mixer.Options{Group: foreignGroup}),
		"no sound":         func() error { _, err := m.Play(nil, mixer.Options{}); return err }(),
		"rate":             func() error { _, err := m.Play(level(t, 999, 1, 1), mixer.Options{}); return err }(),
		"frame":            m.Engine().At(-2).Stop(mixer.TargetAll(), 0),
		"no target":        m.Engine().At(0).Stop(mixer.Target{}, 0),
		"tag 0":            m.Engine().At(0).Stop(mixer.TargetTag(0), 0),
		"zero handle":      m.Engine().At(0).Stop(mixer.TargetVoice(mixer.Handle{}), 0),
		"foreign handle":   other.Engine().At(0).Stop(mixer.TargetVoice(h), 0),
		"set nothing":      set(mixer.Change{}),
		"set gain":         set(mixer.Change{Fields: mixer.FieldGain, Gain: 100}),
		"set pan":          set(mixer.Change{Fields: mixer.FieldPan, Pan: nan}),
		"set pitch":        set(mixer.Change{Fields: mixer.FieldPitch, Pitch: -49}),
		"set speed":        set(mixer.Change{Fields: mixer.FieldSpeed}),
		"mute a voice":     set(mixer.Change{Fields: mixer.FieldMute}),
		"volume of voice":  set(mixer.Change{Fields: mixer.FieldVolume}),
		"speed of a bus":   m.Engine().At(0).Set(mixer.TargetBus(bus), mixer.Change{Fields: mixer.FieldSpeed, Speed: 1}, 0),
		"set everything":   m.Engine().At(0).Set(mixer.TargetAll(), mixer.Change{Fields: mixer.FieldGain}, 0),
		"pitch of master":  m.Engine().At(0).Set(mixer.TargetBus(mixer.Bus{}), mixer.Change{Fields: mixer.FieldPitch}, 0),
		"foreign bus set":  m.Engine().At(0).Pause(mixer.TargetBus(foreignBus)),
		"play before":      func() error { _, err := m.Engine().At(-5).Play(s, mixer.Options{}); return err }(),
		"resize to 0":      m.Engine().At(0).Resize(0),
		"resize too large": m.Engine().At(0).Resize(33),
		"group":            func() error { _, err := m.NewGroup("g", mixer.GroupOptions{Voices: -1}); return err }(),
		"handle gain":      h.SetGain(25),
		"handle pan":       h.SetPan(nan),
		"handle pitch":     h.SetPitch(50),
		"handle speed":     h.SetSpeed(0),
	} {
		if !errors.Is(err, mixer.ErrOption) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, c := range map[string]mixer.Config{
		"rate": {Rate: -1}, "voices": {Voices: 65537}, "negative": {Voices: -1}, "max": {Voices: 8, MaxVoices: 4}, "commands": {Commands: -1},
		"events": {Events: -1}, "gain": {MasterGain: 30}, "policy": {Overflow: 99}, "grow": {Overflow: mixer.GrowPool, Voices: 8, Grow: mixer.Grow{Max: 4}},
		"bus name": {Buses: []mixer.BusConfig{{}}}, "reserved": {Buses: []mixer.BusConfig{{Name: "master"}}}, "twice": {Buses: []mixer.BusConfig{{Name: "a"}, {Name: "a"}}},
		"bus gain": {Buses: []mixer.BusConfig{{Name: "a", Gain: 99}}}, "bus voices": {Buses: []mixer.BusConfig{{Name: "a", Voices: -1}}},
		"duck": {Buses: []mixer.BusConfig{{Name: "a", Duck: mixer.Duck{When: "b", By: 3}}}}, "duck when master": {Buses: []mixer.BusConfig{{Name: "a", Duck: mixer.Duck{When: "master", By: 3}}}}, "refuse": {RejectQuietest: true, Overflow: mixer.StealOldest},
		"duck itself": {Buses: []mixer.BusConfig{{Name: "a", Duck: mixer.Duck{When: "a", By: 3}}}},
	} {
		if _, err := mixer.New(c); !errors.Is(err, mixer.ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestStopFadesAndTails(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true})
	s := level(t, 1000, 1000, 1)
	a := play(t, m.Engine().At(0), s, hardLeft)
	m.Engine().At(20).Stop(mixer.TargetVoice(a), 0) // 10 frames of tail
	got := left(m, 40)
	for i, x := range got {
		want := 1.0
		if i >= 20 {
			want = 0.5 + 0.5*math.Cos(math.Pi*min(float64(i-20)/10, 1))
		}
		if math.Abs(float64(x)-want) > 1e-6 {
			t.Errorf("frame %d is %v, want %v", i, x, want)
		}
	}
	if st := m.Stats(); st.Stopped != 1 || st.SilentFrom != 30 {
		t.Errorf("%+v", st)
	}
	b := play(t, m.Engine().At(40), s, hardLeft)
	m.Engine().At(60).Stop(mixer.TargetVoice(b), 100*time.Millisecond)
	left(m, 119)
	if got := b.State(); got != mixer.StatePlaying {
		t.Errorf("a frame before the end of its fade it is %v", got)
	}
	left(m, 1)
	if st := m.Stats(); b.State() != mixer.StateStopped || st.SilentFrom != 160 {
		t.Errorf("at the end of its fade it is %v, %+v", b.State(), st)
	}
}

func TestPauseResume(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true})
	s := ramp(t, 1000, 500)
	h := play(t, m.Engine().At(0), s, mixer.Options{Pan: -1, For: 100 * time.Millisecond})
	m.Engine().At(50).Pause(mixer.TargetVoice(h))
	m.Engine().At(200).Resume(mixer.TargetVoice(h))
	got := left(m, 100)
	if got[49] != 50./1024 || got[50] != 51./1024 || got[70] != 0 {
		t.Errorf("around the pause: %v, %v, %v", got[49], got[50], got[70])
	}
	if h.State() != mixer.StatePaused || h.Position() != 50*time.Millisecond {
		t.Errorf("it is %v at %v", h.State(), h.Position())
	}
	got = left(m, 200)
	if got[100] != 0 || got[105] != 56./1024 || got[149] != 100./1024 || h.State() != mixer.StateEnded {
		t.Errorf("after the pause: %v, %v, %v, %v", got[100], got[105], got[149], h.State())
	}
}

// TestPauseKeepsTheFadeIn checks that a fade-in continues while its voice is paused.
func TestPauseKeepsTheFadeIn(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true})
	h := play(t, m.Engine().At(0), level(t, 1000, 5000, 1), mixer.Options{Pan: -1, FadeIn: 2 * time.Second})
	m.Engine().At(100).Pause(mixer.TargetVoice(h))
	m.Engine().At(200).Resume(mixer.TargetVoice(h))
	got := left(m, 1200)
	for _, i := range []int{99, 205, 300, 1000} {
		if want := 0.5 - 0.5*math.Cos(math.Pi*float64(i)/2000); math.Abs(float64(got[i])-want) > 1e-3 {
			t.Errorf("frame %d is %v, want %v", i, got[i], want)
		}
	}
}

// TestPlayhead checks that Playhead agrees with the frame and the position of each block.
func TestPlayhead(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 8000, NoLimiter: true})
	other := newMixer(t, mixer.Config{Rate: 8000})
	h, err := m.Engine().At(100).Play(level(t, 8000, 1000, 0.5), mixer.Options{From: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	check := func(frame, position int64, ok bool) {
		t.Helper()
		if f, p, is := m.Engine().Playhead(h); is != ok || ok && (f != frame || p != position) {
			t.Errorf("frame %d, position %d, %v; want %d, %d, %v", f, p, is, frame, position, ok)
		}
	}
	check(0, 0, false)
	m.Render(make([]pcm.Frame, 100))
	check(0, 0, false)
	m.Render(make([]pcm.Frame, 77))
	check(177, 157, true)
	if err := h.Pause(); err != nil {
		t.Fatal(err)
	}
	m.Render(make([]pcm.Frame, 50))
	check(227, 157, true)
	if _, _, ok := other.Engine().Playhead(h); ok {
		t.Error("another mixer has a position of the voice")
	}
	if m.Engine().Mixing() {
		t.Error("a block is being mixed")
	}
	if err := h.Stop(0); err != nil {
		t.Fatal(err)
	}
	m.Render(make([]pcm.Frame, 50))
	check(0, 0, false)
}

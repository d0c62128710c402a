package mixer_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// TestBusVerbs compares each method of Bus with the command of the same name.
func TestBusVerbs(t *testing.T) {
	for name, c := range map[string]struct {
		verb  func(b mixer.Bus) error
		left  float32 // of a level of 1 on the bus, 100 frames later
		state mixer.State
	}{
		"SetGain": {
			verb: func(b mixer.Bus) error { return b.SetGain(pcm.FromLinear(0.5)) },
			left: 0.5, state: mixer.StatePlaying,
		},
		"a fader at 0": {
			verb:  func(b mixer.Bus) error { return b.SetGain(pcm.FromLinear(0)) },
			state: mixer.StatePlaying,
		},
		"SetPan":    {verb: func(b mixer.Bus) error { return b.SetPan(1) }, state: mixer.StatePlaying},
		"SetVolume": {verb: func(b mixer.Bus) error { return b.SetVolume(pcm.FromLinear(0.5)) }, left: 0.5, state: mixer.StatePlaying},
		"SetMute":   {verb: func(b mixer.Bus) error { return b.SetMute(true) }, state: mixer.StatePlaying},
		"SetSolo":   {verb: func(b mixer.Bus) error { return b.SetSolo(true) }, left: 1, state: mixer.StatePlaying},
		"Fade": {
			verb: func(b mixer.Bus) error { return b.Fade(pcm.FromLinear(0.25), 20*ms) },
			left: 0.25, state: mixer.StatePlaying,
		},
		"Pause":  {verb: mixer.Bus.Pause, state: mixer.StatePaused},
		"Resume": {verb: mixer.Bus.Resume, left: 1, state: mixer.StatePlaying},
		"Stop":   {verb: func(b mixer.Bus) error { return b.Stop(0) }, state: mixer.StateStopped},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true, Buses: []mixer.BusConfig{{Name: "sfx"}, {Name: "music"}}})
			b := busOf(t, m, "sfx")
			h := play(t, m.Engine().At(mixer.Now), level(t, 1000, 900, 1), mixer.Options{Bus: b, Pan: -1})
			left(m, 10)
			if err := c.verb(b); err != nil {
				t.Fatal(err)
			}
			out := left(m, 100)
			if got := out[99]; math.Abs(float64(got-c.left)) > 1e-6 || h.State() != c.state {
				t.Errorf("%v is heard of a voice that is %v, want %v, %v", got, h.State(), c.left, c.state)
			}
		})
	}
}

// TestBusFader passes each slider position to a bus, by SetGain and in its BusConfig, and reads it back.
func TestBusFader(t *testing.T) {
	m := newMixer(t, mixer.Config{Buses: []mixer.BusConfig{{Name: "sfx"}}})
	b := busOf(t, m, "sfx")
	for i := range 104 {
		position := float64(i) / 100
		if i > 100 { // a slider close to 0
			position = []float64{1e-3, 1e-9, math.SmallestNonzeroFloat64}[i-101]
		}
		gain := pcm.FromFader(position)
		if err := b.SetGain(gain); err != nil || pcm.ToFader(b.Gain()) != pcm.ToFader(gain) {
			t.Errorf("at %v: %v dB became %v, %v", position, gain, b.Gain(), err)
		}
		m.Render(nil)
		kept := mixer.Config{MasterGain: gain, Buses: []mixer.BusConfig{{Name: "sfx", Gain: gain}}}
		if _, err := mixer.New(kept); err != nil {
			t.Errorf("at %v: %v", position, err)
		}
	}
	if err := b.SetGain(pcm.FromFader(math.NaN())); !errors.Is(err, mixer.ErrOption) {
		t.Errorf("a slider at NaN: %v", err)
	}
}

// TestBusGain checks that Bus.Gain returns the last gain, for a settings page.
func TestBusGain(t *testing.T) {
	m := newMixer(t, mixer.Config{MasterGain: -2, Commands: 1, Buses: []mixer.BusConfig{{Name: "sfx", Gain: -6}}})
	b, top := busOf(t, m, "sfx"), busOf(t, m, "master")
	if b.Gain() != -6 || top.Gain() != -2 || b.Name() != "sfx" || top.Name() != "master" {
		t.Errorf("%s has %v dB, %s %v", b.Name(), b.Gain(), top.Name(), top.Gain())
	}
	if err := b.SetGain(-12); err != nil || b.Gain() != -12 {
		t.Errorf("it is %v dB, error %v", b.Gain(), err)
	}
	play(t, m.Engine().At(mixer.Now), level(t, 48000, 4000, 1), mixer.Options{Bus: b, Pan: -1})
	if err := b.SetGain(-20); err != nil || b.Gain() != -20 {
		t.Errorf("with no place for a command it is %v dB, error %v", b.Gain(), err)
	}
	wantAbout(t, "what is heard", left(m, 2000)[1999], math.Pow(10, -22./20))
	if err := b.SetGain(25); !errors.Is(err, mixer.ErrOption) {
		t.Errorf("25 dB: %v", err)
	}
}

func TestBusNames(t *testing.T) {
	m := newMixer(t, mixer.Config{Buses: []mixer.BusConfig{{Name: "music"}, {Name: "sfx"}}})
	b, err := m.Bus("musik")
	if b != (mixer.Bus{}) || !errors.Is(err, mixer.ErrOption) || !strings.HasSuffix(err.Error(), `there is no bus "musik"; the nearest is "music"`) {
		t.Errorf("%v, error %v", b, err)
	}
	for name, err := range map[string]error{
		"SetGain": b.SetGain(0), "Pause": b.Pause(), "Resume": b.Resume(), "Stop": b.Stop(0), "Fade": b.Fade(0, time.Second),
	} {
		if !errors.Is(err, mixer.ErrOption) {
			t.Errorf("%s of the zero Bus: %v", name, err)
		}
	}
}

// TestMomentVerbs compares each setter of Moment with Set.
func TestMomentVerbs(t *testing.T) {
	for name, c := range map[string]struct {
		verb   func(at mixer.Moment, target mixer.Target) error
		change mixer.Change
		within time.Duration
	}{
		"SetGain": {
			verb:   func(at mixer.Moment, target mixer.Target) error { return at.SetGain(target, -6) },
			change: mixer.Change{Fields: mixer.FieldGain, Gain: -6},
		},
		"SetPan": {
			verb:   func(at mixer.Moment, target mixer.Target) error { return at.SetPan(target, 0.5) },
			change: mixer.Change{Fields: mixer.FieldPan, Pan: 0.5},
		},
		"SetPitch": {
			verb:   func(at mixer.Moment, target mixer.Target) error { return at.SetPitch(target, 7) },
			change: mixer.Change{Fields: mixer.FieldPitch, Pitch: 7},
		},
		"SetSpeed": {
			verb:   func(at mixer.Moment, target mixer.Target) error { return at.SetSpeed(target, 0.5) },
			change: mixer.Change{Fields: mixer.FieldSpeed, Speed: 0.5},
		},
		"Fade": {
			verb:   func(at mixer.Moment, target mixer.Target) error { return at.Fade(target, -20, 50*ms) },
			change: mixer.Change{Fields: mixer.FieldGain, Gain: -20, Shape: sounds.InDecibels},
			within: 50 * ms,
		},
	} {
		m := newMixer(t, mixer.Config{Rate: 1000, Journal: 8})
		h := play(t, m.Engine().At(0), level(t, 1000, 900, 1), mixer.Options{})
		if err := c.verb(m.Engine().At(7), mixer.TargetVoice(h)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		left(m, 20)
		var entries [8]mixer.Entry
		n := m.Engine().Journal(entries[:])
		if e := entries[n-1]; n != 2 || e.Frame != 7 || e.Kind != mixer.EntrySet || e.Change != c.change || e.Frames != int64(c.within/ms) {
			t.Errorf("%s: %+v", name, entries[:n])
		}
	}
}

// TestOptionsThatContradict checks that contradictory options are errors.
func TestOptionsThatContradict(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000})
	s := level(t, 1000, 900, 1)
	if _, err := m.Play(s, mixer.Options{EngineOptions: mixer.EngineOptions{Rounds: 3}}); !errors.Is(err, mixer.ErrOption) {
		t.Errorf("rounds without a loop: %v", err)
	}
	if _, err := m.Play(s, mixer.Options{Loop: true, EngineOptions: mixer.EngineOptions{Rounds: mixer.Forever}}); err != nil {
		t.Errorf("a loop without end: %v", err)
	}
	if _, err := m.Play(s, mixer.Options{Gain: pcm.FromLinear(0)}); err != nil {
		t.Errorf("silence: %v", err)
	}
	m.Close()
	if _, err := m.Play(s, mixer.Options{}); !errors.Is(err, mixer.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// TestQualityOfAVoice checks that Options.Quality overrides Config.Quality.
func TestQualityOfAVoice(t *testing.T) {
	for name, c := range map[string]struct {
		mixer, voice, want sounds.Quality
	}{
		"nothing said":  {mixer: sounds.DefaultQuality, voice: sounds.DefaultQuality, want: sounds.Best},
		"the mixer's":   {mixer: sounds.Linear, voice: sounds.DefaultQuality, want: sounds.Linear},
		"its own":       {mixer: sounds.Linear, voice: sounds.Cubic, want: sounds.Cubic},
		"its own, best": {mixer: sounds.Linear, voice: sounds.Best, want: sounds.Best},
	} {
		m := newMixer(t, mixer.Config{Rate: 1000, Quality: c.mixer, Journal: 1})
		play(t, m.Engine().At(0), level(t, 1000, 900, 1), mixer.Options{EngineOptions: mixer.EngineOptions{Quality: c.voice}})
		left(m, 1)
		var e [1]mixer.Entry
		if m.Engine().Journal(e[:]) != 1 || e[0].How.Quality != c.want {
			t.Errorf("%s: %v, want %v", name, e[0].How.Quality, c.want)
		}
	}
}

// TestGainOfLaterFrames checks that Bus.Gain returns a gain from 50 ms before its frame on. A gain of a
// batch counts after the firing, and never if the batch is dropped.
func TestGainOfLaterFrames(t *testing.T) {
	m, err := mixer.New(mixer.Config{Rate: 48000, Buses: []mixer.BusConfig{{Name: "sfx", Gain: -1}}})
	if err != nil {
		t.Fatal(err)
	}
	bus, err := m.Bus("sfx")
	if err != nil {
		t.Fatal(err)
	}
	sfx := mixer.TargetBus(bus)
	want := func(when string, gain pcm.Decibels) {
		t.Helper()
		if got := bus.Gain(); got != gain {
			t.Errorf("%s it is %v dB, want %v", when, got, gain)
		}
	}
	do := func(errs ...error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	fired, dropped := m.Engine().NewBatch(), m.Engine().NewBatch()
	do(m.Engine().At(30000).SetGain(sfx, -3), m.Engine().At(10000).Fade(sfx, -2, time.Second), m.Engine().At(20000).Fire(fired))
	do(fired.At(5000).SetGain(sfx, -5), dropped.At(0).SetGain(sfx, -9), m.Engine().At(mixer.Now).Drop(dropped))
	const soon = 2400 // 50 ms
	want("before all", -1)
	for _, c := range []struct {
		until int64
		gain  pcm.Decibels
	}{{10000 - soon - 1, -1}, {10000 - soon, -2}, {25000 - soon - 1, -2}, {25000 - soon, -5}, {30000 - soon - 1, -5}, {30000 - soon, -3}} {
		m.Render(make([]pcm.Frame, c.until-m.Now()))
		want(fmt.Sprintf("at frame %d", c.until), c.gain)
	}
	m.Render(make([]pcm.Frame, soon))
	do(m.Engine().At(40000).SetGain(sfx, -4), bus.SetGain(-8))
	want("set at once", -8)
	m.Render(make([]pcm.Frame, 10000))
	want("set before for a later frame", -4)
}

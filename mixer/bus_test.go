package mixer_test

import (
	"math"
	"testing"
	"time"

	"voicepool/mixer"
)

func TestPausedBusHoldsWhatStarts(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true, Buses: []mixer.BusConfig{{Name: "sfx"}}})
	bus, _ := m.Bus("sfx")
	m.Engine().At(0).Pause(mixer.TargetBus(bus))
	h := play(t, m.Engine().At(5), ramp(t, 1000, 50), mixer.Options{Pan: -1, Bus: bus})
	m.Engine().At(20).Resume(mixer.TargetBus(bus))
	got := left(m, 40)
	if got[19] != 0 || got[20] != 1./1024 || got[39] != 20./1024 {
		t.Errorf("%v", got)
	}
	if h.State() != mixer.StatePlaying {
		t.Errorf("%v", h.State())
	}
}

// TestMasterIsEverything checks that pausing or stopping the master applies to all voices.
func TestMasterIsEverything(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true, Buses: []mixer.BusConfig{{Name: "sfx"}}})
	bus, _ := m.Bus("sfx")
	h := play(t, m.Engine().At(0), level(t, 1000, 500, 1), mixer.Options{Bus: bus})
	m.Engine().At(10).Pause(mixer.TargetBus(mixer.Bus{}))
	left(m, 20)
	if h.State() != mixer.StatePaused {
		t.Errorf("with the master paused it is %v", h.State())
	}
	m.Engine().At(20).Resume(mixer.TargetAll())
	m.Engine().At(30).Stop(mixer.TargetBus(mixer.Bus{}), 0)
	left(m, 20)
	if h.State() != mixer.StateStopped {
		t.Errorf("with the master stopped it is %v", h.State())
	}
}

func TestDuck(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true, Buses: []mixer.BusConfig{
		{Name: "sfx"}, {Name: "music", Duck: mixer.Duck{When: "sfx", By: 20, Attack: 10 * time.Millisecond, Release: 40 * time.Millisecond}},
	}})
	sfx, _ := m.Bus("sfx")
	music, _ := m.Bus("music")
	play(t, m.Engine().At(0), level(t, 1000, 500, 1), mixer.Options{Pan: -1, Bus: music})
	play(t, m.Engine().At(100), level(t, 1000, 100, 0.5), mixer.Options{Pan: 1, Bus: sfx})
	got := left(m, 300)
	for i, x := range got {
		want := 1.0
		switch {
		case i >= 240:
		case i >= 200:
			want = math.Pow(10, (-20+20*float64(i-200)/40)/20)
		case i >= 110:
			want = 0.1
		case i >= 100:
			want = math.Pow(10, -2*float64(i-100)/20)
		}
		if math.Abs(float64(x)-want) > 0.1*want {
			t.Errorf("frame %d is %v, want %v", i, x, want)
		}
	}
}

func TestMuteAndBusGain(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true, MasterGain: -20, Buses: []mixer.BusConfig{{Name: "a", Mute: true}, {Name: "b", Gain: -20}}})
	a, _ := m.Bus("a")
	b, _ := m.Bus("b")
	play(t, m.Engine().At(0), level(t, 1000, 500, 1), mixer.Options{Pan: -1, Bus: a})
	play(t, m.Engine().At(0), level(t, 1000, 500, 1), mixer.Options{Pan: -1, Bus: b})
	if got := left(m, 10)[9]; math.Abs(float64(got)-0.01) > 1e-6 {
		t.Errorf("b alone is %v, want 0.01", got)
	}
	m.Engine().At(10).Set(mixer.TargetBus(a), mixer.Change{Fields: mixer.FieldMute}, 0)
	if got := left(m, 10)[9]; math.Abs(float64(got)-0.11) > 1e-6 {
		t.Errorf("a and b are %v, want 0.11", got)
	}
	m.Engine().At(20).Set(mixer.TargetBus(b), mixer.Change{Fields: mixer.FieldGain, Gain: 0}, 10*time.Millisecond)
	if got := left(m, 20)[19]; math.Abs(float64(got)-0.2) > 1e-6 {
		t.Errorf("both at full are %v, want 0.2", got)
	}
}

// TestSilentBusJumps checks that a bus without sound changes at once, so that the attack of a start is
// exact.
func TestSilentBusJumps(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true, Buses: []mixer.BusConfig{{Name: "sfx"}}})
	bus, _ := m.Bus("sfx")
	m.Engine().At(10).Set(mixer.TargetBus(bus), mixer.Change{Fields: mixer.FieldGain, Gain: -20}, 0)
	play(t, m.Engine().At(10), level(t, 1000, 500, 1), mixer.Options{Pan: -1, Bus: bus})
	if got := left(m, 20)[10]; math.Abs(float64(got)-0.1) > 1e-6 {
		t.Errorf("the first sample is %v, want 0.1", got)
	}
	m.Engine().At(50).Set(mixer.TargetBus(bus), mixer.Change{Fields: mixer.FieldGain}, 0)
	if got := left(m, 40)[31]; math.Abs(float64(got)-0.1) > 0.2 {
		t.Errorf("under a sounding voice it jumps: %v", got)
	}
}

// TestDuckNeverSteps checks that a duck without attack or release still moves smoothly.
func TestDuckNeverSteps(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 8000, NoLimiter: true, Buses: []mixer.BusConfig{
		{Name: "sfx"}, {Name: "music", Duck: mixer.Duck{When: "sfx", By: 6}},
	}})
	sfx, _ := m.Bus("sfx")
	music, _ := m.Bus("music")
	play(t, m.Engine().At(0), level(t, 8000, 4000, 1), mixer.Options{Pan: -1, Bus: music})
	play(t, m.Engine().At(1000), level(t, 8000, 1000, 0.5), mixer.Options{Pan: 1, Bus: sfx})
	got := left(m, 3500)
	for i := 1; i < len(got); i++ {
		if d := math.Abs(float64(got[i] - got[i-1])); d > 0.05 {
			t.Fatalf("a step of %v at frame %d", d, i)
		}
	}
	if got[1500] > 0.51 || got[3000] != 1 {
		t.Errorf("ducked it is %v, after it %v", got[1500], got[3000])
	}
}

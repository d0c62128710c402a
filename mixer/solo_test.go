package mixer_test

import (
	"fmt"
	"testing"

	"voicepool/mixer"
	"voicepool/pcm"
)

// solos plays 1/16 on a, 1/8 on b, 1/4 on c, 1/2 on d and 1 on the master. It returns the output some
// frames after each step, in sixteenths.
func solos(t *testing.T, buses []mixer.BusConfig, steps ...mixer.Change) []float32 {
	t.Helper()
	m := at1k(t, buses...)
	s := level(t, 1000, 9000, 1)
	for i, name := range []string{"a", "b", "c", "d", "master"} {
		play(t, m.Engine().At(0), s, mixer.Options{Pan: -1, EngineOptions: mixer.EngineOptions{Base: mixer.Base{Gain: pcm.FromLinear(float64(int(1)<<i) / 16)}}, Bus: busOf(t, m, name)})
	}
	out := []float32{left(m, 20)[10] * 16}
	for _, c := range steps {
		// Gain holds the index of the bus; a solo ignores it.
		name := []string{"a", "b", "c", "d"}[int(c.Gain)]
		m.Engine().At(mixer.Now).Set(mixer.TargetBus(busOf(t, m, name)), mixer.Change{Fields: c.Fields, Solo: c.Solo, Mute: c.Mute}, 0)
		out = append(out, left(m, 20)[10]*16)
	}
	return out
}

// TestSolo checks that with a solo only soloed buses and the buses below them are heard, through the
// buses above them.
func TestSolo(t *testing.T) {
	on := func(bus int) mixer.Change {
		return mixer.Change{Fields: mixer.FieldSolo, Solo: true, Gain: pcm.Decibels(bus)}
	}
	off := func(bus int) mixer.Change { return mixer.Change{Fields: mixer.FieldSolo, Gain: pcm.Decibels(bus)} }
	mute := func(bus int) mixer.Change {
		return mixer.Change{Fields: mixer.FieldMute, Mute: true, Gain: pcm.Decibels(bus)}
	}
	const a, b, c, d = 0, 1, 2, 3
	soloed := func(names ...string) []mixer.BusConfig {
		buses := family()
		for i := range buses {
			for _, n := range names {
				buses[i].Solo = buses[i].Solo || buses[i].Name == n
			}
		}
		return buses
	}
	for _, v := range []struct {
		name  string
		buses []mixer.BusConfig
		steps []mixer.Change
		want  []float32
	}{
		{name: "a leaf", buses: family(), steps: []mixer.Change{on(c), off(c)}, want: []float32{31, 4, 31}},
		{name: "a parent, and one below it", buses: family(), steps: []mixer.Change{on(b), on(c), off(b), off(c)}, want: []float32{31, 6, 6, 4, 31}},
		{name: "the whole tree, and another", buses: family(), steps: []mixer.Change{on(a), on(d), off(a), off(d)}, want: []float32{31, 7, 15, 8, 31}},
		{name: "from the beginning", buses: soloed("b", "d"), steps: []mixer.Change{off(d), off(b)}, want: []float32{14, 6, 31}},
		{name: "a mute is a mute", buses: soloed("b"), steps: []mixer.Change{mute(c), mute(a), off(b)}, want: []float32{6, 2, 0, 24}},
	} {
		got := solos(t, v.buses, v.steps...)
		for i, x := range got {
			if d := x - v.want[i]; d > 1e-5 || d < -1e-5 {
				t.Errorf("%s: after %d steps %v is heard, want %v", v.name, i, got, v.want)
				break
			}
		}
	}
}

// TestSoloCounts checks that a voice silenced by a solo has no audibility, and that its tail is silent.
func TestSoloCounts(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 2, NoLimiter: true, Buses: family()})
	s := level(t, 1000, 900, 0.5)
	loud := play(t, m.Engine().At(0), s, mixer.Options{Pan: -1, Bus: busOf(t, m, "a")})
	quiet := play(t, m.Engine().At(0), s, mixer.Options{Pan: 1, Bus: busOf(t, m, "c"), Gain: -60})
	m.Engine().At(10).Set(mixer.TargetBus(busOf(t, m, "c")), mixer.Change{Fields: mixer.FieldSolo, Solo: true}, 0)
	left(m, 20)
	if a, b := loud.Audibility(), quiet.Audibility(); a > -200 || b < -100 {
		t.Errorf("beside the solo %v, in it %v", a, b)
	}
	play(t, m.Engine().At(30), s, mixer.Options{Pan: 1, Bus: busOf(t, m, "c"), Gain: -60})
	for i, x := range left(m, 30) {
		if x != 0 {
			t.Fatalf("frame %d of what is not soloed is %v", 20+i, x)
		}
	}
	wantEvents(t, m, "0 started 1, 0 started 2, 30 stolen 1 by 3 (pool), 30 started 3")
}

// TestSoloIsSmooth checks that a solo fades in 5 ms, or in the given time.
func TestSoloIsSmooth(t *testing.T) {
	m := at1k(t, family()...)
	play(t, m.Engine().At(0), level(t, 1000, 900, 1), mixer.Options{Pan: -1, Bus: busOf(t, m, "a")})
	m.Engine().At(20).Set(mixer.TargetBus(busOf(t, m, "d")), mixer.Change{Fields: mixer.FieldSolo, Solo: true}, 0)
	m.Engine().At(40).Set(mixer.TargetBus(busOf(t, m, "d")), mixer.Change{Fields: mixer.FieldSolo}, 100*ms)
	got := left(m, 200)
	for frame, want := range map[int]float64{19: 1, 20: 1, 22: 0.6, 24: 0.2, 25: 0, 40: 0, 90: 0.5, 140: 1} {
		wantAbout(t, "the voice beside a solo", got[frame], want)
	}
}

// TestSoloAtAStart checks that a bus without sound of its own is not smoothed. A start at the frame at
// which a solo ends begins with its exact first sample, whatever is heard through its bus from below.
func TestSoloAtAStart(t *testing.T) {
	for _, below := range []bool{false, true} {
		m := at1k(t, mixer.BusConfig{Name: "a"}, mixer.BusConfig{Name: "low", Parent: "a"}, mixer.BusConfig{Name: "d", Solo: true})
		if below {
			play(t, m.Engine().At(0), ramp(t, 1000, 100), mixer.Options{Pan: 1, Bus: busOf(t, m, "low")})
		}
		m.Engine().At(20).Set(mixer.TargetBus(busOf(t, m, "d")), mixer.Change{Fields: mixer.FieldSolo}, 0)
		play(t, m.Engine().At(20), ramp(t, 1000, 100), mixer.Options{Pan: -1, Bus: busOf(t, m, "a")})
		wantFrames(t, fmt.Sprint("the attack, with a voice below: ", below), left(m, 40)[20:], count(0, 20))
	}
}

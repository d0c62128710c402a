package mixer_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"voicepool/effect"
	"voicepool/mixer"
	"voicepool/pcm"
)

// newEffect returns a valid effect.
func newEffect(t testing.TB, kind string, values effect.Values) effect.Effect {
	t.Helper()
	e, err := effect.New(kind, values)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// inBlocks renders a number of frames in blocks of a length.
func inBlocks(m *mixer.Mixer, frames, block int) []pcm.Frame {
	out := make([]pcm.Frame, frames)
	for at := 0; at < frames; at += block {
		m.Render(out[at:min(at+block, frames)])
	}
	return out
}

// TestEcho checks that a delay on a bus gives echoes at exact frames, before the gains of the bus, and a
// tail after its voices. Other buses must not change.
func TestEcho(t *testing.T) {
	for _, block := range []int{1, 7, 64, 500} {
		echo := newEffect(t, "delay", effect.Values{"time": 0.1, "feedback": 0.5})
		m := at1k(t, mixer.BusConfig{Name: "hall", Gain: -20, Effects: []effect.Effect{echo}}, mixer.BusConfig{Name: "dry"})
		play(t, m.Engine().At(13), level(t, 1000, 1, 1), mixer.Options{Pan: -1, Bus: busOf(t, m, "hall")})
		play(t, m.Engine().At(20), level(t, 1000, 1, 0.25), mixer.Options{Pan: -1, Bus: busOf(t, m, "dry")})
		got := inBlocks(m, 600, block)
		for i, f := range got {
			want := map[int]float32{20: 0.25, 113: 0.1, 213: 0.05, 313: 0.025, 413: 0.0125, 513: 0.00625}[i]
			if math.Abs(float64(f[0]-want)) > 1e-7 || f[1] != 0 {
				t.Fatalf("in blocks of %d: frame %d is %v, want %v", block, i, f, want)
			}
		}
	}
}

// TestEffectsOfAll checks that effects of the master, of a bus and of an output process their input in
// order.
func TestEffectsOfAll(t *testing.T) {
	by := func(time float64) effect.Effect {
		e := newEffect(t, "delay", effect.Values{"time": time, "feedback": 0})
		e.ID = strings.Repeat("x", 1+int(1000*time))
		return e
	}
	m := newMixer(t, mixer.Config{
		Rate: 1000, NoLimiter: true, Effects: []effect.Effect{by(0.01)},
		Buses: []mixer.BusConfig{{Name: "a", Effects: []effect.Effect{by(0.002), by(0.003)}}, {Name: "b", Parent: "a"}},
	})
	play(t, m.Engine().At(0), level(t, 1000, 1, 1), mixer.Options{Pan: -1, Bus: busOf(t, m, "b")})
	play(t, m.Engine().At(50), level(t, 1000, 1, 1), mixer.Options{Pan: -1})
	got := left(m, 100)
	if i := slices.IndexFunc(got, func(x float32) bool { return x != 0 }); i != 15 || got[60] != 1 {
		t.Errorf("the first sound comes at %d, want 15; the second is %v at 60", i, got[60])
	}
}

// TestSetEffect checks that parameters fade at their frame and within their time, can be read back, and
// give the same bits in blocks of any length.
func TestSetEffect(t *testing.T) {
	render := func(block int) []pcm.Frame {
		m := newMixer(t, mixer.Config{
			Rate: 8000, NoLimiter: true, Journal: 100,
			Buses: []mixer.BusConfig{{Name: "a", Effects: []effect.Effect{
				newEffect(t, "compressor", effect.Values{"threshold": -30, "ratio": 20}),
				newEffect(t, "delay", effect.Values{"time": 0.03, "mix": 0.25}),
			}}},
		})
		a := busOf(t, m, "a")
		play(t, m.Engine().At(0), level(t, 8000, 3000, 0.5), mixer.Options{Bus: a, Loop: true})
		for _, err := range []error{
			m.Engine().At(777).SetEffect(a, "delay", effect.Values{"mix": 1, "feedback": 0.9, "lowpass": 900}, 70*ms),
			m.Engine().At(1801).SetEffect(a, "compressor", effect.Values{"bypass": 1}, 0),
			m.Engine().At(2903).SetEffect(a, "delay", effect.Values{"lowpass": 0, "time": 0.2, "pingpong": 1}, 0),
			m.Engine().At(3905).SetEffect(a, "delay", effect.Values{"bypass": 1}, 100*ms),
			m.Engine().At(3905).Stop(mixer.TargetAll(), 0),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		out := inBlocks(m, 16000, block)
		e := a.Effects()
		if len(e) != 2 || e[1].Value(e[1].Kind().Find("time")) != 0.2 || e[1].Value(e[1].Kind().Find("bypass")) != 1 || e[0].Value(0) != -30 {
			t.Errorf("the effects are told to be %+v", e)
		}
		entries := make([]mixer.Entry, 100)
		entries = entries[:m.Engine().Journal(entries)]
		if i := slices.IndexFunc(entries, func(e mixer.Entry) bool { return e.Kind == mixer.EntryEffect }); i < 0 ||
			entries[i].Frame != 777 || entries[i].Bus != "a" || entries[i].Effect != "delay" || entries[i].Values["lowpass"] != 900 || entries[i].Frames != 560 {
			t.Errorf("the journal has %+v", entries)
		}
		return out
	}
	want := render(512)
	for _, block := range []int{1, 7, 64, 4096} {
		if got := render(block); !slices.Equal(got, want) {
			i := 0
			for got[i] == want[i] {
				i++
			}
			t.Errorf("in blocks of %d frame %d is %v, want %v", block, i, got[i], want[i])
		}
	}
	rings := func(from int) bool {
		return slices.ContainsFunc(want[from:], func(f pcm.Frame) bool { return f[0] != 0 })
	}
	if !rings(6000) {
		t.Error("the delay does not ring on when it is bypassed")
	}
}

// TestKey checks a compressor with a key bus, including a bus that comes later in the configuration.
func TestKey(t *testing.T) {
	pump := newEffect(t, "compressor", effect.Values{"threshold": -40, "ratio": 100, "attack": 0.0005, "release": 0.02})
	pump.Key = "kick"
	m := at1k(t, mixer.BusConfig{Name: "music", Effects: []effect.Effect{pump}}, mixer.BusConfig{Name: "kick"})
	play(t, m.Engine().At(0), level(t, 1000, 999, 0.5), mixer.Options{Pan: -1, Bus: busOf(t, m, "music")})
	play(t, m.Engine().At(100), level(t, 1000, 100, 1), mixer.Options{Pan: 1, Bus: busOf(t, m, "kick")})
	got := left(m, 150)
	if got[99] != 0.5 {
		t.Errorf("without the key it is %v, want 0.5", got[99])
	}
	if db := 20 * math.Log10(float64(got[140])/0.5); math.Abs(db+39.6) > 0.2 {
		t.Errorf("the key takes it down by %.2f dB, want 39.6", db)
	}
	if r := busOf(t, m, "music").Reduction(); math.Abs(float64(r)-39.6) > 0.2 {
		t.Errorf("the reduction is told as %v", r)
	}
	if got = left(m, 800); math.Abs(float64(got[700])-0.5) > 1e-3 {
		t.Errorf("after the key it is %v, want 0.5", got[700])
	}
}

// TestEffectsSleep checks that a mixer sleeps after the last echo, not before, and reports when it is
// inaudible.
func TestEffectsSleep(t *testing.T) {
	m := at1k(t, mixer.BusConfig{Name: "hall", Effects: []effect.Effect{newEffect(t, "delay", effect.Values{"time": 0.25, "feedback": 0.5})}})
	play(t, m.Engine().At(10), level(t, 1000, 1, 1), mixer.Options{Pan: -1, Bus: busOf(t, m, "hall")})
	block := make([]pcm.Frame, 20)
	loud, slept := int64(0), int64(0)
	for slept == 0 && m.Now() < 30000 {
		m.Render(block)
		for i, f := range block {
			if f[0] > 3.2e-5 {
				loud = m.Now() - 20 + int64(i)
			}
		}
		if m.Sleep(time.Unix(0, m.Now()*1e6)) {
			slept = m.Now()
		}
	}
	if end := m.Stats().SilentFrom; loud != 10+15*250 || end <= loud || end > loud+2*250 {
		t.Errorf("it is loud until %d, and said to be silent from %d on", loud, end)
	}
	if slept < loud || slept == 0 {
		t.Errorf("it sleeps at %d, loud until %d", slept, loud)
	}
}

// TestEffectsRefused checks the errors of bad effects: their place, range and nearest name.
func TestEffectsRefused(t *testing.T) {
	comp, delay := newEffect(t, "compressor", nil), newEffect(t, "delay", nil)
	key := func(e effect.Effect, bus string) effect.Effect {
		e.Key = bus
		return e
	}
	for want, buses := range map[string][]mixer.BusConfig{
		`effect 1 of bus "a" has no kind; effect.New makes one`:                    {{Name: "a", Effects: make([]effect.Effect, 1)}},
		`bus "a" has 17 effects, a bus has at most 16`:                             {{Name: "a", Effects: make([]effect.Effect, 17)}},
		`bus "a" has two effects "delay"; one needs an ID`:                         {{Name: "a", Effects: []effect.Effect{delay, delay}}},
		`the delay of bus "a" has a key; only a compressor listens to another bus`: {{Name: "a", Effects: []effect.Effect{key(delay, "master")}}},
		`the key of the compressor of bus "a", "b", is no bus`:                     {{Name: "a", Effects: []effect.Effect{key(comp, "b")}}},
		`bus "a" comes to itself: "a" listens to "a"`:                              {{Name: "a", Effects: []effect.Effect{key(comp, "a")}}},
		`bus "b" comes to itself: "b" goes into "a", "b" listens to "a"`:           {{Name: "b", Parent: "a", Effects: []effect.Effect{key(comp, "a")}}, {Name: "a"}},
		`bus "a" comes to itself: "b" listens to "a", "a" listens to "b"`:          {{Name: "a", Effects: []effect.Effect{key(comp, "b")}}, {Name: "b", Effects: []effect.Effect{key(comp, "a")}}},
	} {
		_, err := mixer.New(mixer.Config{Buses: buses})
		if err == nil || !errors.Is(err, mixer.ErrConfig) || !strings.HasSuffix(err.Error(), strings.TrimSpace(want)) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	m := newMixer(t, mixer.Config{Buses: []mixer.BusConfig{{Name: "a", Effects: []effect.Effect{delay}}, {Name: "b"}}})
	if got := fmt.Sprint(busOf(t, m, "a").Effects()); got != "[delay]" { // names, not addresses
		t.Errorf("the effects print as %s", got)
	}
	for want, err := range map[string]error{
		`bus "a" has no effect "delya"; the nearest is "delay"`: busOf(t, m, "a").SetEffect("delya", nil, 0),
		`bus "b" has no effects`:                                busOf(t, m, "b").SetEffect("delay", nil, 0),
		`delay has no "tim"; the nearest is "time"`:             busOf(t, m, "a").SetEffect("delay", effect.Values{"tim": 1}, 0),
		`delay: time: 5 s is not in 0.001..4`:                   busOf(t, m, "a").SetEffect("delay", effect.Values{"time": 5}, 0),
		`delay: lowpass: 1 Hz is not in 20..20000; 0 is off`:    busOf(t, m, "a").SetEffect("delay", effect.Values{"lowpass": 1}, 0),
		`the zero Bus is the master of no mixer`:                mixer.Bus{}.SetEffect("delay", nil, 0),
	} {
		if err == nil || !errors.Is(err, mixer.ErrOption) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}

// TestEffectsAllocateOutsideRender checks fading parameters and tails.
func TestEffectsAllocateOutsideRender(t *testing.T) {
	var all []effect.Effect
	for _, k := range effect.Kinds() {
		all = append(all, newEffect(t, k.Name, nil))
	}
	m := newMixer(t, mixer.Config{Commands: 8192, Buses: []mixer.BusConfig{{Name: "a", Effects: all}}})
	a := busOf(t, m, "a")
	play(t, m.Engine().At(0), level(t, 48000, 4800, 0.5), mixer.Options{Bus: a, Loop: true})
	block := make([]pcm.Frame, 480)
	for i := range 200 {
		for _, e := range all {
			must(t, m.Engine().At(int64(480*i+13)).SetEffect(a, e.Name(), effect.Values{"bypass": float64(i % 2)}, 5*ms))
		}
	}
	if n := testing.AllocsPerRun(200, func() { m.Render(block) }); n != 0 {
		t.Errorf("a block allocates %v times", n)
	}
}

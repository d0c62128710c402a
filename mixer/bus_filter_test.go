package mixer_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"voicepool/effect"
	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
)

// TestBusFilterWays sets a cutoff of a bus in every way. A stereo voice on the bus must have the same
// bits as a voice with the filter itself, in blocks of any length.
func TestBusFilterWays(t *testing.T) {
	const rate, n = 8000, 4000
	samples := noise(rand.New(rand.NewPCG(3, 4)), rate, 2, 1500)
	samples.Loop = [2]int64{0, 1500}
	s := sound(t, samples)
	both := mixer.Change{Fields: mixer.FieldLowPass | mixer.FieldHighPass, Filters: mixer.Filters{LowPass: 700, HighPass: 90}}
	over := 100 * time.Millisecond
	first, plain := filterVoice(s, 700, 90, -1, 0, 0, 0, n), filterVoice(s, 0, 0, -1, 0, 0, 0, n)
	later, off := filterVoice(s, 0, 0, 1000, 700, 90, 800, n), filterVoice(s, 700, 90, 1000, 0, 0, 800, n)
	begins := mixer.BusConfig{Name: "bus", LowPass: 700, HighPass: 90}
	for _, c := range []struct {
		name string
		bus  mixer.BusConfig
		do   func(m *mixer.Mixer, b mixer.Bus)
		want []pcm.Frame
	}{
		{"configuration", begins, nil, first},
		{"none", mixer.BusConfig{Name: "bus"}, nil, plain},
		{"a set before anything sounds", mixer.BusConfig{Name: "bus"}, func(m *mixer.Mixer, b mixer.Bus) {
			for hz := range 5 {
				must(t, b.SetLowPass(float64(1000*hz)))
			}
			must(t, b.SetLowPass(700))
			must(t, b.SetHighPass(90))
		}, first},
		{"off before anything sounds", begins, func(m *mixer.Mixer, b mixer.Bus) {
			must(t, b.SetLowPass(0))
			must(t, m.Engine().At(0).SetHighPass(mixer.TargetBus(b), 0))
		}, plain},
		{"a set", mixer.BusConfig{Name: "bus"}, func(m *mixer.Mixer, b mixer.Bus) {
			must(t, m.Engine().At(1000).Set(mixer.TargetBus(b), both, over))
		}, later},
		{"a batch", mixer.BusConfig{Name: "bus"}, func(m *mixer.Mixer, b mixer.Bus) {
			batch := m.Engine().NewBatch()
			must(t, batch.At(400).Set(mixer.TargetBus(b), both, over))
			must(t, m.Engine().At(600).Fire(batch))
		}, later},
		{"off", begins, func(m *mixer.Mixer, b mixer.Bus) {
			must(t, m.Engine().At(1000).Set(mixer.TargetBus(b), mixer.Change{Fields: both.Fields}, over))
		}, off},
		{"a set of the master", mixer.BusConfig{Name: "bus"}, func(m *mixer.Mixer, _ mixer.Bus) {
			must(t, m.Engine().At(1000).Set(mixer.TargetBus(busOf(t, m, "master")), both, over))
		}, later},
	} {
		for _, block := range blockLengths {
			m := newMixer(t, mixer.Config{Rate: rate, NoLimiter: true, Buses: []mixer.BusConfig{c.bus, {Name: "other", LowPass: 50}}})
			b := busOf(t, m, "bus")
			if c.do != nil {
				c.do(m, b)
			}
			play(t, m.Engine().At(0), s, mixer.Options{Loop: true, Bus: b})
			if got := inBlocks(m, n, block); !slices.Equal(got, c.want) {
				at := 0
				for got[at] == c.want[at] {
					at++
				}
				t.Errorf("%s, in blocks of %d: frame %d is %v, want %v", c.name, block, at, got[at], c.want[at])
			}
			m.Close()
		}
	}
}

// TestBusFilterBits moves cutoffs of buses while voices begin, end and send, and during silence. Bits and
// counters must be equal in blocks of any length.
func TestBusFilterBits(t *testing.T) {
	render := func(block int) ([]pcm.Frame, mixer.Stats) {
		m := newMixer(t, mixer.Config{Rate: 8000, Voices: 4, Virtual: 3, LowPass: 3000, Buses: []mixer.BusConfig{
			{Name: "hall", HighPass: 60, Effects: []effect.Effect{newEffect(t, "delay", effect.Values{"time": 0.03})}}, {Name: "sfx", LowPass: 900, Sends: []mixer.Send{{To: "hall"}}},
		}})
		for i := range 50 {
			at := int64(i*97 + 2000*(i/10))
			play(t, m.Engine().At(at), level(t, 8000, 100+i*5, 0.3), mixer.Options{Gain: pcm.Decibels(-i % 13), Bus: busOf(t, m, "sfx"), Pitch: pcm.Semitones(i % 4)})
			c := mixer.Change{Fields: mixer.FieldLowPass, Filters: mixer.Filters{LowPass: float64(i % 3 * (100 + 60*i))}}
			if i%4 == 1 {
				c = mixer.Change{Fields: mixer.FieldHighPass, Filters: mixer.Filters{HighPass: float64(i % 5 * (20 + i))}}
			}
			must(t, m.Engine().At(at+int64(i*31%700)).Set(mixer.TargetBus(busOf(t, m, []string{"sfx", "hall", "master"}[i%3])), c, time.Duration(i%9)*20*ms))
		}
		return inBlocks(m, 20000, block), m.Stats()
	}
	want, st := render(512)
	for _, block := range blockLengths {
		got, stats := render(block)
		if !slices.Equal(got, want) {
			at := 0
			for got[at] == want[at] {
				at++
			}
			t.Errorf("in blocks of %d frame %d is %v, want %v", block, at, got[at], want[at])
		}
		if stats.SilentFrom != st.SilentFrom || stats.RingsUntil != st.RingsUntil {
			t.Errorf("in blocks of %d it is silent from %d on, and rings until %d, want %d and %d", block, stats.SilentFrom, stats.RingsUntil, st.SilentFrom, st.RingsUntil)
		}
	}
}

// TestBusFilterRings checks the tail of a bus filter after its voices, its reported end, and the sleep
// after it. The next sound must start with a filter at rest.
func TestBusFilterRings(t *testing.T) {
	m := at1k(t, mixer.BusConfig{Name: "a", LowPass: 20})
	play(t, m.Engine().At(10), level(t, 1000, 300, 1), mixer.Options{Pan: -1, Bus: busOf(t, m, "a")})
	loud, slept := int64(0), int64(0)
	block := make([]pcm.Frame, 20)
	for slept == 0 && m.Now() < 9000 {
		m.Render(block)
		for i, f := range block {
			if math.Abs(float64(f[0])) > 3.1623e-5 {
				loud = m.Now() - 20 + int64(i)
			}
		}
		if m.Sleep(time.Unix(0, m.Now()*1e6)) {
			slept = m.Now()
		}
	}
	st := m.Stats()
	if loud < 340 || st.SilentFrom != loud+1 || st.RingsUntil <= loud || st.RingsUntil > loud+200 {
		t.Errorf("it is loud until %d, said to be silent from %d on, and to ring until %d", loud, st.SilentFrom, st.RingsUntil)
	}
	if slept < loud || slept > loud+1200 {
		t.Errorf("it sleeps at %d, loud until %d", slept, loud)
	}
}

// TestBusFilterClicks moves the cutoffs of a bus at any phase of a tone of 200 Hz and checks for clicks.
func TestBusFilterClicks(t *testing.T) {
	tone := clickTone(t)
	worst := math.Inf(-1)
	cutoffs := []float64{0, 20, 150, 1000, 8000, 20000}
	for i, from := range cutoffs {
		for k, to := range cutoffs {
			for phase := range 4 {
				if !longtest.Enabled() && (i+k+phase)%4 != 0 {
					continue
				}
				for _, over := range []time.Duration{0, 50 * ms} {
					for which := 1; which < 4; which++ {
						b := mixer.BusConfig{Name: "a"}
						c := mixer.Change{}
						if which&1 != 0 {
							b.LowPass, c.Fields, c.LowPass = from, c.Fields|mixer.FieldLowPass, to
						}
						if which&2 != 0 {
							b.HighPass, c.Fields, c.HighPass = from, c.Fields|mixer.FieldHighPass, to
						}
						m := newMixer(t, mixer.Config{Rate: clickRate, NoLimiter: true, Buses: []mixer.BusConfig{b}})
						play(t, m.Engine().At(0), tone, mixer.Options{Loop: true, Bus: busOf(t, m, "a")})
						at := 9600 + 30*phase
						must(t, m.Engine().At(int64(at)).Set(mixer.TargetBus(busOf(t, m, "a")), c, over))
						got := click(inBlocks(m, 19200, 480), at)
						if worst = max(worst, got); got > -60 {
							t.Errorf("%v to %v over %v, case %d, phase %d: %.1f dB", from, to, over, which, phase, got)
						}
						m.Close()
					}
				}
			}
		}
	}
	t.Logf("at most %.1f dB", worst)
}

// overdriven is an insert with the largest output that is allowed.
type overdriven struct{}

func (overdriven) Process(block []pcm.Frame) {
	for i := range block {
		block[i] = pcm.Frame{9e8, -9e8}
	}
}

// TestBusFilterFaults checks that a filter with a NaN or Inf is reset and reported.
func TestBusFilterFaults(t *testing.T) {
	buses := []mixer.BusConfig{{Name: "a", LowPass: 300}}
	for i := range 6 { // 10^7 times louder
		buses = append(buses, mixer.BusConfig{Name: string(rune('b' + i)), Parent: string(rune('a' + i)), Gain: 24})
	}
	buses[6].Insert = overdriven{}
	m := at1k(t, buses...)
	m.Render(make([]pcm.Frame, 40))
	must(t, busOf(t, m, "g").SetInsert(nil))
	m.Render(make([]pcm.Frame, 40))
	play(t, m.Engine().At(80), level(t, 1000, 500, 0.5), mixer.Options{Pan: -1, Bus: busOf(t, m, "a")})
	if got := left(m, 100); math.Abs(float64(got[90])-0.5) > 1e-6 {
		t.Errorf("after the fault it is %v, want 0.5", got[90])
	}
	faults := 0
	events := make([]mixer.Event, 100)
	for _, e := range events[:m.Events(events)] {
		if e.Kind == mixer.EventFault && e.Bus.Name() == "a" {
			faults++
		}
	}
	if faults == 0 || m.Stats().Faults == 0 {
		t.Errorf("%d faults are told, and %d counted", faults, m.Stats().Faults)
	}
}

// TestBusFilterRefused checks the errors for cutoffs out of range and for settings of the first output
// that are given twice.
func TestBusFilterRefused(t *testing.T) {
	delay := []effect.Effect{newEffect(t, "delay", nil)}
	outputs := func(o mixer.Output) []mixer.Output {
		o.Name, o.Channel = "main", 1
		return []mixer.Output{o, {Name: "far", Channel: 3}}
	}
	for want, c := range map[string]mixer.Config{
		`bus "a": low-pass: 19 Hz is not in 20..20000; 0 is off`:                          {Buses: []mixer.BusConfig{{Name: "a", LowPass: 19}}},
		`bus "a": high-pass: NaN Hz is not in 20..20000; 0 is off`:                        {Buses: []mixer.BusConfig{{Name: "a", HighPass: math.NaN()}}},
		`bus "master": low-pass: 20001 Hz is not in 20..20000; 0 is off`:                  {LowPass: 20001},
		`bus "far": high-pass: -1 Hz is not in 20..20000; 0 is off`:                       {Outputs: []mixer.Output{{Name: "main"}, {Name: "far", HighPass: -1}}},
		`the low-pass of output "main" is also given as Config.LowPass`:                   {LowPass: 50, Outputs: outputs(mixer.Output{LowPass: 50})},
		`the high-pass of output "main" is also given as Config.HighPass`:                 {HighPass: 50, Outputs: outputs(mixer.Output{HighPass: 50})},
		`the effects of output "main" are also given as Config.Effects`:                   {Effects: delay, Outputs: outputs(mixer.Output{Effects: delay})},
		`bus "far" has 17 effects, a bus has at most 16`:                                  {Outputs: []mixer.Output{{Name: "main"}, {Name: "far", Effects: make([]effect.Effect, 17)}}},
		`the key of the compressor of bus "far", "nobody", is no bus`:                     {Outputs: []mixer.Output{{Name: "main"}, {Name: "far", Effects: []effect.Effect{keyed(t, "nobody")}}}},
		`bus "far" comes to itself: "far" is below the master, "far" listens to "master"`: {Outputs: []mixer.Output{{Name: "main"}, {Name: "far", Effects: []effect.Effect{keyed(t, "master")}}}},
	} {
		if _, err := mixer.New(c); err == nil || !errors.Is(err, mixer.ErrConfig) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	m := at1k(t, mixer.BusConfig{Name: "a"})
	for want, err := range map[string]error{
		"low-pass: 19.9 Hz is not in 20..20000; 0 is off":   busOf(t, m, "a").SetLowPass(19.9),
		"high-pass: 20001 Hz is not in 20..20000; 0 is off": m.Engine().At(9).SetHighPass(mixer.TargetBus(busOf(t, m, "a")), 20001),
	} {
		if err == nil || !errors.Is(err, mixer.ErrOption) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}

package mixer_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
)

// told returns the events of a mixer in an order that does not depend on slots.
func told(m *mixer.Mixer) []modelEvent {
	polled := make([]mixer.Event, 5000)
	events := flatEvents(polled[:m.Events(polled)])
	for i := range events {
		e := &events[i]
		e.Slot, e.Bus = 0, mixer.Bus{}
	}
	slices.SortStableFunc(events, func(d, e modelEvent) int {
		return cmp.Or(cmp.Compare(d.Frame, e.Frame), cmp.Compare(d.Kind, e.Kind), cmp.Compare(d.Voice, e.Voice), cmp.Compare(d.By, e.By))
	})
	return events
}

// TestFold checks that a folded mixer with too few voices steals the same voices as a mixer with several
// outputs, and that its output is the sum of their pairs.
func TestFold(t *testing.T) {
	stolen := int64(0)
	for seed := range uint64(longtest.Amount(20, 60)) {
		r := rand.New(rand.NewPCG(seed, 42))
		lengths := func() int { return 1 + r.IntN(400) }
		s := newOutScript(t, seed)
		s.config.Voices, s.config.Virtual, s.config.Overflow = 2+r.IntN(6), r.IntN(2)*r.IntN(5), mixer.Overflow(r.IntN(5))
		s.config.NoLimiter, s.config.DCGuard, s.config.SoftClip = true, false, false
		m, apart := s.run(t, s.fresh(), everything, lengths)
		folded := s.fresh()
		folded.Fold = true
		f, got := s.run(t, folded, everything, lengths)
		if f.Outputs() != 1 {
			t.Fatalf("the folded mixer has %d outputs", f.Outputs())
		}
		a, b := told(m), told(f)
		if !slices.Equal(a, b) {
			t.Fatalf("seed %d: what happens differs", seed)
		}
		stolen += m.Stats().Stolen
		n := m.Outputs()
		for i := range got {
			var want [2]float64
			for k := range n {
				want[0] += float64(apart[i*n+k][0])
				want[1] += float64(apart[i*n+k][1])
			}
			for c := range want {
				if math.Abs(float64(got[i][c])-want[c]) > 1e-5 {
					t.Fatalf("seed %d: frame %d is %v, want %v", seed, i, got[i], want)
				}
			}
		}
	}
	if stolen < int64(longtest.Amount(150, 500)) {
		t.Errorf("%d voices were stolen", stolen)
	}
}

// TestOutputStems checks that stems add up to the sum of all outputs and change no bit of them.
func TestOutputStems(t *testing.T) {
	for seed := range uint64(longtest.Amount(4, 12)) {
		s := newOutScript(t, seed)
		s.config.NoLimiter, s.config.DCGuard, s.config.SoftClip = true, false, false
		for i := range s.config.Buses {
			s.config.Buses[i].Insert = nil
		}
		for k := range s.config.Outputs {
			s.config.Outputs[k].Insert = nil
		}
		_, want := s.run(t, s.fresh(), everything, func() int { return 300 })
		c := s.fresh()
		c.Stems = true
		m := newMixer(t, c)
		p := &part{m, everything, map[int]mixer.Handle{}}
		for _, step := range s.steps {
			step.do(p)
		}
		const hop = outRate / 50
		n, parts := m.Outputs(), 0
		block := make([]pcm.Frame, hop*n)
		for at := 0; at+hop <= outLength; at += hop {
			m.Render(block)
			if i, same := firstDifference(block, want[at*n:(at+hop)*n]); !same {
				t.Fatalf("seed %d: with stems frame %d differs", seed, at+i/n)
			}
			var sums [hop][2]float64
			for i, f := range block {
				sums[i/n][0] -= float64(f[0])
				sums[i/n][1] -= float64(f[1])
			}
			for _, stem := range m.Engine().Stems(hop) {
				parts++
				for i, f := range stem {
					sums[i][0] += float64(f[0])
					sums[i][1] += float64(f[1])
				}
			}
			for i, sum := range sums {
				if math.Abs(sum[0])+math.Abs(sum[1]) > 1e-5 {
					t.Fatalf("seed %d: at frame %d the stems miss %v", seed, at+i, sum)
				}
			}
		}
		if parts == 0 {
			t.Errorf("seed %d has no stems", seed)
		}
	}
}

// TestOutputsSkip checks that a Skip does not change the following output of any pair.
func TestOutputsSkip(t *testing.T) {
	for seed := range uint64(longtest.Amount(7, 20)) {
		s := newOutScript(t, seed)
		s.config.NoLimiter, s.config.DCGuard, s.config.SoftClip = true, false, false
		c := s.fresh()
		for i := range c.Buses {
			c.Buses[i].Insert = nil
		}
		for k := range c.Outputs {
			c.Outputs[k].Insert = nil
		}
		_, want := s.run(t, c, everything, func() int { return 300 })
		m := newMixer(t, c)
		p := &part{m, everything, map[int]mixer.Handle{}}
		for _, step := range s.steps {
			step.do(p)
		}
		const from = outLength/2 + 77
		m.Engine().Skip(from)
		n := m.Outputs()
		got := make([]pcm.Frame, (outLength-from)*n)
		m.Render(got)
		if i, same := firstDifference(got, want[from*n:]); !same {
			t.Fatalf("seed %d: after what was skipped, %d differs: %v, want %v", seed, i, got[i], want[from*n+i])
		}
	}
}

// TestOutputsApart checks that gain and mute of the master apply to the first output, and that its pause
// and stop apply to all voices. Incomplete frames must be silent.
func TestOutputsApart(t *testing.T) {
	m := newMixer(t, mixer.Config{
		Rate: 1000, NoLimiter: true, Outputs: []mixer.Output{{Name: "main"}, {Name: "radio", Channel: 5, Gain: -20}},
		Buses: []mixer.BusConfig{{Name: "tv", Output: "radio"}, {Name: "hall", Parent: "main"}},
	})
	if m.Outputs() != 3 {
		t.Fatalf("%d outputs, want 3", m.Outputs())
	}
	s := level(t, 1000, 900, 0.5)
	for _, name := range []string{"main", "radio", "tv", "hall"} {
		play(t, m.Engine().At(mixer.Now), s, mixer.Options{Pan: -1, Bus: busOf(t, m, name)})
	}
	now := func(first, third float64) {
		t.Helper()
		m.Render(make([]pcm.Frame, 3*20))
		block := []pcm.Frame{{9, 9}, {9, 9}, {9, 9}, {9, 9}, {9, 9}}
		m.Render(block)
		wantAbout(t, "the first pair", block[0][0], first)
		wantAbout(t, "the second pair", block[1][0], 0)
		wantAbout(t, "the third pair", block[2][0], third)
		wantAbout(t, "what is left", block[3][0]+block[4][1], 0)
	}
	main, radio := busOf(t, m, "main"), busOf(t, m, "radio")
	if _, err := m.Bus("mian"); err == nil || err.Error() != `mixer: bad argument: there is no bus "mian"; the nearest is "main"` {
		t.Errorf("the error is %v", err)
	}
	if main != busOf(t, m, "master") {
		t.Error("main is not the master")
	}
	now(1, 0.1)
	must(t, main.SetGain(-20))
	now(0.1, 0.1)
	must(t, main.SetMute(true))
	now(0, 0.1)
	must(t, main.SetMute(false))
	must(t, main.SetGain(0))
	must(t, radio.SetGain(0))
	now(1, 1)
	must(t, radio.SetSolo(true))
	now(0, 1)
	must(t, radio.SetSolo(false))
	must(t, radio.Pause())
	now(1, 0)
	must(t, radio.Resume())
	must(t, main.Pause())
	now(0, 0)
	must(t, main.Resume())
	now(1, 1)
	if m.Sleep(time.Now()) {
		t.Error("it sleeps while it sounds")
	}
	must(t, main.Stop(0))
	now(0, 0)
	now(0, 0)
	if !m.Sleep(time.Now()) {
		t.Error("it does not sleep")
	}
}

// TestOutputsDoNotAllocate renders while voices start, end and are stolen on all outputs.
func TestOutputsDoNotAllocate(t *testing.T) {
	m := newMixer(t, mixer.Config{
		Rate: 8000, Voices: 4, Virtual: 2, Meters: true, DCGuard: true,
		Outputs: []mixer.Output{{Name: "a"}, {Name: "b"}, {Name: "c", Channel: 9}},
		Buses:   []mixer.BusConfig{{Name: "x", Output: "b", Voices: 3}, {Name: "y", Output: "c"}},
	})
	s := level(t, 8000, 900, 0.1)
	buses := []mixer.Bus{busOf(t, m, "a"), busOf(t, m, "x"), busOf(t, m, "y"), busOf(t, m, "b")}
	block, n := make([]pcm.Frame, 200*m.Outputs()), 0
	if got := testing.AllocsPerRun(300, func() {
		n++
		_, _ = m.Play(s, mixer.Options{Bus: buses[n%4], Gain: pcm.Decibels(-n % 7), Loop: n%5 == 0})
		if n%29 == 0 {
			_ = buses[n%3].Stop(ms)
		}
		m.Render(block)
		m.Engine().Skip(33)
	}); got != 0 {
		t.Errorf("%v allocations", got)
	}
	if st := m.Stats(); st.Stolen == 0 {
		t.Errorf("%+v", st)
	}
}

// TestOutputErrors checks the errors for invalid outputs.
func TestOutputErrors(t *testing.T) {
	two := []mixer.Output{{Name: "main"}, {Name: "radio"}}
	many := make([]mixer.Output, 17)
	for name, c := range map[string]mixer.Config{
		`output 1 of Outputs has no name`:                                                         {Outputs: []mixer.Output{{}}},
		`two outputs or buses are called "main"`:                                                  {Outputs: []mixer.Output{{Name: "main"}, {Name: "main"}}},
		`output 2 of Outputs is called "master", which the first alone may be`:                    {Outputs: []mixer.Output{{Name: "main"}, {Name: "master"}}},
		`two outputs or buses are called "tv"`:                                                    {Outputs: []mixer.Output{{Name: "main"}, {Name: "tv"}}, Buses: []mixer.BusConfig{{Name: "tv"}}},
		`output "main" begins at channel 2, which is not one of 1, 3, ... 31`:                     {Outputs: []mixer.Output{{Name: "main", Channel: 2}}},
		`output "main" begins at channel 33, which is not one of 1, 3, ... 31`:                    {Outputs: []mixer.Output{{Name: "main", Channel: 33}}},
		`output "main" begins at channel -1, which is not one of 1, 3, ... 31`:                    {Outputs: []mixer.Output{{Name: "main", Channel: -1}}},
		`output "radio" begins at channel 33, which is not one of 1, 3, ... 31`:                   {Outputs: []mixer.Output{{Name: "main", Channel: 31}, {Name: "radio"}}},
		`outputs "main" and "radio" have the same channels, 3-4`:                                  {Outputs: []mixer.Output{{Name: "main", Channel: 3}, {Name: "radio", Channel: 3}}},
		`output "main": gain: 25 dB is not in -120..24`:                                           {Outputs: []mixer.Output{{Name: "main", Gain: 25}}},
		`the gain of output "main" is also given as MasterGain`:                                   {MasterGain: -3, Outputs: []mixer.Output{{Name: "main", Gain: -3}}},
		`the insert of output "main" is also given as Config.Insert`:                              {Insert: times(1), Outputs: []mixer.Output{{Name: "main", Insert: times(2)}}},
		`17 outputs, a mixer has at most 16`:                                                      {Outputs: many},
		`the output of bus "tv", "radoi", is no output`:                                           {Outputs: two, Buses: []mixer.BusConfig{{Name: "tv", Output: "radoi"}}},
		`the output of bus "tv", "main", is no output`:                                            {Buses: []mixer.BusConfig{{Name: "tv", Output: "main"}}},
		`bus "tv" is on output "radio", and its parent "hall" is not`:                             {Outputs: two, Buses: []mixer.BusConfig{{Name: "hall"}, {Name: "tv", Output: "radio", Parent: "hall"}}},
		`bus "tv" is on output "main", and its parent "radio" is not`:                             {Outputs: two, Buses: []mixer.BusConfig{{Name: "tv", Output: "main", Parent: "radio"}}},
		`bus "tv" is ducked when "main" sounds, and there is no such bus; the nearest is "radio"`: {Outputs: two, Buses: []mixer.BusConfig{{Name: "tv", Output: "radio", Duck: mixer.Duck{When: "main", By: 3}}}},
		`a bus is called "master", which is the name of the whole mix`:                            {Outputs: []mixer.Output{{Name: "master"}}, Buses: []mixer.BusConfig{{Name: "master"}}},
	} {
		_, err := mixer.New(c)
		wantError(t, err, mixer.ErrConfig, name)
	}
	for i := range many {
		many[i] = mixer.Output{Name: outName(i)}
	}
	if m := newMixer(t, mixer.Config{Outputs: many[:16]}); m.Outputs() != 16 {
		t.Errorf("%d outputs, want 16", m.Outputs())
	}
	if m := newMixer(t, mixer.Config{Outputs: two[:1]}); m.Outputs() != 1 {
		t.Errorf("%d outputs, want 1", m.Outputs())
	}
}

package mixer_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/effect"
	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// TestSleep compares a mixer that sleeps whenever possible with a mixer that never sleeps, under random
// calls. Frames, events and counters must be equal.
func TestSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sounds := noiseSounds(t, 3, 1)
		slept := 0
		for seed := range uint64(longtest.Amount(80, 400)) {
			random := rand.New(rand.NewPCG(seed, 0))
			one := func(n ...int) int { return n[random.IntN(len(n))] }
			c := mixer.Config{
				Voices: 2, Virtual: one(0, 2), DCGuard: one(0, 1) == 0, Meters: one(0, 1) == 0,
				NoLimiter: one(0, 1) == 0, Buses: []mixer.BusConfig{{Name: "a", Duck: mixer.Duck{Attack: time.Millisecond, Release: 30 * time.Millisecond, When: "b", By: 6}}, {Name: "b"}},
			}
			c.Buses[1].HighPass, c.LowPass = float64(one(0, 0, 300)), float64(one(0, 0, 900))
			if one(0, 1, 2) == 0 {
				c.Overflow, c.Grow = mixer.GrowPool, mixer.Grow{Step: 1, Max: 4, Idle: 3 * time.Second}
			}
			if one(0, 1) == 0 {
				c.Outputs, c.Buses[1].Output = []mixer.Output{{Name: "main"}, {Name: "far", Channel: 5}}, "far"
			}
			var m [2]*mixer.Mixer
			for i := range m {
				var err error
				if m[i], err = mixer.New(c); err != nil {
					t.Fatal(err)
				}
			}
			for range 25 {
				n := one(1, 100, 512, 960, 5000, 24000)
				length := pcm.Duration(int64(n), 48000)
				var blocks [2][]pcm.Frame
				sleeps := m[1].Sleep(time.Now())
				if sleeps {
					slept++
				}
				what := random.IntN(10)
				for i, m := range m {
					bus, _ := m.Bus([]string{"a", "b"}[what%2])
					at := m.Engine().At(mixer.Now)
					if what == 3 {
						at = m.Engine().At(m.Now() + int64(n)/2)
					}
					switch what {
					case 0, 1, 3:
						_, _ = at.Play(sounds[what%3], mixer.Options{Bus: bus, For: 5 * time.Millisecond, Gain: -30})
					case 2:
						_ = bus.Fade(-12, 50*time.Millisecond)
					case 4:
						m.StopAll(0)
					case 5:
						_ = at.Resize(1 + n%2)
						_ = bus.SetLowPass(float64(n%3) * 200)
					}
					asked := len(m.Asked()) > 0
					if want := i == 1 && sleeps && what < 6; asked != want {
						t.Fatalf("asked is %v after %d, want %v", asked, what, want)
					}
				}
				if sleeps {
					// A command of now in a sleep is executed after the frames that have passed. The
					// mixer that does not sleep has to get the command at that time.
					if what >= 6 {
						time.Sleep(length)
						if got, want := m[1].Now(), m[0].Now()+int64(n); got != want {
							t.Fatalf("asleep, Now is %d, want %d", got, want)
						}
						if passed := m[1].Wake(time.Now()); passed != int64(n) {
							t.Fatalf("%d frames have passed, want %d", passed, n)
						}
						blocks[0] = make([]pcm.Frame, n*m[0].Outputs())
						m[0].Render(blocks[0])
						if slices.ContainsFunc(blocks[0], func(f pcm.Frame) bool { return f != pcm.Frame{} }) {
							t.Fatal("it slept while there was something to be heard")
						}
						continue
					}
					if passed := m[1].Wake(time.Now()); passed != 0 {
						t.Fatalf("%d frames have passed, want none", passed)
					}
				}
				for i, m := range m {
					blocks[i] = make([]pcm.Frame, n*m.Outputs())
					m.Render(blocks[i])
				}
				if !slices.Equal(blocks[0], blocks[1]) {
					t.Fatal("the frames differ")
				}
				time.Sleep(length)
			}
			if a, b := m[0].Stats(), m[1].Stats(); a != b {
				t.Fatalf("%+v, want %+v", b, a)
			}
			var all [2][]modelEvent
			for i := range m {
				var events [256]mixer.Event
				all[i] = flatEvents(events[:m[i].Events(events[:])])
			}
			if !slices.Equal(all[0], all[1]) {
				t.Fatal("the events differ")
			}
		}
		if slept == 0 {
			t.Error("it never slept")
		}
	})
}

// sleepConfig returns a configuration drawn from all options that affect a sleep. hold is the maximum
// hold of its duck.
func sleepConfig(t *testing.T, one func(...int) int, hold time.Duration) mixer.Config {
	c := mixer.Config{
		Rate: 8000, Voices: 2, Virtual: one(0, 2), DCGuard: one(0, 1) == 0, Meters: one(0, 1) == 0, NoLimiter: one(0, 1) == 0,
		Stems: one(0, 1) == 0, LowPass: float64(one(0, 0, 900)),
		Buses: []mixer.BusConfig{
			{Name: "a", Duck: mixer.Duck{When: "b", By: 6, Hold: time.Duration(one(1, 4, 10)) * hold / 10, Release: time.Second}, Sends: []mixer.Send{{To: "hall", Gain: -6}}},
			{Name: "b", HighPass: float64(one(0, 0, 300))}, {Name: "hall"},
		},
	}
	c.SoftClip = c.NoLimiter && one(0, 1) == 0
	if one(0, 1) == 0 {
		c.Overflow, c.Grow = mixer.GrowPool, mixer.Grow{Step: 1, Max: 4, Idle: time.Duration(one(1, 333, 10_000)) * time.Millisecond}
	}
	if one(0, 1, 2) == 0 {
		echo, err := effect.New("delay", effect.Values{"time": 0.03, "feedback": 0.2})
		must(t, err)
		c.Buses[2].Effects = []effect.Effect{echo}
	}
	if one(0, 1, 2) == 0 {
		c.Outputs, c.Buses[1].Output = []mixer.Output{{Name: "main"}, {Name: "far", Channel: 5}}, "far"
	}
	return c
}

// disturb starts voices and fades of buses that take up to the given time.
func disturb(t *testing.T, m *mixer.Mixer, sounds []*sounds.Sound, one func(...int) int, over time.Duration) {
	for i := range one(0, 1, 4) {
		_, _ = m.Play(sounds[i%3], mixer.Options{Bus: busOf(t, m, []string{"a", "b"}[i%2]), For: 20 * time.Millisecond, Gain: -10})
	}
	if one(0, 1, 2) == 0 {
		must(t, busOf(t, m, "b").Fade(-20, over))
	}
	if one(0, 1, 2) == 0 {
		must(t, busOf(t, m, "a").SetMute(true))
	}
	if one(0, 1, 2) == 0 {
		must(t, m.Engine().At(mixer.Now).Set(mixer.TargetBus(busOf(t, m, "a")), mixer.Change{Fields: mixer.FieldLowPass | mixer.FieldPan, Filters: mixer.Filters{LowPass: float64(one(0, 200, 2000))}, Pan: 0.5}, over/2))
	}
	if one(0, 1, 2) == 0 {
		must(t, busOf(t, m, "a").SetSend("hall", pcm.Decibels(-one(1, 70)), over/3))
	}
}

// TestLongSleep sleeps for any length, from any offset to the grids. Afterwards the mixer must be in the
// state as if it had been rendered: its levels, counters, pool, stems and output.
func TestLongSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rate = 8000
		sounds := noiseSounds(t, 3, 1)
		for seed := range uint64(longtest.Amount(60, 120)) {
			random := rand.New(rand.NewPCG(seed, 1))
			one := func(n ...int) int { return n[random.IntN(len(n))] }
			c := sleepConfig(t, one, 20*time.Second)
			m := [2]*mixer.Mixer{newMixer(t, c), newMixer(t, c)}
			both := func(do func(m *mixer.Mixer, one func(...int) int)) {
				moves := random.Uint64()
				for _, m := range m {
					again := rand.New(rand.NewPCG(moves, 2))
					do(m, func(n ...int) int { return n[again.IntN(len(n))] })
				}
			}
			render := func(n int) {
				t.Helper()
				var blocks [2][]pcm.Frame
				for i, m := range m {
					blocks[i] = make([]pcm.Frame, n*m.Outputs())
					m.Render(blocks[i])
				}
				if !slices.Equal(blocks[0], blocks[1]) {
					t.Fatalf("seed %d: the frames differ at %d", seed, m[0].Now())
				}
				time.Sleep(pcm.Duration(int64(n), rate))
			}
			for range 3 {
				both(func(m *mixer.Mixer, one func(...int) int) {
					disturb(t, m, sounds, one, time.Duration(one(7, 70))*time.Second)
				})
				render(one(200, 777, 1600))
				for !m[1].Sleep(time.Now()) {
					render(one(64, 100, 399))
				}
				n := one(1, 100, 9_000, 81_234, 400_000, 1_000_000) + one(0, 1, 159, 160)
				time.Sleep(pcm.Duration(int64(n), rate))
				if passed := m[1].Wake(time.Now()); passed != int64(n) {
					t.Fatalf("seed %d: %d frames have passed, want %d", seed, passed, n)
				}
				heard := make([]pcm.Frame, 8000*m[0].Outputs())
				for left := n; left > 0; left -= len(heard) / m[0].Outputs() {
					heard = heard[:min(left*m[0].Outputs(), len(heard))]
					m[0].Render(heard)
				}
				var levels [2]mixer.Levels
				var stems [2]map[mixer.Stem][]pcm.Frame
				for i, m := range m {
					levels[i], stems[i] = busOf(t, m, "b").Levels(), map[mixer.Stem][]pcm.Frame{}
					for stem, frames := range m.Engine().Stems(160) {
						stems[i][stem] = slices.Clone(frames)
					}
				}
				if levels[0] != levels[1] || m[0].Stats() != m[1].Stats() {
					t.Fatalf("seed %d, after %d frames: %+v and %+v, want %+v and %+v", seed, n, levels[1], m[1].Stats(), levels[0], m[0].Stats())
				}
				if !maps.EqualFunc(stems[0], stems[1], slices.Equal) {
					t.Fatalf("seed %d, after %d frames: the stems differ", seed, n)
				}
				both(func(m *mixer.Mixer, one func(...int) int) { // continues while it is awake
					must(t, busOf(t, m, "a").SetMute(false))
					for i := range 1 + one(0, 1) {
						_, _ = m.Play(sounds[i], mixer.Options{Bus: busOf(t, m, []string{"a", "b"}[i]), For: 10 * time.Millisecond})
					}
				})
				render(one(300, 1000))
			}
		}
	})
}

// TestSleepOfAYear checks that with any configuration and after any fade, a mixer wakes from a year as
// fast as from a minute. Rendered frame by frame, each sleep would take minutes.
func TestSleepOfAYear(t *testing.T) {
	const year = 365 * 24 * time.Hour
	synctest.Test(t, func(t *testing.T) {
		sounds := noiseSounds(t, 3, 1)
		for seed := range uint64(60) {
			random := rand.New(rand.NewPCG(seed, 3))
			one := func(n ...int) int { return n[random.IntN(len(n))] }
			m := newMixer(t, sleepConfig(t, one, time.Second))
			block := make([]pcm.Frame, 80*m.Outputs())
			disturb(t, m, sounds, one, 2*year)
			for range 3 {
				for !m.Sleep(time.Now()) {
					m.Render(block)
					time.Sleep(10 * time.Millisecond)
				}
				from := m.Now()
				time.Sleep(year)
				m.Wake(time.Now())
				if passed := m.Now() - from; passed != pcm.Frames(year, 8000) {
					t.Fatalf("seed %d: %d frames have passed", seed, passed)
				}
			}
		}
	})
}

// TestSleepKeepsAsks checks that a command sent in a sleep is executed at the frame at which the sleep
// ends.
func TestSleepKeepsAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true})
		s := level(t, 1000, 100, 0.5)
		m.Render(make([]pcm.Frame, 10))
		if !m.Sleep(time.Now()) {
			t.Fatal("an idle mixer does not sleep")
		}
		time.Sleep(300 * time.Millisecond)
		h := play(t, m.Engine().At(mixer.Now), s, mixer.Options{Gain: -6})
		later := play(t, m.Engine().At(m.Now()+50), s, mixer.Options{})
		<-m.Asked()
		time.Sleep(2 * time.Millisecond)
		if n := m.Wake(time.Now()); n != 302 {
			t.Fatalf("%d frames have passed, want 302", n)
		}
		if m.Sleep(time.Now()) {
			t.Fatal("it sleeps with a start under way")
		}
		block := make([]pcm.Frame, 60)
		m.Render(block)
		if block[1] == (pcm.Frame{}) || h.State() != mixer.StatePlaying || later.State() != mixer.StatePlaying {
			t.Errorf("what was asked for is %v and %v", h.State(), later.State())
		}
		if m.Now() != 372 {
			t.Errorf("now is %d, want 372", m.Now())
		}
		m.Sleep(time.Now())
		if m.Render(block); m.Now() != 432 { // rendered without Wake
			t.Errorf("now is %d, want 432", m.Now())
		}
	})
}

// TestSleepNot checks that a mixer with pending work or possible output does not sleep.
func TestSleepNot(t *testing.T) {
	s := level(t, 1000, 5000, 0.5)
	for name, begin := range map[string]func(m *mixer.Mixer){
		"a voice":        func(m *mixer.Mixer) { play(t, m.Engine().At(mixer.Now), s, mixer.Options{}) },
		"a paused voice": func(m *mixer.Mixer) { _ = play(t, m.Engine().At(mixer.Now), s, mixer.Options{}).Pause() },
		"a later start":  func(m *mixer.Mixer) { play(t, m.Engine().At(5000), s, mixer.Options{}) },
		"a tail": func(m *mixer.Mixer) {
			h := play(t, m.Engine().At(mixer.Now), s, mixer.Options{})
			m.Render(make([]pcm.Frame, 20))
			_ = h.Stop(0)
		},
		"a silent voice": func(m *mixer.Mixer) { play(t, m.Engine().At(mixer.Now), s, mixer.Options{Gain: -90}) },
		"an insert":      func(m *mixer.Mixer) { bus, _ := m.Bus("master"); _ = bus.SetInsert(nothing{}) },
		"a virtual voice": func(m *mixer.Mixer) {
			play(t, m.Engine().At(mixer.Now), s, mixer.Options{})
			play(t, m.Engine().At(mixer.Now), s, mixer.Options{})
		},
		"a set under way": func(m *mixer.Mixer) {
			if err := m.Engine().At(9000).SetGain(mixer.TargetTag(7), -3); err != nil {
				t.Error(err)
			}
		},
	} {
		for _, n := range []int{0, 3} { // frames rendered after the command
			m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1, Virtual: 1})
			m.Render(make([]pcm.Frame, 5))
			begin(m)
			m.Render(make([]pcm.Frame, n))
			if m.Sleep(time.Now()) {
				t.Errorf("%s, %d frames later: it sleeps", name, n)
			}
		}
	}
}

// nothing is an insert that passes its input.
type nothing struct{}

func (nothing) Process([]pcm.Frame) {}

package mixer_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/voice"
)

// TestSleep: a mixer that sleeps whenever it may gives the frames, the events and the
// counters of one that never does, whatever is asked for and when.
func TestSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sounds := noiseSounds(t, 3, 1)
		slept := 0
		for seed := range uint64(400) {
			random := rand.New(rand.NewPCG(seed, 0))
			one := func(n ...int) int { return n[random.IntN(len(n))] }
			c := mixer.Config{
				Voices: 2, Virtual: one(0, 2), DCGuard: one(0, 1) == 0, Meters: one(0, 1) == 0,
				NoLimiter: one(0, 1) == 0, Buses: []mixer.BusConfig{{Name: "a", Duck: mixer.Duck{Attack: time.Millisecond, Release: 30 * time.Millisecond, When: "b", By: 6}}, {Name: "b"}},
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
					at := m.At(mixer.Now)
					if what == 3 {
						at = m.At(m.Now() + int64(n)/2)
					}
					switch what {
					case 0, 1, 3:
						_, _ = at.Play(sounds[what%3], mixer.Options{Bus: bus, For: 5 * time.Millisecond, Gain: -30})
					case 2:
						_ = bus.Fade(-12, 50*time.Millisecond, voice.InDecibels)
					case 4:
						m.StopAll(0)
					case 5:
						_ = at.Resize(1 + n%2)
					}
					asked := len(m.Asked()) > 0
					if want := i == 1 && sleeps && what < 6; asked != want {
						t.Fatalf("asked is %v after %d, want %v", asked, what, want)
					}
				}
				if sleeps {
					// Something was asked for at once, but acts after the frames that have passed: so it
					// does for who is not asleep only when it is asked for then.
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
			var events [2][256]mixer.Event
			for i := range m {
				m[i].Events(events[i][:])
			}
			if events[0] != events[1] {
				t.Fatal("the events differ")
			}
		}
		if slept == 0 {
			t.Error("it never slept")
		}
	})
}

// TestSleepKeepsAsks: what is asked for in a sleep acts at the frame at which the sleep ends.
func TestSleepKeepsAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true})
		s := level(t, 1000, 100, 0.5)
		m.Render(make([]pcm.Frame, 10))
		if !m.Sleep(time.Now()) {
			t.Fatal("an idle mixer does not sleep")
		}
		time.Sleep(300 * time.Millisecond)
		h := play(t, m.At(mixer.Now), s, mixer.Options{Gain: -6})
		later := play(t, m.At(m.Now()+50), s, mixer.Options{})
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
		if m.Render(block); m.Now() != 432 { // nobody woke it
			t.Errorf("now is %d, want 432", m.Now())
		}
	})
}

// TestSleepNot: what has something to do, or may begin to sound by itself, does not sleep.
func TestSleepNot(t *testing.T) {
	s := level(t, 1000, 5000, 0.5)
	for name, begin := range map[string]func(m *mixer.Mixer){
		"a voice":        func(m *mixer.Mixer) { play(t, m.At(mixer.Now), s, mixer.Options{}) },
		"a paused voice": func(m *mixer.Mixer) { _ = play(t, m.At(mixer.Now), s, mixer.Options{}).Pause() },
		"a later start":  func(m *mixer.Mixer) { play(t, m.At(5000), s, mixer.Options{}) },
		"a tail": func(m *mixer.Mixer) {
			h := play(t, m.At(mixer.Now), s, mixer.Options{})
			m.Render(make([]pcm.Frame, 20))
			_ = h.Stop()
		},
		"a silent voice": func(m *mixer.Mixer) { play(t, m.At(mixer.Now), s, mixer.Options{Gain: -90}) },
		"an insert":      func(m *mixer.Mixer) { bus, _ := m.Bus("master"); _ = bus.SetInsert(nothing{}) },
		"a virtual voice": func(m *mixer.Mixer) {
			play(t, m.At(mixer.Now), s, mixer.Options{})
			play(t, m.At(mixer.Now), s, mixer.Options{})
		},
		"a set under way": func(m *mixer.Mixer) {
			if err := m.At(9000).SetGain(mixer.TargetTag(7), -3); err != nil {
				t.Error(err)
			}
		},
	} {
		m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1, Virtual: 1})
		m.Render(nil)
		begin(m)
		m.Render([]pcm.Frame{{}, {}, {}})
		if m.Sleep(time.Now()) {
			t.Errorf("%s: it sleeps", name)
		}
	}
}

// nothing is an insert that leaves all as it is.
type nothing struct{}

func (nothing) Process([]pcm.Frame) {}

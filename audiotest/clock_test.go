package audiotest_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"voicepool/audiotest"
	"voicepool/bank"
	"voicepool/effect"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// TestStepsDoNotDrift checks that 60 steps of 1/60 s make exactly a second, at any rate.
func TestStepsDoNotDrift(t *testing.T) {
	for _, rate := range []int{1, 8, 1000, 11025, 44100, 48000} {
		a := audiotest.New(t, mixer.Config{Rate: rate})
		for range 60 {
			a.Step(time.Second / 60)
		}
		a.Step(time.Second - 60*(time.Second/60))
		a.Sleep(0) // also outside of synctest
		if got := len(a.Mix()); got != rate || a.Mixer().Now() != int64(rate) {
			t.Errorf("at %d Hz a second has %d frames, the mixer is at %d", rate, got, a.Mixer().Now())
		}
	}
}

// TestDo checks that functions are called at their frames, in order, with any length of steps, and their
// commands take effect at that frame.
func TestDo(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a := audiotest.New(t, mixer.Config{Rate: 1000, Voices: 100})
		s := tone(t, "s", 5, 0.5, 25)
		var got, want []string
		times := rapid.SliceOfN(rapid.IntRange(0, 300), 1, 12).Draw(rt, "times")
		order := slices.Clone(times)
		for i, at := range times {
			a.Do(time.Duration(at)*ms, func() {
				got = append(got, fmt.Sprint(at, a.Mixer().Now()))
				play(t, a, s, mixer.Options{EngineOptions: mixer.EngineOptions{Ref: mixer.Ref(i)}})
			})
		}
		slices.Sort(order)
		for _, at := range order {
			want = append(want, fmt.Sprint(at, at))
		}
		for _, step := range rapid.SliceOfN(rapid.IntRange(0, 200), 1, 5).Draw(rt, "steps") {
			a.Step(time.Duration(step) * ms)
		}
		a.Step(310 * ms)
		if !slices.Equal(got, want) {
			rt.Fatalf("called at %q, want %q", got, want)
		}
		for _, at := range times {
			a.Heard("s").At(time.Duration(at) * ms)
		}
		a.Heard("s").Times(len(times))
	})
	f := newFake(t)
	a := audiotest.New(f, mixer.Config{Rate: 1000})
	a.Do(10*ms, func() { a.Step(ms) })
	f.says(t, "a step inside Do", "a function of Do steps the clock that has called it", func() { a.Step(20 * ms) })
	f.says(t, "a configuration", "mixer: bad configuration: Voices: -1 is not in 1..65536", func() { audiotest.New(f, mixer.Config{Voices: -1}) })
}

// TestLead checks that with Config.Lead the commands of a game keep their exact distances, because they use the
// clock of the test.
func TestLead(t *testing.T) {
	a := audiotest.New(t, mixer.Config{Rate: 768000, Lead: 30 * ms})
	s, err := sounds.NewSound(sounds.Samples{Name: "s", Rate: 768000, Channels: 1, Data: make([]float32, 5)})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		a.Do(time.Duration(7*i)*ms, func() {
			for range 10 {
				play(t, a, s, mixer.Options{})
			}
		})
	}
	a.Step(200 * ms)
	var got, want []int64
	for _, e := range a.Report().Events {
		if e.Kind == mixer.EventStarted {
			got = append(got, e.Frame)
			want = append(want, int64(30+len(want)/10*7)*768)
		}
	}
	if len(got) != 200 || !slices.Equal(got, want) {
		t.Errorf("the starts are at %v, want %v", got, want)
	}
}

func TestUntil(t *testing.T) {
	f := newFake(t)
	a := audiotest.New(f, mixer.Config{Rate: 1000})
	h := play(t, a, tone(t, "s", 50, 0.5, 25), mixer.Options{})
	if a.Until(h); a.Mixer().Now() != 50 || h.State() != mixer.StateEnded {
		t.Errorf("at frame %d it is %v, want 50 and ended", a.Mixer().Now(), h.State())
	}
	play(t, a, tone(t, "s", 100, 0.5, 25), mixer.Options{})
	a.Do(200*ms, func() { play(t, a, tone(t, "last", 100, 0.5, 25), mixer.Options{}) })
	a.UntilSilent(time.Second)
	if now := a.Mixer().Now(); now < 300 || now > 330 || len(f.said) > 0 {
		t.Errorf("it is silent at frame %d, want 320 or so: %q", now, f.said)
	}
	from := a.Mixer().Now()
	a.Step(ms)
	if now := a.Mixer().Now(); now != from+1 {
		t.Errorf("a millisecond after frame %d is %d", from, now)
	}
	h = play(t, a, tone(t, "hum", 100, 0.5, 50), mixer.Options{Loop: true, Pan: -1})
	f.says(t, "a loop", "it is not silent after 100ms: 1 voices play, the last 20 ms have -12.0 dB", func() { a.UntilSilent(100 * ms) })
	now := a.Mixer().Now()
	for _, none := range []audiotest.Voice{mixer.Handle{}, bank.Handle{}} {
		f.says(t, "no voice", "Until is given no voice: look at the error of the Play that should have returned it", func() { a.Until(none) })
	}
	if a.Mixer().Now() != now {
		t.Error("for no voice it plays on")
	}
	f.says(t, "a loop", fmt.Sprintf("voice %d is not over after 5m0s, it is playing; stop it, or give it an end", h.Number()), func() { a.Until(h) })
	h.Pause()
	f.says(t, "what is paused", "", func() { a.UntilSilent(100 * ms) })
}

// TestASleepingGame runs a game with its own clock, inside synctest and parallel to other tests.
func TestASleepingGame(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := audiotest.New(t, mixer.Config{Rate: 1000, Voices: 4})
		s := tone(t, "step", 100, 0.5, 25)
		done := make(chan bool)
		go func() {
			defer close(done)
			for range 120 {
				a.Mixer().Play(s, mixer.Options{})
				time.Sleep(500 * time.Millisecond)
			}
		}()
		a.Sleep(time.Minute)
		<-done
		a.Heard("step").Times(120).Level(-12, 0.3)
		a.Silent(59800*ms, time.Minute)
	})
}

// TestASleepingGameIsExact checks that the commands of a game take effect at the frame of their time, on the
// grid of Sleep, for any scheduling of goroutines.
func TestASleepingGameIsExact(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := audiotest.New(t, mixer.Config{Rate: 1000, Voices: 100})
		s := tone(t, "s", 5, 0.5, 25)
		var want []string
		for i := range 20 {
			every := time.Duration(3+i) * ms
			go func() {
				for range 50 {
					a.Mixer().Play(s, mixer.Options{EngineOptions: mixer.EngineOptions{Ref: mixer.Ref(i)}})
					time.Sleep(every)
				}
			}()
			for j := range 50 {
				want = append(want, fmt.Sprint(i, " at ", int64(j)*every.Milliseconds()))
			}
		}
		a.Sleep(2 * time.Second)
		var got []string
		for _, e := range a.Report().Events {
			if e.Kind == mixer.EventStarted {
				got = append(got, fmt.Sprint(e.Cue, " at ", e.Frame))
			}
		}
		slices.Sort(got)
		if slices.Sort(want); !slices.Equal(got, want) {
			t.Errorf("it played %v\nwant %v", got, want)
		}
	})
}

// TestStems checks that the stem of the only sound equals the mix without a limiter. Several stems add up to
// it.
func TestStems(t *testing.T) {
	t.Parallel()
	for _, names := range [][]string{{"a"}, {"a", "b", "c"}} {
		a := audiotest.New(t, mixer.Config{Rate: 1000, Voices: 2, NoLimiter: true})
		for i := range 12 {
			name := names[i%len(names)]
			a.Do(time.Duration(30*i)*ms, func() { play(t, a, tone(t, name, 200, 0.1, 30), mixer.Options{Pan: 0.2}) })
		}
		a.Step(time.Second)
		sum := make([]pcm.Frame, 1000)
		for _, name := range names {
			for i, f := range a.Stem(name) {
				sum[i][0] += f[0]
				sum[i][1] += f[1]
			}
		}
		for i, f := range a.Mix() {
			for c := range f {
				if d := f[c] - sum[i][c]; max(d, -d) > 1e-6 || len(names) == 1 && d != 0 {
					t.Fatalf("%d stems: frame %d is %v, they add up to %v", len(names), i, f, sum[i])
				}
			}
		}
	}
}

// TestWhatWasRefused checks assertions on rejected starts, and on voices stolen by a shrinking pool.
func TestWhatWasRefused(t *testing.T) {
	f := newFake(t)
	a := audiotest.New(f, mixer.Config{Rate: 1000, Voices: 1, MaxVoices: 2, Overflow: mixer.Reject})
	play(t, a, tone(t, "a", 500, 0.5, 25), mixer.Options{})
	a.Do(20*ms, func() { play(t, a, tone(t, "b", 500, 0.5, 25), mixer.Options{}) })
	a.Step(40 * ms)
	f.says(t, "one that was rejected", `"b" was not heard: it was rejected at 20ms (frame 20) (pool)`, func() { a.Heard("b") })
	f.says(t, "one that plays", `"a" was not stolen: #1 still plays`, func() { a.Stolen("a") })
	play(t, a, tone(t, "d", 5, 0.5, 25), mixer.Options{From: time.Second})
	a.Mixer().Engine().At(mixer.Now).Resize(2)
	a.Step(10 * ms)
	f.says(t, "one that is over at once", `"d" was not heard: it was played at 40ms (frame 40) and ended without a slot`, func() { a.Heard("d") })
	play(t, a, tone(t, "c", 500, 0.05, 25), mixer.Options{})
	a.Step(10 * ms)
	a.Mixer().Engine().At(mixer.Now).Resize(1)
	a.Step(10 * ms)
	f.says(t, "a smaller pool", `"c" was stolen by a smaller pool at 60ms (frame 60), want by "a"`, func() { a.Stolen("c").By("a") })
}

// TestEventsAreMissing checks that if events were lost, every assertion fails.
func TestEventsAreMissing(t *testing.T) {
	f := newFake(t)
	a := audiotest.New(f, mixer.Config{Rate: 1000, Events: 1})
	for range 3 {
		play(t, a, tone(t, "a", 500, 0.5, 25), mixer.Options{})
	}
	a.Step(10 * ms)
	const want = "2 starts are unknown: Config.Events is too small"
	for name, call := range map[string]func(){
		"Heard": func() { a.Heard("a").Times(1) }, "Never": func() { a.Never("b") }, "Stolen": func() { a.Stolen("a").By("b") },
	} {
		f.says(t, name, want, call)
	}
}

// TestUntilSilentRings checks that UntilSilent waits for an echo, and for a reverb.
func TestUntilSilentRings(t *testing.T) {
	data := make([]float32, 960)
	for i := range data {
		data[i] = float32(0.5 * math.Sin(float64(i)/10))
	}
	click, err := sounds.NewSound(sounds.Samples{Name: "click", Rate: 48000, Channels: 1, Data: data})
	if err != nil {
		t.Fatal(err)
	}
	for kind, values := range map[string]effect.Values{"delay": {"time": 0.5, "feedback": 0, "mix": 0.5}, "reverb": {"predelay": 0.25}} {
		e, err := effect.New(kind, values)
		if err != nil {
			t.Fatal(err)
		}
		f := newFake(t)
		a := audiotest.New(f, mixer.Config{Buses: []mixer.BusConfig{{Name: "hall", Effects: []effect.Effect{e}}}})
		hall, _ := a.Mixer().Bus("hall")
		play(t, a, click, mixer.Options{Bus: hall})
		a.UntilSilent(20 * time.Second)
		until := a.Mixer().Stats().RingsUntil
		if now := a.Mixer().Now(); now < until || until < 12000 || len(f.said) > 0 {
			t.Errorf("%s: it is silent at frame %d, and rings until %d: %q", kind, now, until, f.said)
		}
		play(t, a, click, mixer.Options{Bus: hall})
		if said := f.failure(func() { a.UntilSilent(100 * ms) }); !strings.Contains(said, "0 voices play, effects may ring until ") {
			t.Errorf("%s: %s", kind, said)
		}
	}
}

// TestDoNotCalled checks that a function that is never called fails the test, unless the test has failed
// already.
func TestDoNotCalled(t *testing.T) {
	f := newFake(t)
	a := audiotest.New(f, mixer.Config{Rate: 1000})
	a.Do(2*time.Second, func() {})
	a.Do(time.Second, func() { a.Do(3*time.Second, func() {}) })
	a.Step(1500 * ms)
	f.says(t, "the end", "2 functions of Do not called: the first was for 2s, and 1.5s were played", f.end)
	f = newFake(t)
	a = audiotest.New(f, mixer.Config{Rate: 1000})
	a.Do(time.Second, func() {})
	a.Step(1001 * ms)
	f.says(t, "the end", "", f.end)
}

// TestFocus checks that the timeline of a failure shows the voices of the failed assertion, even if many voices
// followed.
func TestFocus(t *testing.T) {
	f := newFake(t)
	a := audiotest.New(f, mixer.Config{Rate: 1000, Voices: 64})
	play(t, a, tone(t, "theme", 900, 0.5, 25), mixer.Options{Pan: 1})
	coin := tone(t, "coin", 10, 0.5, 25)
	for range 45 {
		play(t, a, coin, mixer.Options{})
		a.Step(20 * ms)
	}
	for what, fails := range map[string]func(){
		"a side":    func() { a.Heard("theme").Left() },
		"a time":    func() { a.Heard("theme").At(7 * ms) },
		"never":     func() { a.Never("theme") },
		"no thief":  func() { a.Stolen("theme") },
		"a silence": func() { a.Silent(0, 15*ms) },
	} {
		said := f.failure(fails)
		if !strings.Contains(said, "theme        #1") || !strings.Contains(said, "6 voices not shown") || strings.Count(said, "#") < 40 {
			t.Errorf("%s:\n%s", what, said)
		}
	}
	if picture := a.Timeline(); strings.Contains(picture, "theme") || !strings.Contains(picture, "6 voices before these") {
		t.Errorf("the last voices are\n%s", picture)
	}
}

// TestNegativeTimes checks that a negative time fails an assertion.
func TestNegativeTimes(t *testing.T) {
	f := newFake(t)
	a := audiotest.New(f, mixer.Config{Rate: 1000})
	play(t, a, tone(t, "coin", 100, 0.5, 25), mixer.Options{})
	a.Step(200 * ms)
	f.says(t, "At", "\"coin\" cannot be heard at -1s ± 0s: a time is negative", func() { a.Heard("coin").At(-time.Second) })
	f.says(t, "Near", "\"coin\" cannot be heard at -1s ± 1ms: a time is negative", func() { a.Heard("coin").Near(-time.Second, ms) })
	f.says(t, "a tolerance", "\"coin\" cannot be heard at 0s ± -1s: a time is negative", func() { a.Heard("coin").Near(0, -time.Second) })
	f.says(t, "what was heard", "", func() { a.Heard("coin").At(0) })
}

package audiotest_test

import (
	"testing"
	"time"

	"voicepool/audiotest"
	"voicepool/mixer"
)

// TestWhole checks Heard.Whole for each end of a voice.
func TestWhole(t *testing.T) {
	long := tone(t, "long", 300, 0.5, 25)
	for name, test := range map[string]struct {
		options mixer.Options
		then    func(a *audiotest.Audio, h mixer.Handle) // at 100 ms; may be nil
		length  time.Duration
		want    string
	}{
		"to its end":     {length: 400 * ms},
		"for a time":     {options: mixer.Options{For: 50 * ms}, length: 400 * ms},
		"out of a loop":  {options: mixer.Options{Loop: true}, then: func(_ *audiotest.Audio, h mixer.Handle) { h.SetLoop(1) }, length: 700 * ms},
		"not at its end": {length: 200 * ms, want: `"long" was not heard to its end: #1 still plays at 200ms (frame 200)`},
		"stopped": {then: func(_ *audiotest.Audio, h mixer.Handle) { h.Stop(0) }, length: 400 * ms,
			want: `"long" was not heard to its end: #1 was stopped at 100ms (frame 100)`},
		"faded out": {then: func(_ *audiotest.Audio, h mixer.Handle) { h.Stop(50 * ms) }, length: 400 * ms,
			want: `"long" was not heard to its end: #1 was stopped at 150ms (frame 150)`},
		"virtual at its end": {then: func(a *audiotest.Audio, _ mixer.Handle) { play(t, a, tone(t, "loud", 400, 0.9, 25), mixer.Options{}) },
			length: 600 * ms, want: `"long" was not heard to its end: #1 was virtual from 100ms (frame 100)`},
		"virtual": {then: func(a *audiotest.Audio, _ mixer.Handle) { play(t, a, tone(t, "loud", 400, 0.9, 25), mixer.Options{}) },
			length: 200 * ms, want: `"long" was not heard to its end: #1 became virtual at 100ms (frame 100) because of "loud"`},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			a := audiotest.New(f, mixer.Config{Rate: 1000, Voices: 1, Virtual: 1, NoLimiter: true})
			defer f.end()
			h := play(t, a, long, test.options)
			a.Step(min(test.length, 100*ms))
			if test.then != nil {
				test.then(a, h)
			}
			a.Step(test.length - min(test.length, 100*ms))
			f.says(t, "Whole", test.want, func() { a.Heard("long").Whole() })
		})
	}
}

// TestAboveMixBehindTheLimiter plays a quiet sound directly after a loud one. The limiter delays the mix, and AboveMix
// must not compare the quiet sound with the end of the loud one.
func TestAboveMixBehindTheLimiter(t *testing.T) {
	a := audiotest.New(t, mixer.Config{Rate: 1000})
	play(t, a, tone(t, "loud", 20, 0.8, 125), mixer.Options{})
	a.Do(20*ms, func() { play(t, a, tone(t, "quiet", 8, 0.05, 125), mixer.Options{}) })
	a.Step(60 * ms)
	if a.Mixer().LatencyFrames() == 0 {
		t.Fatal("the limiter does not delay the mix")
	}
	a.Heard("quiet").At(20 * ms).AboveMix(-0.1)
}

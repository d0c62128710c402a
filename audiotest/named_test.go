package audiotest_test

import (
	"testing"

	"voicepool/audiotest"
	"voicepool/mixer"
	"voicepool/sounds"
	"voicepool/sounds/embedded"
	"voicepool/sounds/library"
)

// TestRecordingNames checks that a recording accepts the names of sounds, of a bank and of files, and suggests
// the nearest name.
func TestRecordingNames(t *testing.T) {
	f := newFake(t)
	chirps := map[string]*sounds.Sound{}
	for i, c := range []struct{ name, file string }{
		{name: "step1", file: "walk/step1.wav"}, {name: "step2", file: "walk/step2.wav"},
		{name: "hit", file: "gun/hit.wav"}, {name: "hit", file: "fist/hit.wav"}, {name: "rain"},
	} {
		s := chirp(t, c.name, 300, 1+4*i)
		s, err := sounds.NewSound(sounds.Samples{Name: c.name, File: c.file, Rate: 1000, Channels: 1, Data: s.Samples()})
		if err != nil {
			t.Fatal(err)
		}
		chirps[c.file] = s
	}
	step1, step2, gun, fist := chirps["walk/step1.wav"], chirps["walk/step2.wav"], chirps["gun/hit.wav"], chirps["fist/hit.wav"]
	a := audiotest.New(t, mixer.Config{Rate: 1000, NoLimiter: true})
	a.Do(100*ms, func() { play(t, a, step2, mixer.Options{}) })
	a.Do(500*ms, func() { play(t, a, step1, mixer.Options{}) })
	a.Do(900*ms, func() { play(t, a, gun, mixer.Options{}) })
	a.Step(1500 * ms)
	r := audiotest.Recorded(f, 1000, a.Mix())
	f.says(t, "nothing is known", `no sound is called "step1": the recording knows no sounds; call r.Knows(sounds...)`, func() { r.Heard("step1") })
	r.Knows(gun, fist, chirps[""])
	r.KnowsNamed(func(yield func(string, *sounds.Sound) bool) {
		_ = yield("step", step1) && yield("step", step2) && yield("blow", fist)
	})
	for what, test := range map[string]struct {
		want string
		call func()
	}{
		"all variations":      {call: func() { r.Heard("step").Times(2).At(100 * ms) }},
		"one variation":       {call: func() { r.Heard("step1").Times(1).At(500 * ms) }},
		"its file":            {call: func() { r.Heard("walk/step2.wav").Times(1).At(100 * ms) }},
		"its whole name":      {call: func() { r.Heard("step2.wav").Times(1).At(100 * ms) }},
		"a file of two":       {call: func() { r.Heard("gun/hit.wav").Times(1).At(900 * ms) }},
		"never":               {call: func() { r.Never("rain"); r.Never("blow"); r.Never("fist/hit.wav") }},
		"a name of two files": {want: `"hit" is fist/hit.wav and gun/hit.wav; write the path of one, or give them names with KnowsNamed`, call: func() { r.Heard("hit") }},
		"misspelt":            {want: `no sound is called "stpe"; the nearest is "step"; if the game has it, pass its sound to r.Knows`, call: func() { r.Heard("stpe").At(0).Left() }},
		"misspelt, never":     {want: `no sound is called "rian"; the nearest is "rain"; if the game has it, pass its sound to r.Knows`, call: func() { r.Never("rian") }},
		"a misspelt file":     {want: `no sound is called "walk/step.wav"; the nearest is "walk/step1.wav"; if the game has it, pass its sound to r.Knows`, call: func() { r.Never("walk/step.wav") }},
		"not heard":           {want: `"blow" is not heard: the best correlation is 0.12, want 0.5`, call: func() { r.Heard("blow") }},
		"heard":               {want: `"step" is heard at 100ms (frame 100), 500ms (frame 500), want never`, call: func() { r.Never("step") }},
	} {
		f.says(t, what, test.want, test.call)
	}
}

// TestStreamsAreNotFound checks that both assertions fail for a stream.
func TestStreamsAreNotFound(t *testing.T) {
	f := newFake(t)
	s, err := library.NewLibrary(library.Options{}).OpenStream(embedded.Source("theme"), library.StreamOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r := audiotest.Recorded(f, 48000, nil)
	r.Knows(s)
	const want = `"theme" is a stream, and only loaded sounds can be found in a recording`
	f.says(t, "heard", want, func() { r.Heard("theme").At(0) })
	f.says(t, "never", want, func() { r.Never("theme") })
}

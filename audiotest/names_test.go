package audiotest_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"voicepool/audiotest"
	"voicepool/bank"
	"voicepool/device/wav"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
)

const armoury = `
rate: 1000
voices: 4
master: {limiter: false}
sounds:
  step:  {files: [walk/step1.wav, walk/step2.wav], pick: round}
  shot:  {files: [gun/hit.wav, fist/hit.wav], pick: round}
  blow:  {file: fist/hit.wav}
  crash: {layers: [thud, {sound: shards, delay: 50ms}]}
  thud:  {file: gun/low.wav}
  shards: {file: gun/high.wav}
  intro: {file: music/intro.wav, then: theme}
  theme: {file: music/theme.wav, gain: -6}
  low:   {file: music/theme.wav}
  rare:  {file: music/rare.wav}
`

// folder returns a file system with sounds of 100 ms, each with its own level, and a bank file.
func folder(t testing.TB, text string, names ...string) fstest.MapFS {
	t.Helper()
	fsys := fstest.MapFS{"assets/sounds.yaml": {Data: []byte(text)}}
	for i, name := range names {
		var b bytes.Buffer
		w, err := wav.NewWriter(&b, wav.Config{Rate: 1000, Format: wav.F32})
		frames := make([]pcm.Frame, 100)
		for j := range frames {
			x := float32(int(1)<<i) / 1024
			frames[j] = pcm.Frame{x, x}
		}
		if err = errors.Join(err, w.Write(frames), w.Close()); err != nil {
			t.Fatal(err)
		}
		fsys["assets/"+name] = &fstest.MapFile{Data: b.Bytes()}
	}
	return fsys
}

// armed returns a test of a game with a bank.
func armed(t *testing.T) (*fake, *audiotest.Audio, *bank.Bank) {
	t.Helper()
	f := newFake(t)
	files := folder(t, armoury, "walk/step1.wav", "walk/step2.wav", "gun/hit.wav", "fist/hit.wav", "gun/low.wav",
		"gun/high.wav", "music/intro.wav", "music/theme.wav", "music/rare.wav")
	b, err := bank.Open(files, "assets/sounds.yaml", library.NewLibrary(library.Options{Rate: 1000}))
	if err != nil {
		t.Fatal(err)
	}
	a := audiotest.New(f, b.Config())
	if err := b.Use(a.Mixer()); err != nil {
		t.Fatal(err)
	}
	return f, a, b
}

// shoot plays sounds of the bank, one every 200 ms.
func shoot(t *testing.T, a *audiotest.Audio, b *bank.Bank, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := b.Play(name, bank.Options{}); err != nil {
			t.Fatal(err)
		}
		a.Step(200 * ms)
	}
}

// db returns the level of sound i of folder.
func db(i int) pcm.Decibels { return pcm.FromLinear(float64(int(1)<<i) / 1024) }

// TestNamesOfABank checks that the name of a bank entry covers all its files and layers. The name or path of a
// file covers the starts of that file.
func TestNamesOfABank(t *testing.T) {
	f, a, b := armed(t)
	f.says(t, "before all", `"step" was not heard: it was not played`, func() { a.Heard("step").At(0) })
	shoot(t, a, b, "step", "step", "shot", "shot", "blow", "crash", "intro", "low")
	for what, test := range map[string]struct {
		want string
		call func()
	}{
		"all variations":      {call: func() { a.Heard("step").Times(2).At(0) }},
		"the second":          {call: func() { a.Heard("step").At(200*ms).Level(db(1), 0.01) }},
		"a file":              {call: func() { a.Heard("step2").Times(1).At(200 * ms) }},
		"a path":              {call: func() { a.Heard("walk/step2.wav").At(200 * ms) }},
		"a whole path":        {call: func() { a.Heard("assets/walk/step2.wav").At(200 * ms) }},
		"two files":           {call: func() { a.Heard("shot").Times(2).At(400 * ms) }},
		"one of two":          {call: func() { a.Heard("gun/hit.wav").Times(1).At(400 * ms) }},
		"one of two names":    {call: func() { a.Heard("fist/hit.wav").Times(2).At(600 * ms) }},
		"another name of it":  {call: func() { a.Heard("blow").Times(1).At(800*ms).Level(db(3), 0.01) }},
		"layers":              {call: func() { a.Heard("crash").Times(1).At(1000 * ms) }},
		"the later layer":     {call: func() { a.Heard("crash").At(1050*ms).Level(pcm.FromPower((1+9+4)/3.0*256/(1<<20)), 0.05) }},
		"a layer's file":      {call: func() { a.Heard("high").Times(1).At(1050 * ms) }},
		"what was played":     {call: func() { a.Heard("intro").Times(1).At(1200*ms).Level(db(6), 0.01) }},
		"what follows":        {call: func() { a.Heard("theme").Times(1).At(1300*ms).Level(db(7)-6, 0.01) }},
		"a bank's name first": {call: func() { a.Heard("low").Times(1).At(1400*ms).Level(db(7), 0.01) }},
		"never played":        {call: func() { a.Never("rare") }},
		"never by itself":     {call: func() { a.Never("thud") }},
		"a file, never":       {call: func() { a.Never("music/rare.wav") }},

		"two files, one name": {
			want: `"hit" is assets/fist/hit.wav and assets/gun/hit.wav; write the path of one, or play them by names of a bank`,
			call: func() { a.Heard("hit").At(0) },
		},
		"two files, never": {
			want: `"hit" is assets/fist/hit.wav and assets/gun/hit.wav; write the path of one, or play them by names of a bank`,
			call: func() { a.Never("hit") },
		},
		"heard, never":   {want: `"shot" is heard at 400ms (frame 400), 600ms (frame 600), want never`, call: func() { a.Never("shot") }},
		"a path, never":  {want: `"gun/hit.wav" is heard at 400ms (frame 400), want never`, call: func() { a.Never("gun/hit.wav") }},
		"misspelt":       {want: `no sound is called "shto"; the nearest is "shot"`, call: func() { a.Heard("shto") }},
		"misspelt, stem": {want: `no sound is called "stpe"; the nearest is "step"`, call: func() { a.Stem("stpe") }},
		"misspelt, never": {
			want: `no sound is called "raer"; the nearest is "rare"; if the game has it, say a.Knows("raer")`, call: func() { a.Never("raer") },
		},
		"misspelt path":    {want: `no sound is called "gnu/hit.wav"; the nearest is "assets/gun/hit.wav"`, call: func() { a.Heard("gnu/hit.wav") }},
		"not played":       {want: `"rare" was not heard: it was not played`, call: func() { a.Heard("rare").At(0) }},
		"not stolen":       {want: `"rare" was not stolen: it was not played`, call: func() { a.Stolen("rare").By("step") }},
		"a layer's name":   {want: `"thud" was not heard: it was not played`, call: func() { a.Heard("thud") }},
		"nobody was there": {want: `"theme" is heard at 1.3s (frame 1300), want 0s`, call: func() { a.Heard("theme").At(0) }},
	} {
		f.says(t, what, test.want, test.call)
	}
	mix := a.Mix()
	for i, names := range [][]string{{"step", "shot", "blow", "crash", "intro", "theme", "low"}, {"step1", "step2", "gun/hit.wav", "fist/hit.wav", "gun/low.wav", "high", "intro.wav", "music/theme.wav"}} {
		sum := make([]pcm.Frame, len(mix))
		for _, name := range names {
			for j, x := range a.Stem(name) {
				sum[j][0] += x[0]
				sum[j][1] += x[1]
			}
		}
		if !slices.Equal(sum, mix) {
			t.Errorf("the stems of names %d do not add up to the mix", i)
		}
	}
	if quiet := a.Stem("rare"); len(quiet) != len(mix) || slices.ContainsFunc(quiet, func(x pcm.Frame) bool { return x != pcm.Frame{} }) {
		t.Error("the stem of what was not played is not as long as the mix and silent")
	}
	for _, line := range []string{
		"step         #1   |..                              | 0s..100ms, step1, -60.2 dB, ended\n",
		"shot         #4   |            --                  | 600ms..700ms, assets/fist/hit.wav, -42.1 dB, ended\n",
		"crash        #7   |                     ==         | 1.05s..1.15s, high, -30.1 dB, ended\n",
		"intro        #8   |                        ==      | 1.2s..1.3s, -24.1 dB, ended\n",
	} {
		if !strings.Contains(a.Timeline(), line) {
			t.Errorf("the picture has no %q:\n%s", line, a.Timeline())
		}
	}
}

// TestStolenByNames checks that the error text and the timeline of Golden name thief and victim as in the bank.
func TestStolenByNames(t *testing.T) {
	f, a, b := armed(t)
	if err := a.Mixer().Engine().At(0).Resize(1); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"step", "shot"} {
		if _, err := b.Play(name, bank.Options{}); err != nil {
			t.Fatal(err)
		}
		a.Step(10 * ms)
	}
	a.Stolen("step").By("shot")
	a.Stolen("step1").By("gun/hit.wav")
	f.says(t, "another", `"step" was stolen by "shot" at 10ms (frame 10), want by "blow"`, func() { a.Stolen("step").By("blow") })
	f.says(t, "none", `no sound is called "sohot"; the nearest is "shot"`, func() { a.Stolen("step").By("sohot").By("blow") })
	file := filepath.ToSlash(t.TempDir()) + "/level.wav"
	_, other, c := armed(t)
	other.Update(true)
	shoot(t, other, c, "rare")
	other.Golden(file)
	want := `the mix differs from ` + file + ` at 0s (frame 0) first, by -12.0 dB at most; "step" #1 sounded there; the mix is in `
	if got := f.failure(func() { a.Step(180 * ms); a.Golden(file) }); !strings.Contains(got, `; "step" #1 sounded there; `) {
		t.Errorf("Golden says %s\nwant something like %s", got, want)
	}
	r := a.Report()
	if e := r.Events[1]; e.Kind != mixer.EventStolen || e.Sound != "step" || e.BySound != "shot" {
		t.Errorf("the report has %+v, want step stolen by shot", e)
	}
	dir := t.TempDir()
	a.Save(dir)
	f.end()
	files, err := fs.Glob(os.DirFS(dir), "*/stems/*")
	if want := []string{"TestGame_level 1/stems/shot.wav", "TestGame_level 1/stems/step.wav"}; err != nil || !slices.Equal(files, want) {
		t.Errorf("%v: the stems are %q, want %q", err, files, want)
	}
}

// TestRefusedByNames checks that rejected starts have names, too.
func TestRefusedByNames(t *testing.T) {
	f := newFake(t)
	a := audiotest.New(f, mixer.Config{Rate: 1000, Voices: 1, Overflow: mixer.Reject})
	s := tone(t, "s", 500, 0.5, 25)
	play(t, a, s, mixer.Options{EngineOptions: mixer.EngineOptions{Name: "first"}})
	a.Step(20 * ms)
	play(t, a, s, mixer.Options{EngineOptions: mixer.EngineOptions{Name: "second"}})
	a.Step(20 * ms)
	f.says(t, "a name", `"second" was not heard: it was rejected at 20ms (frame 20) (pool)`, func() { a.Heard("second") })
	if picture := a.Timeline(); !strings.Contains(picture, "second            rejected at") || !strings.Contains(picture, "0s.., s, -") {
		t.Errorf("the picture is\n%s", picture)
	}
	a.Heard("s").Times(1)
}

// TestNamesAfterReload checks that the new names of a reloaded bank are known.
func TestNamesAfterReload(t *testing.T) {
	f := newFake(t)
	files := folder(t, "rate: 1000\nsounds: {old: {file: a.wav}}", "a.wav", "b.wav")
	b, err := bank.Open(files, "assets/sounds.yaml", library.NewLibrary(library.Options{Rate: 1000}))
	if err != nil {
		t.Fatal(err)
	}
	a := audiotest.New(f, b.Config())
	if err := b.Use(a.Mixer()); err != nil {
		t.Fatal(err)
	}
	f.says(t, "too early", `no sound is called "new"; the nearest is "old"; if the game has it, say a.Knows("new")`, func() { a.Never("new") })
	files["assets/sounds.yaml"] = &fstest.MapFile{Data: []byte("rate: 1000\nsounds: {new: {file: b.wav}}"), ModTime: time.Unix(1, 0)}
	if err := b.Reload(); err != nil {
		t.Fatal(err)
	}
	f.says(t, "after it", "", func() { a.Never("new"); a.Never("b") })
	shoot(t, a, b, "new")
	f.says(t, "heard", `"new" is heard at 0s (frame 0), want never`, func() { a.Never("new") })
}

// TestOneNameTwoFiles checks that without a bank, files with equal names are distinguished.
func TestOneNameTwoFiles(t *testing.T) {
	f := newFake(t)
	lib := library.NewLibrary(library.Options{Rate: 1000})
	files := folder(t, "", "a/hit.wav", "b/hit.wav", "c/hit.wav")
	a := audiotest.New(f, mixer.Config{Rate: 1000, NoLimiter: true})
	load := func(name string) *sounds.Sound {
		t.Helper()
		s, err := lib.LoadFS(files, "assets/"+name)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	stream, err := lib.OpenStream(library.Source{FS: files, File: "assets/b/hit.wav"}, library.StreamOptions{})
	if err != nil {
		t.Fatal(err)
	}
	play(t, a, load("a/hit.wav"), mixer.Options{})
	a.Step(50 * ms)
	f.says(t, "one file", "", func() { a.Heard("hit").Times(1).At(0) })
	h := play(t, a, stream, mixer.Options{})
	a.Until(h)
	f.says(t, "two files", `"hit" is assets/a/hit.wav and assets/b/hit.wav; write the path of one, or play them by names of a bank`, func() { a.Heard("hit").At(0) })
	play(t, a, load("c/hit.wav"), mixer.Options{EngineOptions: mixer.EngineOptions{Name: "hit"}})
	a.Step(150 * ms)
	f.says(t, "apart", "", func() {
		a.Heard("a/hit.wav").Times(1).At(0)
		a.Heard("assets/b/hit.wav").Times(1).At(50 * ms)
		a.Heard("hit").Times(3).At(150 * ms) // an explicit name covers all of its files
	})
	if picture := a.Timeline(); !strings.Contains(picture, "…s/a/hit.wav #1") || !strings.Contains(picture, "hit          #3") {
		t.Errorf("the picture is\n%s", picture)
	}
	play(t, a, tone(t, "hit", 100, 0.5, 25), mixer.Options{})
	dir := t.TempDir()
	a.Save(dir)
	a.Never("nothing")
	f.end()
	saved, err := fs.Glob(os.DirFS(dir), "*/stems/*")
	if err != nil || len(saved) != 3 {
		t.Errorf("%v: the stems are %q, want three", err, saved)
	}
}

// TestAGameThatPolls checks a game that polls Mixer.Events itself, as the test does.
func TestAGameThatPolls(t *testing.T) {
	a := audiotest.New(t, mixer.Config{Rate: 1000, Voices: 1})
	ended, polled := 0, make([]mixer.Event, 3)
	for i := range 10 {
		a.Do(time.Duration(50*i)*ms, func() {
			for n := a.Mixer().Events(polled); n > 0; n = a.Mixer().Events(polled) {
				for _, e := range polled[:n] {
					if e.Kind == mixer.EventEnded {
						ended++
					}
				}
			}
			play(t, a, tone(t, "s", 20, 0.5, 25), mixer.Options{})
		})
	}
	a.Step(time.Second)
	a.Heard("s").Times(10)
	if ended != 9 {
		t.Errorf("the game has heard %d ends, want 9", ended)
	}
}

// TestNeverTakesWhatNobodyNamed checks which names Never accepts, before and after Knows.
func TestNeverTakesWhatNobodyNamed(t *testing.T) {
	f := newFake(t)
	a := audiotest.New(f, mixer.Config{Rate: 1000})
	f.says(t, "before anything", "", func() { a.Never("scream") })
	a.Mixer().Play(tone(t, "footstep", 300, 0.3, 50), mixer.Options{})
	a.Step(time.Second)
	help := func(name string) string {
		return `no sound is called "` + name + `"; the nearest is "footstep"; if the game has it, say a.Knows("` + name + `")`
	}
	for name, near := range map[string]bool{
		"scream": false, "step": false, "foot": false, "footsteps": true, "footsetp": true, "Footstep": true, "fotstp": true, "": true,
	} {
		want := ""
		if near {
			want = help(name)
		}
		f.says(t, name, want, func() { a.Never(name) })
	}
	a.Knows("scream")
	f.says(t, "what the game has", "", func() { a.Never("scream") })
	f.says(t, "what it has not", `no sound is called "screams"; the nearest is "scream"; if the game has it, say a.Knows("screams")`, func() { a.Never("screams") })
	f.says(t, "another", help("foot"), func() { a.Never("foot") })
}

// TestPlaysOfTwoBanks checks that layers of unrelated plays are separate occurrences, for two banks and for one
// bank that was opened twice.
func TestPlaysOfTwoBanks(t *testing.T) {
	const text = "rate: 1000\nsounds: {crash: {layers: [low, high]}, low: {file: low.wav}, high: {file: high.wav}}"
	fsys := folder(t, text, "low.wav", "high.wav")
	var banks []*bank.Bank
	for range 2 {
		b, err := bank.Open(fsys, "assets/sounds.yaml", library.NewLibrary(library.Options{Rate: 1000}))
		if err != nil {
			t.Fatal(err)
		}
		banks = append(banks, b)
	}
	a := audiotest.New(t, banks[0].Config())
	for i, b := range []*bank.Bank{banks[0], banks[1], banks[1]} {
		if err := b.Use(a.Mixer()); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Play("crash", bank.Options{}); err != nil {
			t.Fatal(err)
		}
		a.Step(time.Duration(i+1) * 200 * ms)
	}
	a.Heard("crash").Times(3)
}

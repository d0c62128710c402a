package bank_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"voicepool/bank"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// openMusicFrom opens the bank and the theme of fsys with a mixer of 16 commands under way.
func openMusicFrom(t *testing.T, fsys fstest.MapFS) (*bank.Bank, *mixer.Mixer, *bank.Music) {
	t.Helper()
	b, err := bank.Open(fsys, "sounds.yaml", library.NewLibrary(library.Options{Rate: rate}))
	if err != nil {
		t.Fatal(err)
	}
	c := b.Config()
	c.Commands = 16
	m, err := mixer.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	mu, err := b.Music("theme")
	if err := errors.Join(err, b.Use(m)); err != nil {
		t.Fatal(err)
	}
	return b, m, mu
}

// must fails the test at the first error.
func must(t *testing.T, all ...error) {
	t.Helper()
	if err := errors.Join(all...); err != nil {
		t.Fatal(err)
	}
}

// isSilent reports whether the mixer gives silence for n frames, after the tails of 10 ms.
func isSilent(m *mixer.Mixer, n int) bool {
	render(m, 200)
	return !slices.ContainsFunc(render(m, n), func(f pcm.Frame) bool { return f != pcm.Frame{} })
}

// TestMusicOnANewMixer replaces the mixer during a transition. The theme must play on the new one.
func TestMusicOnANewMixer(t *testing.T) {
	b, m, mu := openMusic(t, crossfading)
	must(t, mu.Play(bank.Options{}))
	render(m, 10)
	must(t, mu.Go("b"))
	m2, err := mixer.New(b.Config())
	must(t, err)
	defer m2.Close()
	must(t, b.Use(m2), mu.Play(bank.Options{}))
	render(m2, 100)
	must(t, mu.Go("b"))
	render(m2, 5000)
	if p := mu.Position(); p != (bank.Position{Segment: "b", Bar: 1, Beat: 1, Frame: 5100}) {
		t.Errorf("%+v", p)
	}
	must(t, mu.Stop(0))
	if !isSilent(m2, 5000) {
		t.Error("the theme sounds after Stop")
	}
}

// TestMusicEndsAllEarlierPlays changes a theme whose later play waits for its frame.
func TestMusicEndsAllEarlierPlays(t *testing.T) {
	for _, c := range []struct {
		name    string
		do      func(*bank.Music) error
		playing int64
	}{
		{"Play", func(mu *bank.Music) error { return mu.Play(bank.Options{}) }, 1},
		{"PlayAt", func(mu *bank.Music) error { return mu.PlayAt(300, bank.Options{}) }, 1},
		{"Stop", func(mu *bank.Music) error { return mu.Stop(0) }, 0},
	} {
		_, m, mu := openMusic(t, crossfading)
		must(t, mu.Play(bank.Options{}))
		render(m, 100)
		must(t, mu.PlayAt(40000, bank.Options{}), mu.PlayAt(20000, bank.Options{}))
		render(m, 100)
		must(t, c.do(mu))
		render(m, 1000)
		if n := m.Stats().Playing; n != c.playing {
			t.Errorf("%s: %d voices play, want %d", c.name, n, c.playing)
		}
		if c.playing > 0 {
			must(t, mu.Stop(0))
		}
		if !isSilent(m, 42000) {
			t.Errorf("%s: the theme sounds after its end", c.name)
		}
	}
}

// TestMusicPlayAtOfABusyMixer fills the commands under way up to the last few. PlayAt must either replace the play at
// its frame or leave it.
func TestMusicPlayAtOfABusyMixer(t *testing.T) {
	results := map[bool]int{}
	for full := range 40 {
		_, m, mu := openMusicFrom(t, themeFiles(crossfading))
		must(t, mu.Play(bank.Options{}))
		render(m, 10)
		for range full {
			_ = m.Engine().At(mixer.Now).Stop(mixer.TargetTag(9), 0)
		}
		err := mu.PlayAt(1000, bank.Options{})
		if err != nil && !errors.Is(err, mixer.ErrBusy) {
			t.Fatal(err)
		}
		results[err == nil]++
		render(m, 2000)
		want := bank.Position{Segment: "a", Bar: 1, Beat: 1, Frame: 2010}
		if p := mu.Position(); p != want || m.Stats().Playing != 1 {
			t.Errorf("after %d commands: %+v with %d voices, want %+v with 1; PlayAt: %v", full, p, m.Stats().Playing, want, err)
		}
		began := int64(0)
		if err == nil {
			began = 1000
		}
		if next := mu.Next(bank.NextBeat); next != began+4000 {
			t.Errorf("after %d commands the next beat is at %d, want %d", full, next, began+4000)
		}
	}
	if results[true] == 0 || results[false] == 0 {
		t.Errorf("%v", results)
	}
}

// TestMusicEndsTwoCrossfades ends a theme during the crossfades of two transitions.
func TestMusicEndsTwoCrossfades(t *testing.T) {
	for name, end := range map[string]func(*bank.Music) error{"Stop": func(mu *bank.Music) error { return mu.Stop(0) }, "Pause": (*bank.Music).Pause} {
		_, m, mu := openMusic(t, `
master: {limiter: false}
music:
  theme:
    segments:
      a: {file: intro.wav, loop: true, exits: [next beat]}
      b: {file: explore.wav, loop: true, exits: [next beat]}
      c: {file: combat.wav, loop: true}
    transitions: [{from: a, to: b, crossfade: 4 beats}, {from: b, to: c, at: next beat}]
`)
		must(t, mu.Play(bank.Options{}))
		render(m, 10)
		must(t, mu.Go("b"))
		render(m, 4100)
		must(t, mu.Go("c"))
		render(m, 5000)
		if p := mu.Position(); p.Segment != "c" {
			t.Fatalf("%+v", p)
		}
		must(t, end(mu))
		if !isSilent(m, 15000) {
			t.Errorf("%s: a segment still fades out", name)
		}
	}
}

// TestMusicGoFails checks that a failed Go leaves the transition under way.
func TestMusicGoFails(t *testing.T) {
	fsys := themeFiles(`
music:
  theme:
    markers: {x: 900ms}
    segments:
      a: {file: intro.wav, loop: true, exits: [next beat]}
      b: {file: explore.wav, loop: true}
      c: {file: combat.wav, loop: true}
      d: {file: hit.wav, loop: true, stream: true}
    transitions: [{from: a, to: c, at: marker x}]
`)
	for to, want := range map[string]string{
		"c": `mixer: bad argument: the segment "a" has no exit to "c" ahead`,
		"d": "hit.wav", // cannot be opened
	} {
		_, m, mu := openMusicFrom(t, fsys)
		must(t, mu.Play(bank.Options{}))
		render(m, 10)
		must(t, mu.Go("b"))
		hit := fsys["hit.wav"]
		delete(fsys, "hit.wav")
		if err := mu.Go(to); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", to, err, want)
		}
		fsys["hit.wav"] = hit
		render(m, 4990)
		if p := mu.Position(); p != (bank.Position{Segment: "b", Bar: 1, Beat: 1, Frame: 5000}) {
			t.Errorf("%s: %+v", to, p)
		}
	}
}

// TestMusicWithoutItsStinger checks that a transition takes place if its stinger cannot be opened.
func TestMusicWithoutItsStinger(t *testing.T) {
	fsys := themeFiles(strings.NewReplacer("hit.wav", "hit.wav, stream: true", "voices: 2", "voices: 4").Replace(combat))
	_, m, mu := openMusicFrom(t, fsys)
	must(t, mu.Play(bank.Options{}))
	render(m, 10)
	delete(fsys, "hit.wav")
	if err := mu.Go("combat"); err == nil || !strings.Contains(err.Error(), "hit.wav") {
		t.Errorf("%v", err)
	}
	render(m, 4000)
	if p := mu.Position(); p != (bank.Position{Segment: "combat", Bar: 1, Beat: 1, Frame: 4010}) {
		t.Errorf("%+v", p)
	}
}

// TestMusicPlansAgainLater moves a theme by its handle during a transition whose stream cannot be opened again. The
// transition must wait for the next move.
func TestMusicPlansAgainLater(t *testing.T) {
	fsys := themeFiles(strings.Replace(crossfading, "b: {file: explore.wav", "b: {file: explore.wav, stream: true", 1))
	_, m, mu := openMusicFrom(t, fsys)
	must(t, mu.Play(bank.Options{}))
	render(m, 10)
	must(t, mu.Go("b"))
	explore := fsys["explore.wav"]
	delete(fsys, "explore.wav")
	move := func() {
		t.Helper()
		must(t, mu.Handle().Seek(100*time.Millisecond))
		render(m, 100)
		if p := mu.Position(); p.Segment != "a" {
			t.Errorf("%+v", p)
		}
	}
	move()
	fsys["explore.wav"] = explore
	render(m, 5000)
	if p := mu.Position(); p.Segment != "a" {
		t.Errorf("without a plan: %+v", p)
	}
	move()
	render(m, 3100)
	if p := mu.Position(); p.Segment != "b" {
		t.Errorf("%+v", p)
	}
}

// TestQuantizeBesideAFade checks which theme counts while another one fades out after Stop.
func TestQuantizeBesideAFade(t *testing.T) {
	b, m, mu := openMusic(t, theme+"  other: {tempo: 600, segments: {a: {file: intro.wav, loop: true}}}\n")
	other, err := b.Music("other")
	must(t, err, mu.Play(bank.Options{}))
	render(m, 100)
	must(t, mu.Stop(5*time.Second))
	clap := func(p bank.Point) {
		t.Helper()
		_, err := b.Play("clap", bank.Options{Quantize: p})
		must(t, err)
	}
	clap(bank.NextBeat) // 800
	must(t, other.Play(bank.Options{}))
	clap(bank.NextBeat) // 100
	render(m, 10)
	for range 10 {
		clap(bank.NextBeat) // 900
	}
	clap(bank.NextBeat.Of("theme")) // 800
	render(m, 1000)
	if got, want := starts(m)["a"], append([]int64{100, 800, 800}, slices.Repeat([]int64{900}, 10)...); !slices.Equal(got, want) {
		t.Errorf("claps at %v, want %v", got, want)
	}
}

// TestMusicGoDuringAFade checks that Go after Stop does not wait for an exit.
func TestMusicGoDuringAFade(t *testing.T) {
	_, m, mu := openMusic(t, crossfading)
	must(t, mu.Play(bank.Options{}))
	render(m, 100)
	must(t, mu.Stop(5*time.Second))
	render(m, 100)
	must(t, mu.Go("b"))
	render(m, 300)
	if p := mu.Position(); p != (bank.Position{Segment: "b", Bar: 1, Beat: 1, Frame: 500}) || m.Stats().Playing != 1 {
		t.Errorf("%+v with %d voices", p, m.Stats().Playing)
	}
}

// TestMusicEventsBeforeAChange checks that Play, PlayAt and Stop report the beats before them.
func TestMusicEventsBeforeAChange(t *testing.T) {
	for name, change := range map[string]func(*bank.Music) error{
		"Play":   func(mu *bank.Music) error { return mu.Play(bank.Options{}) },
		"PlayAt": func(mu *bank.Music) error { return mu.PlayAt(5000, bank.Options{}) },
		"Stop":   func(mu *bank.Music) error { return mu.Stop(200 * time.Millisecond) },
	} {
		_, m, mu := openMusic(t, theme)
		buffer := make([]bank.MusicEvent, 64)
		mu.Events(buffer)
		must(t, mu.Play(bank.Options{}))
		render(m, 1000)
		render(m, 1000)
		must(t, change(mu))
		render(m, 10)
		var frames []int64
		for _, e := range buffer[:mu.Events(buffer)] {
			frames = append(frames, e.Frame)
		}
		if want := []int64{800, 1280, 1760}; !slices.Equal(frames, want) {
			t.Errorf("%s: beats at %v, want %v", name, frames, want)
		}
	}
}

// TestMusicNextOf checks points with the name of a theme.
func TestMusicNextOf(t *testing.T) {
	_, m, mu := openMusic(t, theme)
	must(t, mu.Play(bank.Options{}))
	render(m, 900)
	for p, want := range map[bank.Point]int64{bank.NextBeat.Of("theme"): 1280, bank.Marker("out").Of("theme"): 3200, bank.NextBeat.Of("other"): mixer.Now} {
		if got := mu.Next(p); got != want {
			t.Errorf("%s is at %d, want %d", p, got, want)
		}
	}
}

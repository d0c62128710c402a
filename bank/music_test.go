package bank_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"voicepool/bank"
	"voicepool/bank/rules"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// theme has beats of 480 frames at 8 kHz: 1000 quarter notes per minute.
const theme = `
buses: {music: {}}
sounds: {clap: {file: sfx/a.wav}}
music:
  theme:
    tempo: 1000
    meter: 3/4
    bus: music
    markers: {drop: bar 2}
    segments:
      intro: {file: intro.wav, next: explore, offset: 100ms, markers: {drop: bar 2 beat 2, out: 400ms}}
      explore: {file: explore.wav, loop: {from: 180ms, to: 900ms}, meter: 7/8}
`

// themeFiles adds the sounds of theme, of 4000 and 8000 frames.
func themeFiles(text string) fstest.MapFS {
	fsys := files(text)
	maps.Copy(fsys, fstest.MapFS{"intro.wav": tone(4000, 0.25), "explore.wav": tone(8000, 0.25), "combat.wav": tone(8000, 0.5), "hit.wav": tone(800, 0.125)})
	return fsys
}

// openMusic opens a bank with the files of themeFiles, its mixer and its theme.
func openMusic(t testing.TB, text string) (*bank.Bank, *mixer.Mixer, *bank.Music) {
	t.Helper()
	b, err := bank.Open(themeFiles(text), "sounds.yaml", library.NewLibrary(library.Options{Rate: rate}))
	if err != nil {
		t.Fatal(err)
	}
	m, err := b.NewMixer()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	mu, err := b.Music("theme")
	if err != nil {
		t.Fatal(err)
	}
	return b, m, mu
}

// starts returns the frames of the starts since the last call, by sound.
func starts(m *mixer.Mixer) map[string][]int64 {
	all := map[string][]int64{}
	events := make([]mixer.Event, 256)
	for _, e := range events[:m.Events(events)] {
		if e.Kind == mixer.EventStarted {
			all[e.Sound.Name()] = append(all[e.Sound.Name()], e.Frame)
		}
	}
	return all
}

func TestMusicPosition(t *testing.T) {
	_, m, mu := openMusic(t, theme)
	if p := mu.Position(); p != (bank.Position{}) {
		t.Errorf("before the start: %+v", p)
	}
	m.Render(make([]pcm.Frame, 100))
	if err := mu.Play(bank.Options{}); err != nil {
		t.Fatal(err)
	}
	at := int64(100)
	for _, c := range []struct {
		frames int64
		want   bank.Position
	}{
		{0, bank.Position{Segment: "intro"}},
		{799, bank.Position{Segment: "intro"}},
		{1, bank.Position{Segment: "intro", Bar: 1, Beat: 1}},
		{479, bank.Position{Segment: "intro", Bar: 1, Beat: 1}},
		{1, bank.Position{Segment: "intro", Bar: 1, Beat: 2}},
		{960, bank.Position{Segment: "intro", Bar: 2, Beat: 1}},
		{1759, bank.Position{Segment: "intro", Bar: 3, Beat: 1}}, // 3999
		{1, bank.Position{Segment: "explore", Bar: 1, Beat: 1}},
		{240 * 6, bank.Position{Segment: "explore", Bar: 1, Beat: 7}}, // at the begin of its loop
		{240*24 - 1, bank.Position{Segment: "explore", Bar: 5, Beat: 2}},
		{1, bank.Position{Segment: "explore", Bar: 1, Beat: 7}},
		{240 * 24 * 3, bank.Position{Segment: "explore", Bar: 1, Beat: 7}},
	} {
		m.Render(make([]pcm.Frame, c.frames))
		at += c.frames
		c.want.Frame = at
		if got := mu.Position(); got != c.want {
			t.Errorf("%+v, want %+v", got, c.want)
		}
	}
	if err := mu.Stop(0); err != nil {
		t.Fatal(err)
	}
	m.Render(make([]pcm.Frame, 10))
	if p := mu.Position(); p != (bank.Position{}) {
		t.Errorf("after the stop: %+v", p)
	}
}

// TestMusicNext checks the frames of points before and after the segments change, with a pause and a seek.
func TestMusicNext(t *testing.T) {
	b, m, mu := openMusic(t, theme)
	if err := mu.PlayAt(50, bank.Options{}); err != nil {
		t.Fatal(err)
	}
	check := func(p bank.Point, want int64) {
		t.Helper()
		if got := mu.Next(p); got != want {
			t.Errorf("%s is at frame %d, want %d", p, got, want)
		}
	}
	check(bank.NextBeat, 850)
	check(bank.NextBar, 850)
	check(bank.Every(4), 850)
	check(bank.Marker("drop"), 850+1920)
	check(bank.Marker("intro.drop"), 850+1920)
	check(bank.Marker("explore.drop"), 50+4000+7*240)
	check(bank.Marker("out"), 50+3200)
	check(bank.Marker("intro.out"), 50+3200)
	check(bank.Marker("missing"), mixer.Now)
	check("nonsense", mixer.Now)
	m.Render(make([]pcm.Frame, 851))
	check(bank.NextBeat, 850+480)
	check("next bar", 850+1440)
	check("4 bars", 50+4000) // the intro ends before its bar 5
	m.Render(make([]pcm.Frame, 479))
	check(bank.NextBeat, 850+480)
	if _, err := b.PlayAt(mu.Next(bank.NextBar), "clap", bank.Options{}); err != nil {
		t.Fatal(err)
	}
	m.Render(make([]pcm.Frame, 1000))
	if got := starts(m)["a"]; !slices.Equal(got, []int64{2290}) {
		t.Errorf("the clap is at %v, want 2290", got)
	}
	h := mu.Handle()
	if err := h.Pause(); err != nil {
		t.Fatal(err)
	}
	m.Render(make([]pcm.Frame, 777))
	check(bank.NextBar, 3730+777)
	if p := mu.Position(); p != (bank.Position{Segment: "intro", Bar: 2, Beat: 1, Frame: 2330 + 777}) {
		t.Errorf("paused at %+v", p)
	}
	if err := errors.Join(h.Resume(), h.Seek(475*time.Millisecond)); err != nil { // frame 3800
		t.Fatal(err)
	}
	m.Render(make([]pcm.Frame, 23))
	check(bank.NextBar, 2330+777+200)
	m.Render(make([]pcm.Frame, 177)) // the intro ends with this block
	check(bank.NextBeat, 2330+777+200)
	if p := mu.Position(); p != (bank.Position{Segment: "explore", Bar: 1, Beat: 1, Frame: 2330 + 977}) {
		t.Errorf("at the seam %+v", p)
	}
	check(bank.Every(5), 2330+977)
	m.Render(make([]pcm.Frame, 7200-240)) // the last 240 frames of the loop
	check(bank.NextBar, 2330+977+7200+240)
}

// TestQuantize checks the frames of quantized starts, and their errors.
func TestQuantize(t *testing.T) {
	b, m, mu := openMusic(t, theme+"  other: {tempo: 1000, segments: {a: {file: intro.wav, loop: true}}}\n")
	refused := func(p bank.Point, want string) {
		t.Helper()
		_, err := b.Play("clap", bank.Options{Quantize: p})
		if !errors.Is(err, mixer.ErrOption) || err.Error() != "mixer: bad argument: Quantize: "+want {
			t.Errorf("%s: %v, want %s", p, err, want)
		}
	}
	refused(bank.NextBeat, "no theme plays; call Music.Play before")
	if err := mu.PlayAt(50, bank.Options{}); err != nil {
		t.Fatal(err)
	}
	m.Render(make([]pcm.Frame, 900))
	for _, c := range []struct {
		frame int64
		point bank.Point
	}{{mixer.Now, bank.NextBeat}, {1331, bank.NextBeat}, {mixer.Now, bank.NextBar.Of("theme")}, {3200, "marker intro.out of theme"}, {4000, bank.Every(2)}} {
		if _, err := b.PlayAt(c.frame, "clap", bank.Options{Quantize: c.point}); err != nil {
			t.Fatal(err)
		}
	}
	m.Render(make([]pcm.Frame, 4000))
	if got, want := starts(m)["a"], []int64{850 + 480, 850 + 960, 850 + 1440, 50 + 3200, 50 + 4000}; !slices.Equal(got, want) {
		t.Errorf("claps at %v, want %v", got, want)
	}
	refused("soon", "\"soon\" is not a point in musical time; write beat, bar, 4 bars (1 to 10000) or marker NAME")
	refused("marker out", "the theme \"theme\" has no point \"marker out\" ahead")
	refused(bank.NextBeat.Of("other"), "the theme \"other\" does not play; start it before")
	other, err := b.Music("other")
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Play(bank.Options{Quantize: bank.NextBar.Of("theme")}); err != nil { // bar 2 of explore
		t.Fatal(err)
	}
	m.Render(make([]pcm.Frame, 3000))
	if got := starts(m)["intro"]; !slices.Equal(got, []int64{50 + 4000 + 7*240}) {
		t.Errorf("the other theme begins at %v", got)
	}
	refused(bank.NextBeat, "several themes play; name one, as in \"next beat of other\"")
	if err := errors.Join(other.Pause(), mu.Pause()); err != nil {
		t.Fatal(err)
	}
	m.Render(make([]pcm.Frame, 10))
	refused(bank.NextBeat, "the theme \"other\" is paused; resume it before")
	refused(bank.NextBeat.Of("theme"), "the theme \"theme\" is paused; resume it before")
}

// TestMusicEvents checks beats and markers through a full buffer, a pause of the bus and many loops.
func TestMusicEvents(t *testing.T) {
	_, m, mu := openMusic(t, theme)
	buffer := make([]bank.MusicEvent, 400)
	poll := func(frames, size int) []bank.MusicEvent {
		render(m, frames)
		return buffer[:mu.Events(buffer[:size])]
	}
	if n := mu.Events(buffer); n != 0 {
		t.Errorf("%d events before the start", n)
	}
	if err := mu.Play(bank.Options{}); err != nil {
		t.Fatal(err)
	}
	bus, err := m.Bus("music")
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		frames, size int
		want         []bank.MusicEvent
		then         func() error
	}{
		{frames: 800, size: 400},
		{frames: 2200, size: 3, want: []bank.MusicEvent{{"intro", "", 1, 1, 800}, {"intro", "", 1, 2, 1280}, {"intro", "", 1, 3, 1760}}},
		{size: 400, want: []bank.MusicEvent{{"intro", "", 2, 1, 2240}, {"intro", "", 2, 2, 2720}, {"intro", "drop", 2, 2, 2720}}, then: func() error { return bus.Pause() }},
		{frames: 700, size: 400, then: func() error { return bus.Resume() }},
		{frames: 201, size: 400, want: []bank.MusicEvent{{"intro", "", 2, 3, 3900}, {"intro", "out", 2, 3, 3900}}},
		{frames: 0, size: 400, then: func() error { return mu.Seek(450 * time.Millisecond) }}, // frame 3600; bar 3 is at 3680
		{frames: 401, size: 400, want: []bank.MusicEvent{{"intro", "", 3, 1, 3901 + 80}, {"explore", "", 1, 1, 3901 + 400}}},
	} {
		if got := poll(c.frames, c.size); !slices.Equal(got, c.want) {
			t.Errorf("%d: %v, want %v", i, got, c.want)
		}
		if c.then != nil {
			if err := c.then(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := poll(300*240, 400); len(got) != 256 || got[255].Frame != 3901+400+300*240 {
		t.Errorf("%d events, the last is %v", len(got), got[len(got)-1])
	}
	block := make([]pcm.Frame, 480)
	if n := testing.AllocsPerRun(20, func() { m.Render(block); mu.Events(buffer) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestMusicEventsOfAnEnd checks the last beats of a theme that has ended.
func TestMusicEventsOfAnEnd(t *testing.T) {
	_, m, mu := openMusic(t, "music: {theme: {tempo: 1000, segments: {a: {file: intro.wav}}}}")
	buffer := make([]bank.MusicEvent, 20)
	mu.Events(buffer)
	if err := mu.Play(bank.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{5, 4, 0} {
		render(m, 2000)
		render(m, 100)
		if n := mu.Events(buffer); n != want || n > 0 && buffer[n-1].Frame != int64(480*(n-1))+2400*int64(5-want) {
			t.Errorf("%d events, want %d: %v", n, want, buffer[:n])
		}
	}
}

// TestMusicAt checks that a batch fires at a point.
func TestMusicAt(t *testing.T) {
	b, m, mu := openMusic(t, theme)
	if err := mu.Play(bank.Options{}); err != nil {
		t.Fatal(err)
	}
	m.Render(make([]pcm.Frame, 900))
	h := start(t, b, "clap", bank.Options{})
	batch := m.Engine().NewBatch()
	if err := errors.Join(batch.At(5).Stop(mixer.TargetVoice(h.Handle), 0), mu.At(bank.NextBar).Fire(batch)); err != nil {
		t.Fatal(err)
	}
	m.Render(make([]pcm.Frame, 1500))
	if frame, fired := batch.Base(); frame != 800+1440 || !fired {
		t.Errorf("the batch has fired at %d", frame)
	}
}

// TestMusicPlayAgain checks that a second play ends the first.
func TestMusicPlayAgain(t *testing.T) {
	_, m, mu := openMusic(t, theme)
	for range 2 {
		if err := mu.Play(bank.Options{From: 100 * time.Millisecond}); err != nil {
			t.Fatal(err)
		}
		m.Render(make([]pcm.Frame, 3000))
	}
	if st := m.Stats(); st.Playing != 1 || st.Stopped != 2 {
		t.Errorf("%+v", st)
	}
	if p := mu.Position(); p != (bank.Position{Segment: "intro", Bar: 3, Beat: 1, Frame: 6000}) {
		t.Errorf("%+v", p)
	}
}

// TestMusicSurvivesReload checks that a play keeps its musical time, and that the next play uses the new file.
func TestMusicSurvivesReload(t *testing.T) {
	fsys := themeFiles(theme)
	b, err := bank.Open(fsys, "sounds.yaml", library.NewLibrary(library.Options{Rate: rate}))
	if err != nil {
		t.Fatal(err)
	}
	m, err := b.NewMixer()
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	mu, err := b.Music("theme")
	if err != nil {
		t.Fatal(err)
	}
	if err := mu.Play(bank.Options{}); err != nil {
		t.Fatal(err)
	}
	m.Render(make([]pcm.Frame, 1))
	fsys["sounds.yaml"] = &fstest.MapFile{Data: []byte(strings.Replace(theme, "tempo: 1000", "tempo: 600", 1))}
	if err := b.Reload(); err != nil {
		t.Fatal(err)
	}
	if got := mu.Next(bank.Every(2)); got != 800 {
		t.Errorf("bar 1 at %d, want 800", got)
	}
	m.Render(make([]pcm.Frame, 900))
	if got := mu.Next(bank.NextBar); got != 800+3*480 {
		t.Errorf("bar 2 at %d, want %d", got, 800+3*480)
	}
	if again, err := b.Music("theme"); again != mu || err != nil {
		t.Errorf("another Music, %v", err)
	}
	if err := mu.Play(bank.Options{}); err != nil {
		t.Fatal(err)
	}
	m.Render(make([]pcm.Frame, 900))
	if got := mu.Next(bank.NextBar); got != 901+800+3*800 {
		t.Errorf("bar 2 at %d, want %d", got, 901+800+3*800)
	}
}

// TestMusicReloadDuringATransition checks that a paused transition to a segment that a reload renames is dropped.
func TestMusicReloadDuringATransition(t *testing.T) {
	fsys := themeFiles(combat)
	b, err := bank.Open(fsys, "sounds.yaml", library.NewLibrary(library.Options{Rate: rate}))
	if err != nil {
		t.Fatal(err)
	}
	m, err := b.NewMixer()
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	mu, err := b.Music("theme")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(mu.Play(bank.Options{}), mu.Go("combat"), mu.Pause()); err != nil {
		t.Fatal(err)
	}
	m.Render(make([]pcm.Frame, 100))
	fsys["sounds.yaml"] = &fstest.MapFile{Data: []byte(strings.NewReplacer("combat:", "fight:", "to: combat", "to: fight").Replace(combat))}
	if err := errors.Join(b.Reload(), mu.Resume(), mu.Go("fight")); err != nil {
		t.Fatal(err)
	}
	m.Render(make([]pcm.Frame, 8000))
	if p := mu.Position(); p.Segment != "fight" {
		t.Errorf("%+v", p)
	}
}

func TestMusicErrors(t *testing.T) {
	b, _, mu := openMusic(t, theme)
	for _, c := range []struct {
		got  error
		is   error
		want string
	}{
		{mu.Play(bank.Options{Pitch: 1}), mixer.ErrOption, "mixer: bad argument: a theme keeps its tempo; it has no pitch and speed"},
		{mu.Play(bank.Options{Speed: 2}), mixer.ErrOption, "mixer: bad argument: a theme keeps its tempo; it has no pitch and speed"},
		{mu.Stop(0), mixer.ErrGone, mixer.ErrGone.Error()},
		{func() error { _, err := b.Music("teme"); return err }(), bank.ErrName, `bank: unknown name: there is no theme "teme"; the nearest is "theme"`},
	} {
		if !errors.Is(c.got, c.is) || c.got.Error() != c.want {
			t.Errorf("%v, want %s", c.got, c.want)
		}
	}
	silent, err := bank.Open(themeFiles(theme), "sounds.yaml", library.NewLibrary(library.Options{Rate: rate}))
	if err != nil {
		t.Fatal(err)
	}
	if mu, err = silent.Music("theme"); err != nil {
		t.Fatal(err)
	}
	if err := mu.Play(bank.Options{}); !errors.Is(err, bank.ErrMixer) {
		t.Errorf("without a mixer: %v", err)
	}
	if err := mu.At(bank.NextBar).Pause(mixer.TargetAll()); !errors.Is(err, mixer.ErrOption) {
		t.Errorf("a moment without a mixer: %v", err)
	}
}

// TestMusicFaults checks the places and texts of errors in a file.
func TestMusicFaults(t *testing.T) {
	for _, c := range []struct{ theme, want string }{
		{`{tempo: 120}`, "1:9: the theme \"theme\" needs `segments`, such as {intro: intro.ogg}"},
		{`{tempo: 120, segments: {}}`, "1:29: the theme \"theme\" needs at least one segment"},
		{`{segments: {}, transitions: {}}`, "1:17: the theme \"theme\" needs at least one segment"},
		{`{segments: [a], transitions: 1}`, "1:17: the theme \"theme\" needs at least one segment\nsounds.yaml:1:27: segments is a mapping from names, not a list"},
		{`{tempo: 0, segments: {a: intro.wav}}`, "1:24: tempo: 0 is out of range; want a number of quarter notes a minute from 1 to 1000"},
		{`{tempo: 0, meter: 0/4, segments: {a: intro.wav}}`, "1:24: tempo: 0 is out of range; want a number of quarter notes a minute from 1 to 1000\nsounds.yaml:1:34: meter takes 1 to 64 beats and a note value of 1, 2, 4, 8, 16, 32 or 64, such as 7/8, not \"0/4\""},
		{`{tempo: [], segments: {a: intro.wav}}`, "1:24: tempo takes a number, or a list of changes such as [{bar: 1, bpm: 120}]"},
		{`{tempo: 120, meter: 0/4, segments: {a: intro.wav}}`, `1:36: meter takes 1 to 64 beats and a note value of 1, 2, 4, 8, 16, 32 or 64, such as 7/8, not "0/4"`},
		{`{tempo: 120, meter: 4/3, segments: {a: intro.wav}}`, `1:36: meter takes 1 to 64 beats and a note value of 1, 2, 4, 8, 16, 32 or 64, such as 7/8, not "4/3"`},
		{`{tempo: [{bar: 2, bpm: 120}], segments: {a: intro.wav}}`, "1:25: a tempo map begins at bar 1: {bar: 1, bpm: 120}"},
		{`{tempo: [{bar: 1, bpm: 120}, {bpm: 9}], segments: {a: intro.wav}}`, "1:45: an entry of a tempo map needs its bar: {bar: 9, bpm: 140}"},
		{`{tempo: [{bar: 1, bpm: 120}, {bar: 9, bpm: 140}, {bar: 5, bpm: 9}], segments: {a: intro.wav}}`, "1:65: bar: 5 is not after bar 9 of the entry before; a tempo map goes forward"},
		{`{tempo: [{bar: 1, bpm: 120}, {bar: 9, ramp: true, meter: 3/4}], segments: {a: intro.wav}}`, "1:45: ramp needs a bpm to reach, and an entry before: {bar: 9, bpm: 140, ramp: true}"},
		{`{tempo: [{bar: 1, bpm: 120}, {bar: 1026, ramp: true, bpm: 9}], segments: {a: intro.wav}}`, "1:24: tempo: 4102 entries and beats in ramps are more than a map can have, 4096"},
		{`{tempo: [{bar: 1, bpm: 120}, {bar: 66, ramp: true, bpm: 9}], segments: {a: {file: intro.wav, meter: 64/64}}}`, "1:116: tempo: 4162 entries and beats in ramps are more than a map can have, 4096"},
		{`{segments: {a: {file: intro.wav, exits: [marker dorp], markers: {drop: 1ms}}}}`, `1:57: unknown marker "dorp"; did you mean "drop"?`},
		{`{segments: {a: {file: intro.wav, markers: {drop: 1ms}}}, transitions: [{from: any, to: a, at: marker a.dorp}]}`, `1:110: unknown marker "a.dorp"; did you mean "a.drop"?`},
		{`{segments: {any: intro.wav}}`, `1:28: the name of a segment has no points and is not any; this is "any"`},
		{`{segments: {a.b: intro.wav}}`, `1:28: the name of a segment has no points and is not any; this is "a.b"`},
		{`{tempo: [{bar: 1, bpm: 120}, {bar: 9}], segments: {a: intro.wav}}`, "1:45: an entry of a tempo map changes the bpm or the meter: {bar: 17, meter: 7/8}"},
		{`{tempo: [{bar: 1, bpm: 120.1234567}], segments: {a: intro.wav}}`, "1:25: bpm: 120.1234567 has more than 6 decimals"},
		{`{tempo: 120.1234567, segments: {a: intro.wav}}`, "1:24: tempo: 120.1234567 has more than 6 decimals"},
		{`{tempo: 120, segments: {a: {gain: -6}}}`, `1:40: the segment "a" needs a file, such as {file: a.ogg}`},
		{`{tempo: 120, segments: {a: {file: intro.wav, loop: 3}}}`, "1:67: loop: a segment repeats until another one follows; write true, or {from: 1.5s, to: 61.5s}"},
		{`{tempo: 120, segments: {a: {file: intro.wav, loop: true, next: a}}}`, "1:73: next is for a segment that ends; \"a\" has a `loop`\nsounds.yaml:1:79: next: \"a\" follows itself; repeat one segment by `loop: true`"},
		{`{tempo: 120, segments: {a: {file: intro.wav, next: b}, b: intro.wav, bb: intro.wav, c: {file: intro.wav, next: d}}}`, `1:127: next: there is no segment "d"; did you mean "a"?`},
		{`{tempo: 120, segments: {a: {file: intro.wav, next: b}, b: {file: intro.wav, next: a}}}`, "1:67: next: \"b\" follows itself; repeat one segment by `loop: true`"},
		{`{tempo: 120, segments: {a: {file: intro.wav, pitch: 1}}}`, `1:61: unknown key "pitch" in a segment`},
		{`{tempo: 120, segments: {a: {file: intro.wav, counts_as: -18}}}`, "1:61: counts_as needs `stream: true`; the loudness of other sounds is measured"},
		{`{tempo: 120, markers: {"a b": 1s}, segments: {a: intro.wav}}`, `1:39: the name of a marker has no points and spaces; this is "a b"`},
		{`{tempo: 120, markers: {a: bar 0}, segments: {a: intro.wav}}`, `1:42: a takes a time in the file, bar 17 or bar 17 beat 3, not "bar 0"`},
		{`{tempo: 120, markers: {a: nowhere}, segments: {a: intro.wav}}`, `1:42: a: "nowhere" is not a time; write 1.5s, 250ms, 2m3s or a number of seconds`},
		{`{tempo: 120, offset: 1s, segments: {a: intro.wav}}`, `1:52: offset: bar 1 at 1s is not before the end of the segment "a", 0.5s`},
		{`{tempo: 120, segments: {a: {file: intro.wav, markers: {x: bar 2 beat 5}}}}`, `1:71: the marker "x" is beyond the end of its segment`},
		{`{segments: {a: intro.wav}, transitions: [{from: a, to: x}]}`, `1:71: to: there is no segment "x"; did you mean "a"?`},
		{`{segments: {a: intro.wav}, transitions: [{from: a}]}`, "1:57: a transition needs `from` and `to`, names of segments or any"},
		{`{segments: {a: intro.wav}, transitions: {from: a}}`, "1:56: transitions takes a list of at most 10000 rows, such as [{from: any, to: a, at: next bar}]"},
		{`{segments: {a: intro.wav}, transitions: [{from: any, to: a, fade_out: 1s, crossfade: 1 bar}]}`, "1:90: crossfade includes a fade-out; omit fade_out"},
		{`{segments: {a: intro.wav}, transitions: [{from: any, to: a, at: soon}]}`, `1:80: at: "soon" is not a point in musical time; write beat, bar, 4 bars (1 to 10000) or marker NAME`},
		{`{segments: {a: intro.wav}, transitions: [{from: any, to: a, stinger: hit}]}`, "1:85: stinger: unknown sound \"hit\" in `sounds`"},
		{`{segments: {a: {file: intro.wav, exits: []}}}`, "1:56: exits takes a list of points, such as [bar] or [4 bars, marker out]"},
		{`{segments: {a: {file: intro.wav, pickup: 4 beats}}}`, `1:28: pickup: 2s are not shorter than the segment "a" until its end or loop end, 0.5s`},
		{`{segments: {a: {file: intro.wav, pickup: 0 beats}}}`, `1:57: pickup: "0 beats" is not a time; write 1.5s, 250ms, 2m3s or a number of seconds`},
	} {
		b, err := bank.Open(themeFiles("music: {theme: "+c.theme+"}"), "sounds.yaml", library.NewLibrary(library.Options{Rate: rate}))
		if err == nil {
			_, err = b.Music("theme")
		}
		if err == nil || err.Error() != "sounds.yaml:"+c.want || !errors.Is(err, rules.ErrFile) {
			t.Errorf("%s\n%v, want\n%s", c.theme, err, c.want)
		}
	}
	if _, err := bank.Parse("x.yaml", []byte("sounds: {theme.a: a.wav}\nmusic: {theme: {tempo: 1, segments: {a: a.wav}}}")); err == nil ||
		err.Error() != "x.yaml:2:38: a sound is already called \"theme.a\", the name of the sound of this segment" {
		t.Errorf("%v", err)
	}
}

// TestMusicFaultsAfterManyErrors checks an empty map of the tempo in a file with more errors than a report has.
func TestMusicFaultsAfterManyErrors(t *testing.T) {
	text := "sounds: {" + strings.Repeat("a: 1, a: 2, ", 2000) + "}\nmusic: {t: {segments: {a: a.wav}, tempo: []}}"
	var all rules.Errors
	if _, err := bank.Parse("x.yaml", []byte(text)); !errors.As(err, &all) || len(all) != 1001 {
		t.Errorf("%d errors, want 1001", len(all))
	}
}

// TestOffsetBesidePickup checks that bar 1 begins at the key offset, also at 0s, and without this key after the pickup.
func TestOffsetBesidePickup(t *testing.T) {
	for _, c := range []struct {
		theme, segment string
		bar            int // at the beginning of the file
	}{
		{"", "", 0},
		{"", ", offset: 0s", 1},
		{"offset: 0s, ", "", 1},
		{"offset: 60ms, ", "", 0},
		{"offset: 60ms, ", ", offset: 0s", 1},
	} {
		_, m, mu := openMusic(t, "music: {theme: {"+c.theme+"tempo: 1000, segments: {a: {file: combat.wav, pickup: 1 beat"+c.segment+"}}}}")
		if err := mu.Play(bank.Options{}); err != nil {
			t.Fatal(err)
		}
		render(m, 1)
		if got := mu.Position().Bar; got != c.bar {
			t.Errorf("with %q and %q the file begins in bar %d, want %d", c.theme, c.segment, got, c.bar)
		}
	}
}

const combat = `
voices: 2
sounds: {hit: {file: hit.wav}, clap: {file: sfx/a.wav, protect: true, loop: true}}
music:
  theme:
    tempo: 1000
    segments:
      explore: {file: explore.wav, loop: true}
      combat: {file: combat.wav, pickup: 1 beat}
    transitions:
      - {from: explore, to: combat, at: next 2 bars, fade_out: 50ms, stinger: hit}
      - {from: any, to: explore, crossfade: 1 beat}
`

// TestMusicGo checks a transition with a pickup, a fade-out and a stinger.
func TestMusicGo(t *testing.T) {
	_, m, mu := openMusic(t, strings.Replace(combat, "voices: 2", "voices: 4", 1))
	if err := mu.Play(bank.Options{Gain: -6}); err != nil {
		t.Fatal(err)
	}
	m.Render(make([]pcm.Frame, 3361)) // the pickup of bar 3 would begin at 3360
	if err := mu.Go("combat"); err != nil {
		t.Fatal(err)
	}
	if err := mu.Go("nowhere"); !errors.Is(err, bank.ErrName) || err.Error() != `bank: unknown name: there is no segment "nowhere"; the nearest is "explore"` {
		t.Errorf("%v", err)
	}
	m.Render(make([]pcm.Frame, 4318)) // until bar 5
	if p := mu.Position(); p != (bank.Position{Segment: "explore", Bar: 4, Beat: 4, Frame: 7679}) {
		t.Errorf("%+v", p)
	}
	m.Render(make([]pcm.Frame, 1000))
	if p := mu.Position(); p != (bank.Position{Segment: "combat", Bar: 1, Beat: 3, Frame: 8679}) {
		t.Errorf("%+v", p)
	}
	got := starts(m)
	if !slices.Equal(got["combat"], []int64{7200}) || !slices.Equal(got["hit"], []int64{7680}) || len(got["explore"]) != 1 {
		t.Errorf("%v, want combat at 7200 and hit at 7680", got)
	}
	if gain, ok := mu.Handle().Gain(); gain != -6 || !ok {
		t.Errorf("the gain of the second segment is %v", gain)
	}
	if st := m.Stats(); st.Stopped != 1 {
		t.Errorf("%+v", st)
	}
}

// TestMusicGoInAFullPool checks that a transition takes the slot of the segment before it.
func TestMusicGoInAFullPool(t *testing.T) {
	b, m, mu := openMusic(t, combat)
	if err := mu.Play(bank.Options{}); err != nil {
		t.Fatal(err)
	}
	h := start(t, b, "clap", bank.Options{})
	for range 3 {
		m.Render(make([]pcm.Frame, 100))
		start(t, b, "hit", bank.Options{}) // is refused
		if err := mu.Go("explore"); err != nil {
			t.Fatal(err)
		}
		m.Render(make([]pcm.Frame, 8000))
	}
	if p := mu.Position(); p.Segment != "explore" || h.State() != mixer.StatePlaying {
		t.Errorf("%+v, the other voice is %v", p, h.State())
	}
}

// TestMusicGoIsReserved checks that a pool full of protected voices cannot refuse a transition with a pickup or with a
// crossfade. The start takes the slot of the segment before it. A segment with a loop becomes virtual until the exit.
func TestMusicGoIsReserved(t *testing.T) {
	for loop, want := range map[string]bank.Position{
		", loop: true}": {Segment: "explore", Bar: 2, Beat: 4, Frame: 3500},
		"}":             {Segment: "combat", Frame: 3500},
	} {
		b, m, mu := openMusic(t, strings.NewReplacer("combat: {", "combat: {loop: true, ", ", loop: true}\n", loop+"\n").Replace(combat))
		if err := mu.Play(bank.Options{}); err != nil {
			t.Fatal(err)
		}
		h := start(t, b, "clap", bank.Options{})
		render(m, 100)
		if err := mu.Go("combat"); err != nil {
			t.Fatal(err)
		}
		render(m, 3400) // the pickup begins at 3360
		if p := mu.Position(); p != want {
			t.Errorf("in the pickup: %+v, want %+v", p, want)
		}
		render(m, 500)
		if p := mu.Position(); p != (bank.Position{Segment: "combat", Bar: 1, Beat: 1, Frame: 4000}) {
			t.Errorf("after the exit: %+v", p)
		}
		if err := mu.Go("explore"); err != nil {
			t.Fatal(err)
		}
		render(m, 4000) // the crossfade begins at 5760
		if p := mu.Position(); p.Segment != "explore" || h.State() != mixer.StatePlaying {
			t.Errorf("after the crossfade: %+v, the other voice is %v", p, h.State())
		}
		if got := starts(m); !slices.Equal(got["combat"], []int64{3360}) || !slices.Equal(got["explore"], []int64{0, 5760}) {
			t.Errorf("starts at %v", got)
		}
	}
}

// TestMusicGoIsCancelledInPickup checks that a segment is protected again if a pickup is cancelled after its start.
func TestMusicGoIsCancelledInPickup(t *testing.T) {
	b, m, mu := openMusic(t, strings.Replace(combat, ", loop: true}\n", "}\n", 1))
	if err := mu.Play(bank.Options{}); err != nil {
		t.Fatal(err)
	}
	render(m, 100)
	if err := mu.Go("combat"); err != nil {
		t.Fatal(err)
	}
	render(m, 3400)
	if err := mu.Pause(); err != nil {
		t.Fatal(err)
	}
	start(t, b, "clap", bank.Options{})
	render(m, 10)
	start(t, b, "hit", bank.Options{Priority: mixer.MaxPriority}) // is refused
	render(m, 10)
	if p := mu.Position(); p.Segment != "explore" {
		t.Errorf("%+v", p)
	}
}

// crossfading is a theme whose transition to b begins at frame 4000 and takes 16,000 frames.
const crossfading = `
master: {limiter: false}
music: {theme: {segments: {a: {file: intro.wav, loop: true, exits: [next beat]}, b: {file: explore.wav, loop: true}}, transitions: [{from: any, to: b, crossfade: 4 beats}]}}
`

// TestMusicEndsTheSegmentThatLeaves stops and pauses a theme during a crossfade. Both segments must be silent.
func TestMusicEndsTheSegmentThatLeaves(t *testing.T) {
	for name, end := range map[string]func(*bank.Music) error{"Stop": func(mu *bank.Music) error { return mu.Stop(0) }, "Pause": (*bank.Music).Pause} {
		_, m, mu := openMusic(t, crossfading)
		if err := mu.Play(bank.Options{Priority: 5}); err != nil { // segments have the highest priority
			t.Fatal(err)
		}
		render(m, 10)
		if err := mu.Go("b"); err != nil {
			t.Fatal(err)
		}
		render(m, 6000)
		if p := mu.Position(); p.Segment != "b" {
			t.Fatalf("%+v", p)
		}
		if err := end(mu); err != nil {
			t.Fatal(err)
		}
		render(m, 200)
		for i, f := range render(m, 2000) {
			if f != (pcm.Frame{}) {
				t.Errorf("%s: frame %d after it is %v", name, 200+i, f)
				break
			}
		}
	}
}

// TestMusicOfABusyMixer cancels a transition while the mixer takes no commands. The transition must continue.
func TestMusicOfABusyMixer(t *testing.T) {
	for name, cancel := range map[string]func(*bank.Music) error{
		"Stop": func(mu *bank.Music) error { return mu.Stop(0) }, "Pause": (*bank.Music).Pause, "Go": func(mu *bank.Music) error { return mu.Go("a") },
	} {
		b, err := bank.Open(themeFiles(crossfading), "sounds.yaml", library.NewLibrary(library.Options{Rate: rate}))
		if err != nil {
			t.Fatal(err)
		}
		c := b.Config()
		c.Commands = 16
		m, err := mixer.New(c)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		mu, err := b.Music("theme")
		if err := errors.Join(err, b.Use(m), mu.Play(bank.Options{})); err != nil {
			t.Fatal(err)
		}
		render(m, 10)
		if err := mu.Go("b"); err != nil {
			t.Fatal(err)
		}
		for err = nil; err == nil; {
			err = m.Engine().At(mixer.Now).Stop(mixer.TargetTag(9), 0)
		}
		if err := cancel(mu); !errors.Is(err, mixer.ErrBusy) {
			t.Errorf("%s: %v, want ErrBusy", name, err)
		}
		render(m, 3000)
		render(m, 3000)
		if p := mu.Position(); p.Segment != "b" {
			t.Errorf("%s: %+v, want the segment b", name, p)
		}
	}
}

// BenchmarkMusicGo also reports the least time of a call among groups of 16, which other programs disturb less.
func BenchmarkMusicGo(b *testing.B) {
	_, m, mu := openMusic(b, strings.Replace(combat, "voices: 2", "voices: 16", 1))
	if err := mu.Play(bank.Options{}); err != nil {
		b.Fatal(err)
	}
	block, least := make([]pcm.Frame, 64), time.Hour
	m.Render(block)
	b.ReportAllocs()
	for b.Loop() {
		began := time.Now()
		for range 16 {
			if err := mu.Go("explore"); err != nil {
				b.Fatal(err)
			}
		}
		least = min(least, time.Since(began)/16)
		m.Render(block)
	}
	b.ReportMetric(float64(least), "ns/Go")
}

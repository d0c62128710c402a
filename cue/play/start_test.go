package play_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/cue/report"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// kit has the sounds for tests of starts by hand.
const kit = `
voices: 6
buses: {sfx: {gain: -3}, low: {parent: sfx, gain: -2}}
sounds:
  bell: {file: half.wav, gain: -3, pan: -0.25, bus: sfx, priority: 3}
  drone: {file: half.wav, loop: true, gain: -9, bus: low}
  thrice: {file: short.wav, loop: 3, from: 5ms}
  fast: {file: half.wav, speed: 1.5, pitch: 2}
  tail: {file: quiet.wav, pan: 0.5, bus: low, protect: true}
  crash: {layers: [bell, {sound: tail, delay: 30ms}, {sound: drone, delay: 7ms}], gain: -1, pan: 0.1}
  motor: {file: half.wav, loop: true, parameters: {rpm: {from: 0, to: 9, at: 3, gain: [[0, -20], [3, -6], [9, 0]], pitch: [[0, -5], [9, 5]]}}}
  many: {files: [half.wav, quiet.wav, short.wav], pick: shuffle, gain: [-12, 0]}
  once: {file: half.wav, limit: {voices: 1, full: reject}}
  cool: {file: short.wav, cooldown: 250ms}
`

// stopped ends everything, so that a sheet with loops ends.
const stopped = "  - {at: 1s, stop: all}\n"

// TestStart compares a start by hand with a cue at the same frame, bit for bit.
func TestStart(t *testing.T) {
	f := newFolder(t)
	for _, c := range []struct {
		cue   string
		start play.Start
	}{
		{"play: bell", play.Start{Sound: "bell"}},
		{"play: bell, gain: -4, pitch: 3, speed: 0.75, pan: 0.25, bus: low, fade_in: 20ms, for: 61ms", play.Start{
			Sound: "bell", Gain: -4, Pitch: 3, Speed: 0.75, Pan: 0.5, Bus: "low", FadeIn: 20 * time.Millisecond, For: 61 * time.Millisecond,
		}},
		{"play: bell, from: 40ms", play.Start{Sound: "bell", From: 40 * time.Millisecond}},
		{"play: drone", play.Start{Sound: "drone"}},
		{"play: drone, loop: false", play.Start{Sound: "drone", Loop: new(false)}},
		{"play: bell, loop: true", play.Start{Sound: "bell", Loop: new(true)}},
		{"play: thrice", play.Start{Sound: "thrice"}},
		{"play: fast, gain: 2", play.Start{Sound: "fast", Gain: 2}},
		{"play: crash", play.Start{Sound: "crash"}},
		{"play: crash, bus: sfx, gain: -2, pitch: -3, from: 10ms", play.Start{Sound: "crash", Bus: "sfx", Gain: -2, Pitch: -3, From: 10 * time.Millisecond}},
		{"play: motor, pitch: 1", play.Start{Sound: "motor", Pitch: 1}},
	} {
		sheet := kit + "cues:\n  - {at: 100ms, " + c.cue + ", id: x}\n" + stopped
		want := turned(t, f.player(sheet, play.Options{Block: 20}), 20, nil)
		idle := strings.Replace(sheet, "at: 100ms", "at: 5s", 1) // prepares the looped variant of its sound
		p := f.player(idle, play.Options{Block: 20, Live: true, Events: true})
		c.start.Frame, c.start.ID, c.start.Ref = 100, "x", 7
		got := turned(t, p, 20, func(frame int) {
			switch frame {
			case 40:
				if handles, err := p.Start(c.start); err != nil || len(handles) == 0 {
					t.Fatalf("%s: %d handles, %v", c.cue, len(handles), err)
				}
			case 1500:
				p.Finish()
			}
		})
		alike(t, c.cue, got, want)
		for _, e := range p.Report().Events {
			if e.Cue != -1 || e.Ref != 7 || e.CueLabel != (report.CueLabel{}) || !strings.Contains("bell tail drone thrice fast motor", e.Sound) {
				t.Errorf("%s: the event %+v", c.cue, e)
			}
		}
		f.identities(p.Report())
	}
}

// TestPlaysOfGamesAndPlayers stops a start with several layers through one of its handles. Plays that a
// game has numbered itself on the same mixer must continue.
func TestPlaysOfGamesAndPlayers(t *testing.T) {
	p := newFolder(t).player(kit+"cues:\n  - {at: 5s, play: bell}\n", play.Options{Block: 20, Live: true})
	sound, err := sounds.NewSound(sounds.Samples{Name: "own", Rate: p.Rate(), Channels: 1, Data: make([]float32, 4000)})
	if err != nil {
		t.Fatal(err)
	}
	var own, layers []mixer.Handle
	turned(t, p, 20, func(frame int) {
		m := p.Mixer()
		switch frame {
		case 40:
			for play := range uint64(3) {
				h, err := m.Play(sound, mixer.Options{EngineOptions: mixer.EngineOptions{Play: play}})
				if err != nil {
					t.Fatal(err)
				}
				own = append(own, h)
			}
			if layers, err = p.Start(play.Start{Sound: "crash"}); err != nil {
				t.Fatal(err)
			}
		case 100:
			if err := m.Engine().At(mixer.Now).Stop(mixer.TargetVoice(layers[0]), 0); err != nil {
				t.Fatal(err)
			}
		case 200:
			for i, h := range layers {
				if h.State() != mixer.StateStopped {
					t.Errorf("layer %d is %v", i, h.State())
				}
			}
			for i, h := range own {
				if h.State() != mixer.StatePlaying {
					t.Errorf("the game's start of play %d is %v", i, h.State())
				}
			}
			p.Finish()
		}
	})
	if len(layers) != 3 {
		t.Errorf("%d layers", len(layers))
	}
}

// TestStartFolds checks that a start after the end of a loop continues at the position in the loop.
func TestStartFolds(t *testing.T) {
	f := newFolder(t)
	sheet := kit + "cues:\n  - {at: 5s, play: many}\n" + stopped
	heard := func(from time.Duration) []pcm.Frame {
		p := f.player(strings.Replace(sheet, "file: half.wav, loop: true, gain", "file: half.wav, loop: {from: 20ms, to: 90ms}, gain", 1), play.Options{Block: 20, Live: true})
		return turned(t, p, 20, func(frame int) {
			switch frame {
			case 40:
				if _, err := p.Start(play.Start{Sound: "drone", From: from, Frame: 100}); err != nil {
					t.Fatal(err)
				}
			case 1500:
				p.Finish()
			}
		})
	}
	want := heard(50 * time.Millisecond)
	alike(t, "a thousand rounds later", heard(50*time.Millisecond+1000*70*time.Millisecond), want)
	if slices.Max(slices.Collect(func(yield func(float32) bool) {
		for _, x := range want {
			if !yield(x[0]) {
				return
			}
		}
	})) == 0 {
		t.Error("nothing was to be heard")
	}
}

// TestStartUnderLimits checks limits, cooldowns and the pool, and the events of starts.
func TestStartUnderLimits(t *testing.T) {
	f := newFolder(t)
	var all []report.Event
	p := f.player(kit+"cues: [{at: 5s, play: bell}]\n", play.Options{Block: 20, Live: true, Watch: func(e report.Event) { all = append(all, e) }})
	starts := map[int]string{0: "once", 20: "once", 200: "cool", 220: "cool", 600: "once", 700: "tail", 720: "tail"}
	turned(t, p, 20, func(frame int) {
		if name := starts[frame]; name != "" {
			if _, err := p.Start(play.Start{Sound: name, Ref: mixer.Ref(frame)}); err != nil {
				t.Fatal(err)
			}
		}
		if frame == 800 {
			p.Finish()
		}
	})
	var got []string
	for _, e := range all {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%v %s %d %d %s", e.Kind, e.Sound, e.Ref, e.Limit, e.Cooldown)))
	}
	want := []string{"started once 0 0", "limited once 20 1", "ended once 0 0", "started cool 200 0", "ended cool 200 0", "limited cool 220 0 0.25s",
		"started once 600 0", "ended once 600 0", "started tail 700 0", "started tail 720 0", "ended tail 700 0", "ended tail 720 0"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	full := f.player(strings.Replace(kit, "voices: 6", "voices: 1", 1)+"cues: [{at: 0, play: drone, id: d}]\n", play.Options{Block: 20, Live: true, Watch: func(e report.Event) {
		if e.Kind == mixer.EventStolen || e.Kind == mixer.EventVirtual {
			if e.Sound != "drone" || e.BySound != "bell" || e.Cue != 0 || e.Ref != 0 {
				t.Errorf("the event of the victim is %+v", e)
			}
			all = nil
		}
	}})
	turned(t, full, 20, func(frame int) {
		switch frame {
		case 100:
			if _, err := full.Start(play.Start{Sound: "bell", Ref: play.MaxRef}); err != nil {
				t.Fatal(err)
			}
		case 300:
			full.Finish()
		}
	})
	if all != nil {
		t.Error("nobody was stolen")
	}
}

// TestStartByChance checks that variations depend only on the seed and on the number of earlier starts of
// the name.
func TestStartByChance(t *testing.T) {
	f := newFolder(t)
	const n = 30
	draw := func(seed int, others bool) (drawn []string) {
		p := f.player(kit+fmt.Sprintf("seed: %d\ncues: [{at: 0, play: many, every: 50ms, times: 20}]\n", seed), play.Options{Block: 20, Live: true})
		for range n {
			if others {
				if _, err := p.Start(play.Start{Sound: "crash", Gain: -90}); err != nil {
					t.Fatal(err)
				}
				if _, err := p.Start(play.Start{Sound: "many", Gain: 90}); err == nil {
					t.Fatal("a gain of 90 dB is taken")
				}
			}
			h, err := p.Start(play.Start{Sound: "many"})
			if err != nil || len(h) != 1 {
				t.Fatal(h, err)
			}
			drawn = append(drawn, h[0].Sound().Name())
		}
		return drawn
	}
	first := draw(1, false)
	if again := draw(1, true); !slices.Equal(first, again) {
		t.Errorf("other starts change what chance draws: %v, %v", first, again)
	}
	if other := draw(2, false); slices.Equal(first, other) {
		t.Error("another seed draws the same")
	}
	for i := 0; i < n; i += 3 {
		if cycle := slices.Sorted(slices.Values(first[i : i+3])); len(slices.Compact(cycle)) != 3 {
			t.Errorf("a shuffle gives %v", first[i:i+3])
		}
	}
}

// TestStartSays checks that invalid starts are rejected with messages and have no effect.
func TestStartSays(t *testing.T) {
	f := newFolder(t)
	p := f.player(kit+"cues: [{at: 1s, play: bell, id: known}]\n", play.Options{Block: 20, Live: true})
	for _, c := range []struct {
		start play.Start
		says  string
	}{
		{play.Start{Sound: "bel"}, `play: the sheet has no sound "bel"; did you mean "bell"?`},
		{play.Start{Sound: "bell", Bus: "sfz"}, `bus: there is no bus "sfz"; did you mean "sfx"?`},
		{play.Start{Sound: "bell", Gain: 40}, "gain: 40 is out of range; want a number of decibels from -120 to 24"},
		{play.Start{Sound: "bell", Pan: -1.5}, "pan: -1.5 is out of range; want a number from -1 to 1"},
		{play.Start{Sound: "bell", Pitch: 49}, "pitch: 49 is out of range; want a number of semitones from -48 to 48"},
		{play.Start{Sound: "bell", Speed: 17}, "speed: 17 is out of range; want a number from 1/16 to 16"},
		{play.Start{Sound: "bell", Importance: -61}, "importance: -61 is out of range; want a number of decibels from -60 to 60"},
		{play.Start{Sound: "bell", Priority: 1e7}, "priority: 10000000 is out of range; want a number from -1000000 to 1000000"},
		{play.Start{Sound: "bell", Ref: -1}, "ref: -1 is out of range; want a number from 0 to 549755813887"},
		{play.Start{Sound: "bell", From: -time.Second}, "from: a time is not negative, as -1s is"},
		{play.Start{Sound: "bell", ID: "all"}, `id: "all" is reserved: it means all voices`},
		{play.Start{Sound: "bell", ID: "sfx"}, `id: "sfx" is the name of a bus; an id must differ from them`},
		{play.Start{Sound: "bell", Frame: -2}, "frame: there is no frame -2"},
		{play.Start{Sound: "bell", Loop: new(true)}, `play: no cue of the sheet loops "bell", so it is not prepared for that`},
		{play.Start{Sound: "crash", Loop: new(true)}, `play: no cue of the sheet loops "bell", so it is not prepared for that`},
	} {
		handles, err := p.Start(c.start)
		if !errors.Is(err, cue.ErrAction) || err.Error() != "cue: no action: "+c.says || handles != nil {
			t.Errorf("%+v: %v, %v, want %s", c.start, handles, err, c.says)
		}
	}
	if st := p.Mixer().Stats(); st.Pending != 0 {
		t.Errorf("%d starts are to come", st.Pending)
	}
	if _, known := p.Tag("known"); !known {
		t.Error("the id of a cue has no tag")
	}
	if tag, known := p.Tag("new"); known || tag != 0 {
		t.Errorf("an id that nobody has has the tag %d", tag)
	}
	p.Close()
	if _, err := p.Start(play.Start{Sound: "bell"}); !errors.Is(err, mixer.ErrClosed) {
		t.Errorf("after Close Start says %v", err)
	}
}

// TestStartIDs checks that ids and owners created by starts are deleted when their voices have ended, and
// kept while they play or while a sheet or an action uses them.
func TestStartIDs(t *testing.T) {
	f := newFolder(t)
	p := f.player(kit+"cues: [{at: 1s, play: bell, id: known}]\n", play.Options{Block: 20, Live: true, Changes: true})
	dst := make([]pcm.Frame, 20)
	turn := func() {
		if done, err := p.Step(); done || err != nil {
			t.Fatal(done, err)
		}
		p.Render(dst)
	}
	turn()
	stays, err := p.Start(play.Start{Sound: "drone", ID: "stays", Owner: "o", Priority: 9})
	if err != nil {
		t.Fatal(err)
	}
	tag, _ := p.Tag("stays")
	if err := p.Do("play", "bell", "id=hand"); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Start(play.Start{Sound: "bell", ID: "pinned", For: time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	pinned, _ := p.Tag("pinned")
	if err := p.Do("play", "bell", "id=pinned"); err != nil {
		t.Fatal(err)
	}
	seen := map[mixer.Tag]bool{}
	for i := range 5000 {
		id := fmt.Sprint("shot", i)
		if _, err := p.Start(play.Start{Sound: "bell", ID: id, Owner: id, For: time.Millisecond}); err != nil {
			t.Fatalf("start %d: %v", i, err)
		}
		tag, known := p.Tag(id)
		if !known || seen[tag] || p.ID(tag) != id {
			t.Fatalf("%s has the tag %d, which is %q; another had it: %v", id, tag, p.ID(tag), seen[tag])
		}
		seen[tag] = true
		if turn(); stays[0].State() != mixer.StatePlaying {
			t.Fatal("what stays was stolen")
		}
	}
	if n := len(p.IDs()); n > 300 {
		t.Errorf("%d ids are kept, of which few can live", n)
	}
	if now, known := p.Tag("stays"); !known || now != tag || stays[0].Tag() != tag {
		t.Errorf("the tag %d of what plays is %d now", tag, now)
	}
	if now, known := p.Tag("pinned"); !known || now != pinned {
		t.Errorf("the tag %d of an id that an action has is %d now", pinned, now)
	}
	for _, id := range []string{"known", "hand"} {
		if _, known := p.Tag(id); !known || !slices.Contains(p.IDs(), id) {
			t.Errorf("%s is forgotten", id)
		}
	}
}

// TestPanicOfStarts checks that a panic cancels pending starts by hand, single or in a batch, with and
// without layers.
func TestPanicOfStarts(t *testing.T) {
	f := newFolder(t)
	p := f.player(kit, play.Options{Block: 20, Live: true})
	dst := make([]pcm.Frame, 20)
	turn := func(blocks int) (loudest float32) {
		for range blocks {
			if done, err := p.Step(); done || err != nil {
				t.Fatal(done, err)
			}
			p.Render(dst)
			for _, x := range dst {
				loudest = max(loudest, x[0], -x[0])
			}
		}
		return loudest
	}
	turn(3)
	start := func() {
		now := p.Mixer().Now()
		for _, o := range []play.Start{{Sound: "bell", Frame: now + 400}, {Sound: "crash", Frame: now + 500}, {Sound: "many", Frame: now + 300}} {
			if _, err := p.Start(o); err != nil {
				t.Fatal(err)
			}
		}
		batch := p.Mixer().Engine().NewBatch()
		if _, err := p.Start(play.Start{Sound: "bell", Batch: batch}); err != nil {
			t.Fatal(err)
		}
		if err := p.Mixer().Engine().At(now + 600).Fire(batch); err != nil {
			t.Fatal(err)
		}
	}
	start()
	turn(2)
	p.Panic(time.Millisecond)
	turn(10)
	if loud := turn(200); loud != 0 {
		t.Errorf("behind a panic it sounds by %v", loud)
	}
	start()
	if loud := turn(200); loud == 0 {
		t.Error("what is started behind a panic is silent")
	}
	f.identities(p.Report())
}

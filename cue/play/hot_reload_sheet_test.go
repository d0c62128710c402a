package play_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"voicepool/bank/rules"
	"voicepool/cue/play"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// changed calls Change with a sheet and returns the kept keys.
func (f folder) changed(p *play.Player, text string, adopted func(take func()) map[string]float64) []string {
	f.Helper()
	kept, err := p.Change(f.Context(), f.sheet(rate, text), library.NewLibrary(library.Options{Rate: rate}), adopted)
	if err != nil {
		f.Fatal(err)
	}
	return kept
}

// TestChangeTimeline checks that a timeline continues at the same time in the new sheet.
func TestChangeTimeline(t *testing.T) {
	f := newFolder(t)
	const head = "voices: 5\nsounds:\n  a: {files: [half.wav, quiet.wav], gain: -3}\n  b: {file: short.wav}\n  c: {file: quiet.wav, loop: true}\n"
	for seed := range rounds(16, 40) {
		draw := rand.New(rand.NewPCG(seed, 5))
		// No action is due in the interval in which the change may take effect, 700 to 1300.
		when := func() int { return []int{draw.IntN(700), 1300 + draw.IntN(900)}[draw.IntN(2)] }
		one := func() string {
			switch draw.IntN(4) {
			case 0:
				return fmt.Sprintf("fade: x, to: -%d, over: 30ms}", draw.IntN(20))
			case 1:
				return "stop: x, over: 10ms}"
			}
			return fmt.Sprintf("play: %s, id: x, speed: %.2f, for: 150ms}", []string{"half.wav", "b", "c"}[draw.IntN(3)], 0.5+draw.Float64())
		}
		before, after, both := head+"cues:\n  - {at: 0, play: half.wav, id: x}\n  - {at: 5s, play: half.wav}\n", head+"buses: {}\ncues:\n", head+"cues:\n  - {at: 0, play: half.wav, id: x}\n"
		for range 9 {
			line, at := one(), when()
			before += fmt.Sprintf("  - {at: %dms, %s\n", at, line)
			if at < 700 {
				both += fmt.Sprintf("  - {at: %dms, %s\n", at, line)
			}
		}
		after += "  - {at: 3s, play: short.wav, id: y}\n  - {at: 3s, play: short.wav, id: x}\n" // its ids appear in another order
		both += "  - {at: 3s, play: short.wav, id: y}\n  - {at: 3s, play: short.wav, id: x}\n"
		for range 9 {
			line, at := one(), when()
			after += fmt.Sprintf("  - {at: %dms, %s\n", at, line)
			if at > 700 {
				both += fmt.Sprintf("  - {at: %dms, %s\n", at, line)
			}
		}
		every, last := 20+draw.IntN(400), 3+draw.IntN(9)
		after += fmt.Sprintf("  - {at: 10ms, play: b, every: %dms, times: %d}\n", every, last)
		for k := range last {
			at := 10 + k*every
			if at >= 700 && at <= 1300 { // undefined
				after = strings.Replace(after, fmt.Sprintf("every: %dms, times: %d", every, last), "every: 1ms, times: 1", 1)
				every = 0
				break
			}
		}
		for k := 0; every > 0 && k < last; k++ {
			if at := 10 + k*every; at > 1300 {
				both += fmt.Sprintf("  - {at: %dms, play: b}\n", at)
			}
		}
		p := f.player(before, play.Options{Changes: true, Block: 20})
		done := false
		got := playLive(t, p, 20, func(frame int) {
			if frame >= 900 && !done {
				done = true
				if kept := f.changed(p, after, nil); len(kept) > 0 {
					t.Errorf("seed %d: %v stay", seed, kept)
				}
			}
		})
		want, _ := f.play(both)
		latency := int(p.Mixer().LatencyFrames())
		if len(got) < latency+len(want) || !slices.Equal(got[latency:latency+len(want)], want) {
			t.Fatalf("seed %d: other frames than by\n%s\nafter\n%s\nand\n%s", seed, both, before, after)
		}
		f.identities(p.Report())
	}
}

// TestChangeList checks that GOs follow the latest sheet, and that running cues continue and can be stopped
// by it.
func TestChangeList(t *testing.T) {
	f := newFolder(t)
	p := f.player("list:\n  - {cue: 1, play: half.wav, id: house, loop: true}\n  - {cue: 2, play: short.wav}\n  - {cue: 3, play: short.wav}\n",
		play.Options{Live: true, Changes: true, Events: true})
	other := "list:\n  - {cue: 0, play: quiet.wav, id: q}\n  - {cue: 3, do: [{play: quiet.wav, gain: -6}, {at: end of house, play: short.wav}]}\n  - {cue: 1, stop: house, over: 40ms}\n  - {cue: 9, play: half.wav, id: house, loop: 3, arm: false}\n"
	step := 0
	fire := func(number string) {
		t.Helper()
		i, err := p.Sheet().ListIndex(number)
		if err == nil {
			err = p.Fire(i)
		}
		if err != nil {
			t.Error(err)
		}
	}
	playing := func() (all []string) {
		for _, r := range p.Playing() {
			if r.List < 0 {
				all = append(all, "gone")
			} else {
				all = append(all, p.Sheet().List[r.List].Number)
			}
		}
		return all
	}
	playLive(t, p, 20, func(frame int) {
		switch step++; step {
		case 2:
			fire("1")
			fire("2")
		case 20:
			if got := fmt.Sprint(playing()); got != "[1]" {
				t.Errorf("%v play", got)
			}
			fire("2")
			synctest.Wait() // until Playing lists the cue; the change may otherwise be carried out before the next poll
			f.changed(p, other, func(take func()) map[string]float64 {
				take()
				return map[string]float64{"3": -3}
			})
			if got := fmt.Sprint(playing()); got != "[1 gone]" { // immediately: positions of the old sheet are never visible
				t.Errorf("%v play", got)
			}
		case 22:
			if got := fmt.Sprint(playing()); got != "[1 gone]" {
				t.Errorf("%v play", got)
			}
			if _, err := p.Sheet().ListIndex("2"); err == nil {
				t.Error("cue 2 is still there")
			}
			fire("3")
		case 40:
			fire("1") // the house ends, and cue 3 continues
		case 80:
			p.Finish()
		}
	})
	r := p.Report()
	f.identities(r)
	var told []string
	for _, e := range r.Events {
		told = append(told, fmt.Sprintf("%v %s %s", e.Kind, e.ListCue, e.Sound))
	}
	want := "started 1 half.wav|started 2 short.wav|ended 2 short.wav|started 2 short.wav|ended 2 short.wav|started 3 quiet.wav|"
	if got := strings.Join(told, "|"); !strings.HasPrefix(got, want) || !strings.Contains(got, "stopped 1 half.wav|started 3 short.wav") {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestChangeRefused checks that an unsuitable sheet is rejected and has no effect.
func TestChangeRefused(t *testing.T) {
	f := newFolder(t)
	const sheet = "voices: 3\nbuses: {a: {}, b: {}}\nlength: 300ms\ncues: [{at: 0, play: half.wav}]"
	lib := func() *library.Library { return library.NewLibrary(library.Options{Rate: rate}) }
	p := f.player(sheet, play.Options{Changes: true})
	playLive(t, p, 20, func(frame int) {
		if frame != 40 {
			return
		}
		for text, want := range map[string]string{
			"buses: {a: {}, c: {}}\ncues: [{at: 0, play: half.wav}]":                                       `the bus "c" is new`,
			"buses: {a: {}, b: {parent: a}}\ncues: [{at: 0, play: half.wav}]":                              `the bus "b" has another parent`,
			"outputs: {main: 1-2, c: 3-4}\nbuses: {a: {}, b: {}}\ncues: [{at: 0, play: half.wav, bus: c}]": `the output "c" is new`,
			"list: [{cue: 1, play: half.wav}]\ngoes: [0]":                                                  "a list of cues that wait for GO was added",
		} {
			if _, err := p.Change(t.Context(), f.sheet(rate, text), lib(), nil); !errors.Is(err, play.ErrChange) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", text, err, want)
			}
		}
		if _, err := p.Change(t.Context(), f.sheet(2*rate, sheet), lib(), nil); !errors.Is(err, play.ErrChange) {
			t.Errorf("another rate: %v", err)
		}
		if _, err := p.Change(t.Context(), f.sheet(rate, "cues: [{at: 0, play: missing.wav}]"), lib(), nil); err == nil || errors.Is(err, play.ErrChange) {
			t.Errorf("a sound that is not there: %v", err)
		}
		kept := f.changed(p, "voices: 4\nseed: 3\nmaster: {gain: -1, limiter: false}\nbuses: {a: {gain: -3}}\ncues: [{at: 0, play: half.wav}]", nil)
		if got := fmt.Sprint(kept); got != "[voices master buses seed length]" {
			t.Errorf("%s stay", got)
		}
	})
	f.refusesNone(lib())
	q := f.player(sheet, play.Options{})
	if _, err := q.Change(t.Context(), f.sheet(rate, sheet), lib(), nil); !errors.Is(err, play.ErrChange) {
		t.Errorf("one that was not made for changes: %v", err)
	}
	q.Close()
}

// TestChangeNothing checks that repeated changes to an equal sheet do not affect the output.
func TestChangeNothing(t *testing.T) {
	f := newFolder(t)
	for seed := range rounds(12, 30) {
		draw := rand.New(rand.NewPCG(seed, 6))
		sheet := "voices: 5\nsounds: {s: {file: half.wav, gain: [-9, 0], pitch: [-3, 3]}}\n" + []string{"", "length: 410ms\nrepeat: true\n"}[seed%2] + "cues:\n"
		for i := range 6 {
			sheet += fmt.Sprintf("  - {at: %dms, play: s, id: x, every: %s, times: %d, chance: 0.%d}\n  - {at: %dms, fade: x, to: -%d, over: 30ms, every: 97ms, times: 20}\n",
				draw.IntN(400), []string{fmt.Sprintf("%dms", 3+draw.IntN(300)), "[20ms, 400ms]"}[i%2], 1+draw.IntN(12), 2+draw.IntN(7), draw.IntN(400), draw.IntN(20))
		}
		play := func(changes bool) []pcm.Frame {
			draw := rand.New(rand.NewPCG(seed, 7))
			s := f.sheet(rate, sheet+[]string{"  - {at: 2400ms, play: short.wav}\n", ""}[seed%2])
			end := rules.FrameTime(2500, rate)
			s.Length = &end
			p := f.playerOf(s, play.Options{Changes: true, Block: 20})
			return playLive(t, p, 20, func(frame int) {
				if changes && draw.IntN(12) == 0 {
					if _, err := p.Change(t.Context(), s, library.NewLibrary(library.Options{Rate: rate}), nil); err != nil && !strings.Contains(err.Error(), "it has ended") {
						t.Error(err)
					}
				}
			})
		}
		want, got := play(false), play(true)
		n := min(len(want), len(got))
		if n < 2400 || !slices.Equal(got[:n], want[:n]) {
			i := 0
			for i < n && got[i] == want[i] {
				i++
			}
			t.Fatalf("seed %d: frame %d of %d differs\n%s", seed, i, n, sheet)
		}
	}
}

// TestChangeOwners checks that starts by hand belong to the owner with their name, regardless of the order of
// owners in the sheets, and even if a sheet does not name them.
func TestChangeOwners(t *testing.T) {
	f := newFolder(t)
	const list = "voices: 8\nsounds: {s: {file: half.wav, limit: {voices: 1, per: owner}}}\nlist:\n  - {cue: %[1]s, play: s, owner: %[1]s, loop: true}\n  - {cue: %[2]s, play: s, owner: %[2]s, loop: true}\n"
	for _, c := range []struct {
		other  string // the new sheet; empty: no change
		hands  []string
		voices int64
	}{
		{"", []string{"x", "y"}, 2},
		{fmt.Sprintf(list, "b", "a"), []string{"b", "b"}, 1},
		{fmt.Sprintf(list, "b", "a"), []string{"a", "b"}, 2},
		{"", []string{"p", "q", "p"}, 3},
		{fmt.Sprintf(list, "z", "b"), []string{"p", "z", "a", "q"}, 5},
	} {
		names := []string{"a", "b"}
		if c.other == "" {
			names = []string{"x", "y"}
		}
		p := f.player(fmt.Sprintf(list, names[0], names[1]), play.Options{Live: true, Changes: true})
		step := 0
		playLive(t, p, 20, func(int) {
			switch step++; {
			case step == 2 && c.other != "":
				f.changed(p, c.other, nil)
			case step == 6:
				i, err := p.Sheet().ListIndex(names[1])
				if err == nil {
					err = p.Fire(i)
				}
				if err != nil {
					t.Error(err)
				}
			case step >= 10 && step < 10+len(c.hands):
				if err := p.Do("play", "s", "loop=true", "owner="+c.hands[step-10]); err != nil {
					t.Error(err)
				}
			case step == 22:
				if got := p.Mixer().Stats().Playing; got != c.voices {
					t.Errorf("after %q by hand %d voices play, want %d", c.hands, got, c.voices)
				}
				p.Finish()
			}
		})
	}
}

// refusesNone checks that a list continues after an edit that removes all cues, because a file is briefly
// empty while it is written. The restored sheet is then accepted.
func (f folder) refusesNone(lib *library.Library) {
	const sheet = "list: [{cue: 1, play: half.wav}, {cue: 2, play: short.wav}]\ngoes: [0]\nlength: 200ms"
	p := f.player(sheet, play.Options{Changes: true})
	playLive(f.TB.(*testing.T), p, 20, func(frame int) {
		if frame != 40 {
			return
		}
		for _, text := range []string{"", "cues: [{at: 0, play: half.wav}]"} {
			if _, err := p.Change(f.Context(), f.sheet(rate, text), lib, nil); !errors.Is(err, play.ErrChange) || !strings.Contains(err.Error(), "wait for GO") {
				f.Errorf("a sheet without a list: %v", err)
			}
			if n := len(p.Sheet().List); n != 2 {
				f.Errorf("%d cues wait after a sheet without a list", n)
			}
		}
		f.changed(p, strings.Replace(sheet, "{cue: 2", "{cue: 1.5, play: half.wav}, {cue: 2", 1), nil)
		if n := len(p.Sheet().List); n != 3 {
			f.Errorf("%d cues wait once the list is back", n)
		}
	})
}

// TestChangeDraws checks that a change does not affect the random choices of the next GO of a cue.
func TestChangeDraws(t *testing.T) {
	f := newFolder(t)
	const sheet = "sounds: {s: {file: half.wav, gain: [-20, 0]}}\nlist: [{cue: 1, play: s}, {cue: 2, play: s}]"
	play := func(changes bool) []pcm.Frame {
		p, step := f.player(sheet, play.Options{Live: true, Changes: true, Block: 20}), 0
		return playLive(t, p, 20, func(int) {
			switch step++; {
			case step%12 == 4 && step < 48:
				_ = p.Fire(step / 24)
			case step%12 == 10 && step < 48 && changes:
				f.changed(p, sheet, nil)
			case step == 60:
				p.Finish()
			}
		})
	}
	if !slices.Equal(play(true), play(false)) {
		t.Error("it draws otherwise after a change")
	}
}

// TestChangeTrims checks that unsaved trims also apply to the new sheet.
func TestChangeTrims(t *testing.T) {
	f := newFolder(t)
	play := func(gain int, trims map[string]float64) (out []float32) {
		p, step := f.player("list: [{cue: 1, play: short.wav}]", play.Options{Live: true, Changes: true, Block: 20}), 0
		for _, frame := range playLive(t, p, 20, func(int) {
			switch step++; step {
			case 3:
				f.changed(p, fmt.Sprintf("list: [{cue: 0, play: quiet.wav}, {cue: 1.0, play: half.wav, gain: %d}]", gain), func(take func()) map[string]float64 {
					take()
					return trims
				})
			case 6:
				_ = p.Fire(1)
			case 30:
				p.Finish()
			}
		}) {
			out = append(out, frame[0])
		}
		return out
	}
	if want := play(-9, nil); !slices.Equal(play(-3, map[string]float64{"1": -6}), want) || slices.Equal(play(-3, nil), want) {
		t.Error("a trim of 6 dB is not one of 6 dB")
	}
}

// TestChangeGoes checks that the remaining scheduled GOs come from the new sheet, and that the same cue is
// next. A GO without a remaining cue has no effect.
func TestChangeGoes(t *testing.T) {
	f := newFolder(t)
	p := f.player("list: [{cue: 1, play: half.wav}, {cue: 2, play: short.wav}, {cue: 3, play: quiet.wav}]\ngoes: [100ms, 2s]", play.Options{Changes: true, Events: true, Block: 20})
	done := false
	playLive(t, p, 20, func(frame int) {
		if frame >= 500 && !done {
			done = true
			f.changed(p, "list: [{cue: 3, play: quiet.wav}, {cue: 1, play: half.wav}, {cue: 1.5, play: half.wav, arm: false}, {cue: 2, play: short.wav}]\ngoes: [100ms, 1500ms, 1800ms]", nil)
		}
	})
	var told []string
	for _, e := range p.Report().Events {
		if e.Kind == mixer.EventStarted {
			told = append(told, fmt.Sprintf("%d %s", e.Frame, e.ListCue))
		}
	}
	if got := strings.Join(told, ", "); got != "100 1, 1500 2" {
		t.Errorf("it fires %s", got)
	}
}

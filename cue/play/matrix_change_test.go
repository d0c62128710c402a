package play_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/internal/longtest"
	"voicepool/internal/schematest"
	"voicepool/pcm"
)

// TestChangeTakesEveryKey changes a running show to sheets with each key, alone and combined with as many
// others as possible.
func TestChangeTakesEveryKey(t *testing.T) {
	m, err := matrix()
	if err != nil {
		t.Fatal(err)
	}
	libs := libraries{}
	first, err := parsed(schematest.Sheet().With("length", schematest.Text("5s")).Flow())
	if err != nil {
		t.Fatal(err)
	}
	var edits []*cue.Sheet
	seen := map[string]bool{}
	take := func(c schematest.Case) {
		text := c.File.With("length", schematest.Text("5s")).Flow()
		if s, err := parsed(text); err == nil && !seen[text] && s.Rate == first.Rate {
			edits = append(edits, s)
		}
		seen[text] = true
	}
	for c := range m.Cover() {
		take(c)
	}
	if len(edits) < 80 {
		t.Errorf("%d edits with several keys are too few", len(edits))
	}
	fresh := once()
	for c := range m.Singles(false) {
		if c.Good && fresh(c) || longtest.Enabled() {
			take(c)
		}
	}
	p, err := play.NewPlayer(t.Context(), first, libs.of(first.Rate), play.Options{Live: true, Changes: true})
	if err != nil {
		t.Fatal(err)
	}
	taken, all := 0, len(edits)
	playLiveAt(t, p, first.Rate, 8*p.Outputs(), func(int) {
		if len(edits) == 0 {
			return
		}
		s := edits[0]
		edits = edits[1:]
		_, err := p.Change(t.Context(), s, libs.of(s.Rate), nil)
		_, refused := errors.AsType[rules.Errors](err)
		switch {
		case err == nil:
			taken++
		case !refused && !errors.Is(err, play.ErrChange):
			t.Errorf("an edit is refused with %v", err)
		}
	})
	least := 250
	if longtest.Enabled() {
		least = 500
	}
	if taken < all/2 || all < least {
		t.Errorf("%d of %d edits were taken: too few", taken, all)
	}
}

// TestChangeFromManySheets changes running shows between sheets with many keys, and plays all cues
// afterwards. Features that the mixer lacks must be rejected by the change and must not end the show
// later.
func TestChangeFromManySheets(t *testing.T) {
	m, err := matrix()
	if err != nil {
		t.Fatal(err)
	}
	libs := libraries{}
	var all []*cue.Sheet
	texts := map[*cue.Sheet]string{}
	for c := range m.Cover() {
		text := c.File.With("length", schematest.Text("5s")).Flow()
		s, err := parsed(text)
		if err == nil && s.Rate == 8000 && play.LoadSounds(t.Context(), s, libs.of(s.Rate), nil) == nil {
			all, texts[s] = append(all, s), text
		}
	}
	draw := rand.New(rand.NewPCG(2, 20))
	taken, refused, edits := 0, 0, int(rounds(4, 10))
	for _, first := range all {
		wake := make(chan struct{}, 1)
		p, err := play.NewPlayer(t.Context(), first, libs.of(first.Rate), play.Options{Live: true, Changes: true, Wake: func() {
			select {
			case wake <- struct{}{}:
			default:
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Prime(); err != nil {
			t.Fatal(err)
		}
		var s *cue.Sheet
		turn := func() bool {
			done, err := p.Step()
			if done {
				t.Errorf("the show ends with %v\n%s\nedited to\n%s", err, texts[first], texts[s])
			}
			return !done
		}
		block := make([]pcm.Frame, first.Rate/100*p.Outputs())
		for range edits {
			s = all[draw.IntN(len(all))]
			changed := make(chan error, 1)
			go func() {
				_, err := p.Change(t.Context(), s, libs.of(s.Rate), nil)
				changed <- err
			}()
			for waits := true; waits; {
				select {
				case <-wake:
					waits = turn()
					continue
				case err = <-changed:
				}
				break
			}
			switch {
			case err == nil:
				taken++
			case errors.Is(err, play.ErrChange):
				refused++
			default:
				t.Errorf("an edit is refused with %v", err)
			}
			for i := range p.Sheet().List {
				if err := p.Fire(i); err != nil && !errors.Is(err, play.ErrFire) {
					t.Errorf("cue %d is refused with %v", i, err)
				}
			}
			going := true
			for range 3 {
				if going = turn(); !going {
					break
				}
				p.Render(block)
			}
			if !going {
				break
			}
		}
		p.Close()
	}
	t.Logf("%d edits of %d sheets, and %d refused", taken, len(all), refused)
	if 10*taken < 4*edits*len(all) {
		t.Errorf("%d edits of %d sheets are too few", taken, len(all))
	}
}

package cue_test

import (
	"errors"
	"testing"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/internal/schematest"
)

// TestChangeTakesEveryKey: a show under way takes each key of a sheet, alone and with as many others as go
// with it, one edit after the other.
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
	for c := range m.Singles(false) {
		if c.Good || !testing.Short() {
			take(c)
		}
	}
	p, err := cue.NewPlayer(t.Context(), first, libs.of(first.Rate), cue.Options{Live: true, Changes: true})
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
		case !refused && !errors.Is(err, cue.ErrChange):
			t.Errorf("an edit is refused with %v", err)
		}
	})
	if taken < all/2 || all < 500 {
		t.Errorf("%d of %d edits were taken: too few", taken, all)
	}
}

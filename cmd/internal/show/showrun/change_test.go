package showrun_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"voicepool/cmd/internal/show/showrun"
	"voicepool/cue"
	"voicepool/cue/play"
)

// TestChange checks that standby and trims keep their cue numbers after a change of the sheet.
func TestChange(t *testing.T) {
	for _, c := range []struct {
		name, does, list string
		standby, last    string
		trims            string
	}{
		{name: "moved", does: "go 3;trim -2;standby 4", list: "4 9 3 1", standby: "4", last: "3", trims: "map[3:-2]"},
		{name: "the one that stands by is gone", does: "standby 3", list: "1 2 4 Q5", standby: "4", trims: "map[]"},
		{name: "all behind it are gone", does: "go 1;standby 3", list: "0 1 2", standby: "2", last: "1", trims: "map[]"},
		{name: "all are gone", does: "go 4;trim 1", list: "7 8", standby: "7", trims: "map[]"},
		{name: "the list was over", does: "go Q5", list: "1 Q5 6", standby: "6", last: "Q5", trims: "map[]"},
		{name: "the list is over", does: "go Q5", list: "1 Q5", last: "Q5", trims: "map[]"},
	} {
		s, _ := newShow(t, showrun.Options{})
		for _, command := range strings.Split(c.does, ";") {
			if err := s.Do(command); err != nil {
				t.Fatal(err)
			}
		}
		text := "list:\n"
		for _, number := range strings.Fields(c.list) {
			text += fmt.Sprintf("  - {cue: %s, play: coin}\n", number)
		}
		sheet, err := cue.Parse("show.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		trims := s.Change(sheet, func() {})
		st := s.State()
		if st.Standby != c.standby || st.Last != c.last || fmt.Sprint(trims) != c.trims || len(st.List) != len(sheet.List) {
			t.Errorf("%s: %q stands by after %q with %v, want %q after %q with %v", c.name, st.Standby, st.Last, trims, c.standby, c.last, c.trims)
		}
	}
}

// turning is a player whose cue 1 plays, at its list index in the current sheet.
type turning struct {
	*player
	place atomic.Int64
	wrong atomic.Int64
}

func (p *turning) Playing() []play.Running { return []play.Running{{List: int(p.place.Load())}} }
func (p *turning) StopCue(list int, _ time.Duration) {
	if int64(list) != p.place.Load() {
		p.wrong.Add(1)
	}
}

// TestChangeWhileAsked checks that concurrent reads and stops during a change see the list of one
// sheet only.
func TestChangeWhileAsked(t *testing.T) {
	var sheets [2]*cue.Sheet
	for i, text := range []string{"list:\n  - {cue: 1, play: coin}\n", "list:\n  - {cue: 0, play: coin}\n  - {cue: 1, play: coin}\n"} {
		var err error
		if sheets[i], err = cue.Parse("show.yaml", []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	_, idle := newShow(t, showrun.Options{})
	p := &turning{player: idle}
	s := showrun.New(sheets[0], p, showrun.Options{})
	var ended atomic.Bool
	var looks sync.WaitGroup
	looks.Go(func() {
		for !ended.Load() {
			if got := s.State().Running[0].Cue; got != "1" {
				t.Errorf("cue %s plays", got)
				return
			}
			s.Stop(0)
		}
	})
	for i := range 20000 {
		s.Change(sheets[(i+1)%2], func() { p.place.Store(int64((i + 1) % 2)) })
	}
	ended.Store(true)
	looks.Wait()
	if n := p.wrong.Load(); n > 0 {
		t.Errorf("%d stops of a wrong place", n)
	}
}

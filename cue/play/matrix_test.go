package play_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/internal/longtest"
	"voicepool/internal/schematest"
	tables "voicepool/internal/sheet/parse"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// matrix is the test matrix of cue sheets.
var matrix = sync.OnceValues(func() (*schematest.Matrix, error) {
	return schematest.Sheets(cue.Schema(), func(text string) int {
		_, err := parsed(text)
		if all, listed := errors.AsType[rules.Errors](err); listed || err == nil {
			return len(all)
		}
		return 1000
	})
})

// parsed is cue.Parse with panics converted to errors.
func parsed(text string) (s *cue.Sheet, err error) {
	defer func() {
		if p := recover(); p != nil {
			s, err = nil, fmt.Errorf("%w: %v\n%s", errPanic, p, debug.Stack())
		}
	}()
	return cue.Parse("matrix.yaml", []byte(text))
}

var errPanic = errors.New("panic")

// render100ms renders 100 ms of a sheet.
func render100ms(t *testing.T, s *cue.Sheet, lib *library.Library) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v\n%s", errPanic, p, debug.Stack())
		}
	}()
	p, err := play.NewPlayer(t.Context(), s, lib, play.Options{Events: true})
	if err != nil {
		return err
	}
	defer p.Close()
	block := make([]pcm.Frame, s.Rate/40*p.Outputs())
	for range 4 {
		if _, err := p.Read(block); err != nil {
			if errors.Is(err, io.EOF) {
				break
			}
			return err
		}
	}
	p.Report()
	return nil
}

// libraries holds a library per sample rate.
type libraries map[int]*library.Library

// of returns the library for rate in Hz, and creates it at the first call.
func (l libraries) of(rate int) *library.Library {
	if l[rate] == nil {
		l[rate] = library.NewLibrary(library.Options{Rate: rate})
	}
	return l[rate]
}

// TestSchemaMatrix parses each key of each mapping of a sheet, alone and in pairs, with valid and invalid
// values, in flow and block style, and renders 100 ms of the valid sheets. With VOICEPOOL_LONG=1 it uses all
// valid pairs in all places, all invalid values of single keys, and every third pair with other values. A pair has
// five cases, so each kind of case comes with a third of the pairs.
func TestSchemaMatrix(t *testing.T) {
	full := longtest.Enabled()
	m, err := matrix()
	if err != nil {
		t.Fatal(err)
	}
	libs := libraries{}
	right := map[*schematest.Key]bool{}
	n, good, played := 0, 0, 0
	try := func(c schematest.Case, both, play bool) {
		n++
		texts := []string{c.File.Flow(), c.File.Block()}
		if !both {
			texts = texts[n%2 : n%2+1]
		}
		for i, text := range texts {
			s, err := parsed(text)
			if errors.Is(err, errPanic) {
				t.Fatalf("%s: %v\n%s", c.Name, err, text)
			}
			if c.Good && len(c.Keys) == 1 && err != nil { // it was valid when the matrix was made
				t.Errorf("%s is right in one line, and now it is not: %v\n%s", c.Name, err, text)
			}
			if err != nil {
				continue
			}
			good++
			for _, k := range c.Keys {
				right[k] = true
			}
			if !play || i > 0 {
				continue
			}
			played++
			lib := libs.of(s.Rate)
			agree(t, c.Name, text, s, lib)
		}
	}
	fresh := once()
	i := 0
	for c := range m.Singles(full) {
		play := c.Good && (fresh(c) || full)
		if i++; full || play || i%3 == 0 || !right[c.Keys[0]] {
			try(c, full, play)
		}
	}
	every := 9
	if full {
		every = 3
	}
	i = 0
	for c := range m.Pairs(full) {
		whole := full && (c.Good || c.Keys == nil) // nil: keys of two shapes
		if i++; whole || i%every == 0 || !right[c.Keys[0]] || !right[c.Keys[1]] {
			try(c, c.Good && full, n%32 == 0 || full && c.Good && n%12 == 0)
		}
	}
	t.Logf("%d files of %d places, %d texts right, %d rendered", n, len(m.Mappings), good, played)
	if good < n/4 {
		t.Errorf("of %d files only %d are right: too few", n, good)
	}
	for _, p := range m.Mappings {
		for _, sh := range p.Shapes {
			for _, k := range sh.Keys {
				ofBanks := p.Path == ".sounds.*" && slices.Contains(tables.BankOnlyKeys, k.Name) || strings.HasPrefix(p.Path+"."+k.Name, ".music") || strings.HasPrefix(p.Path, ".groups") || p.Path == "" && slices.Contains(tables.LoadKeys, k.Name)
				if !right[k] && !ofBanks {
					t.Errorf("no file has %s.%s, with %v, and is right", p.Path, k.Name, sh.Needs)
				}
			}
		}
	}
}

// once returns a function that reports whether it is called for the first time with the first key of a case
// and its first good value. The same key in several places is thus tested once.
func once() func(schematest.Case) bool {
	seen := map[string]bool{}
	return func(c schematest.Case) bool {
		id := fmt.Sprint(c.Keys[0].Name, c.Keys[0].Good[:1])
		defer func() { seen[id] = true }()
		return !seen[id]
	}
}

// agree fails if a render panics, or if a check and a render disagree about errors. A check loads the sounds
// and plays the sheet without mixing.
func agree(t *testing.T, name, text string, s *cue.Sheet, lib *library.Library) {
	t.Helper()
	short := *s
	if most := rules.FrameTime(int64(s.Rate/10), s.Rate); s.Length == nil || s.Length.Compare(most) > 0 {
		short.Length = &most
	}
	s = &short
	check := play.LoadSounds(t.Context(), s, lib, nil)
	if check == nil && s.CheckGoes() == nil {
		_, check = play.EstimateOf(t.Context(), s, lib, time.Minute)
	}
	if render := render100ms(t, s, lib); errors.Is(render, errPanic) || (check == nil) != (render == nil) {
		t.Errorf("%s: check finds %v, and render ends with %v\n%s", name, check, render, text)
	}
}

// TestCheckNamesTheCue checks that an error of the mixer while playing is reported with the place of the cue,
// by a check and by a render.
func TestCheckNamesTheCue(t *testing.T) {
	s, err := parsed("rate: 8000\nbuses: {sfx: {}}\ncues:\n  - {at: 0, play: coin}\n  - {at: 5ms, set: sfx, gain: -3}\n")
	if err != nil {
		t.Fatal(err)
	}
	s.Cues[1].Action.(*cue.Set).Change.Gain = 99 // Parse rejects it, like every known invalid value
	lib := libraries{}.of(s.Rate)
	_, check := play.EstimateOf(t.Context(), s, lib, time.Minute)
	for what, err := range map[string]error{"check": check, "render": render100ms(t, s, lib)} {
		if _, listed := errors.AsType[rules.Errors](err); !listed || !strings.Contains(err.Error(), "matrix.yaml:5:5: mixer: ") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestCheckAndRenderAgree compares checks and renders of random sheets.
func TestCheckAndRenderAgree(t *testing.T) {
	m, err := matrix()
	if err != nil {
		t.Fatal(err)
	}
	sheets, right := int(rounds(50, 500)), 0
	libs := libraries{}
	for seed := range sheets {
		text := m.Random(rand.New(rand.NewPCG(uint64(seed), 20))).Flow()
		s, err := parsed(text)
		if errors.Is(err, errPanic) {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		if err == nil {
			right++
			agree(t, fmt.Sprint("seed ", seed), text, s, libs.of(s.Rate))
		}
	}
	if right < sheets/8 {
		t.Errorf("of %d sheets only %d are right: too few", sheets, right)
	}
	t.Logf("%d of %d sheets are right", right, sheets)
}

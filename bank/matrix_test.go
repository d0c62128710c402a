package bank_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"voicepool/bank"
	"voicepool/bank/rules"
	"voicepool/internal/longtest"
	"voicepool/internal/schematest"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/parse"
	"voicepool/sounds/embedded"
	"voicepool/sounds/library"
)

// matrix is the test matrix of banks. Its keys come from the tables of Open.
var matrix = sync.OnceValues(func() (*schematest.Matrix, error) {
	schema, err := json.Marshal(parse.File(nil).Schema(fields.Limits{}))
	if err != nil {
		return nil, err
	}
	fsys, lib := files(""), library.NewLibrary(library.Options{Rate: rate})
	return schematest.Banks(schema, func(text string) int {
		err := opened(fsys, lib, text)
		if all, listed := errors.AsType[rules.Errors](err); listed || err == nil {
			return len(all)
		}
		return 1000
	})
})

// opened returns the error of Open for a text. A panic also becomes an error.
func opened(fsys fstest.MapFS, lib *library.Library, text string) error {
	return guarded(func() error {
		fsys["sounds.yaml"].Data = []byte(text)
		_, err := bank.Open(fsys, "sounds.yaml", lib, embedded.Sources()...)
		return err
	})
}

// guarded runs a function and converts a panic to an error.
func guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v\n%s", errPanic, p, debug.Stack())
		}
	}()
	return f()
}

var errPanic = errors.New("panic")

// placed matches an error with a line and column of a bank.
var placed = regexp.MustCompile(`^sounds\.yaml:[1-9][0-9]*:[1-9][0-9]*: `)

// TestBankMatrix opens a bank with each key of each mapping, alone and in pairs, with valid and invalid
// values, in flow and block style. Each error must have a line and a column. With VOICEPOOL_LONG=1 it uses
// all pairs in all places and all invalid values.
func TestBankMatrix(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(800))
	full := longtest.Enabled()
	m, err := matrix()
	if err != nil {
		t.Fatal(err)
	}
	fsys, lib := files(""), library.NewLibrary(library.Options{Rate: rate})
	right := map[*schematest.Key]bool{}
	n, good := 0, 0
	try := func(c schematest.Case, both bool) {
		n++
		texts := []string{c.File.Flow(), c.File.Block()}
		if !both {
			texts = texts[n%2 : n%2+1]
		}
		faults := make([]error, len(texts))
		for i, text := range texts {
			err := opened(fsys, lib, text)
			faults[i] = err
			if err == nil {
				good++
				for _, k := range c.Keys {
					right[k] = true
				}
				continue
			}
			if errors.Is(err, errPanic) {
				t.Fatalf("%s: %v\n%s", c.Name, err, text)
			}
			for line := range strings.Lines(err.Error()) {
				if !placed.MatchString(line) {
					t.Errorf("%s: %q has no line and column\n%s", c.Name, line, text)
				}
			}
		}
		if both && (faults[0] == nil) != (faults[1] == nil) {
			t.Errorf("%s: %v in one line, and %v in block style\n%s", c.Name, faults[0], faults[1], texts[1])
		}
	}
	i := 0
	for c := range m.Singles(full) {
		i++
		try(c, full || c.Good || i%3 == 0)
	}
	every := 1
	if !longtest.Enabled() {
		every = 4
	}
	i = 0
	for c := range m.Pairs(full) {
		if i++; full || i%every == 0 {
			try(c, full)
		}
	}
	t.Logf("%d files of %d places, %d texts right", n, len(m.Mappings), good)
	if good < n/4 {
		t.Errorf("of %d files only %d are right: too few", n, good)
	}
	for _, p := range m.Mappings {
		for _, sh := range p.Shapes {
			for _, k := range sh.Keys {
				// TestMusicPosition and TestMusicGo have these keys; the matrix does not find names for them.
				elsewhere := []string{".music.*.segments.*.next", ".music.*.transitions[].stinger"}
				if !right[k] && !slices.Contains(elsewhere, p.Path+"."+k.Name) {
					t.Errorf("no bank has %s.%s, with %v, and is right", p.Path, k.Name, sh.Needs)
				}
			}
		}
	}
}

// TestReloadTakesEveryKey reloads a playing bank with each key, alone and combined with as many others as
// possible. A rejected file must have no effect, and a playing voice must continue throughout.
func TestReloadTakesEveryKey(t *testing.T) {
	m, err := matrix()
	if err != nil {
		t.Fatal(err)
	}
	fsys := &folder{files: files(schematest.Bank().Flow())}
	b, err := bank.Open(fsys, "sounds.yaml", library.NewLibrary(library.Options{Rate: rate}), embedded.Sources()...)
	if err != nil {
		t.Fatal(err)
	}
	mix, err := b.NewMixer()
	if err != nil {
		t.Fatal(err)
	}
	defer mix.Close()
	h := start(t, b, "held", bank.Options{})
	if err := h.Protect(true); err != nil {
		t.Fatal(err)
	}
	taken, differences, refused := 0, 0, 0
	try := func(c schematest.Case) {
		text := c.File.Flow()
		before := b.Rules()
		rewrite(fsys, "sounds.yaml", []byte(text))
		err := guarded(b.Reload)
		switch _, listed := errors.AsType[rules.Errors](err); {
		case err == nil:
			taken++
		case errors.Is(err, errPanic):
			t.Fatalf("%s: %v\n%s", c.Name, err, text)
		case errors.Is(err, bank.ErrMixer):
			differences++
		case listed:
			if refused++; b.Rules() != before {
				t.Errorf("%s: it is refused, and the bank has other rules\n%v\n%s", c.Name, err, text)
			}
		default:
			t.Errorf("%s: %v\n%s", c.Name, err, text)
		}
		if err != nil {
			for line := range strings.Lines(err.Error()) {
				if !placed.MatchString(line) {
					t.Errorf("%s: %q has no line and column\n%s", c.Name, line, text)
				}
			}
		}
		for i := range b.Rules().Sounds { // every sound can be played
			if name := b.Rules().Sounds[i].Name; name != "held" {
				if err := guarded(func() error { _, err := b.Play(name, bank.Options{}); return err }); errors.Is(err, errPanic) {
					t.Fatalf("%s: %v\n%s", c.Name, err, text)
				}
			}
		}
		if err := guarded(func() error { render(mix, 80*mix.Outputs()); return nil }); err != nil {
			t.Fatalf("%s: %v\n%s", c.Name, err, text)
		}
		if h.State().Over() {
			t.Fatalf("%s: what played has stopped\n%s", c.Name, text)
		}
	}
	for c := range m.Cover() {
		try(c)
	}
	for c := range m.Singles(false) {
		try(c)
	}
	t.Logf("%d taken, %d for a new mixer, %d refused", taken, differences, refused)
	if taken < 200 || differences < 50 || refused < 200 {
		t.Errorf("%d taken, %d for a new mixer, and %d refused are too few", taken, differences, refused)
	}
}

package cue_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/internal/cputime"
	"voicepool/internal/longtest"
)

// FuzzParse checks that any input quickly gives a sheet that can be scheduled, or errors with places.
func FuzzParse(f *testing.F) {
	f.Add([]byte(wholeSheet))
	f.Add([]byte(`{"cues": [{"at": 1, "play": "coin", "every": 1e-3, "until": 2}], "voices": 3}`))
	data, err := os.ReadFile("testdata/faults.txt")
	if err != nil {
		f.Fatal(err)
	}
	for c := range strings.SplitSeq(string(data), "=====\n") {
		sheet, _, _ := strings.Cut(c, "-----\n")
		f.Add([]byte(sheet))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		var s *cue.Sheet
		var err error
		if d := cputime.Of(func() { s, err = cue.Parse("f", src) }); d > 5*time.Second {
			t.Fatalf("%d bytes took %v", len(src), d)
		}
		if err != nil {
			var all rules.Errors
			if !errors.As(err, &all) || len(all) == 0 || !errors.Is(err, rules.ErrFile) {
				t.Fatalf("%v is no Errors", err)
			}
			for _, e := range all {
				if e.Line < 0 || e.Line > 0 && e.Column < 1 || e.Msg == "" || strings.Contains(e.Msg, "\n") {
					t.Fatalf("a message without a place or of several lines: %+v", e)
				}
			}
			return
		}
		if err := play.CheckRender(s); err != nil && !errors.Is(err, rules.ErrFile) {
			t.Fatal(err)
		}
		sc := play.NewSchedule(s, s.Rate, s.Seed)
		last := play.Action{Frame: -1}
		for range 1000 {
			a, ok := sc.Next()
			if !ok {
				break
			}
			if a.Frame < last.Frame || a.Frame == last.Frame && a.Cue < last.Cue {
				t.Fatalf("%+v comes after %+v", a, last)
			}
			last = a
		}
	})
}

// TestHostile parses a megabyte of each construct that is known to break parsers.
func TestHostile(t *testing.T) {
	for _, piece := range []string{
		"[", "{", "{a: ", "- ", "-\n", "? ", "? a\n", ": ", ":", "a: ", "a:\n", "&a ", "&", "*a ", "*", "!", "!!a ", "!<", "|\n", ">\n ", "#", "# \n",
		"'", "''", "\"", "\"\"", "\\", "%", "%Y\n", "---\n", "...\n", "\t", "\n", "\r", " ", "\n ", "a\n", "a\n\n ", ",", "[]", "[],", "{},", "]", "@", "`", "<<: ",
		"a: [*a, *a]\n", "é", "a: |\n  b\n", "x: 'y'\n", "- {at: 0}\n", "a", "\"a\\n", "0", "-", "+", ".", "<", "~",
	} {
		for _, before := range []string{"", "a: ", "\"", "'", "a: |\n  ", "cues: [", "- "} {
			n := 1 << 16
			if !longtest.Enabled() {
				n = 1 << 12
			}
			src := before + strings.Repeat(piece, n/len(piece))
			var took time.Duration
			var err error
			for range 20 { // other processes slow the memory down
				took = cputime.Of(func() { _, err = cue.Parse("h", []byte(src)) })
				if took <= 300*time.Millisecond {
					break
				}
			}
			if took > 300*time.Millisecond {
				t.Errorf("%q + %q: %d bytes took %v, %.80v", before, piece, len(src), took, err)
			}
		}
	}
}

package bank_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"voicepool/bank"
	"voicepool/bank/rules"
	"voicepool/internal/cputime"
)

// FuzzParse checks that any input quickly gives rules, or errors with places.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		theme, combat, slowly,
		"music: {t: {segments: {}, transitions: {}}}",
		"music: {t: {segments: [a], transitions: 1}}",
		"music: {t: {segments: {a: 1}, tempo: []}}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		var err error
		if d := cputime.Of(func() { _, err = bank.Parse("f", src) }); d > 5*time.Second {
			t.Fatalf("%d bytes took %v", len(src), d)
		}
		if err == nil {
			return
		}
		var all rules.Errors
		if !errors.As(err, &all) || len(all) == 0 || !errors.Is(err, rules.ErrFile) {
			t.Fatalf("%v is no Errors", err)
		}
		for _, e := range all {
			if e.Line < 0 || e.Line > 0 && e.Column < 1 || e.Msg == "" || strings.Contains(e.Msg, "\n") {
				t.Fatalf("a message without a place or of several lines: %+v", e)
			}
		}
	})
}

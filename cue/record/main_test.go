package record_test

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"testing"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/internal/longtest"
	"voicepool/internal/schematest"
	"voicepool/sounds/library"
)

// TestMain makes garbage collections rare, because the tests create thousands of mixers of several megabytes each.
func TestMain(m *testing.M) {
	debug.SetGCPercent(1600)
	debug.SetMemoryLimit(1 << 30)
	os.Exit(m.Run())
}

// rounds returns the number of rounds of a random test: all in the long variants of tests, few otherwise.
func rounds(few, all uint64) uint64 {
	if longtest.Enabled() {
		return all
	}
	return few
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
			s, err = nil, fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return cue.Parse("matrix.yaml", []byte(text))
}

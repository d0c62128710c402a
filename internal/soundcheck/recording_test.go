package soundcheck

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"voicepool/pcm"
)

// The tests of this file compare files that scripts have made with a sound server or with other programs.
// Environment variables name the files; without them the tests are skipped.

// named returns the value of a variable, and skips the test if it is empty.
func named(t *testing.T, variable, script string) string {
	t.Helper()
	value := os.Getenv(variable)
	if value == "" {
		t.Skipf("needs files: run %s, which sets %s", script, variable)
	}
	return value
}

// mustRead reads a file and requires its rate to be want, unless want is 0.
func mustRead(t *testing.T, path string, want int) (frames []pcm.Frame, rate int) {
	t.Helper()
	frames, rate, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if want != 0 && rate != want {
		t.Fatalf("%s has %d frames per second, want %d", path, rate, want)
	}
	return frames, rate
}

// TestRecording checks that every frame of a reference is in the recording, in order and without a gap. It
// reports separately if there are only gaps, because an overloaded machine causes them.
func TestRecording(t *testing.T) {
	reference, rate := mustRead(t, named(t, "VOICEPOOL_REFERENCE", ".ci/every-frame-arrives"), 0)
	recording, _ := mustRead(t, os.Getenv("VOICEPOOL_RECORDING"), rate)
	r, err := Compare(reference, recording, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d frames in %d recorded: %v", len(reference), len(recording), r)
	switch {
	case r.Whole():
	case r.Complete():
		t.Error("every frame is there, with gaps between")
	default:
		t.Error("frames are missing or differ")
	}
}

// TestPieces checks the position and the level of each piece of a table in a mix. A line has a name, a file,
// the first frame, the gain in dB, and the allowed residual beside the piece in dB.
func TestPieces(t *testing.T) {
	table, err := os.ReadFile(named(t, "VOICEPOOL_PIECES", ".ci/real-files-play-unchanged"))
	if err != nil {
		t.Fatal(err)
	}
	if len(table) == 0 {
		t.Fatal("the table has no pieces")
	}
	mix, rate := mustRead(t, os.Getenv("VOICEPOOL_MIX"), 0)
	for line := range strings.Lines(string(table)) {
		var (
			name, file      string
			at              int
			level, residual float64
		)
		if _, err := fmt.Sscan(line, &name, &file, &at, &level, &residual); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		t.Run(name, func(t *testing.T) {
			piece, _ := mustRead(t, file, rate)
			got, err := Place(mix, piece, at)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("lag %d frames, level %+.4f dB, residual %.1f dB", got.Lag, got.Level, got.Residual)
			if got.Lag != 0 || math.Abs(got.Level-level) > 0.05 || !(got.Residual <= residual) {
				t.Errorf("want no lag, %+.2f dB within 0.05, at most %g dB beside it", level, residual)
			}
		})
	}
}

package main

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/lab/policytest"
)

// TestCompare checks that enough voices give no difference. With one voice, the worst moment is the
// loss of the loud sound, and names it.
func TestCompare(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	sheet := filepath.Join(folder, "sheet.yaml")
	const text = `voices: 1
rate: 48000
buses: {sfx: {}}
sounds: {long: {file: engine, limit: 1}, loud: {file: gong}, drop: {file: drip}}
cues:
  - {at: 0s, play: long, gain: -30, loop: true, for: 4s}
  - {at: 2s, play: loud}
  - {at: 2.2s, play: drop, gain: -60}
`
	if err := os.WriteFile(sheet, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	compare := func(args ...string) (rows []policytest.PolicyRow, needed int) {
		t.Helper()
		var out, errs bytes.Buffer
		c := &console.Console{In: bytes.NewReader(nil), Out: &console.Sticky{W: &out}, Err: &errs}
		if code := command(append([]string{"compare", sheet, "--json"}, args...), c); code != 0 {
			t.Fatalf("it exits with %d: %s", code, errs.String())
		}
		var got struct {
			Needed int                    `json:"needed_voices"`
			Rows   []policytest.PolicyRow `json:"rows"`
		}
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		return got.Rows, got.Needed
	}
	rows, needed := compare("--voices", "3", "--policies", "quietest,reject")
	if needed != 3 || len(rows) != 2 {
		t.Fatalf("%d voices are needed, %d rows; want 3, 2", needed, len(rows))
	}
	for _, r := range rows {
		if *r.KError != -60 || *r.Tiles != 0 || *r.Zimtohrli != 0 || *r.TwoF != 100 || r.Steals != 0 || r.Rejected != 0 || r.Worst != nil {
			t.Errorf("with voices enough %s differs: %+v", r.Policy, r)
		}
	}
	wavs := filepath.Join(folder, "wavs")
	rows, _ = compare("--policies", "oldest,reject", "--wav", wavs)
	oldest, reject := rows[0], rows[1]
	// With oldest, a drop steals the playing gong. With reject, the gong never starts.
	if w := oldest.Worst; oldest.Steals != 2 || w == nil || w.Missing["loud"] != 1 || math.Abs(w.Seconds-2.4) > 0.25 {
		t.Errorf("oldest is %+v, worst %+v", oldest, w)
	}
	if w := reject.Worst; reject.Steals != 0 || reject.Rejected != 2 || w == nil || w.Missing["loud"] != 1 || w.Missing["long"] != 0 || math.Abs(w.Seconds-2.2) > 0.25 {
		t.Errorf("reject is %+v, worst %+v", reject, w)
	}
	if *reject.KError < -3 || *oldest.KError > *reject.KError || *oldest.Zimtohrli > *reject.Zimtohrli || *oldest.TwoF >= 100 || *reject.TwoF >= 100 {
		t.Errorf("K-errors of %v and %v dB, distances %v and %v, scores %v and %v", *oldest.KError, *reject.KError, *oldest.Zimtohrli, *reject.Zimtohrli, *oldest.TwoF, *reject.TwoF)
	}
	for _, name := range []string{"unlimited", "oldest", "reject"} {
		if info, err := os.Stat(filepath.Join(wavs, name+".wav")); err != nil || info.Size() < 48000*8*2 {
			t.Errorf("%s.wav: %v, %v", name, info, err)
		}
	}
}

// TestCompareUsage checks that invalid flags are usage errors.
func TestCompareUsage(t *testing.T) {
	for _, args := range [][]string{
		{"--policies", "loudest"}, {"--policies", "quietest,quietest"}, {"--voices", "0"}, {"--virtual", "-1"},
	} {
		c := &console.Console{In: bytes.NewReader(nil), Out: &console.Sticky{W: io.Discard}, Err: io.Discard}
		if code := command(append([]string{"compare", "sheet.yaml"}, args...), c); code != console.ExitUsage {
			t.Errorf("%v exits with %d, want %d", args, code, console.ExitUsage)
		}
	}
}

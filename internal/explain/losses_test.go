package explain

import (
	"strings"
	"testing"
)

// TestLosses checks that a rejected start is judged by its own level and a victim by the victim's level.
func TestLosses(t *testing.T) {
	text := `{"version": 1, "rate": 1000, "frames": 5000, "voices": 1, "overflow": "quietest", "events": [
		{"frame": 0, "kind": "started", "voice": 1, "sound": "a.b: c", "cue": 0, "slot": 0},
		{"frame": 50, "kind": "rejected", "sound": "bell", "cue": 1, "audibility_db": -20, "newcomer_db": -50, "candidates": 1, "reason": "quieter"},
		{"frame": 90, "kind": "stolen", "voice": 1, "sound": "a.b: c", "cue": 0, "by": 2, "by_sound": "bell", "slot": 0, "audibility_db": -30, "newcomer_db": -10, "candidates": 1, "reason": "pool"},
		{"frame": 90, "kind": "started", "voice": 2, "sound": "bell", "cue": 2, "slot": 0}
	], "totals": {"started": 2}}`
	a, err := OfLosses("r", strings.NewReader(text))
	got := strings.Split(explainedAs(t, a, err), "\n")
	for i, want := range []string{"2 losses; the 2 most audible:", "  0.090 s  -30.0 dB  a.b: c #1 was stolen for bell #2, since every voice was busy", "  0.050 s  -50.0 dB  bell was rejected"} {
		if !strings.HasPrefix(got[i], want) {
			t.Errorf("line %d is %q, want %q", i+1, got[i], want)
		}
	}
}

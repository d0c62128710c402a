package report_test

import (
	"fmt"
	"strings"

	"voicepool/cue/report"
	"voicepool/mixer"
)

// A program looks through the report of a show for the voices that it lost.
func ExampleRead() {
	file := `{"version": 1, "rate": 48000, "frames": 480000, "voices": 1, "virtual": 0, "overflow": "quietest",
	 "totals": {"asked": 2, "started": 2, "rejected": 0, "limited": 0, "coalesced": 0, "ended": 1, "stopped": 0, "stolen": 1,
	  "playing": 0, "missed": 0, "late": 0, "high_water": 1, "underruns": 0, "faults": 0, "events_lost": 0},
	 "peak_db": -1.0, "loudness_lufs": -16.2, "render_seconds": 0.11,
	 "events": [
	  {"frame": 0, "kind": "started", "voice": 1, "sound": "coin", "cue": 0, "slot": 0},
	  {"frame": 4800, "kind": "stolen", "voice": 1, "sound": "coin", "by": 2, "by_sound": "boom", "slot": 0, "reason": "pool"},
	  {"frame": 4800, "kind": "started", "voice": 2, "sound": "boom", "cue": 1, "slot": 0}
	 ]}`
	r, err := report.Read("show.json", strings.NewReader(file), func(e *report.Event) error {
		if e.Kind == mixer.EventStolen {
			fmt.Printf("frame %d: %s took the place of %s\n", e.Frame, e.BySound, e.Sound)
		}
		return nil
	})
	fmt.Println(r.Totals.Started, "started", err)
	// Output:
	// frame 4800: boom took the place of coin
	// 2 started <nil>
}

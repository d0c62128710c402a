package timeline

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"voicepool/internal/explain"
)

type answer interface{ Print(w io.Writer) }

// FuzzReport checks that any text is explained, drawn or rejected with one line.
func FuzzReport(f *testing.F) {
	f.Add(sampleReport(f))
	f.Add(`{"version":1,"rate":1,"events":[{"kind":"stolen","voice":1,"by":1},{"kind":"real","voice":1,"slot":70000},{"kind":"limited","reason":"cooldown"}]}`)
	f.Add(`{"version":1,"rate":8000,"frames":-5,"voices":-1,"events":[{"kind":"virtual","voice":2,"slot":-7},{"kind":"ended","voice":2}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, answer := range []func() (answer, error){
			func() (answer, error) { return explain.OfVoice("r", strings.NewReader(text), 1) },
			func() (answer, error) { return explain.OfCue("r", strings.NewReader(text), "0") },
			func() (answer, error) { return explain.OfSound("r", strings.NewReader(text), "bell") },
		} {
			a, err := answer()
			switch {
			case err == nil:
				a.Print(io.Discard)
				if err := json.NewEncoder(io.Discard).Encode(a); err != nil {
					t.Error(err)
				}
			case strings.ContainsAny(err.Error(), "\n\r"):
				t.Errorf("an error of several lines: %q", err.Error())
			}
		}
		drawn, err := Read("r", "r", strings.NewReader(text), nil)
		if err != nil || drawn.slots+drawn.lanes > 64 {
			return
		}
		if err := drawn.Write(io.Discard, HTML); err != nil {
			t.Error(err)
		}
		if c, err := drawTimeline(drawn, func(w, h int) canvas { return newSVGCanvas(w, h) }); err != nil || c.writeTo(io.Discard) != nil {
			t.Errorf("it cannot be drawn: %v", err)
		}
	})
}

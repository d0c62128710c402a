package explain

import (
	"strings"
	"testing"

	"voicepool/cue/report"
	"voicepool/mixer"
)

// TestMuffled checks that filters of a victim are mentioned if they affected the choice.
func TestMuffled(t *testing.T) {
	for _, c := range []struct {
		muffled   report.Level
		low, high float64
		want      string
	}{
		{23, 400, 0, ". It was muffled by 23.0 dB (low-pass 400 Hz). Its rest"},
		{7.25, 317.5, 90, ". It was muffled by 7.2 dB (low-pass 317.5 Hz, high-pass 90 Hz). Its rest"},
		{3, 0, 0, ". It was muffled by 3.0 dB (filters and effects of its buses). Its rest"},
		{-2, 0, 0, ". Sends, and the effects of its buses, made it 2.0 dB louder. Its rest"},
		{0.01, 20000, 0, "heard at 0.0 dB. The newcomer was 0.0 dB louder (0.0 dB). Its rest"},
	} {
		e := report.Event{Kind: mixer.EventStolen, Sound: "a", By: 1, BySound: "b", Candidates: 1, Muffled: c.muffled, LowPass: c.low, HighPass: c.high}
		if got := Outcome(&e, &report.Report{Rate: 1000}, nil); !strings.Contains(got, c.want) {
			t.Errorf("%+v: %s\nwant %s", c, got, c.want)
		}
	}
}

package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestBench measures a little, and checks that the figures are possible.
func TestBench(t *testing.T) {
	var names []string
	for _, c := range benchCases {
		names = append(names, c.name)
	}
	if got := strings.Join(names, " "); got != "mono mono-linear mono-cubic mono-best stereo stereo-linear stereo-cubic stereo-best mono-16bit mono-linear-16bit mono-cubic-16bit stereo-16bit" {
		t.Errorf("the cases are %s", got)
	}
	sounds, err := benchSounds(2, false)
	if err != nil {
		t.Fatal(err)
	}
	ns, err := benchCases[7].measure(sounds, 32, 0)
	if err != nil || !(ns > 0.01) || ns > 10000 {
		t.Errorf("%v ns, %v", ns, err)
	}
	rows, err := measureCalls(sounds, 32)
	if err != nil || len(rows) != 4 {
		t.Fatalf("%v, %v", rows, err)
	}
	for i, name := range []string{"play", "start-steal", "start-steal-unheard", "stop"} {
		if r := rows[i]; r.Case != name || r.Voices != 32 || r.Ns == nil || *r.Ns <= 0 || r.NsPerVoiceFrame != nil {
			t.Errorf("row %d is %+v", i, r)
		}
	}
	text, err := json.Marshal(rows[0])
	if err != nil || strings.Contains(string(text), "ns_per_voice_frame") || !strings.Contains(string(text), `"ns":`) {
		t.Errorf("%s, %v", text, err)
	}
	i := 0
	if got := median(4, func() float64 { i++; return []float64{7, 1, 3, 2}[i-1] }); got != 2.5 {
		t.Errorf("the median is %v, want 2.5", got)
	}
}

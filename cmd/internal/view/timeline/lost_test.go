package timeline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestLost checks that each loss is drawn with the height of its level, and that the worst is
// labeled. A report without losses has no such strip.
func TestLost(t *testing.T) {
	var told struct {
		Events []struct {
			Frame      int64
			Kind       string
			Audibility *float64 `json:"audibility_db"`
		}
	}
	if err := json.Unmarshal([]byte(sampleReport(t)), &told); err != nil {
		t.Fatal(err)
	}
	d := sampleTimeline(t, nil)
	s := layTimeline(d, newPNGCanvas(1, 1))
	c, err := drawTimeline(d, func(w, h int) canvas { return newPNGCanvas(w, h) })
	if err != nil {
		t.Fatal(err)
	}
	highest := map[int64]int{} // by frame, in pixels
	for _, e := range told.Events {
		switch e.Kind {
		case "stolen", "virtual", "rejected", "limited":
			high := 1
			if e.Audibility != nil && *e.Audibility > -60 {
				high = int(timeStrip*(60+*e.Audibility)/60 + 0.5)
			}
			highest[e.Frame] = max(highest[e.Frame], high)
		}
	}
	if len(highest) != 5 {
		t.Fatalf("losses at %d frames, want 5", len(highest))
	}
	bottom := int(s.lostTop) + timeStrip
	for frame, high := range highest {
		drawn := 0 // marks are bright, grid lines are not
		for c.(*pngCanvas).img.RGBAAt(int(s.x(frame)), bottom-1-drawn).R > 150 {
			drawn++
		}
		if drawn < max(high-1, 1) || drawn > high { // half a pixel may be rounded up or down
			t.Errorf("at %d there is a column of %d pixels, want %d", frame, drawn, high)
		}
	}
	n := &notes{at: map[string][2]float64{}}
	if _, err := drawTimeline(d, func(w, h int) canvas { n.svgCanvas = newSVGCanvas(w, h); return n }); err != nil {
		t.Fatal(err)
	}
	if at := n.at["in it: worst: wind #2 at -45 dB"]; at[0] < s.x(900) || n.at["lost dB"] == [2]float64{} {
		t.Errorf("the worst is not named beside %v: %v", s.x(900), n.at)
	}
	d.lost[3].frame = d.head.Frames // no room to its right
	if _, err := drawTimeline(d, func(w, h int) canvas { return n }); err != nil {
		t.Fatal(err)
	}
	if at := n.at["in it: worst: wind #2 at -45 dB"]; at[0] > s.x(5000)-letterWidth*24 {
		t.Errorf("the worst is named at %v, beyond the picture's end at %v", at[0], s.x(5000))
	}
	empty, err := Read("r", "r", strings.NewReader(`{"version":1,"rate":8000,"frames":10,"events":[{"kind":"started","voice":1,"sound":"bell","slot":0}]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	var svg bytes.Buffer
	if err := empty.Write(&svg, SVG); err != nil || strings.Contains(svg.String(), "lost dB") {
		t.Errorf("without a loss there is a lane, %v", err)
	}
}

// TestSVGScales checks that an SVG fills its page and keeps its aspect ratio.
func TestSVGScales(t *testing.T) {
	d := sampleTimeline(t, nil)
	s := layTimeline(d, newSVGCanvas(1, 1))
	var svg bytes.Buffer
	if err := d.Write(&svg, SVG); err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(svg.String(), ">")
	for _, want := range []string{` width="100%"`, fmt.Sprintf(` viewBox="0 0 %d %d"`, s.width+timeLeft+timeRight, s.height), ` preserveAspectRatio="xMinYMin meet"`, `height:auto`} {
		if !strings.Contains(head, want) {
			t.Errorf("it begins %s, without%s", head, want)
		}
	}
	if strings.Contains(head, ` height="`) {
		t.Errorf("its height is fixed: %s", head)
	}
}

package steal

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"voicepool/internal/longtest"
	"voicepool/pcm"
)

// TestCut checks that a cut scene has the starts before the cut, and that no sound outlasts it.
func TestCut(t *testing.T) {
	corpus := Corpus(1)
	whole, err := NewScene("amb", 3, corpus)
	if err != nil {
		t.Fatal(err)
	}
	cut, err := NewScene("amb", 3, corpus)
	if err != nil {
		t.Fatal(err)
	}
	cut.Cut(3 * Rate)
	n := slices.IndexFunc(whole.Events, func(e Event) bool { return e.At >= 3*Rate })
	if n < 10 || len(cut.Events) != n || cut.Frames != 3*Rate {
		t.Fatalf("%d of %d events in %d frames, want %d", len(cut.Events), len(whole.Events), cut.Frames, n)
	}
	for i, e := range cut.Events {
		if w := &whole.Events[i]; e.At != w.At || e.Sound != w.Sound || e.Gain != w.Gain {
			t.Fatalf("event %d is %+v, want %+v", i, e, *w)
		}
		if end := cut.end(&e, corpus); end > cut.Frames {
			t.Errorf("event %d ends at %d", i, end)
		}
	}
	for _, c := range cut.cues(corpus) {
		if c.frame >= cut.Frames {
			t.Errorf("a cue at %d", c.frame)
		}
	}
	if cut.Cut(SceneFrames); cut.Frames != 3*Rate {
		t.Error("a cut scene grows")
	}
}

// TestScenes checks that scenes have their intended density and are the same on every machine.
func TestScenes(t *testing.T) {
	if Race {
		t.Skip("one goroutine, and slow")
	}
	corpus := CorpusOne()
	for name, want := range map[string]struct {
		starts, sounding [2]float64
		hash             string
	}{
		"fire":    {starts: [2]float64{140, 185}, sounding: [2]float64{95, 135}, hash: "7d4909fc5088af48"},
		"plat":    {starts: [2]float64{32, 42}, sounding: [2]float64{22, 36}, hash: "ca1cfc16544415be"},
		"rts":     {starts: [2]float64{310, 355}, sounding: [2]float64{260, 340}, hash: "392524959c382381"},
		"amb":     {starts: [2]float64{12, 20}, sounding: [2]float64{40, 60}, hash: "d87e5df46dcba8dc"},
		"walls":   {starts: [2]float64{100, 200}, sounding: [2]float64{60, 120}, hash: "9481373a5cd655e6"},
		"rhythm":  {starts: [2]float64{40, 60}, sounding: [2]float64{30, 70}, hash: "798aa67cd84160cf"},
		"engines": {starts: [2]float64{45, 50}, hash: "b146cb4441f6a782"},
		"crowd":   {starts: [2]float64{50, 80}, sounding: [2]float64{20, 80}, hash: "efdd4819f89f9011"},
		"music":   {starts: [2]float64{30, 80}, sounding: [2]float64{20, 80}, hash: "3f39ceb4af08cc34"},
		"menu":    {starts: [2]float64{95, 125}, hash: "1f55281677abc6c3"},
	} {
		h := fnv.New64a()
		for seed := range uint64(3) {
			s, err := NewScene(name, seed, corpus)
			if err != nil {
				t.Fatal(err)
			}
			var parts []Part
			if seed < uint64(longtest.Amount(1, 3)) && s.Separable() {
				if parts, err = PartsOne(s); err != nil {
					t.Fatal(err)
				}
			}
			sounding := 0.0
			for i, e := range s.Events {
				fmt.Fprintln(h, struct {
					At    int64
					Sound int
					Gain  pcm.Decibels
					Pan   float64
					Speed float64
					Stop  int64
				}{e.At, e.Sound, e.Gain, e.Pan, e.Speed, e.Stop})
				if e.Wall.Changes != nil {
					fmt.Fprintln(h, e.Wall)
				}
				if e.Moves != nil || e.Bus != "" {
					fmt.Fprintln(h, e.Moves, e.Bus)
				}
				for k, m := range e.Moves {
					if m.At < e.At || k > 0 && m.At < e.Moves[k-1].At+moveFrames || m.Gain > 0 || math.Abs(m.Pan) > 0.8 {
						t.Errorf("%s, seed %d: move %d of event %d is %+v", name, seed, k, i, m)
					}
				}
				if p := s.Pause; p.Bus != "" && (e.Bus == p.Bus) == (e.At >= p.From && e.At < p.To) {
					t.Errorf("%s, seed %d: event %d on the bus %q starts at %d", name, seed, i, e.Bus, e.At)
				}
				if parts != nil {
					sounding += float64(parts[i].To-parts[i].From) / float64(s.Frames)
				}
				if loops(corpus[e.Sound].Kind) != (e.Stop > 0) || e.Gain > 0 || math.Abs(e.Pan) > 0.8 || e.At < 0 || e.At >= s.Frames || e.Stop > s.Frames {
					t.Errorf("%s, seed %d: event %d is %+v", name, seed, i, e)
				}
			}
			if !slices.IsSortedFunc(s.Events, func(a, b Event) int { return int(a.At - b.At) }) {
				t.Errorf("%s, seed %d: the events are not in the order of their frames", name, seed)
			}
			starts := float64(len(s.Events)) / sceneSeconds
			if starts < want.starts[0] || starts > want.starts[1] || parts != nil && (sounding < want.sounding[0] || sounding > want.sounding[1]) {
				t.Errorf("%s, seed %d: %.0f starts a second, want %v; %.0f sound at once, want %v", name, seed, starts, want.starts, sounding, want.sounding)
			}
		}
		if got := fmt.Sprintf("%016x", h.Sum64()); got != want.hash {
			t.Errorf("%s: the events hash to %s, want %s", name, got, want.hash)
		}
	}
	if _, err := NewScene("fir", 1, corpus); !errors.Is(err, ErrScene) {
		t.Errorf("an unknown scene gives %v", err)
	}
}

// TestSeconds checks that times in a sheet convert back to the frame.
func TestSeconds(t *testing.T) {
	for frame := int64(0); frame < 3*Rate; frame++ {
		whole, part, _ := strings.Cut(seconds(frame), ".")
		s, err := strconv.Atoi(whole)
		us, err2 := strconv.Atoi(part)
		if err != nil || err2 != nil || len(part) != 6 {
			t.Fatalf("frame %d is written %s", frame, seconds(frame))
		}
		if got := ((int64(s)*1e6+int64(us))*Rate + 5e5) / 1e6; got != frame {
			t.Fatalf("frame %d is written %s, which is frame %d", frame, seconds(frame), got)
		}
	}
}

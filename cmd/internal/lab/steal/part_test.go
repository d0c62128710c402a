package steal

import (
	"math"
	"testing"

	"voicepool/internal/longtest"
	"voicepool/pcm"
)

// TestParts checks that the audible and the missing portion of a part add up to the whole, and that energies
// use the K filter.
func TestParts(t *testing.T) {
	if Race {
		t.Skip("one goroutine, and slow")
	}
	corpus := CorpusOne()
	scene, err := NewScene("amb", 1, corpus)
	if err != nil {
		t.Fatal(err)
	}
	parts, err := PartsOne(scene)
	if err != nil {
		t.Fatal(err)
	}
	r := newRandom(1, "parts")
	stopped := 0
	for i := range parts {
		p := &parts[i]
		if p.tail != nil {
			stopped++
		}
		if i%longtest.Amount(3, 1) > 0 {
			continue
		}
		whole := make([]pcm.Frame, scene.Frames)
		p.Add(whole, p.To, nil)
		for _, cut := range []int64{p.From, p.From + int64(r.n(int(p.To-p.From))), p.To} {
			heard, missing := make([]pcm.Frame, scene.Frames), make([]pcm.Frame, scene.Frames-cut)
			p.Add(heard, cut, Tail())
			if cut == p.To {
				continue
			}
			p.Missing(missing, cut, scene.Frames, Tail())
			back := cut + (p.To-cut)/2
			early := make([]pcm.Frame, scene.Frames-cut)
			p.Missing(early, cut, back, Tail())
			for j := range early {
				share := 1.0 // for parts that end for good
				if at := float64(cut + int64(j) - back); at >= 240 {
					share = 0
				} else if at >= 0 {
					share = 0.5 + 0.5*math.Cos(math.Pi*at/240)
				}
				if want := float64(missing[j][0]) * share; math.Abs(float64(early[j][0])-want) > 1e-6 {
					t.Fatalf("part %d, cut at %d and back at %d: at %d %v is missing, want %v", i, cut, back, j, early[j][0], want)
				}
			}
			for j := range whole {
				got := heard[j]
				if j := int64(j) - cut; j >= 0 {
					got[0] += missing[j][0]
					got[1] += missing[j][1]
				}
				if near := int64(j) >= p.To-480 && int64(j) < p.To+480; !near && (math.Abs(float64(got[0]-whole[j][0])) > 1e-6 || math.Abs(float64(got[1]-whole[j][1])) > 1e-6) {
					t.Fatalf("part %d, cut at %d: frame %d is %v and what is missing, want %v", i, cut, j, got, whole[j])
				}
			}
		}
		if i%7 > 0 || p.tail != nil {
			continue
		}
		want := weighted(Rate, whole)
		if got := p.Energy(0, scene.Frames); math.Abs(got-want) > 0.01*want {
			t.Errorf("part %d has an energy of %v, want %v", i, got, want)
		}
		middle := (p.From + p.To) / 2
		if got := p.Energy(0, middle) + p.Energy(middle, scene.Frames); math.Abs(got-p.Energy(0, scene.Frames)) > 1e-9*want {
			t.Errorf("the halves of part %d have an energy of %v", i, got)
		}
	}
	if stopped == 0 {
		t.Error("no loop is stopped")
	}
}

package steal

import (
	"testing"

	"voicepool/internal/longtest"
)

// TestClicks checks that shorter fades click more, and that uncut voices do not click.
func TestClicks(t *testing.T) {
	if Race {
		t.Skip("one goroutine, and slow")
	}
	pairs := Pairs(CorpusOne(), 1, longtest.Amount(60, 300))
	share := func(f Fade) float64 { return Clicks(pairs, func(p *Pair) []float32 { return p.Faded(f) }) }
	if got := Clicks(pairs, func(p *Pair) []float32 { return p.Voice }); got != 0 {
		t.Errorf("%v of voices click that are not cut", got)
	}
	hard, short, straight, five, ten := share(Linear(0)), share(Linear(1)), share(Linear(10)), share(RaisedCosine(5)), share(RaisedCosine(10))
	if !(hard > short && short > five && five > ten && straight > ten) {
		t.Errorf("hard %v, linear 1 ms %v, raised cosine 5 ms %v, linear 10 ms %v, raised cosine 10 ms %v", hard, short, five, straight, ten)
	}
	if ten > 0.04 || hard < 0.4 {
		t.Errorf("10 ms of raised cosine click in %v of pairs, want at most 0.04; hard cuts in %v, want 0.4", ten, hard)
	}
}

func TestFades(t *testing.T) {
	for _, f := range []Fade{RaisedCosine(10), Linear(10)} {
		if len(f) != 480 || f[0] != 1 || f[240] != 0.5 || f[479] > 0.003 || f[479] <= 0 {
			t.Errorf("%d frames: %v, %v, %v", len(f), f[0], f[240], f[len(f)-1])
		}
	}
}

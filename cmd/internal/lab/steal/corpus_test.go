package steal

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"sync"
	"testing"

	"voicepool/pcm"
)

// CorpusOne makes the sounds of seed 1 once for all tests.
var CorpusOne = sync.OnceValue(func() []Recording { return Corpus(1) })

// wavesOne holds the rendered waves of CorpusOne for all tests.
var wavesOne = map[waveKey]*wave{}

// PartsOne returns the parts of a scene of CorpusOne. Scenes share their waves.
func PartsOne(s *Scene) ([]Part, error) { return s.parts(CorpusOne(), wavesOne) }

// loops reports whether recordings of a kind are meant to be looped.
func loops(k Kind) bool { return k == Engine || k == Wind }

func TestCorpus(t *testing.T) {
	counts := map[Kind]int{}
	h := fnv.New64a()
	for _, r := range CorpusOne() {
		counts[r.Kind]++
		if err := binary.Write(h, binary.LittleEndian, r.Samples); err != nil {
			t.Fatal(err)
		}
		peak, jump := 0.0, 0.0
		for i, x := range r.Samples {
			peak = max(peak, math.Abs(float64(x)))
			if i > 0 {
				jump = max(jump, math.Abs(float64(x)-float64(r.Samples[i-1])))
			}
		}
		if db := pcm.FromLinear(peak / 32767); db < -12.01 || db > -0.99 {
			t.Errorf("%s has a peak of %.2f dB, want -12..-1", r.Name, float64(db))
		}
		first, last := float64(r.Samples[0]), float64(r.Samples[len(r.Samples)-1])
		if loops(r.Kind) && math.Abs(first-last) > 1.01*jump {
			t.Errorf("%s jumps by %v where it repeats, elsewhere by %v at most", r.Name, math.Abs(first-last), jump)
		}
		if !loops(r.Kind) && math.Abs(last) > 2 {
			t.Errorf("%s ends with %v", r.Name, last)
		}
		seconds := float64(len(r.Samples)) / Rate
		if lo, hi := lengths[r.Kind][0], lengths[r.Kind][1]; seconds < lo-1e-4 || seconds > hi {
			t.Errorf("%s lasts %.2f s, want %v to %v", r.Name, seconds, lo, hi)
		}
	}
	for _, r := range recipes {
		if counts[r.kind] != r.count {
			t.Errorf("%d sounds of the kind %v, want %d", counts[r.kind], r.kind, r.count)
		}
	}
	const want = "09b8b08e145360b0"
	if got := fmt.Sprintf("%016x", h.Sum64()); got != want {
		t.Errorf("the samples hash to %s, want %s on every machine", got, want)
	}
}

// lengths holds the shortest and longest duration of a kind, in seconds.
var lengths = map[Kind][2]float64{
	Gun: {0.3, 1}, Laser: {0.18, 0.5}, Explosion: {1.5, 4}, Clang: {0.7, 1.6}, Step: {0.3, 0.45}, Speech: {0.8, 2},
	Bell: {0.9, 2}, Pickup: {0.4, 0.6}, Engine: {3, 3}, Wind: {4, 4},
}

func TestCorpusSeeds(t *testing.T) {
	a, b := CorpusOne(), Corpus(2)
	for i := range a {
		if slices.Equal(a[i].Samples, b[i].Samples) {
			t.Errorf("%s is the same under two seeds", a[i].Name)
		}
	}
}

func TestWriteWAV(t *testing.T) {
	r := Recording{Name: "x", Samples: []int16{1, -2, 32767}}
	want := "RIFF\x2a\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x80\xbb\x00\x00\x00\x77\x01\x00\x02\x00\x10\x00data\x06\x00\x00\x00\x01\x00\xfe\xff\xff\x7f"
	if got := string(r.WAV()); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

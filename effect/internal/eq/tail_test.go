package eq

import (
	"math"
	"math/rand/v2"
	"testing"

	"voicepool/internal/longtest"
)

// rings returns the exact tail: the frames after which every input of peak 1 is below -90 dBFS. The worst input
// has the signs of the impulse response, reversed.
func rings(h []float64) int64 {
	sum, n := 0.0, len(h)
	for n > 0 && sum < math.Pow(10, -4.5) {
		n--
		sum += math.Abs(h[n])
	}
	return int64(n)
}

// TestTail checks that no tail exceeds Tail. For one band the worst tail is at least half of it. In a row of
// bands, one band may shorten the tail of another.
func TestTail(t *testing.T) {
	most, next := map[bool]float64{}, longtest.Every(11)
	check := func(rate int, bands ...Band) {
		e, v := with(rate, bands...)
		want, got := rings(e.impulse(1e-10)), Tail(v, rate)
		single := len(bands) == 1
		if got < want || single && got > 2*want+100 {
			t.Errorf("%d Hz, %+v: %d frames, want %d", rate, bands, got, want)
		}
		if want > 1000 {
			most[single] = max(most[single], float64(got)/float64(want))
		}
	}
	for _, rate := range rates {
		every(freqs, gains, []float64{0.1, 0.499999, 0.5, 0.50001, 0.7071, 18}, func(b Band) {
			if (rate <= 48000 || b.Freq > 100) && next() {
				check(rate, b)
			}
		})
	}
	for seed := range uint64(longtest.Amount(40, 300)) {
		r := rand.New(rand.NewPCG(3, seed))
		v := drawn(r)
		for i := range v.Bands {
			v.Bands[i].Freq = max(v.Bands[i].Freq, 80)
		}
		check(rates[r.IntN(5)], v.Bands[:v.N]...)
	}
	for _, v := range []Values{{}, {N: 2}, {N: 1, Bands: [Bands]Band{{Peak, 20, 0, 18}}}} {
		if got := Tail(&v, 48000); got != 0 {
			t.Errorf("nothing rings for %d frames", got)
		}
	}
	t.Logf("Tail is up to %.2f times what the worst input makes, in a row of bands %.2f times", most[true], most[false])
}

// drawn returns random values, often at the ends of the ranges.
func drawn(r *rand.Rand) *Values {
	pick := func(least, most float64, even bool) float64 {
		x := min(max(r.Float64()*1.2-0.1, 0), 1)
		if even {
			return least * math.Pow(most/least, x)
		}
		return least + (most-least)*x
	}
	v := &Values{N: r.IntN(Bands + 1)}
	for i := range v.Bands {
		v.Bands[i] = Band{Type(r.IntN(int(Notch) + 1)), pick(20, 20000, true), pick(-24, 24, false), pick(0.1, 18, true)}
		if r.IntN(4) == 0 {
			v.Bands[i].Gain = 0
		}
	}
	return v
}

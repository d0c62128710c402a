package reverb

import (
	"math/rand/v2"
	"testing"

	"voicepool/internal/longtest"
	"voicepool/pcm"
)

// TestRuns checks that a room gives the same bits frame by frame and in blocks of any length. It covers each
// rate, moving values and waking up.
func TestRuns(t *testing.T) {
	for _, rate := range []int{60, 100, 1000, 2500, 8000, 11025, 44100, 48000, 192000} {
		for seed := range uint64(longtest.Amount(3, 6)) {
			r := rand.New(rand.NewPCG(seed, uint64(rate)))
			one, runs := New(rate), New(rate)
			start := int64(r.IntN(100)) * updateInterval * 1000
			draw := func() Values {
				return Values{
					Time: 0.1 + 3*r.Float64(), Low: 0.25 + 2*r.Float64(), High: 0.1 + 1.4*r.Float64(), Predelay: r.Float64() / 4 * float64(r.IntN(2)),
					Size: 0.2 + 1.8*r.Float64()*float64(r.IntN(2)), Early: 72*r.Float64() - 60, Width: r.Float64(), Modulation: float64(r.IntN(2)) * r.Float64(),
				}
			}
			v := draw()
			one.Jump(&v)
			runs.Jump(&v)
			x, y := make([]pcm.Frame, 256), make([]pcm.Frame, 256)
			moves, loud := 0, 0.0
			for at := start; at < start+40*256; at += 256 {
				if n := at % (10 * 256); n == 0 {
					loud = float64(r.IntN(2))
				}
				for i := range x {
					x[i] = pcm.Frame{float32(loud * (r.Float64() - 0.5)), float32(loud * (r.Float64() - 0.5))}
				}
				copy(y, x)
				for from := 0; from < len(x); from += 32 {
					if r.IntN(20) == 0 {
						v = draw()
						one.Move(&v)
						runs.Move(&v)
						moves++
					}
					for i := from; i < from+32; i++ {
						one.Process(x[i:i+1], at+int64(i))
					}
					for i := from; i < from+32; {
						n := min(1+r.IntN(40), from+32-i)
						runs.Process(y[i:i+n], at+int64(i))
						i += n
					}
				}
				for i := range x {
					if x[i] != y[i] {
						t.Fatalf("at %d Hz, seed %d: frame %d is %v in runs, %v frame by frame", rate, seed, at+int64(i)-start, y[i], x[i])
					}
				}
			}
			if moves == 0 || one.lastSound != runs.lastSound || one.empty != runs.empty {
				t.Errorf("at %d Hz, seed %d: %d moves, last loud at %d and %d", rate, seed, moves, one.lastSound, runs.lastSound)
			}
		}
	}
}

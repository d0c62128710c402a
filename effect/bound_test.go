package effect_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"voicepool/effect"
	"voicepool/internal/longtest"
	"voicepool/pcm"
)

// settings returns an effect of a kind with random values.
func settings(t testing.TB, r *rand.Rand, k *effect.Kind) *effect.Effect {
	t.Helper()
	e := newEffect(t, k.Name, nil)
	for i := range k.Len() {
		if err := e.Set(k.Path(i), anyValue(r, k.Param(i))); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

// bound returns the largest output for full-scale input and constant values. For a linear, time-invariant
// effect it is the sum of the magnitudes of its impulse responses. For a compressor it is the makeup gain. The
// drive's package has a tight bound; here the makeup with a margin suffices.
func bound(e *effect.Effect, rate int) float64 {
	switch e.Kind().Name {
	case "compressor":
		return math.Pow(10, max(e.Value(e.Kind().Find("makeup")), 0)/20) * 1.001
	case "drive":
		return 64
	}
	var sums [2]float64
	for side := range 2 {
		p := e.NewProcessor(rate, 4096)
		block, frame := make([]pcm.Frame, 4096), int64(0)
		block[0][side] = 1
		for quiet := 0; quiet < 20 && (frame == 0 || !p.Idle(frame)); frame += 4096 {
			p.Process(block, nil, frame)
			part := 0.0
			for i := range block {
				for c, x := range block[i] {
					sums[c] += math.Abs(float64(x))
					part = max(part, math.Abs(float64(x)))
				}
				block[i] = pcm.Frame{}
			}
			if quiet++; part > 1e-9 {
				quiet = 0
			}
		}
	}
	return 1.001*max(sums[0], sums[1]) + 1e-4
}

// TestTenMillionFrames feeds full-scale noise, silence and impulses through random settings and checks the
// derived bounds. With random moves the output stays below 1e12, a thousandth of the limit at which an effect
// resets.
func TestTenMillionFrames(t *testing.T) {
	total, each := 0, 1<<15
	if !longtest.Enabled() {
		each = 1 << 12
	}
	for _, k := range effect.Kinds() {
		for seed := range uint64(longtest.Amount(8, 28)) {
			r := rand.New(rand.NewPCG(seed, 7))
			rate := []int{8000, 44100, 48000, 96000}[seed%4]
			e := settings(t, r, k)
			if k.Name == "reverb" { // a modulated effect has no impulse response
				if err := e.Set("modulation", 0); err != nil {
					t.Fatal(err)
				}
			}
			most := bound(e, rate)
			for moves := range 2 {
				p := e.NewProcessor(rate, 512)
				block, frame := make([]pcm.Frame, 512), int64(0)
				for ; frame < int64(each); frame += 512 {
					for i := range block {
						block[i] = pcm.Frame{}
						switch at := frame + int64(i); {
						case at%(1<<13) < 1<<12:
							block[i] = pcm.Frame{float32(2*r.Float64() - 1), float32(2*r.Float64() - 1)}
						case at%1000 == 0:
							block[i] = pcm.Frame{1, -1}
						}
					}
					if moves == 1 && r.IntN(8) == 0 {
						place := r.IntN(k.Len())
						p.Set(frame, place, anyValue(r, k.Param(place)), r.Int64N(2000))
						most = math.Inf(1)
					}
					if !p.Process(block, nil, frame) {
						t.Fatalf("%s, seed %d: it gave up at frame %d", k.Name, seed, frame)
					}
					for i, f := range block {
						if x := max(math.Abs(float64(f[0])), math.Abs(float64(f[1]))); !(x <= min(most, 1e12)) {
							t.Fatalf("%s, seed %d, moves %v: frame %d is %v, the bound is %v", k.Name, seed, moves == 1, frame+int64(i), f, most)
						}
					}
				}
				total += int(frame)
			}
		}
	}
	if longtest.Enabled() && total < 10_000_000 {
		t.Errorf("it were %d frames", total)
	}
}

// FuzzBlocks checks that random effects with random changes give the same bits in blocks of any length.
func FuzzBlocks(f *testing.F) {
	for kind := range len(effect.Kinds()) {
		f.Add(uint8(kind), uint64(kind), uint16(480))
	}
	f.Fuzz(func(t *testing.T, kind uint8, seed uint64, length uint16) {
		k := effect.Kinds()[int(kind)%len(effect.Kinds())]
		r := rand.New(rand.NewPCG(seed, 11))
		const frames = 6000
		in, key := make([]pcm.Frame, frames), make([]pcm.Frame, frames)
		for i := range in {
			if i < 3000 {
				in[i] = pcm.Frame{float32(2*r.Float64() - 1), float32(2*r.Float64() - 1)}
			}
			key[i] = pcm.Frame{float32(math.Sin(float64(i) / 300)), 0}
		}
		e, moves, n := settings(t, r, k), drawn(r, k, frames), 1+int(length)%4096
		want := through(e.NewProcessor(48000, 4096), in, key, moves, func() int { return 512 }, false)
		got := through(e.NewProcessor(48000, 4096), in, key, moves, func() int { return n }, seed%2 == 0)
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("%s in blocks of %d: frame %d is %v, want %v", k.Name, n, i, got[i], want[i])
			}
			if math.IsNaN(float64(want[i][0])) || math.Abs(float64(want[i][0])) > 1e12 {
				t.Fatalf("%s: frame %d is %v", k.Name, i, want[i])
			}
		}
	})
}

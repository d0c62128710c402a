package dsp

import (
	"math"
	"testing"

	"voicepool/pcm"
)

// TestPhases compares rows of the table with values computed independently in float64.
func TestPhases(t *testing.T) {
	want := [8]float64{0.0083762631, 0.14915265, 0.63639247, 1, 0.63639247, 0.14915265, 0.0083762631, 3.7482e-06}
	for i, w := range want {
		if got := float64(phases[0].at[i]); math.Abs(got-w) > 2e-5*w {
			t.Errorf("phase 0, tap %d: %v, want %v", i, got, w)
		}
	}
	if got := float64(phases[128].at[0]); math.Abs(got-7.1997e-4) > 1e-7 {
		t.Errorf("phase 128, tap 0: %v, want 7.1997e-4", got)
	}
	for p := range 255 {
		for i := range 8 {
			if got, want := phases[p].at[i]+phases[p].toNext[i], phases[p+1].at[i]; math.Abs(float64(got-want)) > 1e-7 {
				t.Errorf("phase %d, tap %d leads to %v, the next phase begins with %v", p, i, got, want)
			}
		}
	}
}

// TestBestFormula compares with the kernel in float64. The remaining error is the linear interpolation between
// phases and float32 rounding.
func TestBestFormula(t *testing.T) {
	src := make([]float32, 400)
	for i := range src {
		src[i] = float32(math.Sin(float64(i*i)) / 2)
	}
	dst := make([]pcm.Frame, 61)
	const step = One * 113 / 100
	pos := int64(5<<32 + 12345678)
	Mix(StereoBest, dst, src, pos, step, &Ramp{Left: 1, Right: 1})
	mono := make([]pcm.Frame, len(dst))
	Mix(MonoBest, mono, src, pos, step, &Ramp{Left: 1, Right: 1})
	for i, got := range dst {
		n, f := int(pos>>32), float64(uint32(pos))*0x1p-32
		pos += step
		left, right, x := 0.0, 0.0, 0.0
		for k := n - 3; k <= n+4; k++ {
			w := kernel(float64(k-n) - f)
			left += w * float64(src[2*k])
			right += w * float64(src[2*k+1])
			x += w * float64(src[k])
		}
		if math.Abs(float64(got[0])-left)+math.Abs(float64(got[1])-right)+math.Abs(float64(mono[i][0])-x) > 1e-5 {
			t.Fatalf("frame %d: %v, mono %v, want %v %v, mono %v", i, got, mono[i][0], left, right, x)
		}
	}
}

// TestBestTone checks that a tone divided by the kernel's spectrum keeps its level at another pitch. The
// residue is little more than the images of the kernel, most of them inaudible.
func TestBestTone(t *testing.T) {
	for hz, limit := range map[float64]float64{1000: -121, 5000: -117, 10000: -109.5} {
		for _, step := range []float64{0.37, 1.0973, 1.4921} {
			f := hz / 48000
			src := make([]float32, 9000)
			for i := range src {
				src[i] = float32(math.Sin(2*math.Pi*f*float64(i)) / spectrum(f))
			}
			whole := int64(step * One)
			dst := make([]pcm.Frame, 4096)
			Mix(MonoBest, dst, src, 16<<32, whole, &Ramp{Left: 1, Right: 1})
			var residue, power float64
			for i, x := range dst {
				want := math.Sin(2 * math.Pi * f * (16 + float64(int64(i)*whole)/One))
				residue += (float64(x[0]) - want) * (float64(x[0]) - want)
				power += want * want
			}
			if db := 10 * math.Log10(residue/power); db > limit {
				t.Errorf("%v Hz at step %v: the residue is %.1f dB", hz, step, db)
			} else {
				t.Logf("%v Hz at step %v: the residue is %.1f dB", hz, step, db)
			}
		}
	}
}

// spectrum returns the kernel's frequency response for f in cycles per frame.
func spectrum(f float64) float64 {
	w := 8 * math.Pi * f
	if s2 := shape*shape - w*w; s2 > 0 {
		s := math.Sqrt(s2)
		return 8 * math.Sinh(s) / (s * bessel(shape*shape))
	} else {
		s := math.Sqrt(-s2)
		return 8 * math.Sin(s) / (s * bessel(shape*shape))
	}
}

// TestSpectrum checks that the response at 0 is the sum of the weights, about 2.58785.
func TestSpectrum(t *testing.T) {
	if got := spectrum(0); math.Abs(got-2.58785) > 1e-5 {
		t.Errorf("K(0) = %v", got)
	}
}

func BenchmarkPhases(b *testing.B) {
	for b.Loop() {
		newPhases()
	}
}

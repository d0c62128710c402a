package reverb

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"voicepool/internal/acoustics"
	"voicepool/internal/dsp"
	"voicepool/internal/longtest"
	"voicepool/pcm"
)

// of returns a reverb with changed values.
func of(rate int, change func(v *Values)) *Reverb {
	v := defaults()
	if change != nil {
		change(&v)
	}
	r := New(rate)
	r.Jump(&v)
	return r
}

// response returns the response of a reverb to an impulse, in seconds, on one or both sides.
func response(r *Reverb, seconds float64, impulse pcm.Frame) []pcm.Frame {
	out := make([]pcm.Frame, int(seconds*float64(r.rate)))
	out[0] = impulse
	r.Process(out, 0)
	return out
}

// excited lists the impulses over which decay times are averaged.
var excited = []pcm.Frame{{1, 1}, {1, 0}, {0, 1}, {1, -1}}

// responses returns the responses of a reverb to each impulse in excited, from two start frames. The short variant
// uses the first and the second start frame in turn.
func responses(rate int, seconds float64, change func(v *Values)) (all [][]pcm.Frame) {
	for i, impulse := range excited {
		for j, frame := range []int64{0, 31 * updateInterval * 20} { // the second frame has other positions in the delay lines
			if i%2 != j && !longtest.Enabled() {
				continue
			}
			out := make([]pcm.Frame, int(seconds*float64(rate)))
			out[0] = impulse
			of(rate, change).Process(out, frame)
			all = append(all, out)
		}
	}
	return all
}

// side returns one side of frames.
func side(x []pcm.Frame, c int) []float64 {
	one := make([]float64, len(x))
	for i := range x {
		one[i] = float64(x[i][c])
	}
	return one
}

// decay returns the reverberation time of an octave over both sides of all responses.
func decay(all [][]pcm.Frame, hertz float64, rate int) float64 {
	var sides [][]float64
	for _, x := range all {
		sides = append(sides, side(x, 0), side(x, 1))
	}
	return acoustics.Decay(sides, hertz, rate)
}

// TestDecay checks that each octave from 250 Hz to 4 kHz decays in the requested time, within 5 %, at each
// rate, time and size. Below 250 Hz and above 4 kHz, Low and High scale the time.
func TestDecay(t *testing.T) {
	worst := 0.0
	for _, rate := range []int{44100, 48000, 96000} {
		for _, time := range []float64{0.3, 0.8, 1.8, 4, 8} {
			for _, size := range []float64{0.3, 1, 2} {
				if rate != 48000 && (time > 2 || size != 1) || time > 5 && size != 1 || !longtest.Enabled() && (rate != 48000 || time > 1 || time > 0.5 && size != 1) {
					continue
				}
				x := responses(rate, time*1.2+0.3, func(v *Values) { v.Time, v.Size, v.Low, v.High, v.Early, v.Predelay = time, size, 1, 1, -60, 0 })
				for _, hertz := range []float64{250, 500, 1000, 2000, 4000} {
					got := decay(x, hertz, rate)
					off := math.Abs(got/time - 1)
					worst = max(worst, off)
					if off > 0.05 {
						t.Errorf("at %d Hz, %v s, size %v: the octave at %v Hz decays in %.3f s", rate, time, size, hertz, got)
					}
				}
			}
		}
	}
	t.Logf("at most %.1f %% off", 100*worst)
	for _, c := range []struct{ low, high float64 }{{0.5, 1.2}, {1.3, 0.6}, {2, 0.3}}[:longtest.Amount(1, 3)] {
		x := responses(48000, 1.8*1.3*max(c.low, c.high, 1), func(v *Values) { v.Low, v.High, v.Early, v.Predelay = c.low, c.high, -60, 0 })
		for hertz, want := range map[float64]float64{63: c.low, 700: 1, 11000: c.high} {
			// Fractional delays dampen the high frequencies of a room with a long high decay.
			if got := decay(x, hertz, 48000) / 1.8; got/want > 1.12 || got/want < 0.88 && !(hertz > 10000 && want > 1 && got/want > 0.8) {
				t.Errorf("low %v, high %v: %v Hz decays in %.3f of the time, want %v", c.low, c.high, hertz, got, want)
			}
		}
	}
}

// TestDensity checks that 80 ms after the first reflection the echoes are as dense as noise.
func TestDensity(t *testing.T) {
	for _, rate := range []int{44100, 48000, 96000} {
		for c := range 2 {
			r := of(rate, func(v *Values) { v.Predelay = 0 })
			one := side(response(r, 1, pcm.Frame{1, 1}), c)
			first := slices.IndexFunc(one, func(x float64) bool { return x != 0 })
			ms := 1000 * acoustics.Dense(one, rate)
			mean, n := 0.0, 0.0
			for i := first + rate*8/100; i < first+rate/2; i += rate / 100 {
				mean, n = mean+acoustics.Density(one, i, rate), n+1
			}
			t.Logf("at %d Hz, side %d: as dense as noise after %.0f ms; %.2f in the mean after that", rate, c, ms, mean/n)
			if ms > 80 || mean/n < 0.9 {
				t.Errorf("at %d Hz, side %d: it is as dense as noise after %.0f ms, %.2f after that", rate, c, ms, mean/n)
			}
		}
	}
}

// TestSides checks that left and right differ and that their sum has no spectral holes.
func TestSides(t *testing.T) {
	const rate = 48000
	all := responses(rate, 3, func(v *Values) { v.High = 1 })
	var lefts, rights []float64
	apart, together := make([]float64, 1<<14), make([]float64, 1<<14)
	for _, x := range all {
		left, right := side(x, 0), side(x, 1)
		sum := make([]float64, len(x))
		for i := range x {
			sum[i] = left[i] + right[i]
		}
		lefts, rights = append(lefts, left...), append(rights, right...)
		for from := 4800; from < 3*4800+1; from += 4800 {
			a, b, s := acoustics.Spectrum(left[from:]), acoustics.Spectrum(right[from:]), acoustics.Spectrum(sum[from:])
			for i := range s {
				apart[i] += a[i] + b[i]
				together[i] += s[i]
			}
		}
	}
	c := acoustics.Correlation(lefts, rights)
	if t.Logf("left and right correlate by %.3f", c); math.Abs(c) > 0.15 {
		t.Errorf("left and right correlate by %.3f", c)
	}
	worst := 0.0
	for hertz := 100.0; hertz < 16000; hertz *= math.Cbrt(2) {
		from, to := int(hertz/math.Pow(2, 1./6)/rate*acoustics.Window), int(hertz*math.Pow(2, 1./6)/rate*acoustics.Window)
		var p, q float64
		for i := from; i < max(to, from+1); i++ {
			p, q = p+apart[i], q+together[i]
		}
		off := 10 * math.Log10(q/p)
		if worst = max(worst, math.Abs(off)); math.Abs(off) > 3 {
			t.Errorf("the sum is %.1f dB beside the sides in the third at %.0f Hz", off, hertz)
		}
	}
	t.Logf("at most %.1f dB beside them in a third", worst)
	mono := response(of(rate, func(v *Values) { v.Width = 0 }), 0.5, pcm.Frame{1, 0})
	for i, f := range mono {
		if math.Abs(float64(f[0]-f[1])) > 1e-7 {
			t.Fatalf("at a width of 0 frame %d is %v", i, f)
		}
	}
}

// freeverb is a plain Freeverb: eight combs and four allpasses.
func freeverb(n, rate int, seconds float64) []float64 {
	x := make([]float64, n)
	x[0] = 1
	out := make([]float64, n)
	for _, c := range []int{1116, 1188, 1277, 1356, 1422, 1491, 1557, 1617} {
		d := c * rate / 44100
		line, low := make([]float64, d), 0.0
		g := math.Pow(10, -3*float64(d)/float64(rate)/seconds)
		for i := range x {
			y := line[i%d]
			low = y*0.8 + low*0.2
			line[i%d] = x[i] + low*g
			out[i] += y
		}
	}
	for _, c := range []int{556, 441, 341, 225} {
		d := c * rate / 44100
		line := make([]float64, d)
		for i := range out {
			b := line[i%d]
			y := b - out[i]
			line[i%d] = out[i] + b*0.5
			out[i] = y
		}
	}
	return out
}

// TestRinging compares the highest peak over the mean of the late spectrum, between 500 Hz and 4 kHz, with a
// plain Freeverb of the same decay time. The peak must be clearly lower.
func TestRinging(t *testing.T) {
	const rate = 48000
	x := response(of(rate, func(v *Values) { v.Low, v.High = 1, 1 }), 3, pcm.Frame{1, 1})
	ours, plain := acoustics.Ringing(side(x, 0), rate), acoustics.Ringing(freeverb(len(x), rate, 1.8), rate)
	t.Logf("peak over mean: %.1f dB, Freeverb %.1f dB", ours, plain)
	if ours > plain-1 {
		t.Errorf("a peak of the late spectrum is %.1f dB above its mean, Freeverb's %.1f", ours, plain)
	}
}

// TestEnds checks that the tail ends in exact zeros without denormal numbers.
func TestEnds(t *testing.T) {
	for _, rate := range []int{8000, 48000} {
		r := of(rate, func(v *Values) { v.Time, v.Low, v.High = 0.3, 1.5, 0.2 })
		block := make([]pcm.Frame, 512)
		for i := range block {
			block[i] = pcm.Frame{1, -0.5}
		}
		frame := int64(0)
		for ; frame < int64(20*rate) && !(frame > 0 && r.Idle()); frame += 512 {
			r.Process(block, frame)
			for _, line := range r.lines.ring {
				if line != 0 && math.Abs(float64(line)) < 1e-37 {
					t.Fatalf("a line has %v", line)
				}
			}
			clear(block)
		}
		t.Logf("at %d Hz it is idle after %.2f s", rate, float64(frame)/float64(rate))
		r.Process(block, frame)
		if !r.Idle() || slices.ContainsFunc(block, func(f pcm.Frame) bool { return f != pcm.Frame{} }) {
			t.Errorf("at %d Hz it does not end within 20 s: %v", rate, block[0])
		}
	}
}

func BenchmarkReverb(b *testing.B) {
	in := noise(512, 48000, false)
	for _, moves := range []bool{false, true} {
		b.Run(fmt.Sprintf("moves=%v", moves), func(b *testing.B) {
			r, block, frame := New(48000), make([]pcm.Frame, 512), int64(0)
			v := defaults()
			for b.Loop() {
				copy(block, in)
				for at := 0; at < 512; at += 32 {
					if moves {
						v.Time = 1 + float64(at)/512
						r.Move(&v)
					}
					r.Process(block[at:at+32], frame)
					frame += 32
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/512, "ns/frame")
		})
	}
}

// BenchmarkStages measures each stage of Process on runs of 16 frames, in nanoseconds a frame.
func BenchmarkStages(b *testing.B) {
	r, block, frame := New(48000), noise(dsp.FDNRun, 48000, false), int64(0)
	for range 10000 {
		r.Process(slices.Clone(block), frame)
		frame += dsp.FDNRun
	}
	rows := r.rows // a fresh copy of the input of the last two stages: repeated filtering would make it subnormal
	for _, stage := range []struct {
		name string
		run  func()
	}{
		{"store-input", func() { r.reflections.write(block, frame) }},
		{"read-reflections", func() { r.reflections.read(&r.in, &r.first, &r.taps, frame, dsp.FDNRun) }},
		{"allpasses", func() {
			for c := range r.in {
				r.allpasses[c].pass(&r.in[c], frame)
			}
		}},
		{"line-positions", func() { r.lines.prepare(dsp.FDNRun, r.lines.pieceStart+dsp.FDNRun) }},
		{"read-lines", func() { r.lines.read(&r.rows, &r.taps, frame, dsp.FDNRun) }},
		{"absorb", func() { r.rows = rows; r.absorb.Filter(&r.rows, dsp.FDNRun) }},
		{"absorb-one-frame", func() { r.rows = rows; r.absorb.Filter(&r.rows, 1) }},
		{"copy", func() { r.rows = rows }},
		{"matrix-and-output", func() {
			r.rows = rows
			dsp.Scatter(&r.wet, &r.peaks, &r.rows, &r.in, &r.first, &r.out, r.lines.ring, r.lines.writeIndices(frame))
		}},
	} {
		b.Run(stage.name, func(b *testing.B) {
			for b.Loop() {
				stage.run()
				frame += dsp.FDNRun
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/dsp.FDNRun, "ns/frame")
		})
	}
	b.Run("modulation", func(b *testing.B) {
		for b.Loop() {
			r.lines.beginPiece(r.lines.pieceStart + updateInterval)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/updateInterval, "ns/frame")
	})
}

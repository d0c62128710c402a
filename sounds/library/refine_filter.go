package library

import (
	"math"

	"voicepool/pcm"
	"voicepool/sounds/internal/source"
)

// The band of a version, in cycles per frame. For a sound at 48 kHz it is flat to 17 kHz, then falls as half a
// cosine, and is zero from 19.5 kHz on. The filter spans 128 frames on both sides, under a Kaiser window.
const (
	refineFlat  = 17.0 / 48
	refineEnd   = 19.5 / 48
	refineReach = 128
	refineShape = 8

	// bestShape is the b of the compensated kernel, dsp.MonoBest: I0(b sqrt(1-(x/4)^2)) / I0(b).
	bestShape = 14.75
)

// bestSpectrum returns the spectrum of the interpolation kernel dsp.MonoBest, a Kaiser window, at the frequency f. f
// is in cycles per frame and must be below b/8pi, with b = bestShape. The formula is 8 sinh(s)/(s I0(b)), with s =
// sqrt(b^2-(8 pi f)^2).
func bestSpectrum(f float64) float64 {
	w := float64(8 * math.Pi * f)
	s := math.Sqrt(float64(bestShape*bestShape) - float64(w*w))
	e := pcm.Exp2(float64(s * math.Log2E))
	return float64(4*(e-1/e)) / float64(s*bessel(bestShape))
}

// refineResponse returns the amplitude, at the frequency f, of the filter that prepares a sound for a raised pitch. f
// is in cycles per frame of the filtered sound. The response is one over the spectrum of the interpolation kernel,
// which compensates for that kernel, times a low-pass that is 0 from refineEnd on. A chained filter reads samples
// that are already compensated, so it also undoes their compensation.
func refineResponse(f float64, chained bool) float64 {
	if f >= refineEnd {
		return 0
	}
	g := 1 / bestSpectrum(f)
	if chained {
		g = float64(g * bestSpectrum(f*2/3))
	}
	if f > refineFlat {
		g = float64(g * (0.5 + float64(0.5*pcm.CosPi((f-refineFlat)/(refineEnd-refineFlat)))))
	}
	return g
}

// newRefineFilter returns a resampler that computes 2^level frames from 3^level source frames, as a version of a
// sound for raised pitch. A chained filter reads the version of the level below instead of the sound.
//
// The taps are W(u) 2 integral from 0 to refineEnd of response(f) cos(2 pi f u) df, at the distance u in frames of
// the version, times (2/3)^level, since the sum is over source frames. All levels sample the same function at other
// distances. Each phase has a row, so that any goroutine may use the resampler.
func newRefineFilter(level int, chained bool) *resampler {
	r, scale := ratio{1, 1}, 1.0
	for range level {
		r.out, r.in, scale = 2*r.out, 3*r.in, scale*(2.0/3)
	}
	half := int64(math.Ceil(refineReach / scale))
	f := &filter{before: half, width: (2*half + 1 + 3) &^ 3, rows: r.out}
	f.table = make([]float64, f.rows*f.width)
	const points = 1024
	const step = refineEnd / points
	var response [points]float64
	for i := range response {
		response[i] = refineResponse(float64(float64(i)*step), chained)
	}
	response[0] /= 2 // the trapezoid rule; the last value is 0
	window := bessel(refineShape)
	for p := range f.rows {
		row := f.row(p)
		for i := range row {
			u := float64((float64(p)/float64(f.rows) - float64(int64(i)-half)) * scale)
			r := u / refineReach
			if r <= -1 || r >= 1 {
				continue
			}
			w := bessel(float64(refineShape*math.Sqrt(1-float64(r*r)))) / window
			row[i] = float64(float64(2*step*scale*w) * cosines(response[:], float64(2*step*u)))
		}
		normalize(row, refineResponse(0, chained))
	}
	return newResampler(r, f)
}

// normalize scales taps in place so that their sum is equal to the parameter to. This sum is the gain of a constant
// signal, which the filter's window has changed by some ten-thousandths.
func normalize(taps []float64, to float64) {
	sum := 0.0
	for _, h := range taps {
		sum += h
	}
	factor := to / sum
	for i := range taps {
		taps[i] = float64(taps[i] * factor)
	}
}

// cosines returns the sum over i of c[i] cos(i pi x), by Clenshaw's recurrence. c must not be empty.
func cosines(c []float64, x float64) float64 {
	twice := 2 * pcm.CosPi(x)
	b1, b2 := 0.0, 0.0
	for i := len(c) - 1; i > 0; i-- {
		b1, b2 = c[i]+(float64(twice*b1)-b2), b1
	}
	return c[0] + (float64(twice/2*b1) - b2)
}

// span is the number of frames that are computed at a time.
const span = 4096

// run computes resampled frames into dst, interleaved. first is the number of the first output frame, and may be
// negative. run works in pieces of at most 4,096 frames. For each piece it calls fill for the source frames: fill
// must write interleaved samples to all of its dst, from the source frame number frame on. frame may be outside the
// source.
func (s *resampler) run(dst []float32, channels int, first int64, fill func(dst []float64, frame int64)) {
	var window []float64
	for n := 0; len(dst) > 0; dst, first = dst[n*channels:], first+int64(n) {
		n = min(span, len(dst)/channels)
		begin, phase := s.sourcePosition(first)
		end, _ := s.sourcePosition(first + int64(n) - 1)
		window = source.Grow(window[:0], int(end-begin+s.width)*channels)
		fill(window, begin-s.before)
		s.convert(dst[:n*channels], window, channels, phase)
	}
}

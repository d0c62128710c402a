package reverb

import (
	"math"

	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// halfOctaves are half-octave bands, in each of them pink noise has the same energy: their centres in Hz, and the
// K-weighting of ITU-R BS.1770 as a power gain.
var halfOctaves = [...]struct{ hertz, weight float64 }{
	{26.3, 0.104}, {37.2, 0.240}, {52.6, 0.432}, {74.3, 0.628}, {105, 0.782}, {149, 0.881}, {210, 0.938}, {297, 0.970}, {420, 0.988},
	{595, 1.007}, {841, 1.061}, {1189, 1.225}, {1682, 1.580}, {2378, 2.006}, {3364, 2.296}, {4757, 2.433}, {6727, 2.487}, {9514, 2.506},
	{13454, 2.512}, {19027, 2.512},
}

// setTargets computes into r.next the numbers of the output gains and of the absorption for v, with the target lengths
// of the lines.
//
// The matrix is lossless, so all lines have the same energy. Of each unit of input energy, a pass through the
// lines leaves a part: the mean over the lines of the energy that they do not absorb. All passes together leave
// part/(1-part). The gain normalizes that to 1 over the bands of pink noise.
func (r *Reverb) setTargets(v *Values) {
	x, rate := r.next, float64(r.rate)
	var left [len(halfOctaves)]float64 // part of each band that remains after a pass
	for lane := range lineCount {
		passes := float64(r.taps.target[lane]) / rate // delay in seconds
		mid := -60 * passes / v.Time
		low := newShelf(false, r.tangents.low, mid/v.Low-mid)
		high := newShelf(true, r.tangents.high, mid/v.High-mid)
		gain := pcm.Decibels(mid).Linear()
		n := x[outputs+lane*factorsPerLine:][:factorsPerLine]
		low.put(n, 1)
		high.put(n[dsp.HighFeedback:], gain)
		n[dsp.HighDirect] = float64(high.m0 * gain)
		for i, o := range halfOctaves {
			if o.hertz/rate < 0.45 || i == 0 {
				tangent := r.tangents.bands[i]
				part := float64(float64(float64(gain*gain)*low.power(tangent)) * high.power(tangent))
				if v.Modulation > 0 && isModulated(lane) {
					part = float64(part * r.interpolationLoss[i])
				}
				left[i] += float64(part / lineCount)
			}
		}
	}
	sum, weights := 0.0, 0.0
	for i, o := range halfOctaves {
		if o.hertz/rate < 0.45 || i == 0 {
			weights += o.weight
			sum += float64(o.weight*left[i]) / (1 - left[i])
		}
	}
	loud := max(sum/weights, 1e-6) // limits the gain of a reverb so short that its output would be rounding errors
	ratio := pcm.Exp2(float64(v.Early / 10 * math.Log2(10)))
	x[lateGain] = 1 / math.Sqrt(float64(loud*(1+ratio)))
	x[earlyGain] = math.Sqrt(ratio / (1 + ratio))
	turn := (1 - v.Width) / 4
	x[sameShare], x[crossShare] = pcm.CosPi(turn), pcm.SinPi(turn)
}

// interpolationLoss returns the share of each band's power that remains after interpolation between samples, averaged
// over all fractional positions. rate is in Hz.
func interpolationLoss(rate int) (left [len(halfOctaves)]float64) {
	const places = 16
	for i, h := range halfOctaves {
		w := h.hertz / float64(rate) // cycles per sample
		for n := range places {
			f := float64((float64(n) + 0.5) / places)
			c := [4]float64{
				float64(float64(float64(f*(f-1))*(f-2)) / -6), float64(float64(float64((f+1)*(f-1))*(f-2)) / 2),
				float64(float64(float64((f+1)*f)*(f-2)) / -2), float64(float64(float64((f+1)*f)*(f-1)) / 6),
			}
			re, im := 0.0, 0.0
			for k, x := range c {
				turns := float64(2 * w * float64(k))
				re, im = re+float64(x*pcm.CosPi(turns)), im+float64(x*pcm.SinPi(turns))
			}
			left[i] += float64((float64(re*re) + float64(im*im)) / places)
		}
	}
	return left
}

// delaysOf returns the read positions of the lines, the network's input and the first reflections for v, as delays in
// frames.
func (r *Reverb) delaysOf(v *Values) (p delays) {
	per := float64(v.Size * float64(r.rate) / 1000)
	for i, ms := range lineMillis {
		p[i] = int32(prime(int(float64(ms*per)) + lineCount))
	}
	pre := float64(v.Predelay * float64(r.rate))
	p[lineCount] = int32(pre)
	for i := range reflectionsLeft {
		p[lineCount+1+i] = int32(pre + float64(reflectionsLeft[i].millis*per))
		p[lineCount+1+len(reflectionsLeft)+i] = int32(pre + float64(reflectionsRight[i].millis*per))
	}
	return p
}

// prime returns the smallest prime number that is at least n. Echoes of lines with such lengths do not coincide.
func prime(n int) int {
	for ; ; n++ {
		is := n > 1
		for d := 2; d*d <= n && is; d++ {
			is = n%d != 0
		}
		if is {
			return n
		}
	}
}

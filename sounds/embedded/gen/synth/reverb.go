package synth

// reverb holds eight delay lines with coprime lengths, fed back into each other by a Householder matrix.
// Each line damps high frequencies. The input is mono, the output stereo.
type reverb struct {
	lines [8][]float64
	pos   [8]int
	loss  [8]float64
	dull  [8]float64
	damp  float64
}

// newReverb returns a reverb without any sound in it. size scales its delays; 1 is a hall. The reverb decays by 60 dB
// in t60 seconds. damp is the absorption of high frequencies, from 0 (marble) to 1 (velvet).
func newReverb(size, t60, damp float64) *reverb {
	r := &reverb{damp: damp}
	for i, n := range [...]int{1423, 1637, 1877, 2131, 2417, 2719, 3037, 3433} {
		n = int(float64(float64(n) * size))
		r.lines[i] = make([]float64, n)
		k := perFrame(t60)
		loss := 1.0
		for range n {
			loss = float64(loss * k)
		}
		r.loss[i] = loss
	}
	return r
}

// next feeds the mono sample in to the reverb and returns its next output sample, left and right. The output has only
// the reverb, without the sample in itself.
func (r *reverb) next(in float64) (left, right float64) {
	var out [8]float64
	sum := 0.0
	for i := range out {
		v := r.lines[i][r.pos[i]]
		r.dull[i] = v + float64(r.damp*(r.dull[i]-v))
		out[i] = float64(r.dull[i] * r.loss[i])
		sum += out[i]
		if i%2 == 0 {
			left += v
		} else {
			right += v
		}
	}
	for i, v := range out {
		r.lines[i][r.pos[i]] = in + v - float64(sum/4)
		if r.pos[i]++; r.pos[i] == len(r.lines[i]) {
			r.pos[i] = 0
		}
	}
	return left / 2, right / 2
}

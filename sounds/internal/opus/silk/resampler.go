package silk

// resampler converts a channel to 48 kHz.
type resampler struct {
	rate    int // in kHz
	delay   int
	pending [16]int16 // the last samples, for the delay
	states  [6]int32
	fir     [8]int16
}

// newResampler returns a resampler that converts one channel from rate to 48 kHz. rate is 8, 12 or 16, in kHz. The
// sound before the first sample counts as silence.
func newResampler(rate int) resampler {
	return resampler{rate: rate, delay: map8(rate, 0, 4, 7)}
}

// convert resamples the samples in, at r.rate kHz, to 48 kHz and writes the result to out. out must have 48/r.rate
// times the length of in. The length of in must be whole milliseconds, at least one. The sound continues the sound of
// the previous call, with a delay of r.delay input samples.
func (r *resampler) convert(out, in []int16) {
	n := r.rate - r.delay
	first := r.pending
	copy(first[r.delay:], in[:n])
	r.run(out[:48], first[:r.rate])
	for at, to := n, 48; to < len(out); at, to = at+r.rate, to+48 {
		r.run(out[to:][:48], in[at:][:r.rate])
	}
	copy(r.pending[:], in[len(in)-r.delay:])
}

// run resamples one millisecond, without the delay: r.rate samples from in to 48 samples in out. It updates the
// filter states in r.
func (r *resampler) run(out, in []int16) {
	var twice [8 + 32]int16
	copy(twice[:], r.fir[:])
	for i, x := range in {
		twice[8+2*i] = allpass(r.states[:3], int32(x)<<10, 1746, 14986, 39083-65536)
		twice[9+2*i] = allpass(r.states[3:], int32(x)<<10, 6854, 25769, 55542-65536)
	}
	step := int32(r.rate) << 17 / 48
	for step*48 < int32(r.rate)<<17 {
		step++
	}
	for i := range out {
		at := int32(i) * step
		x := twice[at>>16:][:8]
		k := (at & 0xffff) * 12 >> 16
		f, g := &interpolators[k], &interpolators[11-k]
		sum := int32(0)
		for j := range 4 {
			sum += int32(x[j])*f[j] + int32(x[7-j])*g[j]
		}
		out[i] = clip16(rounded(sum, 15))
	}
	copy(r.fir[:], twice[2*len(in):])
}

// allpass filters the sample x with three all-pass filters in a row. It returns the output, divided by 1024, rounded
// and clipped to 16 bits. s has the states of the three filters, which it updates. a, b and c are their coefficients in
// 65536ths.
func allpass(s []int32, x, a, b, c int32) int16 {
	y := mulWB(x-s[0], a)
	x, s[0] = s[0]+y, x+y
	y = mulWB(x-s[1], b)
	x, s[1] = s[1]+y, x+y
	d := x - s[2]
	y = d + mulWB(d, c)
	x, s[2] = s[2]+y, x+y
	return clip16(rounded(x, 10))
}

package silk

import (
	"voicepool/sounds/internal/opus/entropy"
)

const maxLength = 320 // samples of a frame, 20 ms at 16 kHz

// channel is the decoder state of one channel: mid or side.
type channel struct {
	rate, subframes int // in kHz; subframes of 5 ms
	book            *codebook
	fresh           bool // no frame has been decoded since a reset
	active          [3]bool
	repeated        [3]bool
	decoded         int // number of decoded frames in this packet

	indices     indices
	codedSignal int
	codedLag    int
	pulses      [maxLength]int32

	lag, gainIndex, signal int // of the previous frame
	gain                   int32
	lines                  [16]int16
	past                   [2 * maxLength]int16 // samples
	filtered               [16]int32
	excitation             [maxLength]int32
	lost                   int // consecutive lost frames
	coefficients           [16]int16
	seed                   int32

	resampler resampler
	control   control // of the current frame
}

// control has the filter parameters of a frame.
type control struct {
	gains   [4]int32
	filters [2][16]int16
	lags    [4]int
	ltp     [4][5]int16
	scale   int32
}

// reset clears the state of all previous frames. It also clears the rate, so setRate must be called next.
func (c *channel) reset() {
	*c = channel{fresh: true, gain: 65536}
}

// length returns the number of samples of a frame, at the channel's rate. Rate and subframes are set by setRate.
func (c *channel) length() int { return 5 * c.rate * c.subframes }

// setRate prepares for frames at the given rate, 8, 12 or 16, in kHz. A frame has 2 or 4 subframes of 5 ms. A new
// rate resets the filters, the gain and the pitch, and selects a new resampler and codebook. With the same rate only
// c.subframes changes.
func (c *channel) setRate(rate, subframes int) {
	c.subframes = subframes
	if c.rate == rate {
		return
	}
	c.rate = rate
	c.resampler = newResampler(rate)
	c.book = map8(rate, &narrow, &narrow, &wide)
	c.fresh, c.lag, c.gainIndex, c.signal = true, 100, 10, passive
	clear(c.past[:])
	clear(c.filtered[:])
}

// resetPrediction resets the filters, the gain and the pitch. It is called for a side channel that returns after a
// pause. The rate and the resampler stay the same.
func (c *channel) resetPrediction() {
	clear(c.past[:])
	clear(c.filtered[:])
	c.lag, c.gainIndex, c.signal, c.fresh = 100, 10, passive, true
}

// decode decodes a frame from e and writes its samples, at the channel's rate, to out, which must have c.length() of
// them. coding is the kind of coding of the gains and the pitch, for example conditional, which refers to the
// previous frame. If e is nil, the frame is lost, and decode conceals it. It updates the state for the next frame,
// except c.decoded, which the caller increments.
func (c *channel) decode(out []int16, e *entropy.Decoder, coding int) {
	if e == nil {
		c.conceal(out)
	} else {
		c.readIndices(e, c.active[c.decoded], coding)
		c.readPulses(e)
		p := c.parameters(coding)
		c.synthesize(out, p)
		c.lost, c.signal, c.fresh = 0, c.indices.signal, false
		c.lag = p.lags[c.subframes-1]
		c.coefficients = p.filters[1]
	}
	n, memory := len(out), 20*c.rate
	copy(c.past[:], c.past[n:memory])
	copy(c.past[memory-n:], out)
}

// parameters converts the coded parameters of a frame, c.indices, to the gains, filters and pitch of each subframe.
// coding is the kind of coding of the gains, for example conditional, which refers to the previous frame. The result
// is c.control, valid until the next call. parameters stores the gain and the spectral lines for the next frame, so
// it must be called once per frame.
func (c *channel) parameters(coding int) *control {
	p, x := &c.control, &c.indices
	*p = control{}
	for k := range c.subframes {
		if k == 0 && coding != conditional {
			c.gainIndex = max(x.gains[0], c.gainIndex-16)
		} else {
			delta, double := x.gains[k]-4, 8+c.gainIndex
			if delta > double {
				c.gainIndex += delta<<1 - double
			} else {
				c.gainIndex += delta
			}
		}
		c.gainIndex = min(max(c.gainIndex, 0), 63)
		p.gains[k] = exponential(min(int32(int64(1907825)*int64(c.gainIndex)>>16)+2090, 3967))
	}
	n := c.book.order
	lines := c.book.lines(&x.lines)
	p.filters[1] = filter(lines[:n])
	if c.fresh {
		x.interpolation = 4
	}
	p.filters[0] = p.filters[1]
	if x.interpolation < 4 {
		var between [16]int16
		for i, line := range lines[:n] {
			before := int32(c.lines[i])
			between[i] = int16(before + int32(x.interpolation)*(int32(line)-before)>>2)
		}
		p.filters[0] = filter(between[:n])
	}
	c.lines = lines
	if c.lost > 0 {
		expandNarrow(p.filters[0][:n], 63570)
		expandNarrow(p.filters[1][:n], 63570)
	}
	if x.signal != voiced {
		return p
	}
	for k := range c.subframes {
		shift := int8(0)
		switch {
		case c.rate == 8 && c.subframes == 4:
			shift = lagsNarrow[k][x.contour]
		case c.rate == 8:
			shift = lagsNarrowShort[k][x.contour]
		case c.subframes == 4:
			shift = lags[k][x.contour]
		default:
			shift = lagsShort[k][x.contour]
		}
		p.lags[k] = min(max(2*c.rate+x.lag+int(shift), 2*c.rate), 18*c.rate)
		for i, b := range ltpFilters[x.periodicity][x.ltp[k]] {
			p.ltp[k][i] = int16(b) << 7
		}
	}
	p.scale = scales[x.scale]
	return p
}

// excite converts the pulses of a frame, c.pulses, to the input of its filters, c.excitation (RFC 6716, section
// 4.2.7.8.6). Signs are inverted pseudo-randomly, from the seed of the frame. It leaves the last random number in
// c.seed.
func (c *channel) excite() {
	x := &c.indices
	offset, seed := offsets[x.signal>>1][x.offset]<<4, x.seed
	for i := range c.length() {
		seed = random(seed)
		y := c.pulses[i] << 14
		if y > 0 {
			y -= 80 << 4
		} else if y < 0 {
			y += 80 << 4
		}
		if y += offset; seed < 0 {
			y = -y
		}
		c.excitation[i] = y
		seed += c.pulses[i]
	}
	c.seed = seed
}

// synthesize computes the samples of a frame and writes them to out (RFC 6716, section 4.2.7.9). It converts the
// pulses to an excitation and filters it with the pitch and prediction filters of p. It stores the gain and the
// filter state for the next frame. In a frame after a lost voiced frame it may change the pitch in p.
func (c *channel) synthesize(out []int16, p *control) {
	c.excite()
	var (
		x      = &c.indices
		n      = 5 * c.rate
		memory = 20 * c.rate
		state  [16 + 80]int32
		voice  [2 * maxLength]int32 // input of the pitch prediction
		at     = memory
	)
	copy(state[:], c.filtered[:])
	for k := range c.subframes {
		a := &p.filters[k>>1]
		taps, signal, adjust := &p.ltp[k], x.signal, int32(1<<16)
		inverseGain := inverse(p.gains[k], 47)
		if p.gains[k] != c.gain {
			adjust = quotient(c.gain, p.gains[k], 16)
			for i := range state[:16] {
				state[i] = mulWW(adjust, state[i])
			}
		}
		c.gain = p.gains[k]
		if c.lost > 0 && c.signal == voiced && signal != voiced && k < 2 {
			*taps = [5]int16{2: 4096}
			signal, p.lags[k] = voiced, c.lag
		}
		excitation := c.excitation[k*n:][:n]
		if signal == voiced {
			lag := p.lags[k]
			if k == 0 || k == 2 && x.interpolation < 4 {
				if k == 2 {
					copy(c.past[memory:], out[:2*n])
				}
				if k == 0 {
					inverseGain = mulWB(inverseGain, p.scale) << 2
				}
				c.whiten(voice[at-lag-2:at], k*n, a, inverseGain)
			} else if adjust != 1<<16 {
				for i := at - lag - 2; i < at; i++ {
					voice[i] = mulWW(adjust, voice[i])
				}
			}
			var residual [80]int32
			for i := range n {
				y := int32(2)
				for j, b := range taps {
					y += mulWB(voice[at-lag+2-j], int32(b))
				}
				residual[i] = excitation[i] + y<<1
				voice[at] = residual[i] << 1
				at++
			}
			excitation = residual[:n]
		}
		c.predict(out[k*n:][:n], excitation, &state, a, p.gains[k]>>6)
	}
	copy(c.filtered[:], state[:])
}

// whiten computes the part of past samples that the predictor does not predict, and fills dst with it, multiplied by
// gain in 65536ths (RFC 6716, section 4.2.7.9.1). The samples are those in c.past that end before sample number from
// of the frame; there are len(dst). a has the coefficients of the predictor.
func (c *channel) whiten(dst []int32, from int, a *[16]int16, gain int32) {
	order, end := c.book.order, 20*c.rate+from
	for i := range dst {
		at := end - len(dst) + i
		sum := int32(0)
		for j := range order {
			sum += int32(c.past[at-1-j]) * int32(a[j])
		}
		y := clip16(rounded(int32(c.past[at])<<12-sum, 12))
		dst[i] = mulWB(gain, int32(y))
	}
}

// predict filters the excitation of a subframe with the prediction coefficients a, and writes the samples, multiplied
// by gain in 1024ths, to out (RFC 6716, section 4.2.7.9.2). The first 16 values of state must be the end of the
// previous subframe. predict replaces them by the end of this subframe, for the next call.
func (c *channel) predict(out []int16, excitation []int32, state *[16 + 80]int32, a *[16]int16, gain int32) {
	order := c.book.order
	for i, x := range excitation {
		sum := int32(order >> 1)
		for j := range order {
			sum += mulWB(state[15+i-j], int32(a[j]))
		}
		y := clip32(int64(x) + int64(clip32(int64(sum)<<4)))
		state[16+i] = y
		out[i] = clip16(rounded(mulWW(y, gain), 8))
	}
	copy(state[:16], state[len(out):])
}

// conceal fills out, which must have c.length() samples, with a synthesis of a lost frame: noise through the filter
// of the last frame. The noise decays with each call. Before the first frame and after 20 lost frames it is silent.
// conceal reduces c.gain and increments c.lost.
func (c *channel) conceal(out []int16) {
	var state [16 + 80]int32
	copy(state[:], c.filtered[:])
	a := c.coefficients
	expandNarrow(a[:], 64881)
	gain := c.gain >> 6
	if c.fresh || c.lost >= 20 {
		gain = 0
	}
	n := 5 * c.rate
	for k := range c.subframes {
		gain -= gain >> 3
		var noise [80]int32
		for i := range n {
			c.seed = random(c.seed)
			noise[i] = c.excitation[int(uint32(c.seed)>>16)%n] / 2
		}
		c.predict(out[k*n:][:n], noise[:n], &state, &a, gain)
	}
	c.gain = max(gain<<6, 1<<8)
	c.coefficients = a
	copy(c.filtered[:], state[:])
	c.lost++
}

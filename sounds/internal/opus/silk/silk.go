// Package silk decodes the SILK frames of Opus, which code speech by linear prediction (RFC 6716, section 4.2).
// It uses integer arithmetic with the widths that the format specifies.
package silk

import "voicepool/sounds/internal/opus/entropy"

// Decoder decodes consecutive packets. Create it with New.
type Decoder struct {
	channels   int // number of output channels
	coded      int // channels of the previous packet
	channel    [2]channel
	predictors [2]int32 // of the side channel, in the previous frame
	middle     [2]int16 // the last samples
	side       [2]int16
	noSide     bool // the previous frame had no side channel
	firstMono  bool // the packet is the first without a side channel

	frame [2][2 + maxLength]int16
	out   [2][960]int16
}

// New returns a decoder with one or two output channels, before its first packet.
func New(channels int) *Decoder {
	d := &Decoder{channels: channels}
	d.Reset()
	return d
}

// Reset clears the state of all previous packets, so that the decoder is as new.
func (d *Decoder) Reset() {
	*d = Decoder{channels: d.channels}
	for i := range d.channel {
		d.channel[i].reset()
	}
}

// Decode decodes one packet from e and adds its sound to dst, interleaved at 48 kHz. The length of dst is the
// duration of the packet: 10, 20, 40 or 60 ms. coded is the number of coded channels, and rate their rate in kHz. If
// e is nil, the packet is lost and concealed, with the rate and channels of the previous packet. A lost packet before
// the first one adds no sound.
func (d *Decoder) Decode(dst []float32, e *entropy.Decoder, rate, coded int) {
	n := len(dst) / d.channels // 48 per millisecond
	if e == nil {
		rate, coded = d.channel[0].rate, d.coded
		if rate == 0 {
			return
		}
	}
	frames, subframes := max(1, n/960), 4
	if n < 960 {
		subframes = 2
	}
	d.prepare(rate, coded, subframes)
	if e != nil {
		d.readFlags(e, frames)
	}
	for i := range frames {
		length := d.decodeFrame(e, i)
		part := dst[i*960*d.channels:]
		for c := range d.channels {
			for j, x := range d.out[c][:length] {
				if k := j*d.channels + c; k < len(part) {
					part[k] += float32(float32(x) * (1.0 / 32768))
				}
			}
		}
	}
}

// prepare sets up the channels for a packet. rate is in kHz, coded is the number of coded channels, 1 or 2, and a
// frame has 2 or 4 subframes of 5 ms. A new rate resets the filters and the resampler of each coded channel. If the
// packets change from mono to stereo, the state of the side channel is reset. For stereo output its resampler then
// becomes a copy of the mid channel's resampler, and the stereo prediction is reset, too.
func (d *Decoder) prepare(rate, coded, subframes int) {
	if coded > d.coded {
		d.channel[1].reset()
	}
	same := d.channel[0].rate == rate
	for c := range coded {
		d.channel[c].decoded = 0
		d.channel[c].setRate(rate, subframes)
	}
	if d.channels == 2 && coded == 2 && d.coded == 1 {
		d.predictors, d.side = [2]int32{}, [2]int16{}
		d.channel[1].resampler = d.channel[0].resampler
	}
	d.firstMono = coded == 1 && d.coded == 2 && same
	d.coded = coded
}

// readFlags reads the flags before the frames of a packet from e (RFC 6716, sections 4.2.3 and 4.2.4). It sets the
// fields active and repeated of the channels. frames is the number of frames per channel, 1 to 3. The packet may have
// redundant copies of earlier frames; readFlags reads them, too, but does not decode them.
func (d *Decoder) readFlags(e *entropy.Decoder, frames int) {
	var copies [2]bool
	for c := range d.coded {
		for i := range frames {
			d.channel[c].active[i] = e.Bit(1)
		}
		copies[c] = e.Bit(1)
	}
	for c := range d.coded {
		x := &d.channel[c]
		x.repeated = [3]bool{}
		flags := 0
		switch {
		case !copies[c]:
		case frames == 1:
			flags = 1
		case frames == 2:
			flags = e.Symbol(repeats2, 8) + 1
		default:
			flags = e.Symbol(repeats3, 8) + 1
		}
		for i := range frames {
			x.repeated[i] = flags>>i&1 != 0
		}
	}
	for i := range frames {
		for c := range d.coded {
			x := &d.channel[c]
			if !x.repeated[i] {
				continue
			}
			if d.coded == 2 && c == 0 {
				readPredictors(e)
				if !d.channel[1].repeated[i] {
					e.Symbol(middleOnly, 8)
				}
			}
			coding := independent
			if i > 0 && x.repeated[i-1] {
				coding = conditional
			}
			x.readIndices(e, true, coding)
			x.readPulses(e)
		}
	}
}

// readPredictors reads from e the two factors that predict the side channel from the mid channel (RFC 6716, section
// 4.2.7.1). The first is for the low-passed mid channel, the second for the plain one. Both are in 8192ths.
func readPredictors(e *entropy.Decoder) (p [2]int32) {
	n := e.Symbol(stereoJoint, 8)
	high := [2]int{n / 5, n % 5}
	for i := range p {
		level := e.Symbol(uniform3, 8) + 3*high[i]
		low := stereoLevels[level]
		step := mulWB(stereoLevels[level+1]-low, 6554)
		p[i] = low + step*int32(2*e.Symbol(uniform5, 8)+1)
	}
	p[0] -= p[1]
	return p
}

// decodeFrame decodes frame number i of a packet from e and resamples it to 48 kHz, in d.out for each output channel.
// It returns the number of samples per channel. If e is nil, the frame is lost and concealed. Call readFlags once
// before the frames of a packet, and decode the frames in order.
func (d *Decoder) decodeFrame(e *entropy.Decoder, i int) int {
	predictors, noSide := d.predictors, false
	if e == nil {
		noSide = d.noSide
	} else if d.coded == 2 {
		predictors = readPredictors(e)
		if !d.channel[1].active[i] {
			noSide = e.Symbol(middleOnly, 8) == 1
		}
	}
	if d.coded == 2 && !noSide && d.noSide {
		d.channel[1].resetPrediction()
	}
	length := d.channel[0].length()
	for c := range d.coded {
		frame := d.frame[c][2:][:length]
		x := &d.channel[c]
		if c == 1 && noSide {
			clear(frame)
		} else {
			coding := conditional
			switch {
			case i == 0:
				coding = independent
			case c == 1 && d.noSide:
				coding = independentUnscaled
			}
			x.decode(frame, e, coding)
		}
		x.decoded++
	}
	d.toLeftRight(predictors, length)
	if e != nil {
		d.noSide = noSide
	}
	n := length * 48 / d.channel[0].rate
	for c := range min(d.channels, d.coded) {
		d.channel[c].resampler.convert(d.out[c][:n], d.frame[c][1:][:length])
	}
	if d.channels == 2 && d.coded == 1 {
		if d.firstMono {
			d.firstMono = false
			d.channel[1].resampler.convert(d.out[1][:n], d.frame[0][1:][:length])
		} else {
			d.out[1] = d.out[0]
		}
	}
	return n
}

// toLeftRight converts n samples of the mid and side channels in d.frame to left and right, in place (RFC 6716, section
// 4.2.8). The result is delayed by one sample and lies at the indices 1..n. predictors are the factors of
// readPredictors; the previous ones in d.predictors change to them gradually and are replaced. For a mono packet or
// mono output the samples are only delayed.
func (d *Decoder) toLeftRight(predictors [2]int32, n int) {
	x, y := &d.frame[0], &d.frame[1]
	x[0], x[1] = d.middle[0], d.middle[1]
	d.middle = [2]int16{x[n], x[n+1]}
	if d.channels == 1 || d.coded == 1 {
		return
	}
	y[0], y[1] = d.side[0], d.side[1]
	d.side = [2]int16{y[n], y[n+1]}
	moving := 8 * d.channel[0].rate
	p, step := d.predictors, [2]int32{}
	part := int32(65536 / moving)
	for i := range step {
		step[i] = rounded(int32(int16(predictors[i]-p[i]))*part, 16)
	}
	for i := range n {
		if i < moving {
			p[0], p[1] = p[0]+step[0], p[1]+step[1]
		} else {
			p = predictors
		}
		sum := (int32(x[i]) + int32(x[i+2]) + int32(x[i+1])<<1) << 9
		sum = int32(y[i+1])<<8 + mulWB(sum, p[0]) + mulWB(int32(x[i+1])<<11, p[1])
		y[i+1] = clip16(rounded(sum, 8))
	}
	d.predictors = predictors
	for i := 1; i <= n; i++ {
		l, r := int32(x[i])+int32(y[i]), int32(x[i])-int32(y[i])
		x[i], y[i] = clip16(l), clip16(r)
	}
}

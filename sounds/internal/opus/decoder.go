package opus

import (
	"voicepool/pcm"
	"voicepool/sounds/internal/opus/celt"
	"voicepool/sounds/internal/opus/entropy"
	"voicepool/sounds/internal/opus/silk"
)

// decoder decodes the packets of one mono or stereo stream.
type decoder struct {
	channels  int
	silk      *silk.Decoder
	celt      *celt.Decoder
	entropy   entropy.Decoder
	second    entropy.Decoder // of a redundant frame
	redundant [2 * 240]float32
	passing   [2 * 240]float32
	scratch   [2 * 960]float32
	fade      [120]float32 // the squared rising half of a window

	frameState
}

// frameState is the decoder state between frames.
type frameState struct {
	mode           int  // of the previous frame; nothing: no previous frame
	endedRedundant bool // the previous frame ended with a redundant CELT frame
	last           config
}

// newDecoder returns a decoder of one Opus stream with one or two output channels, before its first packet.
func newDecoder(channels int) *decoder {
	d := &decoder{channels: channels, silk: silk.New(channels), celt: celt.New(channels)}
	for i := range d.fade {
		s := pcm.SinPi((float64(i) + 0.5) / 240)
		w := pcm.SinPi(float64(s*s) / 2)
		d.fade[i] = float32(w * w)
	}
	return d
}

// reset clears the state of all previous packets, so that the decoder is as new.
func (d *decoder) reset() {
	d.silk.Reset()
	d.celt.Reset()
	d.frameState = frameState{}
}

// state is the complete decoder state between packets.
type state struct {
	frameState
	silk silk.Decoder
	celt celt.State
}

// state returns a copy of the decoder state after the last packet. setState of a decoder with the same number of
// channels can restore it.
func (d *decoder) state() *state { return &state{d.frameState, *d.silk, d.celt.State} }

// setState restores the state s, which a decoder with the same number of channels has returned. It copies s, which
// stays valid.
func (d *decoder) setState(s *state) {
	d.frameState, *d.silk, d.celt.State = s.frameState, s.silk, s.celt
}

// decode decodes the frames of one packet into dst, interleaved at 48 kHz. c is the configuration of the packet; it
// is stored in d.last, because conceal needs it. dst must have exactly the samples of the frames. Invalid frames give
// arbitrary samples.
func (d *decoder) decode(dst []float32, c config, frames [][]byte) {
	d.last = c
	n := c.frames * d.channels
	for i, frame := range frames {
		d.decodeFrame(dst[i*n:][:n], c, frame)
	}
}

// conceal fills dst, interleaved, with a synthesis of lost sound that continues the last packet. It changes the state
// as a packet does. Before the first packet dst becomes silent. After a CELT packet, a rest of less than 2.5 ms at the
// end becomes silent. After a hybrid packet only its SILK part continues.
func (d *decoder) conceal(dst []float32) {
	clear(dst)
	n := len(dst) / d.channels
	switch d.mode {
	case noMode:
		return
	case music:
		for at := 0; at < n; {
			lm := 3
			for 120<<lm > n-at && lm > 0 {
				lm--
			}
			if n-at < 120 {
				return
			}
			d.celt.Decode(dst[at*d.channels:(at+120<<lm)*d.channels], nil, lm, 0, d.last.band, d.channels)
			at += 120 << lm
		}
		return
	}
	size := 960 * d.channels
	for len(dst) > 0 {
		part := dst[:min(size, len(dst))]
		if len(part) < size {
			clear(d.scratch[:size])
			d.silk.Decode(d.scratch[:max(len(part), size/2)], nil, 0, 0)
			copy(part, d.scratch[:])
		} else {
			d.silk.Decode(part, nil, 0, 0)
		}
		dst = dst[len(part):]
	}
}

// decodeFrame decodes data, one frame with the configuration c, into dst, interleaved. If the stream changes between
// SILK and CELT, it smooths the transition (RFC 6716, section 4.5). A frame of at most one byte counts as lost and is
// concealed. dst must have exactly the samples of the frame.
func (d *decoder) decodeFrame(dst []float32, c config, data []byte) {
	if len(data) <= 1 {
		d.conceal(dst)
		d.endedRedundant = false
		return
	}
	e := &d.entropy
	e.Reset(data)
	five := 240 * d.channels
	passing := d.mode == music
	if c.mode == music {
		passing = d.mode != noMode && d.mode != music && !d.endedRedundant
	}
	if passing && c.mode == music {
		d.conceal(d.passing[:min(five, len(dst))])
	}
	clear(dst)
	if c.mode != music {
		if d.mode == music {
			d.silk.Reset()
		}
		if c.frames < 480 {
			return
		}
		d.silk.Decode(dst, e, c.rate, c.channels)
	}
	redundant, toSpeech := d.readRedundant(c, data)
	if redundant != nil {
		passing = false
	} else if passing && c.mode != music {
		d.conceal(d.passing[:min(five, len(dst))])
	}
	if redundant != nil && toSpeech {
		d.decodeRedundant(c, redundant)
	}
	switch {
	case c.mode != speech:
		if d.mode != noMode && c.mode != d.mode && !d.endedRedundant {
			d.celt.Reset()
		}
		lm, first, out := 0, 0, dst
		for 120<<lm < c.frames {
			lm++
		}
		if c.mode == hybrid {
			first, out = 17, d.scratch[:len(dst)]
		}
		d.celt.Decode(out, e, lm, first, c.band, c.channels)
		if c.mode == hybrid {
			add(dst, out)
		}
	case d.mode == hybrid && !(redundant != nil && toSpeech && d.endedRedundant):
		d.second.Reset([]byte{0xff, 0xff}) // the MDCT bands fade out
		out := d.scratch[:120*d.channels]
		d.celt.Decode(out, &d.second, 0, 0, c.band, c.channels)
		add(dst, out)
	}
	half := 120 * d.channels
	switch {
	case redundant != nil && toSpeech:
		copy(dst[:half], d.redundant[:half])
		d.crossfade(dst[half:2*half], d.redundant[half:], dst[half:])
	case redundant != nil:
		d.celt.Reset()
		d.decodeRedundant(c, redundant)
		end := dst[len(dst)-half:]
		d.crossfade(end, end, d.redundant[half:])
	case passing && len(dst) >= five:
		copy(dst[:half], d.passing[:half])
		d.crossfade(dst[half:2*half], d.passing[half:], dst[half:])
	case passing:
		d.crossfade(dst[:half], d.passing[:], dst)
	}
	d.mode, d.endedRedundant = c.mode, redundant != nil && !toSpeech
}

// add adds the samples of x to dst, which must be at least as long.
func add(dst, x []float32) {
	for i, v := range x {
		dst[i] += v
	}
}

// readRedundant separates a redundant CELT frame from the end of data, a SILK or hybrid frame (RFC 6716, section
// 4.5.1). The redundant frame smooths a change between SILK and CELT: at the beginning of the frame if toSpeech is
// true, otherwise at its end. c is the configuration of the packet. Some bits are read from d.entropy, which must be
// reading data and is shortened by the redundant frame. Without a redundant frame the result is nil.
func (d *decoder) readRedundant(c config, data []byte) (frame []byte, toSpeech bool) {
	e, more := &d.entropy, 0
	if c.mode == hybrid {
		more = 20
	}
	if c.mode == music || e.BitsUsed()+17+more > 8*len(data) || c.mode == hybrid && !e.Bit(12) {
		return nil, false
	}
	toSpeech = e.Bit(1)
	n := len(data) - (e.BitsUsed()+7)>>3
	if c.mode == hybrid {
		n = int(e.Uniform(256)) + 2
	}
	if n > len(data) || 8*(len(data)-n) < e.BitsUsed() {
		return nil, false
	}
	return e.Shrink(n), toSpeech
}

// decodeRedundant decodes frame, a redundant CELT frame of 5 ms, into d.redundant, and updates the state of d.celt. c
// is the configuration of the packet.
func (d *decoder) decodeRedundant(c config, frame []byte) {
	d.second.Reset(frame)
	d.celt.Decode(d.redundant[:240*d.channels], &d.second, 1, 0, c.band, c.channels)
}

// crossfade writes a crossfade of 2.5 ms from x to y to the beginning of dst. It uses the squared window of CELT. All
// are interleaved, and dst may be x or y. The rest of dst stays unchanged.
func (d *decoder) crossfade(dst, x, y []float32) {
	for i, w := range d.fade {
		for k := i * d.channels; k < (i+1)*d.channels; k++ {
			dst[k] = float32(w*y[k]) + float32((1-w)*x[k])
		}
	}
}

package mixer

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// busBuffers accumulates the input of a bus: the voices of a stretch, and the tails of stolen voices.
type busBuffers struct {
	mixed      []pcm.Frame // one hop
	used       bool        // mixed is not silent
	intoOutput bool        // mixed is the buffer of the output, see mixIntoOutput
	ownMixed   []pcm.Frame // the own buffer while intoOutput

	tails    []pcm.Frame // a ring indexed by frame number
	tailMask int64
	tailEnd  int64 // it is silent from this frame on
}

// newBusBuffers returns silent buffers for the input of a bus, for up to hop frames at a time. The parameter ring is
// the length in frames of the ring buffer for tails of stolen voices. It must be a power of two.
func newBusBuffers(hop, ring int64) busBuffers {
	return busBuffers{mixed: make([]pcm.Frame, hop), tails: make([]pcm.Frame, ring), tailMask: ring - 1}
}

// block returns the first n frames of b.mixed, the sum of the input of the bus, so that the caller can add to them. If
// the buffer was not used since it was last mixed, block clears these frames first. It marks the buffer as used.
func (b *busBuffers) block(n int64) []pcm.Frame {
	if !b.used {
		if !b.intoOutput { // the output is already clear
			clear(b.mixed[:n])
		}
		b.used = true
	}
	return b.mixed[:n]
}

// addTail adds tail, the last samples of a voice, to the ring buffer of tails, from where consumeTails mixes them
// later. The parameter frame is the frame of the mix where tail begins. The tail must end at most a hop and a tail
// length after the first frame that is not mixed.
func (b *busBuffers) addTail(tail []pcm.Frame, frame int64) {
	for len(tail) > 0 {
		at := frame & b.tailMask
		n := min(int64(len(tail)), int64(len(b.tails))-at)
		dsp.Sum(b.tails[at:at+n], tail[:n])
		tail = tail[n:]
		frame += n
		b.tailEnd = max(b.tailEnd, frame)
	}
}

// consumeTails adds the tails of the next n frames to b.mixed, the sum of the input of the bus, and removes them from
// the ring buffer. The parameter frame is the frame of the mix where they begin; n is at most a hop. If no tail lasts
// until then, it has no effect.
func (b *busBuffers) consumeTails(frame, n int64) {
	n = min(n, b.tailEnd-frame)
	if n <= 0 {
		return
	}
	dst := b.block(int64(len(b.mixed)))[:n]
	for len(dst) > 0 {
		at := frame & b.tailMask
		k := min(int64(len(dst)), int64(len(b.tails))-at)
		src := b.tails[at : at+k]
		dsp.Sum(dst[:k], src)
		clear(src)
		dst = dst[k:]
		frame += k
	}
}

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

// newBusBuffers returns silent buffers for up to hop frames at a time, with a tail ring of ring frames, a power of
// two.
func newBusBuffers(hop, ring int64) busBuffers {
	return busBuffers{mixed: make([]pcm.Frame, hop), tails: make([]pcm.Frame, ring), tailMask: ring - 1}
}

// block returns the first n frames of b.mixed, the accumulator of the frames that are being mixed, and marks the
// buffer as used. The first call after the buffer was unused clears these frames.
func (b *busBuffers) block(n int64) []pcm.Frame {
	if !b.used {
		if !b.intoOutput { // the output is already clear
			clear(b.mixed[:n])
		}
		b.used = true
	}
	return b.mixed[:n]
}

// addTail adds tail, the samples of a voice from frame on, to the tail ring. frame is a frame of the mix. The tail
// may extend one hop and one tail beyond the first frame that is not mixed.
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

// consumeTails moves the tails of n frames, from frame on, from the ring into the accumulator b.mixed. frame is a frame
// of the mix; n is at most a hop.
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

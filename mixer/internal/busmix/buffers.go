package busmix

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// buffers accumulate the input of a bus: the voices of a block, and the tails of stolen voices.
type buffers struct {
	mixed      []pcm.Frame // one hop
	used       bool        // mixed is not silent
	intoOutput bool        // mixed is the buffer of the output, see mixIntoOutput
	ownMixed   []pcm.Frame // the own buffer while intoOutput

	tails    []pcm.Frame // a ring indexed by frame number
	tailMask int64
	tailEnd  int64 // it is silent from this frame on
}

// newBuffers returns silent buffers for the input of a bus, for up to hop frames at a time. The parameter ring is the
// length in frames of the ring buffer for tails of stolen voices. It must be a power of two.
func newBuffers(hop, ring int64) buffers {
	return buffers{mixed: make([]pcm.Frame, hop), tails: make([]pcm.Frame, ring), tailMask: ring - 1}
}

// Block returns the first n frames of the sum of the input of the bus, so that the caller can add to them. If the sum
// was not used since it was last mixed, Block clears these frames first. It marks the sum as used.
func (b *buffers) Block(n int64) []pcm.Frame {
	if !b.used {
		if !b.intoOutput { // the output is already clear
			clear(b.mixed[:n])
		}
		b.used = true
	}
	return b.mixed[:n]
}

// Detour holds the buffer of a bus, and the state of this buffer, while Bus.Redirect replaces it.
type Detour struct {
	mixed            []pcm.Frame
	used, intoOutput bool
}

// Redirect makes Block return frames of the buffer to instead of the buffer of the bus, until Restore is called with
// the result. The buffer to is at least a hop long. It counts as silent at first, so Block clears it.
func (b *buffers) Redirect(to []pcm.Frame) Detour {
	d := Detour{b.mixed, b.used, b.intoOutput}
	b.mixed, b.used, b.intoOutput = to, false, false
	return d
}

// Restore ends a Redirect, whose result is d: Block returns frames of the buffer of the bus again. The result used
// reports whether Block was called since Redirect.
func (b *buffers) Restore(d Detour) (used bool) {
	used = b.used
	b.mixed, b.used, b.intoOutput = d.mixed, d.used, d.intoOutput
	return used
}

// AddTail adds tail, the last samples of a voice, to the ring buffer of tails, from where Graph.Mix mixes them later.
// The parameter frame is the frame of the mix where tail begins. The tail must end at most a hop and Config.Tail after
// the first frame that is not mixed.
func (b *buffers) AddTail(tail []pcm.Frame, frame int64) {
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
func (b *buffers) consumeTails(frame, n int64) {
	n = min(n, b.tailEnd-frame)
	if n <= 0 {
		return
	}
	dst := b.Block(int64(len(b.mixed)))[:n]
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

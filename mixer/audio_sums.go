package mixer

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// sums is what is added up for a bus before its gains: the voices of a stretch, and the
// tails of those that gave way.
type sums struct {
	mixed []pcm.Frame // one hop
	used  bool        // mixed has something in it
	lent  bool        // mixed is where the output is mixed, see lend
	own   []pcm.Frame // what mixed is else, meanwhile

	tails     []pcm.Frame // a ring by frame number
	tailsMask int64
	tailsEnd  int64 // from this frame on it is silent
}

func newSums(hop, ring int64) sums {
	return sums{mixed: make([]pcm.Frame, hop), tails: make([]pcm.Frame, ring), tailsMask: ring - 1}
}

// block returns the n frames into which the bus is being mixed, silent at first.
func (b *sums) block(n int64) []pcm.Frame {
	if !b.used {
		if !b.lent { // else it is
			clear(b.mixed[:n])
		}
		b.used = true
	}
	return b.mixed[:n]
}

// addTail adds the end of a voice, from frame on. It may reach one hop and one
// tail beyond the first frame that is not mixed.
func (b *sums) addTail(tail []pcm.Frame, frame int64) {
	for len(tail) > 0 {
		at := frame & b.tailsMask
		n := min(int64(len(tail)), int64(len(b.tails))-at)
		dsp.Sum(b.tails[at:at+n], tail[:n])
		tail = tail[n:]
		frame += n
		b.tailsEnd = max(b.tailsEnd, frame)
	}
}

// takeTails adds n frames of tails to the block, and leaves silence behind.
func (b *sums) takeTails(frame, n int64) {
	n = min(n, b.tailsEnd-frame)
	if n <= 0 {
		return
	}
	dst := b.block(int64(len(b.mixed)))[:n]
	for len(dst) > 0 {
		at := frame & b.tailsMask
		k := min(int64(len(dst)), int64(len(b.tails))-at)
		src := b.tails[at : at+k]
		dsp.Sum(dst[:k], src)
		clear(src)
		dst = dst[k:]
		frame += k
	}
}

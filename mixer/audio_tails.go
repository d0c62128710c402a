package mixer

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// addTail adds the end of a voice, from frame on. It may reach one hop and one
// tail beyond the first frame that is not mixed.
func (b *bus) addTail(tail []pcm.Frame, frame int64) {
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
func (b *bus) takeTails(frame, n int64) {
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

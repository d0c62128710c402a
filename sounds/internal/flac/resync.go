package flac

import (
	"cmp"
	"io"

	"voicepool/sounds/internal/source"
)

// resync continues after an undecodable frame at the position of in: it moves to the next valid FLAC frame. fault is
// the error of the undecodable frame. The number of missing sound frames follows from the frame numbers; they are
// recorded as damage, and Next will append concealed frames. resync returns nil if Next can continue. Otherwise it
// returns the error for Next, which is io.EOF at the end of the file.
func (r *reader) resync(fault error) error {
	from := r.in.At
	fault = source.DecodeErrorf("frame %d: %v", r.at, fault)
	r.firstErr = cmp.Or(r.firstErr, fault)
	next, found := r.findFrame(from+1, r.in.Size)
	if r.wastedSamples > maxWastedSamples+8*r.in.At {
		return fault
	}
	if !found {
		r.in.MoveTo(r.in.Size)
		if r.at > 0 && r.at == r.info.frames {
			return nil // complete; unrelated data follows
		}
		unreadable := r.in.Size - from
		if r.info.frames == 0 && r.decodedAny {
			r.Conceal(r.at, 0, fault) // the number of missing frames is unknown
		}
		return r.endFile(unreadable)
	}
	r.in.MoveTo(next)
	r.decodedAny = true
	missing := r.framePosition() - r.at
	if r.info.frames > 0 && missing > r.info.frames-r.at-int64(r.frame.block) {
		missing = 0
	}
	r.recordGap(&r.Head, missing, next, fault)
	return nil
}

// recordGap records missing sound frames in h as damage with the cause fault. It sets r.gapFrames, so that the next
// calls of fillGap or appendGap append concealed frames. The parameter at is the byte offset of the end of the gap. If
// the file is too short for so large a gap, the damage has no frames. recordGap also disables the checksum of all
// samples.
func (r *decoder) recordGap(h *source.Head, missing, at int64, fault error) {
	r.gapFrames, r.sequential = h.PlausibleGap(missing, r.at, at), false
	h.Conceal(r.at, r.gapFrames, fault)
}

// endFile ends the file. unreadable is the number of bytes at its end that are not FLAC frames. If the header
// announces further sound frames, and their number fits these bytes, endFile schedules them for concealment and
// returns nil. Otherwise it returns io.EOF, or an error if the file has no valid frame.
func (r *reader) endFile(unreadable int64) error {
	if missing := r.info.frames - r.at; unreadable > 0 && missing > 0 && r.at > 0 {
		if missing <= int64(r.info.maxBlock) || missing <= 4*unreadable*r.at/max(r.in.Size-unreadable-r.start, 1) {
			r.recordGap(&r.Head, missing, r.in.Size, r.firstErr)
			return nil
		}
	}
	if !r.decodedAny && r.firstErr != nil {
		return r.firstErr
	}
	return r.reportEnd(&r.Head)
}

// reportEnd checks the whole file at its end: the number of frames and the checksum of all samples. It records an
// error as damage in h, at most once, and returns io.EOF. If no frame was decoded, it returns the error instead.
func (r *decoder) reportEnd(h *source.Head) error {
	fault := r.checkTotals()
	switch {
	case fault == nil:
	case r.at == 0:
		return fault
	case !r.endReported:
		h.Conceal(r.at, 0, fault)
	}
	r.endReported = true
	return io.EOF
}

// fillGap appends up to source.GapChunk concealed frames of the current gap to dst. The sound before the gap fades
// out, and at the end of the gap the sound after it fades in, if it can be decoded. fillGap reduces r.gapFrames, the
// rest of the gap, and advances r.at by the number of frames.
func (r *reader) fillGap(dst []float32) []float32 {
	n := min(r.gapFrames, source.GapChunk)
	old := len(dst)
	dst = r.appendGap(dst, n)
	if r.gapFrames == 0 {
		if _, err := r.read(r.in.Peek(r.maxFrameSize)); err == nil {
			r.fadeInGap(dst[old:])
		}
	}
	return dst
}

// appendGap appends n concealed frames of the current gap to dst. At the beginning of a gap the previous sound fades
// out; the other frames are silent. appendGap reduces r.gapFrames, the rest of the gap, by n and advances r.at by n.
func (r *decoder) appendGap(dst []float32, n int64) []float32 {
	old := len(dst)
	dst = source.Grow(dst, int(n)*r.info.channels)
	clear(dst[old:])
	if !r.fadedOut {
		source.FadeOut(dst[old:], r.tail, r.info.channels)
	}
	r.fadedOut = true
	r.gapFrames -= n
	r.at += n
	return dst
}

// fadeInGap mixes the sound after a gap into the end of the gap, fading in. gap has the interleaved frames of the gap.
// The sound is r.frame, the last decoded FLAC frame, reversed in time. The position and the checksum stay the same,
// so the frame can be returned afterwards.
func (r *decoder) fadeInGap(gap []float32) {
	at, sequential, tail, first, fadedOut := r.at, r.sequential, r.tail, r.first, r.fadedOut
	r.sequential, r.tail = false, nil
	head := r.appendFrame(nil)
	r.at, r.sequential, r.tail, r.first, r.fadedOut = at, sequential, tail, first, fadedOut
	source.FadeIn(gap, head, r.info.channels)
}

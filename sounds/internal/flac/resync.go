package flac

import (
	"io"

	"voicepool/sounds/internal/source"
)

// resync moves to the next valid FLAC frame after an undecodable one at the position of in; fault is the error of
// that frame. By the frame numbers it finds the number of missing sound frames, and schedules them for concealment by
// Next. It returns nil if Next can continue, otherwise the error for Next, io.EOF at the end of the file.
func (r *reader) resync(fault error) error {
	from := r.in.At
	fault = source.DecodeErrorf("frame %d: %v", r.at, fault)
	if r.firstErr == nil {
		r.firstErr = fault
	}
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

// recordGap records missing sound frames in h as damage with the cause fault, and sets r.gapFrames so that the next
// calls of fill or appendGap conceal them. at is the byte offset of the end of the gap; if the file is too short for
// the gap, the damage has no frames. It disables the checksum of all samples.
func (r *decoder) recordGap(h *source.Head, missing, at int64, fault error) {
	r.gapFrames, r.sequential = h.PlausibleGap(missing, r.at, at), false
	h.Conceal(r.at, r.gapFrames, fault)
}

// endFile ends a file whose last rest bytes are not FLAC frames. If announced sound frames are missing and their
// number fits these bytes, it schedules them for concealment and returns nil. Otherwise it returns io.EOF, or the
// error of a file without a valid frame.
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

// reportEnd records the error of the whole file (see whole) in h as damage, at most once, and returns io.EOF. If no
// frame was decoded, it returns that error instead.
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

// fillGap appends up to source.GapChunk concealed frames to dst: the audio before the gap fades out, and at the end of
// the gap the audio after it fades in. It reduces r.gapFrames by their number and advances r.at.
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

// appendGap appends n of the lost sound frames to dst, advances r.at and reduces r.gapFrames. In the first frames of a
// gap the previous sound fades out; the others are silent.
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

// fadeInGap adds r.frame, the last decoded FLAC frame, reversed in time and fading in, to the end of gap, which is
// interleaved. The position and the checksum stay the same, so the frame can be returned afterwards.
func (r *decoder) fadeInGap(gap []float32) {
	at, sequential, tail, first, fadedOut := r.at, r.sequential, r.tail, r.first, r.fadedOut
	r.sequential, r.tail = false, nil
	head := r.appendFrame(nil)
	r.at, r.sequential, r.tail, r.first, r.fadedOut = at, sequential, tail, first, fadedOut
	source.FadeIn(gap, head, r.info.channels)
}

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
	fault = source.Broken("frame %d: %v", r.at, fault)
	if r.fault == nil {
		r.fault = fault
	}
	next, found := r.find(from+1, r.in.Size)
	if r.waste > maxWaste+8*r.in.At {
		return fault
	}
	if !found {
		r.in.MoveTo(r.in.Size)
		if r.at > 0 && r.at == r.info.frames {
			return nil // complete; unrelated data follows
		}
		rest := r.in.Size - from
		if r.info.frames == 0 && r.some {
			r.Conceal(r.at, 0, fault) // the number of missing frames is unknown
		}
		return r.finish(rest)
	}
	r.in.MoveTo(next)
	r.some = true
	missing := r.place() - r.at
	if r.info.frames > 0 && missing > r.info.frames-r.at-int64(r.frame.block) {
		missing = 0
	}
	r.conceal(&r.Head, missing, next, fault)
	return nil
}

// conceal records missing sound frames in h as damage with the cause fault, and sets r.lost so that the next calls of
// fill or makeUp conceal them. at is the byte offset of the end of the gap; if the file is too short for the gap, the
// damage has no frames. It disables the checksum of all samples.
func (r *decoder) conceal(h *source.Head, missing, at int64, fault error) {
	r.lost, r.straight = h.Gap(missing, r.at, at), false
	h.Conceal(r.at, r.lost, fault)
}

// finish ends a file whose last rest bytes are not FLAC frames. If announced sound frames are missing and their
// number fits these bytes, it schedules them for concealment and returns nil. Otherwise it returns io.EOF, or the
// error of a file without a valid frame.
func (r *reader) finish(rest int64) error {
	if missing := r.info.frames - r.at; rest > 0 && missing > 0 && r.at > 0 {
		if missing <= int64(r.info.maxBlock) || missing <= 4*rest*r.at/max(r.in.Size-rest-r.start, 1) {
			r.conceal(&r.Head, missing, r.in.Size, r.fault)
			return nil
		}
	}
	if !r.some && r.fault != nil {
		return r.fault
	}
	return r.end(&r.Head)
}

// end records the error of the whole file (see whole) in h as damage, at most once, and returns io.EOF. If no frame
// was decoded, it returns that error instead.
func (r *decoder) end(h *source.Head) error {
	fault := r.whole()
	switch {
	case fault == nil:
	case r.at == 0:
		return fault
	case !r.ended:
		h.Conceal(r.at, 0, fault)
	}
	r.ended = true
	return io.EOF
}

// fill appends up to source.GapPiece concealed frames to dst: the audio before the gap fades out, and at the end of
// the gap the audio after it fades in. It reduces r.lost by their number and advances r.at.
func (r *reader) fill(dst []float32) []float32 {
	n := min(r.lost, source.GapPiece)
	old := len(dst)
	dst = r.makeUp(dst, n)
	if r.lost == 0 {
		if _, err := r.read(r.in.Peek(r.most)); err == nil {
			r.fadeIn(dst[old:])
		}
	}
	return dst
}

// makeUp appends n of the lost sound frames to dst, advances r.at and reduces r.lost. In the first frames of a gap
// the previous sound fades out; the others are silent.
func (r *decoder) makeUp(dst []float32, n int64) []float32 {
	old := len(dst)
	dst = source.Grow(dst, int(n)*r.info.channels)
	clear(dst[old:])
	if !r.faded {
		source.FadeOut(dst[old:], r.tail, r.info.channels)
	}
	r.faded = true
	r.lost -= n
	r.at += n
	return dst
}

// fadeIn adds r.frame, the last decoded FLAC frame, reversed in time and fading in, to the end of gap, which is
// interleaved. The position and the checksum stay the same, so the frame can be returned afterwards.
func (r *decoder) fadeIn(gap []float32) {
	at, straight, tail, first, faded := r.at, r.straight, r.tail, r.first, r.faded
	r.straight, r.tail = false, nil
	head := r.give(nil)
	r.at, r.straight, r.tail, r.first, r.faded = at, straight, tail, first, faded
	source.FadeIn(gap, head, r.info.channels)
}

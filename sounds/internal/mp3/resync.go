package mp3

import (
	"bytes"
	"cmp"
	"errors"
	"io"

	"voicepool/sounds/internal/source"
)

// matches reports whether h, a frame header, fits the file. It must match the first frame in MPEG version, rate and
// channels, and the frame must have space for its side information.
func (r *reader) matches(h header) bool {
	return h.lowRate == r.first.lowRate && h.rate == r.first.rate && h.channels == r.first.channels && h.size >= 4+h.sideSize()
}

// startsFrame reports whether a tag, or a frame like the first frame of the file (see matches), begins at the byte
// offset at of b. It is also true at or beyond the end of b.
func (r *reader) startsFrame(b []byte, at int) bool {
	if at >= len(b) {
		return true
	}
	h, ok, _ := parseHeader(b[at:])
	return ok && r.matches(h) || source.BeginsTag(b[at:])
}

// findNext searches b for the place where the sound continues after damage: a frame like the first frame of the file,
// or an ID3v2 or APE tag. Behind the frame there must be another frame, a tag or the end of b. The damage is at the
// beginning of b, so the search begins at offset 1. It returns the byte offset of the place, and the header of its
// first frame; for a tag the header is zero. found is false if the sound does not continue within the first maxJunk
// bytes of b.
func (r *reader) findNext(b []byte) (at int, h header, found bool) {
	for at := 1; at < min(len(b), maxJunk); at++ {
		switch b[at] {
		case 0xff:
			if h, ok, _ := parseHeader(b[at:]); ok && r.matches(h) && r.startsFrame(b, at+h.size) {
				return at, h, true
			}
		case 'I', 'A':
			if source.BeginsTag(b[at:]) {
				return at, header{}, true
			}
		}
	}
	return 0, h, false
}

// isSize reports whether a frame of n bytes is possible in this file, with any bit rate and padding. The MPEG version
// and the rate are those in r.first, the header of the first frame.
func (r *reader) isSize(n int) bool {
	for rate := byte(1); rate < 15; rate++ {
		version := byte(0xfb)
		switch {
		case r.first.rate < 16000:
			version = 0xe3
		case r.first.lowRate:
			version = 0xf3
		}
		for code := byte(0); code < 3; code++ {
			h, ok, _ := parseHeader([]byte{0xff, version, rate<<4 | code<<2, 0})
			if ok && h.rate == r.first.rate && (n == h.size || n == h.size+1) {
				return true
			}
		}
	}
	return false
}

// isFrame reports whether n bytes of a damaged place are probably a single frame with a wrong header. The parameter
// announced is that header, which announces another size. next is the header of the frame after the n bytes, or zero
// before a tag.
func (r *reader) isFrame(n int, announced, next header) bool {
	near := func(x, y int) bool { return x-y <= 1 && y-x <= 1 }
	switch {
	case !r.isSize(n):
		return false
	case next.size > 0 && near(n, next.size):
		return true
	}
	return n < announced.size || !r.isSize(n-announced.size)
}

// missing estimates how many MP3 frames were in n bytes of damaged data. The sound continues at the byte offset at of
// b with the frame whose header is next; next is zero for a tag. If n is a possible size of one frame, the result is
// 1. Otherwise it is 0 if the data seems to lie between two concatenated files: before a tag or the info of an
// encoder, or with lyrics in it.
func (r *reader) missing(n int, b []byte, at int, next header) int64 {
	switch {
	case r.isSize(n):
		return 1
	case next.size == 0 || bytes.HasPrefix(b, []byte("LYRICSBEGIN")):
		return 0 // data between two concatenated files
	}
	if _, isInfo := readXing(b[at:min(at+next.size, len(b))], next); isInfo {
		return 0
	}
	size := int64(next.size)
	if r.info.frames > 0 {
		size = max((r.in.Size-r.start)/r.info.frames, minFrameSize)
	}
	return (int64(n) + size/2) / size
}

// minFrameSize is the size of the smallest frame, in bytes.
const minFrameSize = 24

// resync handles a damaged place at the position of in. Either no frame begins there, and ok is false; or a frame with
// the header h begins there without a successor, and ok is true. If that frame seems intact, resync appends its sound
// to dst. Otherwise it skips the damaged bytes, records the damage, and sets r.gapFrames, the number of silent frames
// that Next returns in their place. If the sound does not continue in the next 64 KiB, resync only skips these bytes
// and adds them to r.junkBytes, for the next call.
//
// If another kind of MPEG audio follows, the error wraps source.ErrDecode. Other errors are of frame.
func (r *reader) resync(h header, ok bool, dst []float32) ([]float32, error) {
	b := r.in.Peek(source.Probe)
	at, next, found := r.findNext(b)
	switch {
	case ok && (!found || at > h.size && !r.isFrame(at, h, next)):
		return r.frame(h, b, dst) // the damage is after this frame
	case !found:
		if other, o, err := firstFrame(b); err != nil && !errors.Is(err, errNoFrame) {
			return dst, source.DecodeErrorf("frame %d: %v", r.count*r.size, err)
		} else if err == nil && !r.matches(o) && r.startsOtherFormat(b, other, o) {
			return dst, source.DecodeErrorf("frame %d: %d channels at %d Hz after %d at %d Hz",
				r.count*r.size, o.channels, o.rate, r.first.channels, r.first.rate)
		}
		n := min(maxJunk, r.in.Remaining())
		r.junkBytes += n
		r.in.Skip(n)
		return dst, nil
	}
	n := int(r.junkBytes) + at
	if r.gapFrames = r.missing(n, b, at, next); ok && next.size == 0 {
		r.gapFrames = 1 // a tag has overwritten the end of a frame
	}
	data := 4 + r.first.sideSize()
	if r.first.crc {
		data += 2
	}
	if r.gapFrames == 1 && r.junkBytes == 0 && r.isSize(n) && data < at { // its data may be intact
		r.addToReservoir(b[data:at])
	} else if r.gapFrames > 0 {
		r.data, r.reservoirLost = r.data[:0], true
	}
	if r.gapFrames > 0 {
		r.conceal(r.gapFrames, source.DecodeErrorf("frame %d: %d bytes are not MP3 frames", r.count*r.size, n))
	}
	r.junkBytes = 0
	r.in.Skip(int64(at))
	return dst, nil
}

// startsOtherFormat reports whether frames of the kind of h follow in b. The caller has checked that h differs from
// the first frame of the file. startsOtherFormat checks the frame after the one with the header h at the byte offset
// at. That frame must have the same rate and channels as h, and behind it there must be a third frame, a tag or the
// end of b.
func (r *reader) startsOtherFormat(b []byte, at int, h header) bool {
	at += h.size
	next, ok, _ := parseHeader(b[min(at, len(b)):])
	return ok && next.rate == h.rate && next.channels == h.channels && nextMatches(b, at, next)
}

// addToReservoir appends data, the data of a frame, to r.data, the bit reservoir, because later frames may use it. It
// drops the oldest bytes beyond the limit of 511 bytes. It also adds the number of bytes to r.bytes. While the reader
// only counts frames, it does only that.
func (r *reader) addToReservoir(data []byte) {
	r.bytes += int64(len(data))
	if r.mode == modeCount {
		return
	}
	r.data = append(r.data, data...)
	if n := len(r.data); n > reservoir {
		r.data = append(r.data[:0], r.data[n-reservoir:]...)
	}
}

// conceal records as damage that the next MP3 frames, from r.count on, are silent because of fault. frames is their
// number; 0 means that the file is cut short. The first fault of the file is also kept in r.firstErr. Unless r.mode is
// modeDecode, conceal has no effect.
func (r *reader) conceal(frames int64, fault error) {
	if r.mode != modeDecode {
		return
	}
	r.firstErr = cmp.Or(r.firstErr, fault)
	from, to := r.withoutPadding(r.count*r.size), r.withoutPadding((r.count+frames)*r.size)
	r.Conceal(from, to-from, fault)
}

// appendSilent appends the sound of one lost MP3 frame to dst and returns dst: the previous sound fades out, then
// silence follows. Padding at the end of the file is removed. appendSilent increases r.count. Unless r.mode is
// modeDecode, it does only that.
func (r *reader) appendSilent(dst []float32) []float32 {
	if r.mode == modeDecode {
		old := len(dst)
		dst = source.Grow(dst, int(r.size)*r.Channels)
		_ = r.decode(r.first, &sideInfo{}, nil, true, dst[old:])
		dst = r.trimPadding(dst)
	}
	r.count++
	return dst
}

// endFile handles the end of the file. It returns dst unchanged and io.EOF, or an error if the file has no decodable
// frame. If the encoder's note counts further frames, and damaged bytes at the end may have contained them, it
// schedules silent frames and returns nil. If they are missing otherwise, or the last frame is truncated, it records,
// once, that the file is cut short.
func (r *reader) endFile(dst []float32) ([]float32, error) {
	missing := r.info.frames - r.count
	switch {
	case r.count == 0:
		return dst, source.DecodeErrorf("there is no whole MP3 frame in it")
	case r.mode == modeDecode && r.fromStart && !r.decodedAny && r.firstErr != nil:
		return dst, r.firstErr
	case missing > 0 && r.junkBytes > 0 && missing <= 1+r.junkBytes/minFrameSize && missing*int64(r.first.size)/4 <= r.junkBytes:
		r.gapFrames = missing
		r.conceal(missing, source.DecodeErrorf("frame %d: %d bytes are not MP3 frames", r.count*r.size, r.junkBytes))
		r.junkBytes = 0
		return dst, nil
	case missing > 0 && !r.shortReported:
		r.shortReported = true
		r.conceal(0, source.DecodeErrorf("cut short: %d MP3 frames are announced, %d are there", r.info.frames, r.count))
	case r.truncatedSize > 0 && !r.shortReported:
		r.shortReported = true
		r.conceal(0, source.DecodeErrorf("cut short: the last MP3 frame has %d bytes, %d are there", r.truncatedSize, r.junkBytes))
	}
	return dst, io.EOF
}

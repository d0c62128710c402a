package mp3

import (
	"bytes"
	"errors"
	"io"

	"voicepool/sounds/internal/source"
)

// alike reports whether h matches the first frame of the file in MPEG version, rate and channels, and has a size with
// space for its side information.
func (r *reader) alike(h header) bool {
	return h.low == r.first.low && h.rate == r.first.rate && h.channels == r.first.channels && h.size >= 4+h.sideSize()
}

// leads reports whether a frame like the first one (see alike) or a tag begins at the offset at of b. It is also true
// at or beyond the end of b.
func (r *reader) leads(b []byte, at int) bool {
	if at >= len(b) {
		return true
	}
	h, ok, _ := parseHeader(b[at:])
	return ok && r.alike(h) || source.BeginsTag(b[at:])
}

// follows finds the offset in b, from 1 on, where the sound continues after damage: two consecutive frames, or a tag.
// h is the header of the first of these frames; for a tag it is zero. found is false if the sound does not continue
// within maxRubbish bytes of b.
func (r *reader) follows(b []byte) (at int, h header, found bool) {
	for at := 1; at < min(len(b), maxRubbish); at++ {
		switch b[at] {
		case 0xff:
			if h, ok, _ := parseHeader(b[at:]); ok && r.alike(h) && r.leads(b, at+h.size) {
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

// isSize reports whether n bytes is a valid frame size, with any bit rate and padding, for the MPEG version and rate
// of the first frame.
func (r *reader) isSize(n int) bool {
	for rate := byte(1); rate < 15; rate++ {
		version := byte(0xfb)
		switch {
		case r.first.rate < 16000:
			version = 0xe3
		case r.first.low:
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

// isFrame reports whether the n bytes before the frame next are probably a single frame, although its header, the
// parameter says, announces another size. next is zero before a tag.
func (r *reader) isFrame(n int, says, next header) bool {
	near := func(x, y int) bool { return x-y <= 1 && y-x <= 1 }
	switch {
	case !r.isSize(n):
		return false
	case next.size > 0 && near(n, next.size):
		return true
	}
	return n < says.size || !r.isSize(n-says.size)
}

// missing estimates the number of MP3 frames that n bytes of garbage contained; 0 for data between two concatenated
// files. The sound continues at the offset at of b with the frame next, which is zero for a tag.
func (r *reader) missing(n int, b []byte, at int, next header) int64 {
	switch {
	case r.isSize(n):
		return 1
	case next.size == 0 || bytes.HasPrefix(b, []byte("LYRICSBEGIN")):
		return 0 // data between two concatenated files
	}
	if _, note := readXing(b[at:min(at+next.size, len(b))], next); note {
		return 0
	}
	size := int64(next.size)
	if r.note.frames > 0 {
		size = max((r.in.Size-r.start)/r.note.frames, leastFrame)
	}
	return (int64(n) + size/2) / size
}

// leastFrame is the size of the smallest frame, in bytes.
const leastFrame = 24

// resync handles data at the position of in that does not begin with a frame (ok is false), or begins with a frame h
// without a successor. It appends the sound of that frame to dst, or skips garbage, records the damage, and schedules
// silent frames in r.lost. If another kind of MPEG audio follows, it returns an error that wraps source.ErrDecode;
// other errors are of frame.
func (r *reader) resync(h header, ok bool, dst []float32) ([]float32, error) {
	b := r.in.Peek(source.Probe)
	at, next, found := r.follows(b)
	switch {
	case ok && (!found || at > h.size && !r.isFrame(at, h, next)):
		return r.frame(h, b, dst) // the damage is after this frame
	case !found:
		if other, o, err := firstFrame(b); err != nil && !errors.Is(err, errNoFrame) {
			return dst, source.Broken("frame %d: %v", r.count*r.size, err)
		} else if err == nil && !r.alike(o) && r.leadsOther(b, other, o) {
			return dst, source.Broken("frame %d: %d channels at %d Hz after %d at %d Hz",
				r.count*r.size, o.channels, o.rate, r.first.channels, r.first.rate)
		}
		n := min(maxRubbish, r.in.Left())
		r.rubbish += n
		r.in.Skip(n)
		return dst, nil
	}
	n := int(r.rubbish) + at
	if r.lost = r.missing(n, b, at, next); ok && next.size == 0 {
		r.lost = 1 // a tag has overwritten the end of a frame
	}
	data := 4 + r.first.sideSize()
	if r.first.crc {
		data += 2
	}
	if r.lost == 1 && r.rubbish == 0 && r.isSize(n) && data < at { // its data may be intact
		r.keep(b[data:at])
	} else if r.lost > 0 {
		r.data, r.torn = r.data[:0], true
	}
	if r.lost > 0 {
		r.conceal(r.lost, source.Broken("frame %d: %d bytes are not MP3 frames", r.count*r.size, n))
	}
	r.rubbish = 0
	r.in.Skip(int64(at))
	return dst, nil
}

// leadsOther reports whether consistent frames of another kind than the first frame follow in b: the frame with
// header h at the offset at, a second one, and after it a third or the end of b.
func (r *reader) leadsOther(b []byte, at int, h header) bool {
	at += h.size
	next, ok, _ := parseHeader(b[min(at, len(b)):])
	return ok && next.rate == h.rate && next.channels == h.channels && agrees(b, at, next)
}

// keep copies data, the data of a frame, to the end of the bit reservoir r.data, which later frames may use, and
// drops the oldest bytes beyond its limit. It also counts the bytes; while the reader only walks, it does just that.
func (r *reader) keep(data []byte) {
	r.bytes += int64(len(data))
	if r.todo == pass {
		return
	}
	r.data = append(r.data, data...)
	if n := len(r.data); n > reservoir {
		r.data = append(r.data[:0], r.data[n-reservoir:]...)
	}
}

// conceal records as damage that the next frames MP3 frames are silent because of fault; 0 means a file that is cut
// short. The first fault is kept in r.fault. Unless r.todo is decode, it has no effect.
func (r *reader) conceal(frames int64, fault error) {
	if r.todo != decode {
		return
	}
	if r.fault == nil {
		r.fault = fault
	}
	from, to := r.given(r.count*r.size), r.given((r.count+frames)*r.size)
	r.Conceal(from, to-from, fault)
}

// silent appends one silent MP3 frame to dst without padding, counts the frame, and returns dst. The previous sound
// fades out at its beginning. Unless r.todo is decode, it only counts.
func (r *reader) silent(dst []float32) []float32 {
	if r.todo == decode {
		old := len(dst)
		dst = source.Grow(dst, int(r.size)*r.Channels)
		_ = r.decode(r.first, &sideInfo{}, nil, true, dst[old:])
		dst = r.cut(dst)
	}
	r.count++
	return dst
}

// end handles the end of a file and returns dst with io.EOF, or with the error of a file without a decodable frame.
// If the note counts more frames than were found, and garbage at the end may have contained them, it schedules silent
// frames and returns nil. Otherwise it records, once, that the file is cut short.
func (r *reader) end(dst []float32) ([]float32, error) {
	missing := r.note.frames - r.count
	switch {
	case r.count == 0:
		return dst, source.Broken("there is no whole MP3 frame in it")
	case r.todo == decode && r.whole && !r.sound && r.fault != nil:
		return dst, r.fault
	case missing > 0 && r.rubbish > 0 && missing <= 1+r.rubbish/leastFrame && missing*int64(r.first.size)/4 <= r.rubbish:
		r.lost = missing
		r.conceal(missing, source.Broken("frame %d: %d bytes are not MP3 frames", r.count*r.size, r.rubbish))
		r.rubbish = 0
		return dst, nil
	case missing > 0 && !r.short:
		r.short = true
		r.conceal(0, source.Broken("cut short: %d MP3 frames are announced, %d are there", r.note.frames, r.count))
	case r.broken > 0 && !r.short:
		r.short = true
		r.conceal(0, source.Broken("cut short: the last MP3 frame has %d bytes, %d are there", r.broken, r.rubbish))
	}
	return dst, io.EOF
}

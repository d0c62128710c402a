package vorbis

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"

	"voicepool/sounds/internal/source"
)

// reader decodes the Vorbis in an Ogg file. Streams that are chained one
// after the other are one sound, if they agree on rate and channels.
//
// The positions that pages tell only trim: that of the first page with sound may
// cut frames off the beginning, that of the last one off the end, of what it
// completes itself. All else is counted.
type reader struct {
	in  *source.Input
	lim source.Limits
	source.Head
	stream stream
	v      *decoder
	dry    bool // packets are counted, not decoded

	link   int64 // of the stream: where it begins, in bytes
	before int64 // how many frames came before it
	over   bool  // it has ended
	began  bool  // a page of it with sound has come

	at    int64 // the next frame
	fresh bool  // the next packet is the first of its page
	cut   int64 // how many frames are still to be left out
	limit int64 // the frame where the stream ends; -1: not on this page
}

// Is knows an Ogg file, whatever is in it.
func Is(data []byte, tagged bool) bool { return !tagged && bytes.HasPrefix(data, []byte("OggS")) }

// Open reads the headers of the first Vorbis stream of the file that in stands at.
func Open(in *source.Input, lim source.Limits) (source.Reader, error) {
	if err := other(in.Peek(maxPage)); err != nil {
		return nil, err
	}
	r := &reader{in: in, lim: lim, stream: stream{in: in}, limit: -1}
	err := r.openLink()
	if errors.Is(err, io.EOF) {
		err = source.Unknown("an Ogg file without Vorbis in it")
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// other says by name what is in an Ogg file, if it is not Vorbis.
func other(file []byte) error {
	page, _, err := readPage(file, true)
	if err != nil {
		return err
	}
	for magic, name := range map[string]string{"OpusHead": "Opus", "\x7fFLAC": "FLAC in Ogg", "Speex   ": "Speex"} {
		if bytes.HasPrefix(page.body, []byte(magic)) {
			return source.Unread(name)
		}
	}
	return nil
}

// openLink reads the headers of the stream that comes; the error is io.EOF if there is
// none.
func (r *reader) openLink() error {
	ident, err := r.stream.packet()
	if err != nil {
		return err
	}
	link := r.stream.at
	v := &decoder{}
	if err := v.readIdent(ident, r.lim); err != nil {
		return err
	}
	var headers [2][]byte
	for i := range headers {
		p, err := r.stream.packet()
		if errors.Is(err, io.EOF) {
			err = source.Broken("cut short before its third header")
		}
		if err != nil {
			return err
		}
		headers[i] = p
	}
	if err := checkHeader(headers[0], 3); err != nil {
		return err
	}
	if r.v != nil && r.link == link {
		v = r.v // it has been read
		v.lastLong = -1
	} else if err := v.readSetup(headers[1]); err != nil {
		return err
	}
	if r.Channels == 0 {
		r.Head = source.Head{Channels: v.channels, Rate: v.rate, Tags: source.Comments(headers[0][7:]), Walks: true}
	} else if r.Channels != v.channels || r.Rate != v.rate {
		return source.Unknown("a chain of Ogg streams of different rates or channels is not read")
	}
	r.v, r.link, r.before = v, link, r.at
	r.over, r.began, r.fresh, r.cut, r.limit = false, false, true, 0, -1
	return nil
}

func (r *reader) Next(dst []float32) ([]float32, error) {
	if r.over {
		return dst, r.openLink()
	}
	r.fresh = r.fresh || len(r.stream.packets) == 0
	p, err := r.stream.packet()
	if errors.Is(err, io.EOF) {
		r.over = true
		return dst, nil
	}
	if err != nil {
		return dst, err
	}
	if r.fresh {
		r.turnPage(p)
	}
	r.fresh = false
	n := int64(0)
	if r.dry {
		n, err = r.v.pass(p)
	} else {
		old := len(dst)
		dst, err = r.v.decode(dst, p)
		n = int64((len(dst) - old) / r.Channels)
	}
	if err != nil {
		return dst, source.Broken("frame %d: %v", r.at, err)
	}
	dst = r.keep(dst, n)
	r.over = len(r.stream.packets) == 0 && !r.stream.open
	return dst, r.lim.Length(r.at, r.Channels)
}

// keep counts n frames, which stand at the end of dst, and takes off what is to be
// left out.
func (r *reader) keep(dst []float32, n int64) []float32 {
	channels := int64(r.Channels)
	front := min(r.cut, n)
	r.cut -= front
	back := int64(0)
	if r.limit >= 0 {
		back = min(max(r.at+n-front-r.limit, 0), n-front)
	}
	if !r.dry && front+back > 0 {
		end := int64(len(dst))
		dst = slices.Delete(dst, int(end-back*channels), int(end))
		dst = slices.Delete(dst, int(end-n*channels), int(end-(n-front)*channels))
	}
	r.at += n - front - back
	return dst
}

// turnPage looks at what the page tells whose first packet is p.
func (r *reader) turnPage(p []byte) {
	r.limit = -1
	switch granule := r.stream.granule; {
	case granule < 0:
	case r.stream.last:
		r.limit = r.before + min(granule, math.MaxInt64-r.before)
	case !r.began:
		last := r.v.lastLong
		frames := r.at - r.before
		for _, p := range append([][]byte{p}, r.stream.packets...) {
			n, _ := r.v.pass(p)
			frames += n
		}
		r.v.lastLong = last
		r.cut = max(frames-granule, 0)
	}
	r.began = true
}

func (r *reader) Count(m *source.Marks) (int64, error) {
	if err := r.walk(math.MaxInt64, m); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	return r.at, nil
}

// SeekFrame walks over the pages, from the nearest place that is known: a position
// that a page tells need not be right.
func (r *reader) SeekFrame(frame int64, m *source.Marks) (int64, error) {
	if err := r.walk(frame, m); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	at := m.Last(source.Mark{}, func(x source.Mark) bool { return x.Frame <= frame })
	return at.Frame, r.resume(at)
}

// walk marks the places up to a frame.
func (r *reader) walk(frame int64, m *source.Marks) error {
	if err := r.resume(m.Last(source.Mark{}, func(x source.Mark) bool { return x.Frame <= frame })); err != nil {
		return err
	}
	r.dry, r.stream.hurried = true, true
	defer func() { r.dry, r.stream.hurried = false, false }()
	for r.at <= frame {
		// A page that begins with a packet of its own, behind the first.
		place := len(r.stream.packets) == 0 && len(r.stream.partial) == 0 && r.began && !r.over
		x := source.Mark{Link: r.link, Before: r.before, Serial: r.stream.serial, Sequence: r.stream.next}
		if _, err := r.Next(nil); err != nil {
			return err
		}
		if place && !r.over && r.link == x.Link && r.stream.next == x.Sequence+1 {
			x.At, x.Frame = r.stream.at, r.at
			m.Add(x)
		}
	}
	return nil
}

// enter goes to where a stream begins, behind so many frames.
func (r *reader) enter(link, before int64) error {
	r.in.MoveTo(link)
	r.stream = stream{in: r.in}
	r.at = before
	return r.openLink()
}

// resume goes to a page of which the first packet only prepares the second, or to the
// beginning of the file.
func (r *reader) resume(x source.Mark) error {
	if x.At == 0 {
		return r.enter(0, 0)
	}
	if r.link != x.Link {
		if err := r.enter(x.Link, x.Before); err != nil {
			return err
		}
	}
	r.in.MoveTo(x.At)
	r.stream = stream{in: r.in, serial: x.Serial, open: true, next: x.Sequence}
	r.v.lastLong = -1
	r.at, r.before = x.Frame, x.Before
	r.over, r.began, r.fresh, r.cut, r.limit = false, true, true, 0, -1
	return nil
}

// checkHeader checks that a packet is the header of a kind.
func checkHeader(b []byte, kind byte) error {
	if len(b) < 7 || b[0] != kind || string(b[1:7]) != "vorbis" {
		return source.Broken("the Vorbis header of kind %d is missing", kind)
	}
	return nil
}

// readIdent reads the first header.
func (v *decoder) readIdent(b []byte, lim source.Limits) error {
	if err := checkHeader(b, 1); err != nil {
		return err
	}
	if len(b) < 30 {
		return source.Broken("a first Vorbis header of %d bytes, it has 30", len(b))
	}
	v.channels = int(b[11])
	rate := int64(binary.LittleEndian.Uint32(b[12:]))
	if err := lim.Shape(v.channels, rate); err != nil {
		return err
	}
	v.rate = int(rate)
	small, large := b[28]&15, b[28]>>4
	switch {
	case binary.LittleEndian.Uint32(b[7:]) != 0:
		return source.Unknown("Vorbis of version %d is not read", binary.LittleEndian.Uint32(b[7:]))
	case small < 6 || large > 13 || small > large || b[29]&1 == 0:
		return source.Broken("a first Vorbis header with blocks of %d and %d frames", 1<<small, 1<<large)
	}
	v.blocks = [2]int{1 << small, 1 << large}
	return nil
}

package ogg

import (
	"errors"
	"io"
	"math"
	"slices"

	"voicepool/sounds/internal/source"
)

// Codec decodes the packets of a stream.
type Codec interface {
	// Open reads the headers of a stream, the first of which is there. again says that they
	// are those that it has read last.
	Open(first []byte, next func() ([]byte, error), again bool) (source.Head, error)

	// Decode appends what a packet completes to dst.
	Decode(dst []float32, packet []byte) ([]float32, error)

	// Pass counts what a packet completes, and does not decode it.
	Pass(packet []byte) (frames int64, err error)

	// Ahead counts what packets are going to complete, as far as they are sound.
	Ahead(packets ...[]byte) (frames int64)

	// Reset prepares for a packet that does not follow the last one.
	Reset()

	// End says what is wrong with a stream that has been decoded to its end.
	End() error
}

// Kind says what streams a Reader reads.
type Kind struct {
	Magic    string // what their first packet begins with
	Overlaps bool   // a packet completes what the one before it began, so the first gives nothing
}

// Reader decodes one kind of stream in an Ogg file. Streams that are chained one
// after the other are one sound, if they agree on rate and channels.
//
// The positions that pages tell only trim: that of the first page with sound may
// cut frames off the beginning, that of the last one off the end, of what it
// completes itself. All else is counted.
type Reader struct {
	in  *source.Input
	lim source.Limits
	source.Head
	kind   Kind
	stream stream
	codec  Codec
	opened bool
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

// NewReader reads the headers of the first stream of a kind in the file that in stands at; the
// error is io.EOF if there is none.
func NewReader(in *source.Input, lim source.Limits, kind Kind, codec Codec) (*Reader, error) {
	r := &Reader{in: in, lim: lim, kind: kind, codec: codec, stream: stream{in: in, magic: kind.Magic}, limit: -1}
	return r, r.openLink()
}

// openLink reads the headers of the stream that comes; the error is io.EOF if there is
// none.
func (r *Reader) openLink() error {
	first, err := r.stream.packet()
	if err != nil {
		return err
	}
	link := r.stream.at
	h, err := r.codec.Open(first, r.header, r.opened && r.link == link)
	if err != nil {
		return err
	}
	h.Walks = true
	if !r.opened {
		r.Head, r.opened = h, true
	} else if r.Channels != h.Channels || r.Rate != h.Rate {
		return source.Unknown("a chain of Ogg streams of different rates or channels is not read")
	}
	r.link, r.before = link, r.at
	r.over, r.began, r.fresh, r.cut, r.limit = false, false, true, 0, -1
	return nil
}

// header returns a packet that there has to be.
func (r *Reader) header() ([]byte, error) {
	p, err := r.stream.packet()
	if errors.Is(err, io.EOF) {
		err = source.Broken("cut short before its last header")
	}
	return p, err
}

func (r *Reader) Next(dst []float32) ([]float32, error) {
	if r.over {
		if err := r.finish(); err != nil {
			return dst, err
		}
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
		n, err = r.codec.Pass(p)
	} else {
		old := len(dst)
		dst, err = r.codec.Decode(dst, p)
		n = int64((len(dst) - old) / r.Channels)
	}
	if err != nil {
		return dst, source.Broken("frame %d: %v", r.at, err)
	}
	dst = r.keep(dst, n)
	r.over = len(r.stream.packets) == 0 && !r.stream.open
	return dst, r.lim.Length(r.at, r.Channels)
}

// finish looks at a stream that has ended, if it has been decoded.
func (r *Reader) finish() error {
	if r.dry {
		return nil
	}
	return r.codec.End()
}

// keep counts n frames, which stand at the end of dst, and takes off what is to be
// left out.
func (r *Reader) keep(dst []float32, n int64) []float32 {
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
func (r *Reader) turnPage(p []byte) {
	r.limit = -1
	switch granule := r.stream.granule; {
	case granule < 0:
	case r.stream.last:
		r.limit = r.before + min(granule, math.MaxInt64-r.before)
	case !r.began:
		frames := r.at - r.before + r.codec.Ahead(append([][]byte{p}, r.stream.packets...)...)
		r.cut = max(frames-granule, 0)
	}
	r.began = true
}

func (r *Reader) Count(m *source.Marks) (int64, error) {
	if err := r.walk(math.MaxInt64, m); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	return r.at, nil
}

// SeekFrame walks over the pages, from the nearest place that is known: a position
// that a page tells need not be right.
func (r *Reader) SeekFrame(frame int64, m *source.Marks) (int64, error) {
	if err := r.walk(frame, m); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	at := m.Last(source.Mark{}, func(x source.Mark) bool { return x.Frame <= frame })
	return at.Frame, r.resume(at)
}

// walk marks the places up to a frame.
func (r *Reader) walk(frame int64, m *source.Marks) error {
	if err := r.resume(m.Last(source.Mark{}, func(x source.Mark) bool { return x.Frame <= frame })); err != nil {
		return err
	}
	r.dry, r.stream.hurried = true, true
	defer func() { r.dry, r.stream.hurried = false, false }()
	for r.at <= frame {
		// A page that begins with a packet of its own, behind the first.
		place := len(r.stream.packets) == 0 && len(r.stream.partial) == 0 && r.began && !r.over
		x := source.Mark{Link: r.link, Before: r.before, Serial: r.stream.serial, Sequence: r.stream.next, Frame: r.at}
		if _, err := r.Next(nil); err != nil {
			return err
		}
		if place && !r.over && r.link == x.Link && r.stream.next == x.Sequence+1 {
			x.At = r.stream.at
			if r.kind.Overlaps {
				x.Frame = r.at
			}
			m.Add(x)
		}
	}
	return nil
}

// enter goes to where a stream begins, behind so many frames.
func (r *Reader) enter(link, before int64) error {
	r.in.MoveTo(link)
	r.stream = stream{in: r.in, magic: r.kind.Magic}
	r.at = before
	return r.openLink()
}

// resume goes to a page that a mark names, or to the beginning of the file.
func (r *Reader) resume(x source.Mark) error {
	if x.At == 0 {
		return r.enter(0, 0)
	}
	if r.link != x.Link {
		if err := r.enter(x.Link, x.Before); err != nil {
			return err
		}
	}
	r.in.MoveTo(x.At)
	r.stream = stream{in: r.in, magic: r.kind.Magic, serial: x.Serial, open: true, next: x.Sequence}
	r.codec.Reset()
	r.at, r.before = x.Frame, x.Before
	r.over, r.began, r.fresh, r.cut, r.limit = false, true, true, 0, -1
	return nil
}

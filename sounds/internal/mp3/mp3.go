// Package mp3 reads layer III of MPEG-1, MPEG-2 and MPEG 2.5. The usual library
// panics on mixed blocks, decodes joint stereo in short ones wrongly, plays noise
// where the data of frames before is missing, miscounts padded frames of MPEG-2,
// does not know MPEG 2.5, cuts samples off to 16 bits, and trims nothing. All sums
// are in float64 with every product converted, so the samples have the same bits on
// every machine.
package mp3

import (
	"errors"
	"fmt"
	"io"
	"math"

	"voicepool/sounds/internal/source"
)

// decoderDelay is how many frames late every decoder of layer III gives its
// sound; encoders do not count it in what they note.
const decoderDelay = 528 + 1

// maxFrame is more bytes than a frame has, with what tells the end behind it.
const maxFrame = 2 << 10

// reader reads layer III of MPEG-1, MPEG-2 and MPEG 2.5. A file that ends
// within a frame is read up to there, unless it announces more: many do.
type reader struct {
	in    *source.Input
	lim   source.Limits
	head  source.Head
	note  note
	added [2]int64 // from where to where the encoder has added frames of sound at the end
	start int64    // where the first frame of sound begins, in bytes
	d     decoder
	bytes int64 // of data, in the frames before
	todo  work
}

// work is what is done with a frame.
type work uint8

const (
	decode work = iota
	keep        // its data is kept for the frames that follow
	pass        // it is counted
)

// Open reads the tags of the file that in stands at, finds its first frame, and
// reads the note of its encoder.
func Open(in *source.Input, lim source.Limits) (source.Reader, error) {
	tags := in.TakeID3()
	body := in.Peek(source.Probe)
	at, h, err := firstFrame(body)
	if err != nil {
		return nil, err
	}
	if err := lim.Shape(h.channels, int64(h.rate)); err != nil {
		return nil, err
	}
	body = body[at:]
	in.Skip(int64(at))
	r := &reader{in: in, lim: lim, d: decoder{head: h, lines: spectral(), synth: synthesis()}, head: source.Head{
		Channels: h.channels, Rate: h.rate, Tags: tags, Walks: true,
	}}
	note, ok := readXing(body[:min(h.size, len(body))], h)
	if ok {
		in.Skip(int64(min(h.size, len(body))))
	}
	r.note = note
	r.takeOff()
	r.start = in.At
	return r, nil
}

func (r *reader) About() *source.Head { return &r.head }

func (r *reader) Next(dst []float32) ([]float32, error) {
	b := r.in.Peek(maxFrame)
	if len(b) == 0 || source.IsTrailer(b) {
		return dst, r.end()
	}
	if _, ok, _ := parseHeader(b); !ok {
		b = r.in.Peek(source.Probe) // for the next one
	}
	frames := r.d.count * int64(r.d.head.frames())
	old := len(dst)
	dst, n, err := r.d.frame(b, dst, r.todo)
	if err != nil {
		return dst, source.Broken("frame %d: %v", frames, err)
	}
	if len(dst) > old {
		dst = r.cut(dst)
	}
	r.bytes += int64(r.d.added)
	if n == len(b) {
		r.in.MoveTo(r.in.Size) // the rest is not of it, or cut short
	} else {
		r.in.Skip(int64(n))
	}
	return dst, r.lim.Length(r.d.count*int64(r.d.head.frames()), r.d.head.channels)
}

func (r *reader) end() error {
	switch {
	case r.d.count == 0:
		return source.Broken("there is no whole MP3 frame in it")
	case r.note.frames > r.d.count:
		return source.Broken("cut short: %d MP3 frames are announced, %d are there", r.note.frames, r.d.count)
	}
	return io.EOF
}

// Count walks over all headers.
func (r *reader) Count(m *source.Marks) (int64, error) {
	if err := r.walk(math.MaxInt64, m); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	return r.given(r.d.count * int64(r.d.head.frames())), nil
}

// walk goes on from the nearest place that is known to MP3 frame n, or to the
// end.
func (r *reader) walk(n int64, m *source.Marks) error {
	size := int64(r.d.head.frames())
	r.resume(m.Last(source.Mark{At: r.start}, func(x source.Mark) bool { return x.Packets <= n }))
	r.todo = pass
	for r.d.count < n {
		m.Add(source.Mark{Frame: r.d.count * size, At: r.in.At, Packets: r.d.count, Data: r.bytes})
		if _, err := r.Next(nil); err != nil {
			return err
		}
	}
	return nil
}

// SeekFrame begins so early that nothing is missed of what a frame takes from those
// before it: two granules for the filters, and before these the data of the
// reservoir.
func (r *reader) SeekFrame(frame int64, m *source.Marks) (int64, error) {
	size := int64(r.d.head.frames())
	target := r.decoded(frame)/size - 2*2/int64(r.d.head.granules()) // the first that is decoded
	if target <= 0 {
		r.resume(source.Mark{At: r.start})
		return 0, nil
	}
	if err := r.walk(target, m); err != nil {
		if errors.Is(err, io.EOF) {
			return r.given(r.d.count * size), nil
		}
		return 0, err
	}
	need := r.bytes - reservoir
	r.resume(m.Last(source.Mark{At: r.start}, func(x source.Mark) bool { return x.Packets <= target && x.Data <= need }))
	r.todo = keep
	for r.d.count < target {
		if _, err := r.Next(nil); err != nil {
			return 0, err
		}
	}
	r.todo = decode
	return r.given(target * size), nil
}

// resume goes to a frame and forgets what was before it.
func (r *reader) resume(x source.Mark) {
	r.in.MoveTo(x.At)
	r.todo, r.bytes = decode, x.Data
	r.d.count, r.d.data, r.d.channels = x.Packets, r.d.data[:0], [2]channel{}
}

// reservoir is how many bytes of data of past frames a frame may use.
const reservoir = 511

// decoder decodes the frames of one file.
type decoder struct {
	head     header // of the first frame; the others agree with it
	count    int64
	data     []byte // the last of the frames before, then the frame's own
	added    int    // how many of these the last call added
	lines    *lines
	synth    *synth
	channels [2]channel
	x        [2][576]float64
	bands    [2][2][]band // by granule and channel
}

// frame appends the MP3 frame at the beginning of b to dst, or passes over
// rubbish before the next one. It returns how many bytes that is; all of b, if
// nothing follows.
func (d *decoder) frame(b []byte, dst []float32, todo work) (_ []float32, n int, err error) {
	d.added = 0
	h, ok, _ := parseHeader(b)
	switch {
	case !ok:
		at, next, err := firstFrame(b)
		switch {
		case err != nil && !errors.Is(err, errNoFrame):
			return dst, 0, err
		case err != nil || next.rate != d.head.rate:
			return dst, len(b), nil // what follows the last frame, whatever it is
		}
		return dst, at, nil
	case h.rate != d.head.rate || h.channels != d.head.channels:
		return dst, 0, fmt.Errorf("%d channels at %d Hz after %d at %d Hz", h.channels, h.rate, d.head.channels, d.head.rate)
	}
	start := 4
	if h.crc {
		start += 2
	}
	data := start + h.sideSize()
	switch {
	case h.size < data:
		return dst, 0, fmt.Errorf("a frame of %d bytes has no room for what it must hold", h.size)
	case h.size > len(b) && d.count == 0:
		return dst, 0, errors.New("cut short")
	case h.size > len(b):
		return dst, len(b), nil
	}
	d.added = h.size - data
	if todo == pass {
		d.count++
		return dst, h.size, nil
	}
	side, err := readSide(b[start:data], h)
	if err != nil {
		return dst, 0, err
	}
	have := len(d.data)
	d.data = append(d.data, b[data:h.size]...)
	// A frame whose data lies in frames that are not there is silent: so it is
	// with the first ones of a file that was cut out of another.
	silent := side.begin > have
	if todo == decode {
		old := len(dst)
		dst = source.Grow(dst, h.frames()*h.channels)
		if err := d.decode(h, &side, d.data[max(have-side.begin, 0):], silent, dst[old:]); err != nil {
			return dst, 0, err
		}
	}
	if n = len(d.data); n > reservoir {
		d.data = append(d.data[:0], d.data[n-reservoir:]...)
	}
	d.count++
	return dst, h.size, nil
}

// decode decodes the granules of a frame into dst.
func (d *decoder) decode(h header, side *sideInfo, data []byte, silent bool, dst []float32) error {
	at := 0 // in bits
	for i := range h.granules() {
		for ch := range h.channels {
			g := &side.granules[i][ch]
			if silent {
				clear(d.x[ch][:])
				d.bands[i][ch] = g.bandsOf(h, d.bands[i][ch][:0])
				continue
			}
			end := at + g.bits
			if end > 8*len(data) {
				return errData
			}
			r := source.NewMSB(data[at/8:])
			r.Take(uint(at % 8))
			bands := g.bandsOf(h, d.bands[i][ch][:0])
			d.bands[i][ch] = bands
			if h.low {
				g.readScalesLow(r, bands, h.intensity && ch == 1)
			} else {
				var shared [4]bool
				if i == 1 {
					shared = side.shared[ch]
				}
				g.readScales(r, bands, d.bands[0][ch], &shared)
			}
			if err := d.lines.read(r, end-at&^7, g, &d.x[ch]); err != nil {
				return err
			}
			at = end
			g.scale(bands, &d.x[ch])
		}
		if h.channels == 2 {
			undoStereo(h, &side.granules[i][1], d.bands[i][1], &d.x[0], &d.x[1])
		}
		for ch := range h.channels {
			reorder(d.bands[i][ch], &d.x[ch])
			d.synth.granule(&side.granules[i][ch], &d.channels[ch], &d.x[ch], dst[i*576*h.channels+ch:], h.channels)
		}
	}
	return nil
}

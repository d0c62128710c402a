package sounds

import (
	"errors"
	"fmt"
	"io"
	"math"
)

// The project decodes MP3 itself, since the usual library panics on mixed
// blocks, decodes joint stereo in short ones wrongly, plays noise where the data
// of frames before is missing, miscounts padded frames of MPEG-2, does not know
// MPEG 2.5, cuts samples off to 16 bits, and trims nothing. All sums are in float64 with
// every product converted, so the samples have the same bits on every machine.

// mp3DecoderDelay is how many frames late every decoder of layer III gives its
// sound; encoders do not count it in what they note.
const mp3DecoderDelay = 528 + 1

// maxMP3Frame is more bytes than a frame has, with what tells the end behind it.
const maxMP3Frame = 2 << 10

// mp3Reader reads layer III of MPEG-1, MPEG-2 and MPEG 2.5. A file that ends
// within a frame is read up to there, unless it announces more: many do.
type mp3Reader struct {
	in    *input
	lim   bounds
	head  head
	note  mp3Gapless
	added [2]int64 // from where to where the encoder has added frames of sound at the end
	start int64    // where the first frame of sound begins, in bytes
	d     mp3Decoder
	bytes int64 // of data, in the frames before
	todo  mp3Work
}

// mp3Work is what is done with a frame.
type mp3Work uint8

const (
	mp3Decode mp3Work = iota
	mp3Keep           // its data is kept for the frames that follow
	mp3Pass           // it is counted
)

func openMP3(in *input, lim bounds) (reader, error) {
	tags := in.takeID3()
	body := in.peek(probe)
	at, h, err := firstMP3Frame(body)
	if err != nil {
		return nil, err
	}
	if err := lim.shape(h.channels, int64(h.rate)); err != nil {
		return nil, err
	}
	body = body[at:]
	in.skip(int64(at))
	r := &mp3Reader{in: in, lim: lim, d: mp3Decoder{head: h, lines: newMP3Lines(), synth: newMP3Synth()}, head: head{
		channels: h.channels, rate: h.rate, tags: tags, walks: true,
	}}
	note, ok := readXing(body[:min(h.size, len(body))], h)
	if ok {
		in.skip(int64(min(h.size, len(body))))
	}
	r.note = note
	r.takeOff()
	r.start = in.at
	return r, nil
}

func (r *mp3Reader) about() *head { return &r.head }

func (r *mp3Reader) next(dst []float32) ([]float32, error) {
	b := r.in.peek(maxMP3Frame)
	if len(b) == 0 || isTrailer(b) {
		return dst, r.end()
	}
	if _, ok, _ := parseMP3Header(b); !ok {
		b = r.in.peek(probe) // for the next one
	}
	frames := r.d.count * int64(r.d.head.frames())
	old := len(dst)
	dst, n, err := r.d.frame(b, dst, r.todo)
	if err != nil {
		return dst, broken("frame %d: %v", frames, err)
	}
	if len(dst) > old {
		dst = r.cut(dst)
	}
	r.bytes += int64(r.d.added)
	if n == len(b) {
		r.in.seek(r.in.size) // the rest is not of it, or cut short
	} else {
		r.in.skip(int64(n))
	}
	return dst, r.lim.length(r.d.count*int64(r.d.head.frames()), r.d.head.channels)
}

func (r *mp3Reader) end() error {
	switch {
	case r.d.count == 0:
		return broken("there is no whole MP3 frame in it")
	case r.note.frames > r.d.count:
		return broken("cut short: %d MP3 frames are announced, %d are there", r.note.frames, r.d.count)
	}
	return io.EOF
}

// count walks over all headers.
func (r *mp3Reader) count(m *marks) (int64, error) {
	if err := r.walk(math.MaxInt64, m); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	return r.given(r.d.count * int64(r.d.head.frames())), nil
}

// walk goes on from the nearest place that is known to MP3 frame n, or to the
// end.
func (r *mp3Reader) walk(n int64, m *marks) error {
	size := int64(r.d.head.frames())
	r.resume(mark{at: r.start})
	if at, ok := m.last(func(x mark) bool { return x.packets <= n }); ok {
		r.resume(at)
	}
	r.todo = mp3Pass
	for r.d.count < n {
		m.add(mark{frame: r.d.count * size, at: r.in.at, packets: r.d.count, data: r.bytes})
		if _, err := r.next(nil); err != nil {
			return err
		}
	}
	return nil
}

// seek begins so early that nothing is missed of what a frame takes from those
// before it: two granules for the filters, and before these the data of the
// reservoir.
func (r *mp3Reader) seek(frame int64, m *marks) (int64, error) {
	size := int64(r.d.head.frames())
	target := r.decoded(frame)/size - 2*2/int64(r.d.head.granules()) // the first that is decoded
	if target <= 0 {
		r.resume(mark{at: r.start})
		return 0, nil
	}
	if err := r.walk(target, m); err != nil {
		if errors.Is(err, io.EOF) {
			return r.given(r.d.count * size), nil
		}
		return 0, err
	}
	need := r.bytes - mp3Reservoir
	at, ok := m.last(func(x mark) bool { return x.packets <= target && x.data <= need })
	if !ok {
		at = mark{at: r.start}
	}
	r.resume(at)
	r.todo = mp3Keep
	for r.d.count < target {
		if _, err := r.next(nil); err != nil {
			return 0, err
		}
	}
	r.todo = mp3Decode
	return r.given(target * size), nil
}

// resume goes to a frame and forgets what was before it.
func (r *mp3Reader) resume(x mark) {
	r.in.seek(x.at)
	r.todo, r.bytes = mp3Decode, x.data
	r.d.count, r.d.data, r.d.channels = x.packets, r.d.data[:0], [2]mp3Channel{}
}

// mp3Reservoir is how many bytes of data of past frames a frame may use.
const mp3Reservoir = 511

// mp3Decoder decodes the frames of one file.
type mp3Decoder struct {
	head     mp3Header // of the first frame; the others agree with it
	count    int64
	data     []byte // the last of the frames before, then the frame's own
	added    int    // how many of these the last call added
	lines    *mp3Lines
	synth    *mp3Synth
	channels [2]mp3Channel
	x        [2][576]float64
	bands    [2][2][]mp3Band // by granule and channel
}

// frame appends the MP3 frame at the beginning of b to dst, or passes over
// rubbish before the next one. It returns how many bytes that is; all of b, if
// nothing follows.
func (d *mp3Decoder) frame(b []byte, dst []float32, todo mp3Work) (_ []float32, n int, err error) {
	d.added = 0
	h, ok, _ := parseMP3Header(b)
	switch {
	case !ok:
		at, next, err := firstMP3Frame(b)
		switch {
		case err != nil && !errors.Is(err, errNoMP3):
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
	if todo == mp3Pass {
		d.count++
		return dst, h.size, nil
	}
	side, err := readMP3Side(b[start:data], h)
	if err != nil {
		return dst, 0, err
	}
	have := len(d.data)
	d.data = append(d.data, b[data:h.size]...)
	// A frame whose data lies in frames that are not there is silent: so it is
	// with the first ones of a file that was cut out of another.
	silent := side.begin > have
	if todo == mp3Decode {
		old := len(dst)
		dst = grow(dst, h.frames()*h.channels)
		if err := d.decode(h, &side, d.data[max(have-side.begin, 0):], silent, dst[old:]); err != nil {
			return dst, 0, err
		}
	}
	if n = len(d.data); n > mp3Reservoir {
		d.data = append(d.data[:0], d.data[n-mp3Reservoir:]...)
	}
	d.count++
	return dst, h.size, nil
}

// decode decodes the granules of a frame into dst.
func (d *mp3Decoder) decode(h mp3Header, side *mp3Side, data []byte, silent bool, dst []float32) error {
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
				return errMP3Data
			}
			r := newMSB(data[at/8:])
			r.take(uint(at % 8))
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
			undoMP3Stereo(h, &side.granules[i][1], d.bands[i][1], &d.x[0], &d.x[1])
		}
		for ch := range h.channels {
			reorderMP3(d.bands[i][ch], &d.x[ch])
			d.synth.granule(&side.granules[i][ch], &d.channels[ch], &d.x[ch], dst[i*576*h.channels+ch:], h.channels)
		}
	}
	return nil
}

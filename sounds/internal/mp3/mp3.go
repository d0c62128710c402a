// Package mp3 reads layer III of MPEG-1, MPEG-2 and MPEG 2.5. The usual library
// panics on mixed blocks, decodes joint stereo in short ones wrongly, plays noise
// where the data of frames before is missing, miscounts padded frames of MPEG-2,
// does not know MPEG 2.5, cuts samples off to 16 bits, and trims nothing. All sums
// are in float64 with every product converted, so the samples have the same bits on
// every machine.
package mp3

import (
	"cmp"
	"errors"
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
	in  *source.Input
	lim source.Limits
	source.Head
	note  note
	added [2]int64 // from where to where the encoder has added frames of sound at the end
	start int64    // where the first frame of sound begins, in bytes
	first header   // of the first frame; the others agree with it
	size  int64    // how many frames of sound each has
	todo  work

	count    int64  // of MP3 frames before
	bytes    int64  // of data in them
	data     []byte // the last of it
	channels [2]channel
	x        [2][576]float64
	bands    [2][2][]band // by granule and channel

	// Where the file is damaged.
	lost    int64 // how many MP3 frames are silent before the next one
	rubbish int64 // how many bytes since the last frame are not MP3
	torn    bool  // data that frames need was lost
	whole   bool  // it was decoded from its first frame on
	sound   bool  // some frame was decoded
	short   bool  // it is told that frames are missing at its end
	broken  int   // the size of the last frame, of which the end is missing; 0: it is whole
	fault   error // the first
}

// work is what is done with a frame.
type work uint8

const (
	decode work = iota
	gather      // its data is kept for the frames that follow
	pass        // it is counted
)

// Open reads the tags of the file that in stands at, finds its first frame, and
// reads the note of its encoder.
func Open(in *source.Input, lim source.Limits) (source.Reader, error) {
	in.PassFront(source.BeginsID3)
	tags := in.TakeID3()
	in.PassFront(func([]byte) bool { return false })
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
	r := &reader{in: in, lim: lim, first: h, size: int64(h.frames()), Head: source.Head{
		Channels: h.channels, Rate: h.rate, Tags: tags, Walks: true,
	}}
	body = body[:min(h.size, len(body))]
	note, ok := readXing(body, h)
	if ok {
		in.Skip(int64(len(body)))
	}
	r.note = note
	r.takeOff()
	r.start, r.whole = in.At, true
	return r, nil
}

func (r *reader) Next(dst []float32) ([]float32, error) {
	if r.lost > 0 {
		r.lost--
		return r.silent(dst), r.lim.Length((r.count+1)*r.size, r.Channels)
	}
	r.in.PassTags() // also between two files that are joined
	b := r.in.Peek(maxFrame)
	if len(b) == 0 {
		return r.end(dst)
	}
	h, ok, _ := parseHeader(b)
	ok = ok && r.alike(h)
	switch {
	case ok && h.size > len(b) && r.count == 0:
		return dst, source.Broken("frame 0: cut short")
	case ok && h.size > len(b):
		r.broken = h.size
		r.rubbish += r.in.Left()
		r.in.Skip(r.in.Left())
		return dst, nil
	case !ok || r.rubbish > 0 || !r.leads(b, h.size):
		return r.resync(h, ok && r.rubbish == 0, dst)
	}
	return r.frame(h, b, dst)
}

// Count walks over all headers.
func (r *reader) Count(m *source.Marks) (int64, error) {
	if err := r.walk(math.MaxInt64, m); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	return r.given(r.count * r.size), nil
}

// walk goes on from the nearest place that is known to MP3 frame n, or to the
// end.
func (r *reader) walk(n int64, m *source.Marks) error {
	r.resume(m.Last(source.Mark{At: r.start}, func(x source.Mark) bool { return x.Packets <= n }))
	r.todo = pass
	for r.count < n {
		if r.lost == 0 && r.rubbish == 0 {
			m.Add(source.Mark{Frame: r.count * r.size, At: r.in.At, Packets: r.count, Data: r.bytes})
		}
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
	target := r.decoded(frame)/r.size - 2*2/int64(r.first.granules()) // the first that is decoded
	if target <= 0 {
		r.resume(source.Mark{At: r.start})
		return 0, nil
	}
	if err := r.walk(target, m); err != nil {
		if errors.Is(err, io.EOF) {
			return r.given(r.count * r.size), nil
		}
		return 0, err
	}
	need := r.bytes - reservoir
	r.resume(m.Last(source.Mark{At: r.start}, func(x source.Mark) bool { return x.Packets <= target && x.Data <= need }))
	r.todo = gather
	for r.count < target {
		if _, err := r.Next(nil); err != nil {
			return 0, err
		}
	}
	r.todo, r.whole = decode, false
	return r.given(target * r.size), nil
}

// resume goes to a frame and forgets what was before it.
func (r *reader) resume(x source.Mark) {
	r.in.MoveTo(x.At)
	r.todo, r.bytes = decode, x.Data
	r.count, r.data, r.channels = x.Packets, r.data[:0], [2]channel{}
	r.lost, r.rubbish, r.broken, r.torn, r.whole = 0, 0, 0, false, x.Packets == 0
}

// reservoir is how many bytes of data of past frames a frame may use.
const reservoir = 511

// frame appends the MP3 frame at the beginning of b to dst, and moves behind it. One that cannot be
// decoded is silent.
func (r *reader) frame(h header, b []byte, dst []float32) ([]float32, error) {
	start := 4
	if h.crc {
		start += 2
	}
	data := min(start+h.sideSize(), h.size)
	if r.todo == decode {
		side, fault := readSide(b[start:data], h)
		have := len(r.data)
		all := append(r.data, b[data:h.size]...)
		// A frame whose data lies in frames that are not there is silent: so it is
		// with the first ones of a file that was cut out of another.
		silent := fault != nil || side.begin > have
		if fault != nil {
			side = sideInfo{}
		} else if silent && r.torn {
			fault = errLost
		}
		r.torn = r.torn && side.begin > have
		old := len(dst)
		dst = source.Grow(dst, h.frames()*h.channels)
		err := r.decode(h, &side, all[max(have-side.begin, 0):], silent, dst[old:])
		if fault = cmp.Or(fault, err); fault != nil {
			r.conceal(1, source.Broken("frame %d: %v", r.count*r.size, fault))
		} else {
			r.sound = true
		}
		dst = r.cut(dst)
	}
	r.keep(b[data:h.size])
	r.count++
	r.in.Skip(int64(h.size))
	return dst, r.lim.Length(r.count*r.size, r.Channels)
}

// errLost is of a frame whose data was in frames that are damaged.
var errLost = errors.New("its data is in frames that are damaged")

// decode decodes the granules of a frame into dst. From the first one that cannot be decoded on they
// are silent, into which the sound before fades.
func (r *reader) decode(h header, side *sideInfo, data []byte, silent bool, dst []float32) (fault error) {
	lines, synth := spectral(), synthesis()
	at := 0 // in bits
	for i := range h.granules() {
		for ch := range h.channels {
			g, x := &side.granules[i][ch], &r.x[ch]
			bands := g.bandsOf(h, r.bands[i][ch][:0])
			r.bands[i][ch] = bands
			if silent {
				clear(x[:])
				continue
			}
			end := at + g.bits
			if end > 8*len(data) {
				fault = errData
			} else {
				in := source.NewMSB(data[at/8:])
				in.Take(uint(at % 8))
				if h.low {
					g.readScalesLow(in, bands, h.intensity && ch == 1)
				} else {
					g.readScales(in, bands, r.bands[0][ch])
				}
				fault = lines.read(in, end-at&^7, g, x)
			}
			if silent = fault != nil; silent {
				clear(r.x[0][:])
				clear(r.x[1][:])
				continue
			}
			at = end
			g.scale(bands, x)
		}
		if h.channels == 2 {
			undoStereo(h, &side.granules[i][1], r.bands[i][1], &r.x[0], &r.x[1])
		}
		for ch := range h.channels {
			reorder(r.bands[i][ch], &r.x[ch])
			synth.granule(&side.granules[i][ch], &r.channels[ch], &r.x[ch], dst[i*576*h.channels+ch:], h.channels)
		}
		if part := dst[i*576*h.channels:][:576*h.channels]; tooLoud(part) {
			clear(part)
			fault = cmp.Or(fault, errLoud)
		}
	}
	return fault
}

// maxPeak is the largest sample of a sound. What is decoded as more is damaged.
const maxPeak = 8

// tooLoud reports whether a sample is larger than maxPeak.
func tooLoud(samples []float32) bool {
	for _, x := range samples {
		if !(-maxPeak <= x && x <= maxPeak) {
			return true
		}
	}
	return false
}

var errLoud = errors.New("its samples are more than 18 dB over full scale")

// Package mp3 reads layer III of MPEG-1, MPEG-2 and MPEG 2.5. It exists because the usual library panics on
// mixed blocks, decodes joint stereo in short blocks wrongly, and plays noise if the data of earlier frames is
// missing. That library also miscounts padded frames of MPEG-2, does not support MPEG 2.5, truncates samples to
// 16 bits, and does not trim padding. All sums are in float64 with every product converted, so the samples have
// the same bits on every machine.
package mp3

import (
	"cmp"
	"errors"
	"io"
	"math"

	"voicepool/sounds/internal/source"
)

// decoderDelay is the delay of a layer III decoder in sound frames; encoders do not include it in the delay
// that they note.
const decoderDelay = 528 + 1

// maxFrame is an upper bound of the frame size, including the following header.
const maxFrame = 2 << 10

// reader reads layer III of MPEG-1, MPEG-2 and MPEG 2.5. A file that ends within a frame is common; it is an
// error only if the note announces more frames.
type reader struct {
	in  *source.Input
	lim source.Limits
	source.Head
	note  note
	added [2]int64 // range of the padding that the encoder has added at the end, in sound frames
	start int64    // position of the first frame with sound in bytes
	first header   // of the first frame; all frames must match it
	size  int64    // sound frames per MP3 frame
	todo  work

	count    int64  // number of past MP3 frames
	bytes    int64  // their data in bytes
	data     []byte // the end of that data
	channels [2]channel
	x        [2][576]float64
	bands    [2][2][]band // by granule and channel

	// State of damaged files.
	lost    int64 // MP3 frames to silence before the next one
	rubbish int64 // bytes since the last frame that are not MP3
	torn    bool  // data that frames need was lost
	whole   bool  // decoded without gaps from the first frame
	sound   bool  // a frame has been decoded
	short   bool  // missing frames at the end have been reported
	broken  int   // size of the truncated last frame; 0: complete
	fault   error // the first error
}

// work is the processing of a frame.
type work uint8

const (
	decode work = iota
	gather      // keep its data for the following frames
	pass        // count it
)

// Open reads the tags of the file at the position of in, finds its first frame, reads the encoder's note, which it
// skips, and returns a reader of the samples. The error wraps source.ErrFormat if it finds no frame or an unsupported
// one, or source.ErrLimit if the channels or the rate of the first frame exceed lim.
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

// Next appends the samples of the next MP3 frame to dst, without the padding at the end of the file. If it skips data
// or r only walks, it appends no samples. Undecodable frames are silent and recorded as damage. At the end it returns
// io.EOF, or the error of a file without a decodable frame. Other errors wrap source.ErrDecode, or ErrLimit if the
// file is too long.
func (r *reader) Next(dst []float32) ([]float32, error) {
	if r.lost > 0 {
		r.lost--
		return r.silent(dst), r.lim.Length((r.count+1)*r.size, r.Channels)
	}
	r.in.PassTags() // also between concatenated files
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

// Count walks over all headers without decoding, adds marks to m, and returns the number of sound frames, padding at
// the beginning included, without the padding at the end. It ends at an undefined position.
func (r *reader) Count(m *source.Marks) (int64, error) {
	if err := r.walk(math.MaxInt64, m); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	return r.given(r.count * r.size), nil
}

// walk advances from the nearest mark in m to MP3 frame n, or to the end, without decoding, and adds marks. It
// returns io.EOF if the file ends before n. Afterwards r still only walks, until resume.
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

// SeekFrame moves to the sound frame number frame, or to a frame before it, and returns the number of that frame. It
// starts early enough that the target frame has its full context: two granules for the filters, and before them the
// data of the bit reservoir. It uses the marks in m and adds some. In a shorter file it returns the end.
func (r *reader) SeekFrame(frame int64, m *source.Marks) (int64, error) {
	target := r.decoded(frame)/r.size - 2*2/int64(r.first.granules()) // the first MP3 frame to decode
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

// resume moves to the MP3 frame of the mark x and resets the state of the decoder. Next then decodes, with an empty
// bit reservoir.
func (r *reader) resume(x source.Mark) {
	r.in.MoveTo(x.At)
	r.todo, r.bytes = decode, x.Data
	r.count, r.data, r.channels = x.Packets, r.data[:0], [2]channel{}
	r.lost, r.rubbish, r.broken, r.torn, r.whole = 0, 0, 0, false, x.Packets == 0
}

// reservoir is the maximum number of bytes of earlier frames that a frame may use.
const reservoir = 511

// frame appends the sound of the MP3 frame at the beginning of b, which has header h and is complete, to dst, and
// moves past the frame. An undecodable frame is silent and recorded as damage. Unless r.todo is decode, it only keeps
// or counts the data of the frame. The error wraps source.ErrLimit if the file is too long.
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
		// If the data of a frame is in missing frames, it is silent. That is normal for the first frames of an
		// excerpt of another file.
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

// errLost is the error of a frame whose data was in damaged frames.
var errLost = errors.New("its data is in frames that are damaged")

// decode decodes the granules of a frame with header h and side information side into dst, which has exactly their
// samples, interleaved; data begins with their bits. From the first undecodable or too loud granule on, they fade to
// silence, and fault is the error. If silent is true, it reads no data, and the previous sound fades out.
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

// maxPeak is the largest plausible sample. Larger ones indicate damage.
const maxPeak = 8

// tooLoud reports whether any of the samples is beyond ±maxPeak or NaN.
func tooLoud(samples []float32) bool {
	for _, x := range samples {
		if !(-maxPeak <= x && x <= maxPeak) {
			return true
		}
	}
	return false
}

var errLoud = errors.New("its samples are more than 18 dB over full scale")

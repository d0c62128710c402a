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

// reader reads layer III of MPEG-1, MPEG-2 and MPEG 2.5. A file that ends within a frame is common; the missing part
// is recorded as damage.
type reader struct {
	in  *source.Input
	lim source.Limits
	source.Head
	info       encoderInfo
	endPadding [2]int64 // range of the padding that the encoder has added at the end, in sound frames
	start      int64    // position of the first frame with sound in bytes
	first      header   // of the first frame; all frames must match it
	size       int64    // sound frames per MP3 frame
	mode       readMode

	count    int64  // number of past MP3 frames
	bytes    int64  // their data in bytes
	data     []byte // the end of that data
	channels [2]channel
	x        [2][576]float64
	bands    [2][2][]band // by granule and channel

	// State of damaged files.
	gapFrames     int64 // MP3 frames to silence before the next one
	junkBytes     int64 // bytes since the last frame that are not MP3
	reservoirLost bool  // data that frames need was lost
	fromStart     bool  // decoded without gaps from the first frame
	decodedAny    bool  // a frame has been decoded
	shortReported bool  // missing frames at the end have been reported
	truncatedSize int   // size of the truncated last frame; 0: complete
	firstErr      error // the first error
}

// readMode is the processing of a frame.
type readMode uint8

const (
	modeDecode readMode = iota
	modeGather          // keep its data for the following frames
	modeCount           // count it
)

// Open returns a reader of the MP3 file at the position of in, before its first sound. It reads the tags, finds the
// first frame, and reads and skips the encoder's note in it. The error wraps source.ErrFormat if it finds no frame or
// an unsupported one, or source.ErrLimit if the channels or the rate exceed lim.
func Open(in *source.Input, lim source.Limits) (source.Reader, error) {
	in.SkipFront(source.BeginsID3)
	tags := in.ReadID3()
	in.SkipFront(func([]byte) bool { return false })
	body := in.Peek(source.Probe)
	at, h, err := firstFrame(body)
	if err != nil {
		return nil, err
	}
	if err := lim.CheckFormat(h.channels, int64(h.rate)); err != nil {
		return nil, err
	}
	body = body[at:]
	in.Skip(int64(at))
	r := &reader{in: in, lim: lim, first: h, size: int64(h.frames()), Head: source.Head{
		Channels: h.channels, Rate: h.rate, Tags: tags, CheapCount: true,
	}}
	body = body[:min(h.size, len(body))]
	info, ok := readXing(body, h)
	if ok {
		in.Skip(int64(len(body)))
	}
	r.info = info
	r.applyInfo()
	r.start, r.fromStart = in.At, true
	return r, nil
}

// Next decodes the next MP3 frame and appends its interleaved samples to dst, without the padding at the end of the
// file. If it skips other data, or r.mode is not modeDecode, it appends no samples. An undecodable frame is replaced
// by silence and recorded as damage. A truncated last frame is left out.
//
// At the end Next returns io.EOF, or an error if the file has no decodable frame. Other errors wrap source.ErrDecode,
// or source.ErrLimit if the file is too long.
func (r *reader) Next(dst []float32) ([]float32, error) {
	if r.gapFrames > 0 {
		r.gapFrames--
		return r.appendSilent(dst), r.lim.CheckLength((r.count+1)*r.size, r.Channels)
	}
	r.in.SkipTags() // also between concatenated files
	b := r.in.Peek(maxFrame)
	if len(b) == 0 {
		return r.endFile(dst)
	}
	h, ok, _ := parseHeader(b)
	ok = ok && r.matches(h)
	switch {
	case ok && h.size > len(b) && r.count == 0:
		return dst, source.DecodeErrorf("frame 0: cut short")
	case ok && h.size > len(b):
		r.truncatedSize = h.size
		r.junkBytes += r.in.Remaining()
		r.in.Skip(r.in.Remaining())
		return dst, nil
	case !ok || r.junkBytes > 0 || !r.startsFrame(b, h.size):
		return r.resync(h, ok && r.junkBytes == 0, dst)
	}
	return r.frame(h, b, dst)
}

// Count returns the number of sound frames in the file, including the padding at the beginning, but without the
// padding at the end. It reads the headers of all MP3 frames without decoding them, and adds marks to m. Afterwards
// the position of the reader is undefined.
func (r *reader) Count(m *source.Marks) (int64, error) {
	if err := r.countTo(math.MaxInt64, m); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	return r.withoutPadding(r.count * r.size), nil
}

// countTo moves to the MP3 frame number n without decoding. It starts at the nearest mark in m, reads the headers of
// the frames from there on, and adds marks to m. It returns io.EOF if the file ends before n. Afterwards Next still
// only counts frames, until a call of resume.
func (r *reader) countTo(n int64, m *source.Marks) error {
	r.resume(m.Last(source.Mark{At: r.start}, func(x source.Mark) bool { return x.Packets <= n }))
	r.mode = modeCount
	for r.count < n {
		if r.gapFrames == 0 && r.junkBytes == 0 {
			m.Add(source.Mark{Frame: r.count * r.size, At: r.in.At, Packets: r.count, Data: r.bytes})
		}
		if _, err := r.Next(nil); err != nil {
			return err
		}
	}
	return nil
}

// SeekFrame moves to the sound frame number frame, or to a frame somewhat before it, and returns the number of the
// frame that Next will return first. It starts four granules of 576 frames early, so that the filters reach their
// exact state. It also reads the data before them that the frames may use (the bit reservoir). It uses the marks in m
// and adds some. If the file is shorter, it returns the end.
func (r *reader) SeekFrame(frame int64, m *source.Marks) (int64, error) {
	target := r.withPadding(frame)/r.size - 2*2/int64(r.first.granules()) // the first MP3 frame to decode
	if target <= 0 {
		r.resume(source.Mark{At: r.start})
		return 0, nil
	}
	if err := r.countTo(target, m); err != nil {
		if errors.Is(err, io.EOF) {
			return r.withoutPadding(r.count * r.size), nil
		}
		return 0, err
	}
	need := r.bytes - reservoir
	r.resume(m.Last(source.Mark{At: r.start}, func(x source.Mark) bool { return x.Packets <= target && x.Data <= need }))
	r.mode = modeGather
	for r.count < target {
		if _, err := r.Next(nil); err != nil {
			return 0, err
		}
	}
	r.mode, r.fromStart = modeDecode, false
	return r.withoutPadding(target * r.size), nil
}

// resume moves to the MP3 frame of the mark x and resets the decoder. Next then decodes again, but without the data
// of earlier frames, which the first frames may need.
func (r *reader) resume(x source.Mark) {
	r.in.MoveTo(x.At)
	r.mode, r.bytes = modeDecode, x.Data
	r.count, r.data, r.channels = x.Packets, r.data[:0], [2]channel{}
	r.gapFrames, r.junkBytes, r.truncatedSize, r.reservoirLost, r.fromStart = 0, 0, 0, false, x.Packets == 0
}

// reservoir is the maximum number of bytes of earlier frames that a frame may use.
const reservoir = 511

// frame decodes the MP3 frame at the beginning of b, appends its sound to dst, and moves the input past the frame. h
// is the header of the frame, and b has the whole frame. An undecodable frame is replaced by silence and recorded as
// damage. A frame that needs data of earlier frames which the file never had is only silent. Unless r.mode is
// modeDecode, frame appends no sound: it only keeps the data for later frames, or counts it. The error wraps
// source.ErrLimit if the file is too long.
func (r *reader) frame(h header, b []byte, dst []float32) ([]float32, error) {
	start := 4
	if h.crc {
		start += 2
	}
	data := min(start+h.sideSize(), h.size)
	if r.mode == modeDecode {
		side, fault := readSide(b[start:data], h)
		buffered := len(r.data)
		all := append(r.data, b[data:h.size]...)
		// If the data of a frame is in missing frames, it is silent. That is normal for the first frames of an
		// excerpt of another file.
		silent := fault != nil || side.begin > buffered
		if fault != nil {
			side = sideInfo{}
		} else if silent && r.reservoirLost {
			fault = errLost
		}
		r.reservoirLost = r.reservoirLost && side.begin > buffered
		old := len(dst)
		dst = source.Grow(dst, h.frames()*h.channels)
		err := r.decode(h, &side, all[max(buffered-side.begin, 0):], silent, dst[old:])
		if fault = cmp.Or(fault, err); fault != nil {
			r.conceal(1, source.DecodeErrorf("frame %d: %v", r.count*r.size, fault))
		} else {
			r.decodedAny = true
		}
		dst = r.trimPadding(dst)
	}
	r.addToReservoir(b[data:h.size])
	r.count++
	r.in.Skip(int64(h.size))
	return dst, r.lim.CheckLength(r.count*r.size, r.Channels)
}

// errLost is the error of a frame whose data was in damaged frames.
var errLost = errors.New("its data is in frames that are damaged")

// decode decodes one MP3 frame into dst, interleaved. h is the header and side the side information of the frame.
// data begins with the coded bits of the frame, which may lie partly in earlier frames. dst has exactly the frame's
// samples. A granule, 576 samples per channel, that is undecodable or too loud is replaced by silence, and fault is
// the error.
//
// After undecodable data, all later granules are silent, and the previous sound fades out. If silent is true, this
// applies from the beginning, and decode reads no data.
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
			end, err := at+g.bits, errData
			if end <= 8*len(data) {
				in := source.NewMSB(data[at/8:])
				in.ReadBits(uint(at % 8))
				if h.lowRate {
					g.readScalesLow(in, bands, h.intensity && ch == 1)
				} else {
					g.readScales(in, bands, r.bands[0][ch])
				}
				err = lines.read(in, end-at&^7, g, x)
			}
			if silent = err != nil; silent {
				fault = err
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
		if part := dst[i*576*h.channels:][:576*h.channels]; source.AnyBeyond(part, maxPeak) {
			clear(part)
			fault = cmp.Or(fault, errLoud)
		}
	}
	return fault
}

// maxPeak is the largest plausible sample. Larger ones indicate damage.
const maxPeak = 8

var errLoud = errors.New("its samples are more than 18 dB over full scale")

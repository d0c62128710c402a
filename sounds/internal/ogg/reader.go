package ogg

import (
	"cmp"
	"errors"
	"io"
	"math"
	"slices"

	"voicepool/sounds/internal/source"
)

// Codec decodes the packets of a stream.
type Codec interface {
	// Open reads the headers of a stream; first is the first one. again reports that they are the headers of
	// the previous call.
	Open(first []byte, next func() ([]byte, error), again bool) (source.Head, error)

	// Decode appends the frames that a packet completes to dst.
	Decode(dst []float32, packet []byte) ([]float32, error)

	// FramesIn returns the number of frames that a packet completes, without decoding it.
	FramesIn(packet []byte) (frames int64, err error)

	// FramesAhead returns the number of frames that future packets will complete; it skips invalid packets.
	FramesAhead(packets ...[]byte) (frames int64)

	// Reset prepares for a packet that does not follow the last one.
	Reset()

	// StartGap prepares for concealed frames after the last packet. The packet after the gap does not follow the
	// last one.
	StartGap()

	// Conceal appends concealed frames to dst.
	Conceal(dst []float32, frames int64) []float32

	// End returns the number of frames that the stream announces, or 0, and an error of the stream as a whole.
	End() (announced int64, fault error)
}

// maxPacketFrames is an upper bound of the frames in an Opus packet.
const maxPacketFrames = 6000

// A state takes some 30 kB: one is kept per 20 s, or per 1/64 of a long file.
const (
	stateStride = 20 * 48000
	maxStates   = 64
)

// StatefulCodec is a Codec whose packets depend on all earlier ones. Its marks contain a state.
type StatefulCodec interface {
	Codec

	// State returns the decoder state after the last packet.
	State() any

	// SetState restores a decoder state.
	SetState(state any)
}

// Kind describes the streams that a Reader reads.
type Kind struct {
	Magic            string // beginning of their first packet
	Overlaps         bool   // a packet completes the previous one, so the first packet yields no frames
	HasOffset        bool   // granule positions may be ahead of the frames, by an offset that the first one shows
	ConcealsSmoothly bool   // concealment continues smoothly into the frames after the gap, so no fade-in is needed
}

// Reader decodes one kind of stream in an Ogg file. Chained streams are one sound, if their rates and channels
// agree.
//
// Granule positions are used for trimming only: the position of the first page with frames may cut frames off
// the beginning, and the position of the last page may cut off the end of its own frames. All other positions
// are counted from the packets.
type Reader struct {
	in  *source.Input
	lim source.Limits
	source.Head
	kind     Kind
	stream   stream
	codec    Codec
	opened   bool
	counting bool // count packets without decoding them

	link          int64 // position of the current stream in bytes
	framesBefore  int64 // number of frames before the stream
	granuleOffset int64 // granule positions minus frame numbers in this stream
	streamEnded   bool  // the stream has ended
	hasFrames     bool  // a page with frames has been read

	at        int64 // the next frame
	pageStart bool  // the next packet is the first of its page
	skip      int64 // frames that are still to be skipped
	end       int64 // the frame where the stream ends; -1: not on this page

	pageDamaged bool      // the page is damaged, but some packets may be valid
	gapFrames   int64     // frames to conceal before the next packet
	heldFrames  []float32 // the last concealed frames; the next packet fades in over them
	decodedAny  bool      // a packet has been decoded
	fromStart   bool      // decoding started at the beginning
	endChecked  bool      // the end of the stream has been checked
	firstErr    error     // the first error
}

// NewReader returns a reader of one kind of stream, such as Vorbis, in the Ogg file at the position of in. It reads the
// headers of the first such stream with codec; the reader is then before its first frame. If the file has no such
// stream, the error is io.EOF. Other errors are of codec, or wrap source.ErrDecode or source.ErrLimit. After an error
// the reader is unusable.
func NewReader(in *source.Input, lim source.Limits, kind Kind, codec Codec) (*Reader, error) {
	r := &Reader{in: in, lim: lim, kind: kind, codec: codec, stream: stream{in: in, magic: kind.Magic}, end: -1, fromStart: true}
	return r, r.openLink()
}

// openLink reads the headers of the next stream of the file with r.codec, and prepares for its first packet. An Ogg
// file may have several streams in a chain. The first stream determines r.Head. A later stream with another rate or
// other channels gives an error that wraps source.ErrFormat. At the end of the file the error is io.EOF. Other errors
// are of the codec, or of a damaged page; damage in headers is not repaired.
func (r *Reader) openLink() error {
	r.stream.strict = true
	defer func() { r.stream.strict = false }()
	first, err := r.stream.packet()
	if err != nil {
		return err
	}
	link := r.stream.at
	r.stream.gapErr = nil
	h, err := r.codec.Open(first, r.header, r.opened && r.link == link)
	if err != nil {
		return err
	}
	h.CheapCount, r.granuleOffset, h.Front = true, h.Front, 0
	if !r.opened {
		r.Head, r.opened = h, true
	} else if r.Channels != h.Channels || r.Rate != h.Rate {
		return source.FormatErrorf("a chain of Ogg streams of different rates or channels is not read")
	}
	r.link, r.framesBefore = link, r.at
	r.streamEnded, r.hasFrames, r.pageStart, r.skip, r.end = false, false, true, r.granuleOffset, -1
	r.gapFrames, r.heldFrames, r.endChecked = 0, nil, false
	return nil
}

// header returns the next packet of the stream, a header packet. The end of the file before it is an error that wraps
// source.ErrDecode. Other errors are as in stream.packet.
func (r *Reader) header() ([]byte, error) {
	p, err := r.stream.packet()
	if errors.Is(err, io.EOF) {
		err = source.DecodeErrorf("cut short before its last header")
	}
	return p, err
}

// Next decodes the next packet and appends its frames, interleaved, to dst. It may append no frames. In a gap it
// appends concealed frames instead. At the end of a stream it continues with the next stream of the file. At the end of
// the file, and at damaged headers of a later stream, it returns io.EOF.
//
// Damage is concealed and recorded with Conceal. It becomes an error only if the whole file has no valid packet, or if
// the search for an intact page takes too long. A later stream of another rate or other channels gives an error that
// wraps source.ErrFormat. An error that wraps source.ErrLimit means that the file or a packet is too long.
func (r *Reader) Next(dst []float32) ([]float32, error) {
	if r.gapFrames > 0 {
		return r.appendGap(dst), r.lim.CheckLength(r.at, r.Channels)
	}
	if r.streamEnded {
		dst, more := r.endStream(dst)
		if more {
			return dst, nil
		}
		err := r.openLink()
		if errors.Is(err, source.ErrDecode) && r.at > 0 {
			r.recordDamage(0, err)
			err = io.EOF
		}
		if errors.Is(err, io.EOF) && r.fromStart && !r.decodedAny && r.firstErr != nil && !r.counting {
			err = r.firstErr
		}
		return dst, err
	}
	r.pageStart = r.pageStart || len(r.stream.packets) == 0
	p, err := r.stream.packet()
	if errors.Is(err, io.EOF) {
		r.streamEnded = true
		return dst, nil
	}
	if err != nil {
		return dst, err
	}
	if r.pageStart {
		r.startPage(p)
	}
	if r.pageStart = false; r.gapFrames > 0 {
		r.stream.packets = slices.Insert(r.stream.packets, 0, p)
		return r.Next(dst)
	}
	n, old := int64(0), len(dst)
	if r.counting {
		n, err = r.codec.FramesIn(p)
	} else if dst, err = r.codec.Decode(dst, p); err == nil {
		n = int64((len(dst) - old) / r.Channels)
		r.decodedAny = true
		if r.pageDamaged && source.AnyBeyond(dst[old:], maxPeak) {
			clear(dst[old:])
		}
	}
	if err != nil {
		dst, n = r.concealPacket(dst[:old], p, source.DecodeErrorf("frame %d: %v", r.at, err))
	}
	dst = r.trim(dst, n)
	dst = r.fadeIn(dst, old)
	r.streamEnded = len(r.stream.packets) == 0 && !r.stream.open
	return dst, r.lim.CheckLength(r.at, r.Channels)
}

// maxPeak is the largest plausible sample of a damaged page: 6 dB over full scale.
const maxPeak = 2

// concealPacket appends concealed frames to dst for the undecodable packet p, and returns the extended dst and their
// number. The number comes from the packet's header. concealPacket records fault, the reason, as damage. If even the
// number is unknown, concealPacket returns 0 and stores fault in r.stream.gapErr, so that the next page determines the
// number. A packet of 0 frames is not recorded. While packets are only counted (r.counting), concealPacket returns the
// number without frames and records no damage.
func (r *Reader) concealPacket(dst []float32, p []byte, fault error) ([]float32, int64) {
	n, err := r.codec.FramesIn(p)
	if err != nil {
		r.stream.gapErr = cmp.Or(r.stream.gapErr, fault)
		return dst, 0
	}
	if !r.counting && n > 0 {
		r.codec.StartGap()
		dst = r.codec.Conceal(dst, n)
		r.recordDamage(n, fault)
	}
	return dst, n
}

// recordDamage records that the next frames, from r.at on, are damaged because of fault. frames is their number; 0
// means that it is unknown. Frames that the end of the stream cuts off do not count. recordDamage has no effect while
// packets are only counted (r.counting).
func (r *Reader) recordDamage(frames int64, fault error) {
	if r.end >= 0 && frames > 0 {
		if frames = min(frames, r.end-r.at); frames <= 0 {
			return // trimmed anyway
		}
	}
	if !r.counting {
		r.firstErr = cmp.Or(r.firstErr, fault)
		r.Conceal(r.at, frames, fault)
	}
}

// startGap begins a gap of missing frames at the position r.at, caused by fault. It records the damage, and sets
// r.gapFrames, so that the following calls of Next append concealed frames. If the number missing is not positive, or
// is implausible for the part of the file read until now, it counts as 0. While packets are only counted (r.counting),
// startGap advances r.at instead and records no damage.
func (r *Reader) startGap(missing int64, fault error) {
	missing = r.PlausibleGap(missing, r.at, r.in.At)
	r.recordDamage(missing, fault)
	if r.counting {
		r.at += missing
		return
	}
	r.gapFrames = missing
}

// maxHeld is the number of frames at the end of a gap that are held back for the fade-in of the following
// frames.
const maxHeld = 256

// appendGap conceals the next part of the current gap. It appends up to source.GapChunk concealed frames to dst. If the
// codec does not conceal smoothly, the last maxHeld frames of the gap are not appended, but stored in r.heldFrames.
// fadeIn later mixes the following packet into them. appendGap advances r.at and reduces r.gapFrames, the rest of the
// gap, by the number of appended or stored frames.
func (r *Reader) appendGap(dst []float32) []float32 {
	if r.gapFrames <= maxHeld && !r.kind.ConcealsSmoothly {
		r.heldFrames = r.codec.Conceal(nil, r.gapFrames)
		r.at += r.gapFrames
		r.gapFrames = 0
		return dst
	}
	n := min(r.gapFrames, source.GapChunk)
	if !r.kind.ConcealsSmoothly {
		n = min(n, r.gapFrames-maxHeld)
	}
	dst = r.codec.Conceal(dst, n)
	r.at += n
	r.gapFrames -= n
	return dst
}

// fadeIn completes a concealed gap. It inserts r.heldFrames, the held back end of the gap, into dst before index old,
// and clears r.heldFrames. A copy of the frames from old on, reversed in time and fading in, is first added to the held
// ones. The frames from old on stay unchanged behind them. Without held frames, or without frames from old on, fadeIn
// returns dst unchanged.
func (r *Reader) fadeIn(dst []float32, old int) []float32 {
	if len(r.heldFrames) == 0 || len(dst) == old {
		return dst
	}
	source.FadeIn(r.heldFrames, dst[old:], r.Channels)
	dst = slices.Insert(dst, old, r.heldFrames...)
	r.heldFrames = nil
	return dst
}

// endStream ends the current stream. If frames are missing at its end, it begins a gap and returns true; Next must then
// append concealed frames and call endStream again. Otherwise it appends the held back frames of an earlier gap to dst
// and returns false. An error of the whole stream is recorded as damage, once. After a gap at the end it is not
// recorded.
func (r *Reader) endStream(dst []float32) ([]float32, bool) {
	announced, fault := r.codec.End()
	if gapErr := r.stream.gapErr; gapErr != nil {
		missing, remaining := announced-(r.at-r.framesBefore), r.in.Size-r.stream.end
		if missing > 4*remaining*r.at/max(r.stream.end, 1) {
			missing = 0 // the stream is cut short
		}
		if announced == 0 { // the last page contains only the end of a packet
			missing = r.stream.lastGranule - r.granuleOffset - (r.at - r.framesBefore)
		}
		r.codec.StartGap()
		r.startGap(missing, gapErr)
		fault, r.stream.gapErr = nil, nil
		if r.gapFrames > 0 {
			return dst, true
		}
	}
	if fault != nil && !r.endChecked {
		r.recordDamage(0, fault)
	}
	r.endChecked = true
	dst = append(dst, r.heldFrames...)
	r.heldFrames = nil
	return dst, false
}

// trim trims the last n frames of dst, which are new. It removes frames before the beginning of the stream, which
// r.skip counts, and frames after its end, r.end. It reduces r.skip by the frames removed at the beginning. It adds the
// number of the remaining new frames to r.at, and returns dst. While packets are only counted (r.counting), dst has no
// new frames, and trim only counts.
func (r *Reader) trim(dst []float32, n int64) []float32 {
	channels := int64(r.Channels)
	front := min(r.skip, n)
	r.skip -= front
	back := int64(0)
	if r.end >= 0 {
		back = min(max(r.at+n-front-r.end, 0), n-front)
	}
	if !r.counting && front+back > 0 {
		end := int64(len(dst))
		dst = slices.Delete(dst, int(end-back*channels), int(end))
		dst = slices.Delete(dst, int(end-n*channels), int(end-(n-front)*channels))
	}
	r.at += n - front - back
	return dst
}

// startPage evaluates the granule position of a new page, which is the position in frames after its last packet. p is
// the first packet of the page. startPage sets r.end, the frame where the stream ends, or -1 if it is not known to end
// on this page. At the beginning of a stream it sets r.skip, the frames to drop, and r.granuleOffset, the offset of the
// granule positions. If frames are missing before the page, it begins a gap. A page with a wrong checksum is recorded
// as damage. startPage must be called once per page, before p is decoded.
func (r *Reader) startPage(p []byte) {
	r.end = -1
	granule, ahead := r.stream.granule, int64(0)
	gapErr := r.stream.gapErr
	if r.stream.gapErr = nil; gapErr != nil {
		r.codec.StartGap()
	}
	pageErr := r.stream.pageErr
	r.pageDamaged = pageErr != nil
	if granule >= 0 && (!r.hasFrames || gapErr != nil) || r.pageDamaged {
		ahead = r.codec.FramesAhead(append([][]byte{p}, r.stream.packets...)...)
	}
	if r.pageDamaged {
		start := r.at - r.framesBefore + r.granuleOffset - r.skip
		if granule != start+ahead && !r.stream.last {
			r.stream.gapErr = pageErr // the next page determines the position of the damage
		}
		if granule < start || granule > start+ahead {
			granule = -1 // the granule position or packets are damaged
		}
	}
	if granule >= 0 && (r.stream.last || r.pageDamaged) {
		r.end = r.framesBefore + min(max(granule-r.granuleOffset, 0), math.MaxInt64-r.framesBefore)
	}
	switch offset := r.at - r.framesBefore + ahead; {
	case granule < 0:
	case gapErr != nil:
		missing := max(granule-ahead, 0) - (r.at - r.framesBefore + r.granuleOffset - r.skip)
		if r.stream.last && r.kind.HasOffset { // the end may be trimmed
			size := max(r.codec.FramesAhead(p), 1)
			missing = (missing + size - 1) / size * size
		}
		front := min(max(missing, 0), r.skip)
		r.skip -= front
		r.startGap(missing-front, gapErr)
	case r.stream.last || r.hasFrames:
	case r.kind.HasOffset:
		r.granuleOffset += max(granule-offset, 0)
	default: // positions may begin anywhere, as in a recorded broadcast
		r.skip, r.granuleOffset = max(offset-granule, 0), max(granule-offset, 0)
	}
	if granule < 0 && gapErr != nil {
		r.stream.gapErr = gapErr
	}
	r.hasFrames = true
	if r.pageDamaged {
		r.recordDamage(ahead-min(r.skip, ahead), pageErr)
	}
}

// Count returns the number of frames in the whole file, including concealed ones. It reads the file without decoding
// it. Unless the codec is a StatefulCodec, it adds places where decoding can start to m. Afterwards the position of the
// reader is undefined.
func (r *Reader) Count(m *source.Marks) (int64, error) {
	if err := r.countTo(math.MaxInt64, m); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	return r.at, nil
}

// SeekFrame moves to the given frame or somewhat before it, and returns the number of the frame that Next will return
// first. The target is early enough that a gap fades as it does when playing from the beginning. SeekFrame reads the
// pages from the nearest mark in m, because granule positions may be wrong, and adds marks to m.
func (r *Reader) SeekFrame(frame int64, m *source.Marks) (int64, error) {
	if k, ok := r.codec.(StatefulCodec); ok {
		return r.decodeTo(frame, k, m)
	}
	if err := r.countTo(frame, m); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	at := m.Last(source.Mark{}, func(x source.Mark) bool { return x.Frame <= frame-source.MaxFade })
	return at.Frame, r.resume(at)
}

// decodeTo seeks with the codec k, whose packets depend on all earlier ones; k is r.codec. It starts at the nearest
// mark in m before the given frame and restores the decoder state that the mark has. It then decodes until at most
// maxPacketFrames remain before the given frame. It adds marks with states to m. The result is the number of the frame
// reached. For a file that ends before, it is the end of the file.
func (r *Reader) decodeTo(frame int64, k StatefulCodec, m *source.Marks) (int64, error) {
	m.Limit(stateStride, maxStates)
	at := m.Last(source.Mark{}, func(x source.Mark) bool { return x.Frame <= frame })
	if err := r.resume(at); err != nil {
		return 0, err
	}
	if at.State != nil {
		k.SetState(at.State)
	}
	var buf []float32
	for r.at < frame-maxPacketFrames {
		x, isMark := r.nextMark()
		if isMark = isMark && m.Accepts(r.at); isMark {
			x.State = k.State()
		}
		var err error
		if buf, err = r.Next(buf[:0]); errors.Is(err, io.EOF) {
			return r.at, nil
		} else if err != nil {
			return 0, err
		}
		if isMark && r.completeMark(&x) {
			m.Add(x)
		}
	}
	return r.at, nil
}

// nextMark returns a mark of the next page, without its byte offset. The mark is a place for a later seek. ok reports
// whether decoding can start there: the page must begin with a new packet, must not be the first page with frames, and
// no frames before it may be missing. nextMark does not move the reader.
func (r *Reader) nextMark() (x source.Mark, ok bool) {
	x = source.Mark{
		Link: r.link, Before: r.framesBefore, Serial: r.stream.serial, Sequence: r.stream.next, Frame: r.at, Lead: r.granuleOffset,
	}
	return x, len(r.stream.packets) == 0 && len(r.stream.partial) == 0 && r.stream.gapErr == nil && r.hasFrames && !r.streamEnded && r.skip == 0 && r.gapFrames == 0 && len(r.heldFrames) == 0
}

// completeMark completes the mark x with the byte offset of the current page. nextMark must have returned x before the
// last call of Next. If the last packet did not come from the page of x, completeMark returns false, and x is invalid.
func (r *Reader) completeMark(x *source.Mark) bool {
	x.At = r.stream.at
	return !r.streamEnded && r.link == x.Link && r.stream.next == x.Sequence+1
}

// countTo reads packets without decoding them, to count their frames, until r.at is beyond the given frame. It starts
// at the last mark in m at or before that frame. If the codec needs no states, it adds marks to m. It returns io.EOF if
// the file ends before.
func (r *Reader) countTo(frame int64, m *source.Marks) error {
	if err := r.resume(m.Last(source.Mark{}, func(x source.Mark) bool { return x.Frame <= frame })); err != nil {
		return err
	}
	r.counting = true
	defer func() { r.counting = false }()
	_, stateful := r.codec.(StatefulCodec)
	for r.at <= frame {
		x, isMark := r.nextMark()
		if _, err := r.Next(nil); err != nil {
			return err
		}
		if isMark && !stateful && r.completeMark(&x) {
			if r.kind.Overlaps {
				x.Frame = r.at
			}
			m.Add(x)
		}
	}
	return nil
}

// openLinkAt moves to the stream that begins at the byte offset link of the file, and reads its headers. before is the
// number of frames in the streams before it, and becomes the position r.at. Errors are as in openLink.
func (r *Reader) openLinkAt(link, before int64) error {
	r.in.MoveTo(link)
	r.stream = stream{in: r.in, magic: r.kind.Magic}
	r.at = before
	return r.openLink()
}

// resume moves to the page of the mark x and resets the decoder, so that Next continues from there. The zero mark is
// the beginning of the file. If x is in another stream of the file, resume first reads the headers of that stream;
// its errors are as in openLink.
func (r *Reader) resume(x source.Mark) error {
	if r.fromStart = x.At == 0; r.fromStart {
		return r.openLinkAt(0, 0)
	}
	if r.link != x.Link {
		if err := r.openLinkAt(x.Link, x.Before); err != nil {
			return err
		}
	}
	r.in.MoveTo(x.At)
	r.stream = stream{in: r.in, magic: r.kind.Magic, serial: x.Serial, open: true, next: x.Sequence}
	r.codec.Reset()
	r.at, r.framesBefore = x.Frame, x.Before
	r.streamEnded, r.hasFrames, r.pageStart, r.skip, r.end, r.granuleOffset = false, true, true, 0, -1, x.Lead
	r.gapFrames, r.heldFrames, r.endChecked = 0, nil, false
	return nil
}

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

	// Pass returns the number of frames that a packet completes, without decoding it.
	Pass(packet []byte) (frames int64, err error)

	// Ahead returns the number of frames that future packets will complete; it skips invalid packets.
	Ahead(packets ...[]byte) (frames int64)

	// Reset prepares for a packet that does not follow the last one.
	Reset()

	// Lost prepares for concealed frames after the last packet. The packet after the gap does not follow the
	// last one.
	Lost()

	// MakeUp appends concealed frames to dst.
	MakeUp(dst []float32, frames int64) []float32

	// End returns the number of frames that the stream announces, or 0, and an error of the stream as a whole.
	End() (announced int64, fault error)
}

// longest is an upper bound of the frames in an Opus packet.
const longest = 6000

// A state takes some 30 kB: one is kept per 20 s, or per 1/64 of a long file.
const (
	stateStride = 20 * 48000
	maxStates   = 64
)

// Keeper is a Codec whose packets depend on all earlier ones. Its marks contain a state.
type Keeper interface {
	Codec

	// State returns the decoder state after the last packet.
	State() any

	// SetState restores a decoder state.
	SetState(state any)
}

// Kind describes the streams that a Reader reads.
type Kind struct {
	Magic    string // beginning of their first packet
	Overlaps bool   // a packet completes the previous one, so the first packet yields no frames
	Leads    bool   // granule positions may be ahead of the frames, by an offset that the first one shows
	Conceals bool   // concealment continues smoothly into the frames after the gap, so no fade-in is needed
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
	kind   Kind
	stream stream
	codec  Codec
	opened bool
	dry    bool // count packets without decoding them

	link   int64 // position of the current stream in bytes
	before int64 // number of frames before the stream
	lead   int64 // granule positions minus frame numbers in this stream
	over   bool  // the stream has ended
	began  bool  // a page with frames has been read

	at    int64 // the next frame
	fresh bool  // the next packet is the first of its page
	cut   int64 // frames that are still to be skipped
	limit int64 // the frame where the stream ends; -1: not on this page

	doubt bool      // the page is damaged, but some packets may be valid
	lost  int64     // frames to conceal before the next packet
	held  []float32 // the last concealed frames; the next packet fades in over them
	sound bool      // a packet has been decoded
	whole bool      // decoding started at the beginning
	ended bool      // the end of the stream has been checked
	fault error     // the first error
}

// NewReader reads the headers of the first stream of kind in the file at the position of in, and returns a reader
// before its first frame. The error is io.EOF if the file has no such stream, otherwise an error of codec, or wraps
// source.ErrDecode; the reader is then unusable.
func NewReader(in *source.Input, lim source.Limits, kind Kind, codec Codec) (*Reader, error) {
	r := &Reader{in: in, lim: lim, kind: kind, codec: codec, stream: stream{in: in, magic: kind.Magic}, limit: -1, whole: true}
	return r, r.openLink()
}

// openLink reads the headers of the next stream with r.codec, and prepares for its first packet. The first stream
// determines r.Head. The error is io.EOF at the end of the file, an error of the codec, or wraps source.ErrFormat if
// the rate or the channels differ from the first stream's.
func (r *Reader) openLink() error {
	r.stream.exact = true
	defer func() { r.stream.exact = false }()
	first, err := r.stream.packet()
	if err != nil {
		return err
	}
	link := r.stream.at
	r.stream.hole = nil
	h, err := r.codec.Open(first, r.header, r.opened && r.link == link)
	if err != nil {
		return err
	}
	h.Walks, r.lead, h.Front = true, h.Front, 0
	if !r.opened {
		r.Head, r.opened = h, true
	} else if r.Channels != h.Channels || r.Rate != h.Rate {
		return source.Unknown("a chain of Ogg streams of different rates or channels is not read")
	}
	r.link, r.before = link, r.at
	r.over, r.began, r.fresh, r.cut, r.limit = false, false, true, r.lead, -1
	r.lost, r.held, r.ended = 0, nil, false
	return nil
}

// header returns the next packet, which must exist: the end of the file is an error that wraps source.ErrDecode.
func (r *Reader) header() ([]byte, error) {
	p, err := r.stream.packet()
	if errors.Is(err, io.EOF) {
		err = source.Broken("cut short before its last header")
	}
	return p, err
}

// Next appends the frames of the next packet to dst, or concealed frames of a gap, possibly no frames. At the end of
// a stream it continues with the next one. At the end of the file it returns io.EOF. Damage is concealed; it is an
// error only if the whole file has no valid packet. An error that wraps source.ErrLimit means that the file is too
// long.
func (r *Reader) Next(dst []float32) ([]float32, error) {
	if r.lost > 0 {
		return r.appendGap(dst), r.lim.Length(r.at, r.Channels)
	}
	if r.over {
		dst, more := r.finish(dst)
		if more {
			return dst, nil
		}
		err := r.openLink()
		if errors.Is(err, source.ErrDecode) && r.at > 0 {
			r.note(0, err)
			err = io.EOF
		}
		if errors.Is(err, io.EOF) && r.whole && !r.sound && r.fault != nil && !r.dry {
			err = r.fault
		}
		return dst, err
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
	if r.fresh = false; r.lost > 0 {
		r.stream.packets = slices.Insert(r.stream.packets, 0, p)
		return r.Next(dst)
	}
	n, old := int64(0), len(dst)
	if r.dry {
		n, err = r.codec.Pass(p)
	} else if dst, err = r.codec.Decode(dst, p); err == nil {
		n = int64((len(dst) - old) / r.Channels)
		r.sound = true
		if r.doubt && tooLoud(dst[old:]) {
			clear(dst[old:])
		}
	}
	if err != nil {
		dst, n = r.bad(dst[:old], p, source.Broken("frame %d: %v", r.at, err))
	}
	dst = r.keep(dst, n)
	dst = r.fadeIn(dst, old)
	r.over = len(r.stream.packets) == 0 && !r.stream.open
	return dst, r.lim.Length(r.at, r.Channels)
}

// maxPeak is the largest plausible sample of a damaged page: 6 dB over full scale.
const maxPeak = 2

// tooLoud reports whether any of samples is beyond ±maxPeak or NaN.
func tooLoud(samples []float32) bool {
	for _, x := range samples {
		if !(-maxPeak <= x && x <= maxPeak) {
			return true
		}
	}
	return false
}

// bad appends concealed frames for the undecodable packet p to dst, and returns dst and their number; fault is the
// reason, which it records as damage. If even the number is unknown, it returns 0 and leaves fault in r.stream.hole,
// and the next page determines the number. While packets are only counted, it appends no frames.
func (r *Reader) bad(dst []float32, p []byte, fault error) ([]float32, int64) {
	n, err := r.codec.Pass(p)
	if err != nil {
		r.stream.hole = cmp.Or(r.stream.hole, fault)
		return dst, 0
	}
	if !r.dry && n > 0 {
		r.codec.Lost()
		dst = r.codec.MakeUp(dst, n)
		r.note(n, fault)
	}
	return dst, n
}

// note records that frames frames from r.at on are damaged because of fault; 0 means an unknown number. It ignores
// frames that the end of the stream cuts off, and has no effect while packets are only counted.
func (r *Reader) note(frames int64, fault error) {
	if r.limit >= 0 && frames > 0 {
		if frames = min(frames, r.limit-r.at); frames <= 0 {
			return // trimmed anyway
		}
	}
	if !r.dry {
		r.fault = cmp.Or(r.fault, fault)
		r.Conceal(r.at, frames, fault)
	}
}

// gap begins a gap of missing frames caused by fault: it records the damage and sets r.lost, for the following calls
// of Next, which fill it. If missing is implausible for the size of the file, it is taken as 0. While packets are
// only counted, gap only advances the position.
func (r *Reader) gap(missing int64, fault error) {
	missing = r.Gap(missing, r.at, r.in.At)
	r.note(missing, fault)
	if r.dry {
		r.at += missing
		return
	}
	r.lost = missing
}

// maxHeld is the number of frames at the end of a gap that are held back for the fade-in of the following
// frames.
const maxHeld = 256

// appendGap appends the next frames of a gap, made up by the codec, to dst: at most source.GapPiece of them. If the
// codec does not conceal smoothly, it keeps the last maxHeld frames of the gap in r.held, and the following packet
// fades in over them. It advances r.at and reduces r.lost.
func (r *Reader) appendGap(dst []float32) []float32 {
	if r.lost <= maxHeld && !r.kind.Conceals {
		r.held = r.codec.MakeUp(nil, r.lost)
		r.at += r.lost
		r.lost = 0
		return dst
	}
	n := min(r.lost, source.GapPiece)
	if !r.kind.Conceals {
		n = min(n, r.lost-maxHeld)
	}
	dst = r.codec.MakeUp(dst, n)
	r.at += n
	r.lost -= n
	return dst
}

// fadeIn inserts r.held, the held end of a gap, into dst before the frames from index old on, whose sound fades in
// over it, and clears r.held. Without held or new frames it returns dst unchanged.
func (r *Reader) fadeIn(dst []float32, old int) []float32 {
	if len(r.held) == 0 || len(dst) == old {
		return dst
	}
	source.FadeIn(r.held, dst[old:], r.Channels)
	dst = slices.Insert(dst, old, r.held...)
	r.held = nil
	return dst
}

// finish handles the end of a stream. It returns true if frames are missing at the end, so that Next must append
// concealed frames. Otherwise it appends the held frames to dst and returns dst and false. An error of the whole
// stream is recorded as damage, once.
func (r *Reader) finish(dst []float32) ([]float32, bool) {
	announced, fault := r.codec.End()
	if hole := r.stream.hole; hole != nil {
		missing, rest := announced-(r.at-r.before), r.in.Size-r.stream.end
		if missing > 4*rest*r.at/max(r.stream.end, 1) {
			missing = 0 // the stream is cut short
		}
		if announced == 0 { // the last page contains only the end of a packet
			missing = r.stream.reach - r.lead - (r.at - r.before)
		}
		r.codec.Lost()
		r.gap(missing, hole)
		fault, r.stream.hole = nil, nil
		if r.lost > 0 {
			return dst, true
		}
	}
	if fault != nil && !r.ended {
		r.note(0, fault)
	}
	r.ended = true
	dst = append(dst, r.held...)
	r.held = nil
	return dst, false
}

// keep trims the n new frames at the end of dst: it removes those before the beginning and after the end of the
// stream. It adds the number of the remaining ones to r.at, and returns dst. If r.dry is true, dst has no new frames,
// and keep only counts.
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

// turnPage evaluates the granule position of the current page, whose first packet is p. It sets r.limit, the end of
// the stream, r.cut, the frames to drop at its beginning, and r.lead, the offset of granule positions. If frames are
// missing before the page, it begins a gap. It must be called once per page, before p is decoded.
func (r *Reader) turnPage(p []byte) {
	r.limit = -1
	granule, ahead := r.stream.granule, int64(0)
	hole := r.stream.hole
	if r.stream.hole = nil; hole != nil {
		r.codec.Lost()
	}
	doubt := r.stream.doubt
	r.doubt = doubt != nil
	if granule >= 0 && (!r.began || hole != nil) || r.doubt {
		ahead = r.codec.Ahead(append([][]byte{p}, r.stream.packets...)...)
	}
	if r.doubt {
		start := r.at - r.before + r.lead - r.cut
		if granule != start+ahead && !r.stream.last {
			r.stream.hole = doubt // the next page determines the position of the damage
		}
		if granule < start || granule > start+ahead {
			granule = -1 // the granule position or packets are damaged
		}
	}
	if granule >= 0 && (r.stream.last || r.doubt) {
		r.limit = r.before + min(max(granule-r.lead, 0), math.MaxInt64-r.before)
	}
	switch lead := r.at - r.before + ahead; {
	case granule < 0:
	case hole != nil:
		missing := max(granule-ahead, 0) - (r.at - r.before + r.lead - r.cut)
		if r.stream.last && r.kind.Leads { // the end may be trimmed
			size := max(r.codec.Ahead(p), 1)
			missing = (missing + size - 1) / size * size
		}
		front := min(max(missing, 0), r.cut)
		r.cut -= front
		r.gap(missing-front, hole)
	case r.stream.last || r.began:
	case r.kind.Leads:
		r.lead += max(granule-lead, 0)
	default: // positions may begin anywhere, as in a recorded broadcast
		r.cut, r.lead = max(lead-granule, 0), max(granule-lead, 0)
	}
	if granule < 0 && hole != nil {
		r.stream.hole = hole
	}
	r.began = true
	if r.doubt {
		r.note(ahead-min(r.cut, ahead), doubt)
	}
}

// Count walks over the whole file without decoding, adds places where decoding can start to m, and returns the number
// of frames, concealed ones included. It ends at an undefined position.
func (r *Reader) Count(m *source.Marks) (int64, error) {
	if err := r.walk(math.MaxInt64, m); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	return r.at, nil
}

// SeekFrame moves to frame, or to a frame somewhat before it, and returns the number of that frame. It walks over the
// pages from the nearest mark in m, because granule positions may be wrong, and adds marks to m. It starts early
// enough that a gap fades as it does when playing from the beginning.
func (r *Reader) SeekFrame(frame int64, m *source.Marks) (int64, error) {
	if k, ok := r.codec.(Keeper); ok {
		return r.decodeTo(frame, k, m)
	}
	if err := r.walk(frame, m); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	at := m.Last(source.Mark{}, func(x source.Mark) bool { return x.Frame <= frame-source.MaxFade })
	return at.Frame, r.resume(at)
}

// decodeTo decodes from the nearest mark in m, with its decoder state, to frame or at most longest frames before it;
// k is r.codec. It adds marks with states to m, and returns the number of the frame reached, which is the end of a
// shorter file.
func (r *Reader) decodeTo(frame int64, k Keeper, m *source.Marks) (int64, error) {
	m.Limit(stateStride, maxStates)
	at := m.Last(source.Mark{}, func(x source.Mark) bool { return x.Frame <= frame })
	if err := r.resume(at); err != nil {
		return 0, err
	}
	if at.State != nil {
		k.SetState(at.State)
	}
	var buf []float32
	for r.at < frame-longest {
		x, place := r.place()
		if place = place && m.Wants(r.at); place {
			x.State = k.State()
		}
		var err error
		if buf, err = r.Next(buf[:0]); errors.Is(err, io.EOF) {
			return r.at, nil
		} else if err != nil {
			return 0, err
		}
		if place && r.entered(&x) {
			m.Add(x)
		}
	}
	return r.at, nil
}

// place returns a mark of the next page, without its byte offset, and reports whether decoding can start there. It
// can if the page begins with a new packet, is not the first one, and no frames before it are missing. It does not
// move.
func (r *Reader) place() (x source.Mark, ok bool) {
	x = source.Mark{
		Link: r.link, Before: r.before, Serial: r.stream.serial, Sequence: r.stream.next, Frame: r.at, Lead: r.lead,
	}
	return x, len(r.stream.packets) == 0 && len(r.stream.partial) == 0 && r.stream.hole == nil && r.began && !r.over && r.cut == 0 && r.lost == 0 && len(r.held) == 0
}

// entered completes the mark x, which place returned before the last Next, with the byte offset of the current page.
// It returns false if the last packet did not come from the page of x, so that the mark is invalid.
func (r *Reader) entered(x *source.Mark) bool {
	x.At = r.stream.at
	return !r.over && r.link == x.Link && r.stream.next == x.Sequence+1
}

// walk counts the frames of packets without decoding them, from the last mark in m at or before frame until r.at is
// beyond frame, and adds marks to m if the codec needs no states. It returns io.EOF if the file ends before.
func (r *Reader) walk(frame int64, m *source.Marks) error {
	if err := r.resume(m.Last(source.Mark{}, func(x source.Mark) bool { return x.Frame <= frame })); err != nil {
		return err
	}
	r.dry = true
	defer func() { r.dry = false }()
	_, keeps := r.codec.(Keeper)
	for r.at <= frame {
		x, place := r.place()
		if _, err := r.Next(nil); err != nil {
			return err
		}
		if place && !keeps && r.entered(&x) {
			if r.kind.Overlaps {
				x.Frame = r.at
			}
			m.Add(x)
		}
	}
	return nil
}

// enter moves to the stream whose first page is at byte link of the file, and reads its headers, with the errors of
// openLink. before, the number of frames in the streams before it, becomes the position.
func (r *Reader) enter(link, before int64) error {
	r.in.MoveTo(link)
	r.stream = stream{in: r.in, magic: r.kind.Magic}
	r.at = before
	return r.openLink()
}

// resume moves to the page of the mark x, and resets the decoder to play from there. For the zero mark it moves to
// the beginning of the file. It reads the headers of x's stream if that is another stream, with the errors of
// openLink.
func (r *Reader) resume(x source.Mark) error {
	if r.whole = x.At == 0; r.whole {
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
	r.over, r.began, r.fresh, r.cut, r.limit, r.lead = false, true, true, 0, -1, x.Lead
	r.lost, r.held, r.ended = 0, nil, false
	return nil
}

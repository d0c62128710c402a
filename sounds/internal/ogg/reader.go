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

	// Lost prepares for frames that are made up, behind the last packet; those that follow are of
	// another one.
	Lost()

	// MakeUp appends some of the frames of a gap to dst.
	MakeUp(dst []float32, frames int64) []float32

	// End returns how many frames the stream announces, 0 if it does not, and what is wrong with the
	// whole, if all of it was decoded.
	End() (announced int64, fault error)
}

// longest is more frames than a packet of Opus has.
const longest = 6000

// A state takes some 30 kB: there is one each 20 s, or each 1/64 of a long file.
const (
	stateStride = 20 * 48000
	maxStates   = 64
)

// Keeper is a Codec of which each packet needs all those before it. A place in its stream is
// one with a state.
type Keeper interface {
	Codec

	// State returns what the packets so far leave to those that follow.
	State() any

	// SetState goes on behind the packets whose state it was.
	SetState(state any)
}

// Kind says what streams a Reader reads.
type Kind struct {
	Magic    string // what their first packet begins with
	Overlaps bool   // a packet completes what the one before it began, so the first gives nothing
	Leads    bool   // positions may be ahead of frames, by what the first of them says
	Conceals bool   // what it makes up for a gap goes over into what follows
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
	lead   int64 // what its positions are ahead of its frames
	over   bool  // it has ended
	began  bool  // a page of it with sound has come

	at    int64 // the next frame
	fresh bool  // the next packet is the first of its page
	cut   int64 // how many frames are still to be left out
	limit int64 // the frame where the stream ends; -1: not on this page

	doubt bool      // the page is damaged, but packets of it may be all right
	lost  int64     // how many frames are made up before the next packet
	held  []float32 // the last of them, into which the next packet fades
	sound bool      // a packet was decoded
	whole bool      // it was decoded from its beginning on
	ended bool      // the end of the stream was looked at
	fault error     // the first
}

// NewReader reads the headers of the first stream of a kind in the file that in stands at; the
// error is io.EOF if there is none.
func NewReader(in *source.Input, lim source.Limits, kind Kind, codec Codec) (*Reader, error) {
	r := &Reader{in: in, lim: lim, kind: kind, codec: codec, stream: stream{in: in, magic: kind.Magic}, limit: -1, whole: true}
	return r, r.openLink()
}

// openLink reads the headers of the stream that comes; the error is io.EOF if there is
// none.
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

// header returns a packet that there has to be.
func (r *Reader) header() ([]byte, error) {
	p, err := r.stream.packet()
	if errors.Is(err, io.EOF) {
		err = source.Broken("cut short before its last header")
	}
	return p, err
}

func (r *Reader) Next(dst []float32) ([]float32, error) {
	if r.lost > 0 {
		return r.fill(dst), r.lim.Length(r.at, r.Channels)
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

// maxPeak is the largest sample that is believed of a damaged page: 6 dB over full scale.
const maxPeak = 2

// tooLoud reports whether a sample is larger than maxPeak, or no number.
func tooLoud(samples []float32) bool {
	for _, x := range samples {
		if !(-maxPeak <= x && x <= maxPeak) {
			return true
		}
	}
	return false
}

// bad makes up the frames of a packet that cannot be decoded. If their number is unknown, the next page
// shows it.
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

// note notes frames that are made up.
func (r *Reader) note(frames int64, fault error) {
	if r.limit >= 0 && frames > 0 {
		if frames = min(frames, r.limit-r.at); frames <= 0 {
			return // they are cut off
		}
	}
	if !r.dry {
		r.fault = cmp.Or(r.fault, fault)
		r.Conceal(r.at, frames, fault)
	}
}

// gap begins a gap of frames, as far as the file is long enough for them.
func (r *Reader) gap(missing int64, fault error) {
	missing = r.Gap(missing, r.at, r.in.At)
	r.note(missing, fault)
	if r.dry {
		r.at += missing
		return
	}
	r.lost = missing
}

// maxHeld is how many frames of a gap wait for what follows, which fades in there.
const maxHeld = 256

// fill appends frames that are made up.
func (r *Reader) fill(dst []float32) []float32 {
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

// fadeIn inserts the end of a gap before the frames that follow it, from old on.
func (r *Reader) fadeIn(dst []float32, old int) []float32 {
	if len(r.held) == 0 || len(dst) == old {
		return dst
	}
	source.FadeIn(r.held, dst[old:], r.Channels)
	dst = slices.Insert(dst, old, r.held...)
	r.held = nil
	return dst
}

// finish looks at a stream that has ended. It reports whether frames follow that are made up.
func (r *Reader) finish(dst []float32) ([]float32, bool) {
	announced, fault := r.codec.End()
	if hole := r.stream.hole; hole != nil {
		missing, rest := announced-(r.at-r.before), r.in.Size-r.stream.end
		if missing > 4*rest*r.at/max(r.stream.end, 1) {
			missing = 0 // it is cut short
		}
		if announced == 0 { // only the end of a packet is on the last page
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

// turnPage looks at the position of the page whose first packet is p.
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
			r.stream.hole = doubt // the next page shows where it is
		}
		if granule < start || granule > start+ahead {
			granule = -1 // it is damaged, or packets are
		}
	}
	if granule >= 0 && (r.stream.last || r.doubt) {
		r.limit = r.before + min(max(granule-r.lead, 0), math.MaxInt64-r.before)
	}
	switch lead := r.at - r.before + ahead; {
	case granule < 0:
	case hole != nil:
		missing := max(granule-ahead, 0) - (r.at - r.before + r.lead - r.cut)
		if r.stream.last && r.kind.Leads { // its end may be cut off
			size := max(r.codec.Ahead(p), 1)
			missing = (missing + size - 1) / size * size
		}
		front := min(max(missing, 0), r.cut)
		r.cut -= front
		r.gap(missing-front, hole)
	case r.stream.last || r.began:
	case r.kind.Leads:
		r.lead += max(granule-lead, 0)
	default: // positions may begin anywhere, as in a recording of a broadcast
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

func (r *Reader) Count(m *source.Marks) (int64, error) {
	if err := r.walk(math.MaxInt64, m); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	return r.at, nil
}

// SeekFrame walks over the pages, from the nearest place that is known: a position
// that a page tells need not be right. It begins so early that a gap fades as it does for those who
// come from the beginning.
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

// decodeTo goes to a frame of what a Keeper decodes, or to one before it, from the nearest
// place with a state, and leaves such places.
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

// place returns a mark of the page that comes, if it begins with a packet of its own, behind
// the first, and no frames before it are missing.
func (r *Reader) place() (x source.Mark, ok bool) {
	x = source.Mark{
		Link: r.link, Before: r.before, Serial: r.stream.serial, Sequence: r.stream.next, Frame: r.at, Lead: r.lead,
	}
	return x, len(r.stream.packets) == 0 && len(r.stream.partial) == 0 && r.stream.hole == nil && r.began && !r.over && r.cut == 0 && r.lost == 0 && len(r.held) == 0
}

// entered completes a mark if its page was read by the next packet.
func (r *Reader) entered(x *source.Mark) bool {
	x.At = r.stream.at
	return !r.over && r.link == x.Link && r.stream.next == x.Sequence+1
}

// walk marks the places up to a frame.
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

// enter goes to where a stream begins, behind so many frames.
func (r *Reader) enter(link, before int64) error {
	r.in.MoveTo(link)
	r.stream = stream{in: r.in, magic: r.kind.Magic}
	r.at = before
	return r.openLink()
}

// resume goes to a page that a mark names, or to the beginning of the file.
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

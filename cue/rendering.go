package cue

import (
	"errors"
	"io"
	"time"

	"voicepool/cue/report"
	"voicepool/internal/loudness"
	"voicepool/mixer"
	"voicepool/pcm"
)

// rendering is how far Read has come.
type rendering struct {
	now    int64       // frames mixed
	block  []pcm.Frame // mixed last
	ready  []pcm.Frame // the part of it that can be given
	gap    int64       // frames of silence to be given before ready
	held   int64       // silence after it, of which nobody knows yet whether something follows
	early  []pcm.Frame // what can be given before gap: what was kept
	kept   keeping     // what is held, where effects ring
	frames int64       // given
	bound  int64       // frames, before which the render is over; 0: not worked out yet
	over   bool
	read   bool   // somebody reads
	flips  []flip // pauses that are to come
	stood  int64  // frames of the output at which the mixer stood still
	panics int    // of the sheet: those that are over
}

// longSilence is how many silent blocks Read mixes at most before it returns.
const longSilence = 1024

// Read fills dst with the next frames and returns how much of it; at the end 0 and io.EOF. Of a
// sheet with several outputs len(dst) is a multiple of Outputs, and so is n. It returns less, or
// none and no error, at the end and within a long silence, so that a caller can stop there. Control
// and audio side at once, without a clock: the mixer works in blocks of len(dst), which do not show
// in the result.
//
// The first frame is the one of the first cues: the mixer's latency is taken
// off. The last one is that of the last voice, fade or tail, or the one before
// the sheet's length, whichever comes first. Without a length it may never come:
// see Sheet.CheckRender.
func (p *Player) Read(dst []pcm.Frame) (n int, err error) {
	begin := time.Now()
	defer func() { p.seconds += time.Since(begin).Seconds() }()
	p.file.read = true
	dst = p.whole(dst)
	if there, err := p.goThere(int64(p.mixer.LatencyFrames())); !there {
		return 0, err
	}
	if p.options.Events {
		p.beneath.begin(p.sheet.Rate, p.wide, p.begins.frame)
	}
	f := &p.file
	p.heard.truly = true
mixing:
	for blocks := 0; n < len(dst); {
		switch {
		case len(f.early) > 0:
			k := copy(dst[n:], f.early)
			f.early = f.early[k:]
			n += k
		case f.gap > 0:
			k := int(min(f.gap, int64((len(dst)-n)/p.wide))) * p.wide
			clear(dst[n : n+k])
			f.gap -= int64(k / p.wide)
			n += k
		case len(f.ready) > 0:
			k := copy(dst[n:], f.ready)
			f.ready = f.ready[k:]
			n += k
		case f.over && n == 0:
			p.Close()
			return 0, io.EOF
		case f.over || blocks == longSilence:
			break mixing
		default:
			blocks++
			if err := p.mixMore(len(dst) / p.wide); err != nil {
				return 0, err
			}
		}
	}
	f.frames += int64(n / p.wide)
	p.heard.hear(dst[:n])
	p.beneath.hear(dst[:n], p.wide, p.events)
	return n, nil
}

// mixMore mixes one block and sorts out what of it is known to be heard.
func (p *Player) mixMore(size int) error {
	f := &p.file
	latency := int64(p.mixer.LatencyFrames())
	st := p.mixer.Stats()
	switch {
	case p.finished(&st) && f.now-latency >= over(&st):
		p.miss()
		f.over = true
		return nil
	case f.now-latency >= p.cut:
		// What is held is silence before the cut; nothing but silence follows.
		f.over = true
		return nil
	case f.now < p.cut:
		size = int(min(int64(size), p.cut-f.now))
	default:
		// The last frames are only to come out of the limiter. What becomes of
		// voices there is no part of the sheet.
		if p.atCut == nil {
			p.atCut = new(st)
		}
		size = int(min(int64(size), p.cut+latency-f.now))
	}
	size, stands := p.stands(size)
	if stands {
		return nil
	}
	if err := p.checkEnd(); err != nil {
		return err
	}
	if cap(f.block) < size*p.wide {
		f.block = make([]pcm.Frame, size*p.wide)
	}
	block := f.block[:size*p.wide]
	if err := p.mixBlock(block); err != nil {
		return err
	}
	p.hold.fade(block)
	drop := max(min(latency-f.now+int64(size), int64(size)), 0) // what is before the first frame of the sheet

	// Of the frames that have come out of the mixer so many at the end have nothing to be heard in
	// them, as things stand. It may be more than the last block had: less than was thought before
	// where a start has ended as it began, at the edge of two blocks.
	silent := int64(0)
	if st := p.mixer.Stats(); p.quiet(&st) || st.Playing == 0 && !f.kept.rings { // a start to come may be stopped before
		silent = max(f.now-latency-st.SilentFrom, 0)
	}
	// What is held and the block can be given, but for these last frames of both, which are held.
	block = block[drop*int64(p.wide):]
	given := int64(len(block) / p.wide)
	if f.kept.rings {
		all := f.held + given
		f.held = min(silent, all)
		f.early = f.kept.give(block, int(all-f.held)*p.wide)
		return nil
	}
	switch heard := f.held + given - silent; {
	case heard <= 0:
		f.held += given
	case heard <= f.held:
		f.gap, f.held = heard, silent
	default:
		f.ready = block[:(heard-f.held)*int64(p.wide)]
		f.gap, f.held = f.held, silent
	}
	return nil
}

// keeping is what a render holds of what effects ring, which is below -90 dBFS and not silent: if
// something follows that is louder, it is given as it is.
type keeping struct {
	rings       bool
	held, spare []pcm.Frame
}

// give takes in a block, and returns the first n of all samples that are held. They stay good until the
// next call.
func (k *keeping) give(block []pcm.Frame, n int) []pcm.Frame {
	all := append(k.held, block...)
	if n == 0 {
		k.held = all
		return nil
	}
	k.held, k.spare = append(k.spare[:0], all[n:]...), all[:0]
	return all[:n]
}

// mixBlock mixes one block with all that is due in it.
func (p *Player) mixBlock(dst []pcm.Frame) error {
	f := &p.file
	for end := f.now + int64(len(dst)/p.wide); f.panics < len(p.sheet.panics) && p.sheet.panics[f.panics].frame < end; f.panics++ {
		a := &p.sheet.panics[f.panics]
		if n := (a.frame - f.now) * int64(p.wide); n > 0 {
			if err := p.mixStretch(dst[:n]); err != nil {
				return err
			}
			dst = dst[n:]
		}
		if err := p.alarm(a); err != nil {
			return err
		}
	}
	return p.mixStretch(dst)
}

// mixStretch is mixBlock without a panic.
func (p *Player) mixStretch(dst []pcm.Frame) error {
	f := &p.file
	for p.follows.waits() && len(dst) > 0 {
		n, err := p.mixToEnd(dst)
		if err != nil {
			return err
		}
		dst = dst[n*p.wide:]
	}
	end := f.now + int64(len(dst)/p.wide)
	for tries := 0; ; tries++ {
		sent := p.sent
		blocked, err := p.feed(end)
		if err == nil {
			break
		}
		if p.sent > sent {
			tries = 0
		}
		if !errors.Is(err, mixer.ErrBusy) {
			return err
		}
		if blocked > f.now {
			n := (blocked - f.now) * int64(p.wide)
			p.renderPrepared(dst[:n])
			dst, f.now, tries = dst[n:], blocked, 0
		} else if tries > commands {
			return errors.New("cue: the mixer takes no commands") // cannot happen: Render makes room
		}
		p.mixer.Render(nil) // what is due at this frame makes room
		p.poll()
	}
	p.renderPrepared(dst)
	f.now = end
	p.poll()
	return p.streams.err()
}

// unpolled is how many seconds are mixed at most until what has happened is polled: events
// wait in the mixer, which holds those of 20 s.
const unpolled = 10

// renderPrepared mixes frames for which every stream has been decoded.
func (p *Player) renderPrepared(dst []pcm.Frame) {
	since, most := 0, unpolled*p.sheet.Rate
	for len(dst) > 0 {
		n := min(len(dst)/p.wide, p.mixer.Prepare(), most-since)
		if p.skips {
			p.mixer.Skip(n)
		} else {
			p.mixer.Render(dst[:n*p.wide])
		}
		dst = dst[n*p.wide:]
		if since += n; since == most {
			p.poll()
			since = 0
		}
	}
}

// beneath works out how far under the mix, of all outputs, lies what was taken from it: the K-weighted
// power of the 60 ms of the mix from a steal on, against the most that can be
// missing. It hears what Read gives, whose events are known by then.
type beneath struct {
	window  int64 // 60 ms in frames; 0: nobody reads
	at      int64 // frames heard
	sum     float64
	filters []loudness.Filter // by channel
	victims []victim          // in the order of their frames
	opened  int               // so many of them have begun
	closed  int               // and so many are done
}

// victim is an event that waits for its 60 ms.
type victim struct {
	event int
	frame int64
	sum   float64 // when it began
}

// begin has a player that is read, from a frame on, measure its events.
func (b *beneath) begin(rate, outputs int, from int64) {
	if b.window == 0 {
		*b = beneath{at: from, window: max(pcm.Frames(60*time.Millisecond, rate), 1)}
		for range 2 * outputs {
			b.filters = append(b.filters, loudness.NewFilter(rate))
		}
	}
}

// expect notes an event, if there is anything to be told of it.
func (b *beneath) expect(event int, e *report.Event) {
	if b.window > 0 && e.Loss() && e.Lost.Finite() {
		b.victims = append(b.victims, victim{event: event, frame: e.Frame})
	}
}

// hear takes the next frames of the mix.
func (b *beneath) hear(frames []pcm.Frame, wide int, events []report.Event) {
	if b.window == 0 {
		return
	}
	for {
		n := b.turn(events)
		if len(frames) == 0 {
			return
		}
		n = min(n, int64(len(frames)/wide))
		for i, f := range frames[:n*int64(wide)] {
			filters := b.filters[i%wide*2:]
			for c, x := range f {
				y := filters[c].Next(float64(x))
				b.sum += float64(y * y)
			}
		}
		b.at += n
		frames = frames[n*int64(wide):]
	}
}

// turn begins and ends what begins and ends at this frame, and returns how many
// frames it is to the next time.
func (b *beneath) turn(events []report.Event) int64 {
	for b.opened < len(b.victims) && b.victims[b.opened].frame <= b.at {
		b.victims[b.opened].sum = b.sum
		b.opened++
	}
	for b.closed < b.opened && b.victims[b.closed].frame+b.window <= b.at {
		b.close(events)
	}
	next := int64(never)
	if b.opened < len(b.victims) {
		next = b.victims[b.opened].frame - b.at
	}
	if b.closed < b.opened {
		next = min(next, b.victims[b.closed].frame+b.window-b.at)
	}
	return next
}

func (b *beneath) close(events []report.Event) {
	v := &b.victims[b.closed]
	b.closed++
	e := &events[v.event]
	e.BelowMix = report.Level(pcm.FromPower(max(b.sum-v.sum, 0)/float64(b.window))) - e.Lost
	e.HasBelowMix = true
}

// finish ends what is under way when the mix is over: it is silent from here on.
func (b *beneath) finish(events []report.Event) {
	for b.closed < b.opened {
		b.close(events)
	}
}

package mixer

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
	"voicepool/voice"
)

// send is a Send at work.
type send struct {
	bus  int // an index
	gain voice.Move
	pre  bool

	share   float32 // the factor of the gain where it rested last: it takes long to work out
	shareOf float64 // that gain
	known   bool    // there is one
}

// newSends makes the sends of a bus as they are described.
func (s *shared) newSends(described []Send) []send {
	all := make([]send, len(described))
	for i, d := range described {
		all[i] = send{bus: s.tree.find(d.To), gain: voice.Rest(float64(d.Gain)), pre: d.Pre}
	}
	return all
}

// sendOn adds what a bus gives, and what it has before its gains, to the buses to which it sends: of a
// stretch of n frames. pre is what it has mixed, post what it gives.
func (a *audio) sendOn(index int, pre, post []pcm.Frame, n int64) {
	b := &a.buses[index]
	for i := range b.sends {
		s := &b.sends[i]
		if !s.opens(a.now) {
			continue
		}
		src, from := post, a.tree[index].above // what it gives is muted already
		if s.pre {
			src, from = pre, index
		}
		a.moving = a.mutes(append(a.moving[:0], &s.gain), from)
		addMoving(a.buses[s.bus].block(n), src[:n], a.moving, a.now)
	}
}

// mutes adds to moves those by which a bus and those above it are muted. They are for their sends, too.
func (a *audio) mutes(moves []*voice.Move, bus int) []*voice.Move {
	for i := bus; i >= 0; i = a.tree[i].above {
		if m := &a.buses[i].mute; !a.rested(m) {
			moves = append(moves, m)
		}
	}
	return moves
}

// rested reports whether a factor is 1 and has been so for as long as a line may be: what ends within one
// has it begin anew, whatever the block.
func (a *audio) rested(m *voice.Move) bool { return m.Rests(1, a.now&^63) }

// addMoving adds src to dst under a gain, in decibels, and factors after it.
func addMoving(dst, src []pcm.Frame, moves []*voice.Move, frame int64) {
	for len(dst) > 0 {
		from, to := line(frame, moves...)
		n := min(int64(len(dst)), to-frame)
		g := product(moves, from)
		ramp := dsp.Ramp{Left: float32(g), Right: float32(g), Start: int(frame - from)}
		if to != never {
			slope := float32((product(moves, to) - g) / float64(to-from))
			ramp.LeftSlope, ramp.RightSlope = slope, slope
		}
		dsp.Frames(dst[:n], src[:n], ramp)
		dst, src = dst[n:], src[n:]
		frame += n
	}
}

// product returns a gain, in decibels, times the factors after it.
func product(moves []*voice.Move, frame int64) float64 {
	g := moves[0].Gain(frame)
	for _, m := range moves[1:] {
		g = float64(g * m.At(frame))
	}
	return g
}

// setSend moves the gain of a send of a bus.
func (a *audio) setSend(index int, c *command) {
	for i := range a.buses[index].sends {
		if s := &a.buses[index].sends[i]; s.bus == c.part.send.bus {
			a.measureAt(a.now)
			was, opened := a.buses[index].ringing, s.opens(a.now)
			s.gain.TurnGain(a.now, c.part.send.gain, a.smoothed(a.heard(index, false), c.over), voice.Natural)
			if end := s.gain.End(); opened != s.opens(end) {
				a.ringPast(index, end, was)
			}
		}
	}
	a.refresh()
}

// mixSending mixes a voice to its bus and to those to which it sends, in front of next.
func (a *audio) mixSending(v seat, next *voice.Voice, n int64) {
	if a.sendSteady(v, next, n) {
		return
	}
	rare := v.slot.record.rare.Load()
	var pre []pcm.Frame
	if v.slot.record.sendsPre {
		pre = (*a.preRoom.Load())[:n]
		clear(pre)
		rare.pre.Into(pre, a.now)
	}
	given := a.mixAlone(v, next, n)
	if given == 0 {
		return
	}
	post := (*a.sendRoom.Load())[:given]
	dsp.Sum(a.buses[v.slot.bus].block(n)[:given], a.direct(v.slot, v.slot.record.screen(), post, a.now))
	for i := range v.slot.record.sends {
		to, src := &rare.sends[i], post
		if !to.opens(a.now) {
			continue
		}
		if to.pre {
			src = pre[:given]
		}
		// A solo elsewhere takes a bus's own voices, but not what others send to it.
		b, past := &a.buses[to.bus], int64(0)
		if !b.direct.Rests(1, a.now) {
			if past = given; b.direct.To == 1 {
				past = min(given, b.direct.End()-a.now)
			}
			a.addSent(v.slot, to, a.past(to.bus, n)[:past], src[:past], a.now)
		}
		if past < given {
			a.addSent(v.slot, to, b.block(n)[past:given], src[past:], a.now+past)
		}
	}
}

// addSent adds src, from a frame on, to dst under a send of a voice.
func (a *audio) addSent(s *slot, to *send, dst, src []pcm.Frame, frame int64) {
	if share, rests := a.restingShare(s, to); rests {
		dsp.Frames(dst, src, dsp.Ramp{Left: share, Right: share})
	} else {
		addMoving(dst, src, a.moving, frame)
	}
}

// past returns where voices of others are added up for a bus whose own are not heard in full.
func (a *audio) past(bus int, n int64) []pcm.Frame {
	b, room := &a.buses[bus], (*a.pasts[bus].Load())[:n]
	if !b.past {
		clear(room)
		b.past = true
	}
	return room
}

// restingShare returns the factor of a send of a voice, if nothing moves and nothing mutes it. The moves
// that act on it are in moving.
func (a *audio) restingShare(s *slot, to *send) (share float32, rests bool) {
	if moves := a.sending(s, to); len(moves) > 1 || to.gain.End() > a.now {
		return 0, false
	}
	if at := to.gain.To; !to.known || to.shareOf != at {
		to.share, to.shareOf, to.known = float32(to.gain.Gain(a.now)), at, true
	}
	return to.share, true
}

// sendSteady is mixSending for a voice with one send, where nothing moves: it mixes to both buses at
// once. It reports whether it has.
func (a *audio) sendSteady(v seat, next *voice.Voice, n int64) bool {
	if s := v.slot; s.record.sends != 1 || n >= s.endAt-a.now || !s.voice.Sends(n) || a.apart(s, s.record.screen(), a.now) {
		return false
	}
	to := &v.slot.record.rare.Load().sends[0]
	if !a.buses[to.bus].direct.Rests(1, a.now) {
		return false
	}
	share, rests := a.restingShare(v.slot, to)
	if rests {
		sent := (*a.sendRoom.Load())[:n] // thrown away, where the send is silent
		if share != 0 {
			sent = a.buses[to.bus].block(n)
		}
		v.slot.voice.MixSend(next, a.buses[v.slot.bus].block(n), sent, share)
	}
	return rests
}

// direct returns what of a voice that sends goes to its own bus, from a frame on: src, behind what is on
// its direct way alone, where there is such.
func (a *audio) direct(s *slot, screen *voice.Screen, src []pcm.Frame, frame int64) []pcm.Frame {
	if !a.apart(s, screen, frame) {
		return src
	}
	room := *a.sendRoom.Load()
	dst := room[len(room)/2:][:len(src)]
	copy(dst, src)
	if screen != nil && screen.Active() {
		screen.Apply(dst, frame)
	}
	if gain := &s.record.where.space.Direct; !gain.Rests(1, frame) {
		scale(dst, gain, frame)
	}
	return dst
}

// apart reports whether something acts on the direct way of a voice that sends, and not on its sends.
func (a *audio) apart(s *slot, screen *voice.Screen, frame int64) bool {
	return s.record.placed && (screen != nil && screen.Active() || !s.record.where.space.Direct.Rests(1, frame))
}

// directTail is direct for a tail, which leaves the voice as it is.
func (a *audio) directTail(s *slot, tail []pcm.Frame, frame int64) []pcm.Frame {
	screen := s.record.screen()
	if screen != nil && screen.Active() {
		copied := &a.splits.Load().screen
		*copied = *screen
		screen = copied
	}
	return a.direct(s, screen, tail, frame)
}

// mixAlone mixes a voice into sendRoom, and returns how many frames it gave.
func (a *audio) mixAlone(v seat, next *voice.Voice, n int64) (given int64) {
	b := &a.buses[v.slot.bus]
	mixed, used, lent := b.mixed, b.used, b.lent
	defer func() { // also of a voice that panics
		if !b.used {
			given = 0
		}
		b.mixed, b.used, b.lent = mixed, used, lent
	}()
	b.mixed, b.used, b.lent = *a.sendRoom.Load(), false, false
	return a.mixVoice(v.index, v.slot, next, n)
}

// sending returns the gain of a send of a voice, and the factors after it: those of what mutes the voice.
func (a *audio) sending(s *slot, to *send) []*voice.Move {
	a.moving = append(a.moving[:0], &to.gain)
	if s.record.placed && !to.pre {
		if m := &s.record.where.space.Sends; !a.rested(m) {
			a.moving = append(a.moving, m)
		}
	}
	if m := &a.buses[s.bus].direct; !a.rested(m) { // another bus is soloed
		a.moving = append(a.moving, m)
	}
	a.moving = a.mutes(a.moving, int(s.bus))
	return a.moving
}

// sendTail sends the tail of a voice, from a frame on, to where the voice sends. pre is what of it comes
// before its fader, if there is a send of that.
func (a *audio) sendTail(s *slot, tail, pre []pcm.Frame, frame int64) {
	rare := s.record.rare.Load()
	for i := range s.record.sends {
		to, room := &rare.sends[i], (*a.sendRoom.Load())[:len(tail)]
		if !to.opens(frame) {
			continue
		}
		clear(room)
		src := tail
		if to.pre {
			src = pre
		}
		addMoving(room, src, a.sending(s, to), frame)
		a.buses[to.bus].addTail(room, frame)
		a.ringFrom(frame+int64(len(tail)), to.bus)
	}
}

// ringVoice notes that a voice gives nothing from a frame on.
func (a *audio) ringVoice(s *slot, frame int64) {
	a.ringFrom(frame, int(s.bus))
	a.ringBefore(s)
	if s.record.sends > 0 {
		rare := s.record.rare.Load()
		for i := range s.record.sends {
			if to := &rare.sends[i]; to.opens(frame) {
				a.ringFrom(frame, to.bus)
			}
		}
	}
}

// moveSend moves the gain of a send of a start, if it has one to that bus: within so many frames.
func (a *audio) moveSend(r *record, c *command, over int64) {
	if r.sends == 0 {
		return
	}
	rare := r.rare.Load()
	for i := range r.sends {
		if s := &rare.sends[i]; s.bus == c.part.send.bus {
			opened := s.opens(a.now)
			s.gain.TurnGain(a.now, c.part.send.gain, over, voice.Natural)
			if end := s.gain.End(); opened && !s.opens(end) {
				a.ringFrom(end, s.bus)
			}
		}
	}
}

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
}

// newSends makes the sends of a bus as they are described.
func (s *shared) newSends(described []Send) []send {
	all := make([]send, len(described))
	for i, d := range described {
		all[i] = send{s.tree.find(d.To), voice.Rest(float64(d.Gain)), d.Pre}
	}
	return all
}

// sendOn adds what a bus gives, and what it has before its gains, to the buses to which it sends: of a
// stretch of n frames. pre is what it has mixed, post what it gives.
func (a *audio) sendOn(index int, pre, post []pcm.Frame, n int64) {
	b := &a.buses[index]
	for i := range b.sends {
		s := &b.sends[i]
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
		if m := &a.buses[i].mute; !m.Rests(1, a.now) {
			moves = append(moves, m)
		}
	}
	return moves
}

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
			s.gain.TurnGain(a.now, c.part.send.gain, a.smoothed(a.heard(index, false), c.over), voice.Natural)
		}
	}
}

// mixSending mixes a voice to its bus and to those to which it sends, in front of next.
func (a *audio) mixSending(v seat, next *voice.Voice, n int64) {
	rare := v.slot.record.rare.Load()
	var pre []pcm.Frame
	if v.slot.record.sendsPre {
		pre = (*a.preRoom.Load())[:n]
		clear(pre)
		rare.pre.Into(pre, a.now)
	}
	if !a.mixAlone(v, next, n) {
		return
	}
	post := (*a.sendRoom.Load())[:n]
	dsp.Sum(a.buses[v.slot.bus].block(n), post)
	for i := range v.slot.record.sends {
		to, src := &rare.sends[i], post
		if to.pre {
			src = pre
		}
		addMoving(a.buses[to.bus].block(n), src, a.sending(v.slot, to), a.now)
	}
}

// mixAlone mixes a voice into sendRoom, and reports whether it gave anything.
func (a *audio) mixAlone(v seat, next *voice.Voice, n int64) (sounds bool) {
	b := &a.buses[v.slot.bus]
	mixed, used, lent := b.mixed, b.used, b.lent
	defer func() { // also of a voice that panics
		sounds = b.used
		b.mixed, b.used, b.lent = mixed, used, lent
	}()
	b.mixed, b.used, b.lent = *a.sendRoom.Load(), false, false
	a.mixVoice(v.index, v.slot, next, n)
	return false
}

// sending returns the gain of a send of a voice, and the factors after it: those of what mutes the voice.
func (a *audio) sending(s *slot, to *send) []*voice.Move {
	a.moving = append(a.moving[:0], &to.gain)
	if m := &a.buses[s.bus].direct; !m.Rests(1, a.now) { // another bus is soloed
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
	if s.record.sends > 0 {
		rare := s.record.rare.Load()
		for i := range s.record.sends {
			a.ringFrom(frame, rare.sends[i].bus)
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
			s.gain.TurnGain(a.now, c.part.send.gain, over, voice.Natural)
		}
	}
}

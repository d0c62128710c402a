package mixer

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
	"voicepool/voice"
)

// send is the state of a Send.
type send struct {
	bus  int // an index
	gain voice.Move
	pre  bool

	share   float32 // the cached factor for the gain shareOf
	shareOf float64
	known   bool // share is valid
}

// newSends creates the state of the sends of a bus from described, in the same order. A send copies the output of the
// bus to another bus. Each destination must be the name of a bus.
func (s *shared) newSends(described []Send) []send {
	all := make([]send, len(described))
	for i, d := range described {
		all[i] = send{bus: s.tree.find(d.To), gain: voice.Constant(float64(d.Gain)), pre: d.Pre}
	}
	return all
}

// sendOn adds the next n frames of a.buses[index] to the destinations of the sends of that bus. pre holds the mix of
// the bus before its gains, and post its output. Each send takes pre or post, multiplied by its gain and by the mutes
// that apply. A send whose gain is silent is left out.
func (a *audio) sendOn(index int, pre, post []pcm.Frame, n int64) {
	b := &a.buses[index]
	for i := range b.sends {
		s := &b.sends[i]
		if !s.opens(a.now) {
			continue
		}
		src, from := post, a.tree[index].above // post is already muted
		if s.pre {
			src, from = pre, index
		}
		a.sendFades = a.appendMutes(append(a.sendFades[:0], &s.gain), from)
		addWithGains(a.buses[s.bus].block(n), src[:n], a.sendFades, a.now)
	}
}

// appendMutes appends to moves the mutes that apply to sends of a bus, and returns the result. These are the mutes of
// the bus with the index bus and of all buses that it is mixed into. Each mute is a linear factor that may fade. A
// mute that has been 1 for a while is left out.
func (a *audio) appendMutes(moves []*voice.Move, bus int) []*voice.Move {
	for i := bus; i >= 0; i = a.tree[i].above {
		if m := &a.buses[i].mute; !a.isUnity(m) {
			moves = append(moves, m)
		}
	}
	return moves
}

// isUnity reports whether m, a linear factor, has been 1 since the last frame divisible by 64. Fades advance on this
// grid, so the answer does not depend on the length of blocks.
func (a *audio) isUnity(m *voice.Move) bool { return m.SettledAt(1, a.now&^63) }

// addWithGains adds src, multiplied by the product of moves, to dst, which must have the same length. moves[0] is a
// gain in decibels; the others are linear factors. The parameter frame is the frame of the mix where both begin.
func addWithGains(dst, src []pcm.Frame, moves []*voice.Move, frame int64) {
	for len(dst) > 0 {
		from, to := segment(frame, moves...)
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

// product returns the product of moves at the given frame of the mix, as one linear factor. moves[0] is a gain in
// decibels; the others are linear factors.
func product(moves []*voice.Move, frame int64) float64 {
	g := moves[0].Gain(frame)
	for _, m := range moves[1:] {
		g = float64(g * m.At(frame))
	}
	return g
}

// setSend executes c, a cmdSend: it fades the gain of a send of a.buses[index] within c.fadeFrames frames. If the bus
// may have output, the fade lasts at least 5 ms. setSend then updates tails and bus responses. If the bus has no send
// to the bus in c, the gains stay unchanged.
func (a *audio) setSend(index int, c *command) {
	for i := range a.buses[index].sends {
		if s := &a.buses[index].sends[i]; s.bus == c.payload.send.bus {
			a.computeTailsAt(a.now)
			was, opened := a.buses[index].tail, s.opens(a.now)
			s.gain.RampGain(a.now, c.payload.send.gain, a.smoothed(a.mayHaveOutput(index, false), c.fadeFrames), voice.Natural)
			if end := s.gain.End(); opened != s.opens(end) {
				a.extendTailAfter(index, end, was)
			}
		}
	}
	a.refreshBuses()
}

// mixSending mixes the next n frames of voice v, which has sends, into its own bus and into the destinations of its
// sends. The parameter next is the voice that will be mixed afterwards, so that its samples can be prefetched; it may
// be nil. v must not be paused.
func (a *audio) mixSending(v realVoice, next *voice.Voice, n int64) {
	if a.sendSteady(v, next, n) {
		return
	}
	extra := v.slot.record.extra.Load()
	var pre []pcm.Frame
	if v.slot.record.sendsPre {
		pre = (*a.preBuffer.Load())[:n]
		clear(pre)
		extra.pre.SetOutput(pre, a.now)
	}
	given := a.mixAlone(v, next, n)
	if given == 0 {
		return
	}
	post := (*a.sendBuffer.Load())[:given]
	dsp.Sum(a.buses[v.slot.bus].block(n)[:given], a.directPath(v.slot, v.slot.record.screen(), post, a.now))
	for i := range v.slot.record.sends {
		to, src := &extra.sends[i], post
		if !to.opens(a.now) {
			continue
		}
		if to.pre {
			src = pre[:given]
		}
		// A solo of another bus silences a bus's own voices, but not the sends that it receives.
		b, past := &a.buses[to.bus], int64(0)
		if !b.soloFade.SettledAt(1, a.now) {
			if past = given; b.soloFade.To == 1 {
				past = min(given, b.soloFade.End()-a.now)
			}
			a.addSent(v.slot, to, a.bypassBuffer(to.bus, n)[:past], src[:past], a.now)
		}
		if past < given {
			a.addSent(v.slot, to, b.block(n)[past:given], src[past:], a.now+past)
		}
	}
}

// addSent adds a signal that voice s sends to another bus: it multiplies src by the gain and the mutes of the send,
// and adds the result to dst. The parameter to is the send. dst and src must have the same length. The parameter frame
// is the frame of the mix where both begin.
func (a *audio) addSent(s *slot, to *send, dst, src []pcm.Frame, frame int64) {
	if share, rests := a.constantShare(s, to); rests {
		dsp.Frames(dst, src, dsp.Ramp{Left: share, Right: share})
	} else {
		addWithGains(dst, src, a.sendFades, frame)
	}
}

// bypassBuffer returns the first n frames of a second input buffer of a.buses[bus]. Sends to the bus go there while
// the solo of another bus silences the bus's own voices, but not these sends. The first call in each block clears the
// frames and sets hasBypass of the bus.
func (a *audio) bypassBuffer(bus int, n int64) []pcm.Frame {
	b, room := &a.buses[bus], (*a.soloBypass[bus].Load())[:n]
	if !b.hasBypass {
		clear(room)
		b.hasBypass = true
	}
	return room
}

// constantShare returns the linear factor of a send of voice s, if that factor is constant. The parameter to is the
// send. The result constant is true if the gain of the send is not fading and no mute, solo or attenuation by distance
// applies. Otherwise constant is false and share is 0. In both cases the factors of the send are left in a.sendFades
// for the caller.
func (a *audio) constantShare(s *slot, to *send) (share float32, constant bool) {
	if moves := a.sendGains(s, to); len(moves) > 1 || to.gain.End() > a.now {
		return 0, false
	}
	if at := to.gain.To; !to.known || to.shareOf != at {
		to.share, to.shareOf, to.known = float32(to.gain.Gain(a.now)), at, true
	}
	return to.share, true
}

// sendSteady is a fast path of mixSending for a voice with a single send of constant gain. It mixes n frames of v into
// its bus and into the destination of the send in one pass, and reports whether it did. If the result is false, it has
// mixed no sound, and the caller mixes the voice in another way. The parameter next is the voice whose samples are
// prefetched; it may be nil.
func (a *audio) sendSteady(v realVoice, next *voice.Voice, n int64) bool {
	if s := v.slot; s.record.sends != 1 || n >= s.endAt-a.now || !s.voice.Sends(n) || a.directDiffers(s, s.record.screen(), a.now) {
		return false
	}
	to := &v.slot.record.extra.Load().sends[0]
	if !a.buses[to.bus].soloFade.SettledAt(1, a.now) {
		return false
	}
	share, rests := a.constantShare(v.slot, to)
	if rests {
		sent := (*a.sendBuffer.Load())[:n] // discarded if the send is silent
		if share != 0 {
			sent = a.buses[to.bus].block(n)
		}
		v.slot.voice.MixSend(next, a.buses[v.slot.bus].block(n), sent, share)
	}
	return rests
}

// directPath returns the signal that voice s, which has sends, contributes to its own bus. This is src after the
// filter and the gain of the direct path, which the sends do not have. The parameter screen is that filter or nil; its
// state advances. The parameter frame is the frame of the mix where src begins. If filter and gain are neutral, the
// result is src itself, otherwise a shared buffer.
func (a *audio) directPath(s *slot, screen *voice.DirectFilter, src []pcm.Frame, frame int64) []pcm.Frame {
	if !a.directDiffers(s, screen, frame) {
		return src
	}
	room := *a.sendBuffer.Load()
	dst := room[len(room)/2:][:len(src)]
	copy(dst, src)
	if screen != nil && screen.Active() {
		screen.Apply(dst, frame)
	}
	if gain := &s.record.spatial.space.Direct; !gain.SettledAt(1, frame) {
		scale(dst, gain, frame)
	}
	return dst
}

// directDiffers reports whether a filter or a gain changes the direct path of voice s, but not its sends, at the given
// frame of the mix. The parameter screen is the filter of the direct path; it may be nil. The result is false for a
// voice that is not spatial.
func (a *audio) directDiffers(s *slot, screen *voice.DirectFilter, frame int64) bool {
	return s.record.isSpatial && (screen != nil && screen.Active() || !s.record.spatial.space.Direct.SettledAt(1, frame))
}

// directTail returns the signal that the tail of voice s, which has sends, contributes to the voice's own bus. This is
// the given tail after the filter and the gain of the direct path. The parameter frame is the frame of the mix where
// the tail begins. The state of the filter does not change. The result is the parameter tail itself or a shared
// buffer.
func (a *audio) directTail(s *slot, tail []pcm.Frame, frame int64) []pcm.Frame {
	screen := s.record.screen()
	if screen != nil && screen.Active() {
		copied := &a.splits.Load().screen
		*copied = *screen
		screen = copied
	}
	return a.directPath(s, screen, tail, frame)
}

// mixAlone mixes the next n frames of voice v into a.sendBuffer instead of its bus. The result is the number of frames
// in that buffer, n or less; 0 if the voice had no output. The parameter next is the voice whose samples are
// prefetched; it may be nil.
func (a *audio) mixAlone(v realVoice, next *voice.Voice, n int64) (frames int64) {
	b := &a.buses[v.slot.bus]
	mixed, used, lent := b.mixed, b.used, b.intoOutput
	defer func() { // runs even if the voice panics
		if !b.used {
			frames = 0
		}
		b.mixed, b.used, b.intoOutput = mixed, used, lent
	}()
	b.mixed, b.used, b.intoOutput = *a.sendBuffer.Load(), false, false
	return a.mixVoice(v.index, v.slot, next, n)
}

// sendGains returns the factors of a send of voice s; the parameter to is the send. The first factor is the gain of
// the send in decibels. The linear factors of attenuation by distance, mutes and solos follow, as far as they are not
// 1. The result is a.sendFades, which the next call overwrites.
func (a *audio) sendGains(s *slot, to *send) []*voice.Move {
	a.sendFades = append(a.sendFades[:0], &to.gain)
	if s.record.isSpatial && !to.pre {
		if m := &s.record.spatial.space.Sends; !a.isUnity(m) {
			a.sendFades = append(a.sendFades, m)
		}
	}
	if m := &a.buses[s.bus].soloFade; !a.isUnity(m) { // fades while another bus is soloed
		a.sendFades = append(a.sendFades, m)
	}
	a.sendFades = a.appendMutes(a.sendFades, int(s.bus))
	return a.sendFades
}

// sendTail adds the tail of voice s to the destinations of the voice's sends. It records in Stats how long the effects
// there may sound. The parameter pre holds the same tail before the gain of the voice, for pre-fader sends; nil
// without such a send. The parameter frame is the frame of the mix where the tail begins.
func (a *audio) sendTail(s *slot, tail, pre []pcm.Frame, frame int64) {
	extra := s.record.extra.Load()
	for i := range s.record.sends {
		to, room := &extra.sends[i], (*a.sendBuffer.Load())[:len(tail)]
		if !to.opens(frame) {
			continue
		}
		clear(room)
		src := tail
		if to.pre {
			src = pre
		}
		addWithGains(room, src, a.sendGains(s, to), frame)
		a.buses[to.bus].addTail(room, frame)
		a.noteTailFrom(frame+int64(len(tail)), to.bus)
	}
}

// noteTailOfVoice records in Stats how long effects may sound after voice s ends at the given frame of the mix. These
// are the effects that the voice feeds by its bus and by its sends.
func (a *audio) noteTailOfVoice(s *slot, frame int64) {
	a.noteTailFrom(frame, int(s.bus))
	a.extendTailFor(s)
	if s.record.sends > 0 {
		extra := s.record.extra.Load()
		for i := range s.record.sends {
			if to := &extra.sends[i]; to.opens(frame) {
				a.noteTailFrom(frame, to.bus)
			}
		}
	}
}

// moveSend executes c, a cmdSend, for a send of the start of r. The gain of the send fades linearly in decibels within
// fadeFrames frames, from the present frame on. If this closes the send, Stats records how long the effects behind it
// may sound. It has no effect if the start does not send to the bus in c.
func (a *audio) moveSend(r *record, c *command, fadeFrames int64) {
	if r.sends == 0 {
		return
	}
	extra := r.extra.Load()
	for i := range r.sends {
		if s := &extra.sends[i]; s.bus == c.payload.send.bus {
			opened := s.opens(a.now)
			s.gain.RampGain(a.now, c.payload.send.gain, fadeFrames, voice.Natural)
			if end := s.gain.End(); opened && !s.opens(end) {
				a.noteTailFrom(end, s.bus)
			}
		}
	}
}

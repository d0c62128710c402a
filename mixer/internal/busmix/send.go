package busmix

import (
	"sync/atomic"

	"voicepool/internal/dsp"
	"voicepool/internal/move"
	"voicepool/internal/passfilter"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/voice"
)

// Send feeds a bus or a voice to another bus.
type Send struct {
	Bus  int       // the index of the other bus
	Gain move.Move // decibels
	Pre  bool      // taken before the gains of the bus, or before gain, pan and position of the voice

	share   float32 // the cached factor for the gain shareOf
	shareOf float64
	known   bool // share is valid
}

// Opens reports whether the gain of the send lets sound through at the given frame of the mix. A fade counts with the
// larger of its current and target value.
func (s *Send) Opens(frame int64) bool { return s.Gain.MaxGain(frame) > 0 }

// SetSend fades the gain of the send to the bus with index to, on the bus with the given index. The fade begins at the
// given frame of the mix and lasts over frames. The result is the frame until which tails on the bus may last because
// of the change, or 0. Without such a send the gains stay unchanged. The caller then calls Refresh.
func (g *Graph) SetSend(index, to int, gain pcm.Decibels, frame, over int64) (tailUntil int64) {
	for i := range g.Buses[index].sends {
		if s := &g.Buses[index].sends[i]; s.Bus == to {
			g.computeTailsAt(frame)
			was, opened := g.Buses[index].tail, s.Opens(frame)
			s.Gain.RampGain(frame, gain, over, sounds.Natural)
			if end := s.Gain.End(); opened != s.Opens(end) {
				tailUntil = max(tailUntil, g.extendTail(index, frame, end, was))
			}
		}
	}
	return tailUntil
}

// sendOn adds n frames of the bus with the given index to the destinations of its sends. pre holds the mix of the bus
// before its gains, and post its output, both from the given frame of the mix on. Each send takes pre or post,
// multiplied by its gain and by the mutes and volumes that apply. A send whose gain is silent is left out.
func (g *Graph) sendOn(index int, pre, post []pcm.Frame, frame, n int64) {
	b := &g.Buses[index]
	for i := range b.sends {
		s := &b.sends[i]
		if !s.Opens(frame) {
			continue
		}
		src, from := post, g.tree.Nodes[index].Above // post is already muted
		if s.Pre {
			src, from = pre, index
		}
		g.sendFades = g.appendFactors(append(g.sendFades[:0], &s.Gain), from, s.Bus, frame)
		addWithGains(g.Buses[s.Bus].Block(n), src[:n], g.sendFades, frame)
	}
}

// appendFactors appends to moves the mutes and volumes that apply to sends from one bus to another, given by their
// indices, and returns the result. These are the mutes and volumes of the bus from and of all buses that it is mixed
// into. The volumes of buses that the output of the bus to passes through are left out, because they apply later. Each
// is a linear factor that may fade. A factor that has been 1 for a while at the given frame of the mix is left out.
func (g *Graph) appendFactors(moves []*move.Move, from, to int, frame int64) []*move.Move {
	for i := from; i >= 0; i = g.tree.Nodes[i].Above {
		if m := &g.Buses[i].Mute; !isUnity(m, frame) {
			moves = append(moves, m)
		}
		if v := &g.Buses[i].Volume; !isUnity(v, frame) && !g.tree.PassesThrough(to, i) {
			moves = append(moves, v)
		}
	}
	return moves
}

// isUnity reports whether m, a linear factor, has been 1 since the last frame divisible by 64 at the given frame. Fades
// advance on this grid, so the answer does not depend on the length of blocks.
func isUnity(m *move.Move, frame int64) bool { return m.SettledAt(1, frame&^63) }

// addWithGains adds src, multiplied by the product of moves, to dst, which must have the same length. moves[0] is a
// gain in decibels; the others are linear factors. The parameter frame is the frame of the mix where both begin.
func addWithGains(dst, src []pcm.Frame, moves []*move.Move, frame int64) {
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
func product(moves []*move.Move, frame int64) float64 {
	g := moves[0].Gain(frame)
	for _, m := range moves[1:] {
		g = float64(g * m.At(frame))
	}
	return g
}

// VoiceSend is a send of a voice.
type VoiceSend struct {
	*Send
	Home        int        // the index of the bus of the voice
	Attenuation *move.Move // of the sends by distance, a linear factor; nil: not spatial
}

// gains returns the factors of the send s at the given frame of the mix. The first factor is the gain of the send in
// decibels. The linear factors of attenuation by distance, mutes, volumes and solos follow, as far as they are not 1.
// The result is g.sendFades, which the next call overwrites.
func (g *Graph) gains(s *VoiceSend, frame int64) []*move.Move {
	moves := append(g.sendFades[:0], &s.Gain)
	if s.Attenuation != nil && !s.Pre && !isUnity(s.Attenuation, frame) {
		moves = append(moves, s.Attenuation)
	}
	if m := &g.Buses[s.Home].Solo; !isUnity(m, frame) { // fades while another bus is soloed
		moves = append(moves, m)
	}
	g.sendFades = g.appendFactors(moves, s.Home, s.Bus, frame)
	return g.sendFades
}

// constantShare returns the linear factor of the send s, if that factor is constant. The result constant is true if the
// gain of the send is not fading at the given frame of the mix, and no mute, volume, solo or attenuation by
// distance applies.
// Otherwise constant is false and share is 0. In both cases g.sendFades holds the factors of the send afterwards. A
// constant factor is cached in s.Send.
func (g *Graph) constantShare(s *VoiceSend, frame int64) (share float32, constant bool) {
	if moves := g.gains(s, frame); len(moves) > 1 || s.Gain.End() > frame {
		return 0, false
	}
	if at := s.Gain.To; !s.known || s.shareOf != at {
		s.share, s.shareOf, s.known = float32(s.Gain.Gain(frame)), at, true
	}
	return s.share, true
}

// SteadyShare returns the linear factor of the send s. The result steady is true if this factor is constant from the
// given frame of the mix on, and if no solo silences the bus that receives the send. Otherwise steady is false and
// share is 0. SteadyShare may change g.sendFades and the factor that s.Send caches.
func (g *Graph) SteadyShare(s VoiceSend, frame int64) (share float32, steady bool) {
	if !g.Buses[s.Bus].Solo.SettledAt(1, frame) {
		return 0, false
	}
	return g.constantShare(&s, frame)
}

// AddSent adds src, a signal of a voice, to the bus that receives the send s. It multiplies src by the gain of the send
// and by the mutes, volumes, solos and attenuation that apply. src begins at the given frame of the mix, as a block of
// n frames does, and may be shorter. A silent send is left out. b has the buffers of the voice.
func (g *Graph) AddSent(s VoiceSend, b *SendBuffers, src []pcm.Frame, frame, n int64) {
	if !s.Opens(frame) {
		return
	}
	// A solo of another bus silences a bus's own voices, but not the sends that it receives.
	to, given, past := &g.Buses[s.Bus], int64(len(src)), int64(0)
	if !to.Solo.SettledAt(1, frame) {
		if past = given; to.Solo.To == 1 {
			past = min(given, to.Solo.End()-frame)
		}
		if to.bypassed == nil {
			to.bypassed = *b.bypass[s.Bus].Load()
			clear(to.bypassed[:n])
		}
		g.addSent(&s, to.bypassed[:past], src[:past], frame, frame)
	}
	if past < given {
		g.addSent(&s, to.Block(n)[past:given], src[past:], frame, frame+past)
	}
}

// addSent adds src, multiplied by the factors of the send s, to dst, which must have the same length. Both begin at the
// frame at of the mix; the block begins at the parameter frame.
func (g *Graph) addSent(s *VoiceSend, dst, src []pcm.Frame, frame, at int64) {
	if share, constant := g.constantShare(s, frame); constant {
		dsp.Frames(dst, src, dsp.Ramp{Left: share, Right: share})
	} else {
		addWithGains(dst, src, g.sendFades, at)
	}
}

// AddSentTail adds the tail of a voice to the bus that receives the send s. The tail begins at the frame at of the mix;
// the parameter frame is the present frame. The result is the frame until which tails on that bus may last, or 0. A
// silent send is left out. b has the buffers of the voice.
func (g *Graph) AddSentTail(s VoiceSend, b *SendBuffers, tail []pcm.Frame, frame, at int64) (until int64) {
	if !s.Opens(at) {
		return 0
	}
	sent := b.Voice(int64(len(tail)))
	clear(sent)
	addWithGains(sent, tail, g.gains(&s, frame), at)
	g.Buses[s.Bus].AddTail(sent, at)
	return g.TailUntil(s.Bus, at+int64(len(tail)))
}

// DirectPath holds a filter and a gain of a voice that apply on its own bus, but not to its sends. The zero value has
// neither.
type DirectPath struct {
	Screen *passfilter.Filter // may be nil
	Gain   *move.Move         // a linear factor; nil: 1
}

// Differs reports whether the filter or the gain of the path changes a signal from the given frame of the mix on.
func (d DirectPath) Differs(frame int64) bool {
	return d.Screen != nil && d.Screen.On() || d.Gain != nil && !d.Gain.SettledAt(1, frame)
}

// SendBuffers are the buffers for voices with sends. Most mixers never need them, so Prepare allocates them before the
// first start that does. Their other methods belong to the audio side, and to starts after their Prepare.
type SendBuffers struct {
	hop, length int64
	memory      atomic.Pointer[sendMemory]
	bypass      []atomic.Pointer[[]pcm.Frame] // by bus: receives sends while its own voices are not heard
}

// sendMemory is for one voice at a time.
type sendMemory struct {
	mixed, direct, pre []pcm.Frame
	screen             passfilter.Filter // a copy for a tail
	prefader           voice.Prefader    // a copy for a tail
}

// NewSendBuffers returns buffers that are not allocated yet, for the given number of buses. They will hold a hop or the
// tail of a stopped voice of 10 ms and a frame. rate is in Hz. Control side.
func NewSendBuffers(buses, rate int, hop int64) *SendBuffers {
	return &SendBuffers{hop: hop, length: max(hop, int64(rate)/100+1), bypass: make([]atomic.Pointer[[]pcm.Frame], buses)}
}

// Prepare allocates the buffers that a voice with the given sends needs, as far as they do not exist. Control side. One
// goroutine at a time calls it.
func (b *SendBuffers) Prepare(sends []Send) {
	if b.memory.Load() == nil {
		b.memory.Store(&sendMemory{mixed: make([]pcm.Frame, b.length), direct: make([]pcm.Frame, b.length), pre: make([]pcm.Frame, b.length)})
	}
	for i := range sends {
		if bypass := &b.bypass[sends[i].Bus]; bypass.Load() == nil {
			bypass.Store(new(make([]pcm.Frame, b.hop)))
		}
	}
}

// Voice returns the first n frames of a buffer for the mix of one voice. Their content is undefined. n is at most a
// hop, or 10 ms and a frame if that is longer. Prepare must have been called before. All calls return the same buffer,
// which AddSentTail overwrites, too.
func (b *SendBuffers) Voice(n int64) []pcm.Frame { return b.memory.Load().mixed[:n] }

// Pre returns n silent frames for the signal of a voice before gain and pan. n is limited as in Voice. All calls return
// the same buffer. Prepare must have been called before.
func (b *SendBuffers) Pre(n int64) []pcm.Frame {
	pre := b.memory.Load().pre[:n]
	clear(pre)
	return pre
}

// Prefader returns the pre-fader output for the copy of a voice. All calls return the same pointer. Prepare must have
// been called before.
func (b *SendBuffers) Prefader() *voice.Prefader { return &b.memory.Load().prefader }

// Direct returns the signal that a voice with sends contributes to its own bus: src after the filter and the gain of
// the path d. The state of the filter advances. src begins at the given frame of the mix. If d is neutral, the
// result is src itself, otherwise a shared buffer.
func (b *SendBuffers) Direct(d DirectPath, src []pcm.Frame, frame int64) []pcm.Frame {
	if !d.Differs(frame) {
		return src
	}
	dst := b.memory.Load().direct[:len(src)]
	copy(dst, src)
	if d.Screen != nil && d.Screen.On() {
		d.Screen.Apply(dst, frame)
	}
	if d.Gain != nil && !d.Gain.SettledAt(1, frame) {
		scale(dst, d.Gain, frame)
	}
	return dst
}

// DirectTail returns the same as Direct for the tail of a voice, but the state of the filter does not change.
func (b *SendBuffers) DirectTail(d DirectPath, tail []pcm.Frame, frame int64) []pcm.Frame {
	if d.Screen != nil && d.Screen.On() {
		copied := &b.memory.Load().screen
		*copied = *d.Screen
		d.Screen = copied
	}
	return b.Direct(d, tail, frame)
}

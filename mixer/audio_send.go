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
func (a *audio) sendOn(b *bus, pre, post []pcm.Frame, n int64) {
	for i := range b.sends {
		s := &b.sends[i]
		src := post
		if s.pre {
			src = pre
		}
		s.add(a.buses[s.bus].block(n), src[:n], &b.mute, a.now)
	}
}

// add adds src to dst under the gain of the send, and, before the gains of the bus, its mute.
func (s *send) add(dst, src []pcm.Frame, mute *voice.Move, frame int64) {
	if !s.pre {
		mute = &voice.Move{From: 1, To: 1}
	}
	for len(dst) > 0 {
		from, to := line(frame, &s.gain, mute)
		n := min(int64(len(dst)), to-frame)
		g := float64(s.gain.Gain(from) * mute.At(from))
		ramp := dsp.Ramp{Left: float32(g), Right: float32(g), Start: int(frame - from)}
		if to != never {
			slope := float32((float64(s.gain.Gain(to)*mute.At(to)) - g) / float64(to-from))
			ramp.LeftSlope, ramp.RightSlope = slope, slope
		}
		dsp.Frames(dst[:n], src[:n], ramp)
		dst, src = dst[n:], src[n:]
		frame += n
	}
}

// setSend moves the gain of a send.
func (a *audio) setSend(index int, c *command) {
	s := &a.buses[index].sends[c.part.send.place]
	s.gain.TurnGain(a.now, c.part.send.gain, a.smoothed(a.heard(index, false), c.over), voice.Natural)
}

package mixer

import (
	"voicepool/pcm"
)

// joins makes a start a part of the voice with which its group began last, if
// that is near enough, and reports whether it did. That voice then sounds as loud
// as so many incoherent ones: their powers add up.
func (a *audio) joins(c *command, r *record, g *Group) bool {
	if g.within == 0 || !g.started || a.now-g.last > g.within {
		return false
	}
	first := g.first
	if first.live == 0 || first.number.Load() != g.number {
		return false
	}
	s := a.at(int(first.slot.Load()))
	if s.voice.FadingOut() || s.paused&pausedItself != 0 || s.virtual { // what it swallowed would not be heard
		return false
	}
	// As the group's sounds are the same, their gains alone are compared.
	own := pcm.Decibels(r.options.BaseGain + r.options.Gain - s.start).Linear()
	s.crowdPower = min(s.crowdPower+float64(own*own), g.most)
	over := a.smooth
	if !s.sounded {
		over = 0
	}
	s.voice.SetCrowd(a.now, pcm.FromPower(s.crowdPower), over)
	a.rescore(int(first.slot.Load()))
	e := s.record.asks(s.number)
	e.Kind = EventCoalesced
	a.turnAway(c, &e)
	return true
}

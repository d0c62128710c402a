package mixer

import (
	"voicepool/voice"
)

// lost returns the certificate of a voice that is taken away: what can be missing
// of it at most, see Event.Lost. Of whatever moves it takes what is more, also of
// a mute on its way, and of the two channels of a sound the louder one, since the
// index is their mean, which one of them may have all by itself.
func (a *audio) lost(s *slot) float64 {
	left, right := s.voice.Bound(a.now)
	g := stereo{left, right}
	direct := &a.buses[s.bus].direct
	g = g.times(both(max(direct.At(a.now), direct.To)))
	for i := int(s.bus); i >= 0; i = a.tree[i].parent {
		b := &a.buses[i]
		left, right := voice.Larger(voice.Balance, &b.pan, a.now)
		g = g.times(stereo{left, right}).times(both(float64(b.gain.Most(a.now) * max(b.mute.At(a.now), b.mute.To))))
	}
	if s.voice.Sound().Channels() == 2 {
		g = both(max(g.left, g.right))
	}
	power := g.power()
	if power == 0 {
		return 0 // also where nobody knows how loud it is
	}
	return float64(power * s.voice.Most())
}

func both(x float64) stereo { return stereo{x, x} }

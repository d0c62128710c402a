package hearing

import (
	"math"

	"voicepool/pcm"
	"voicepool/space"
)

// Source is a space.Emitter prepared for Ear.Hear. The caller may replace its Spot by one from Spot.Checked. Create it
// with NewSource.
type Source struct {
	Spot          space.Spot
	Spread        float64
	described     space.Cone // as in the Emitter
	cone          cone
	attenuation   space.Attenuation // with defaults
	sends         space.Attenuation // of the sends, with defaults
	separateSends bool              // sends have their own attenuation
	air           float64
	plain         bool // only its Spot can muffle it
}

// NewSource validates e and prepares it for Hear. Control side. The error wraps space.ErrRange.
func NewSource(e *space.Emitter) (Source, error) {
	x, err := e.Checked()
	if err != nil {
		return Source{}, err
	}
	s := Source{
		Spot: x.Spot, Spread: x.Spread, described: x.Cone, cone: prepareCone(&x.Cone), attenuation: prepareAttenuation(x.Attenuation), air: x.Air,
		separateSends: x.SendAttenuation != space.Attenuation{},
	}
	if s.separateSends {
		s.sends = prepareAttenuation(x.SendAttenuation)
	}
	s.plain = !s.separateSends && s.air == 0 && s.cone.down == 0
	return s, nil
}

// Muffles reports whether the source may need a low-pass at any position.
func (s *Source) Muffles() bool {
	return s.air > 0 || s.cone.down > 0 || s.Spot.Muffled()
}

// Emitter returns an Emitter that produces s, with defaults filled in.
func (s *Source) Emitter() space.Emitter {
	return space.Emitter{
		Spot: s.Spot, Cone: s.described, Attenuation: describeAttenuation(s.attenuation), Spread: s.Spread, Air: s.air, SendAttenuation: describeAttenuation(s.sends),
	}
}

// prepareAttenuation returns a, from Emitter.Checked, with an infinite Max instead of 0, and with the distances of its
// table as Min and Max.
func prepareAttenuation(a space.Attenuation) space.Attenuation {
	switch {
	case a.Table != nil:
		a.Min, a.Max = a.Table.Range()
	case a.Max == 0:
		a.Max = math.Inf(1)
	}
	return a
}

// describeAttenuation returns the Attenuation that prepareAttenuation turns into a.
func describeAttenuation(a space.Attenuation) space.Attenuation {
	switch {
	case a.Table != nil:
		return space.Attenuation{Table: a.Table}
	case math.IsInf(a.Max, 1):
		a.Max = 0
	}
	return a
}

// cone is a space.Cone prepared for the audio side.
type cone struct {
	inner, outer float64 // cosines of the angles off the axis
	outside      float64 // the factor outside; 1: no cone
	down         float64 // the cutoff outside, in octaves below MaxCutoff; 0: off
}

// prepareCone returns c, which must be valid, prepared for the audio side.
func prepareCone(c *space.Cone) cone {
	return cone{
		inner: pcm.CosPi(c.Inner / 360), outer: pcm.CosPi(c.Outer / 360), outside: c.OuterGain.Gain(), down: octavesBelow(c.LowPass),
	}
}

// at returns the linear factor in a direction, given the cosine of its angle off the axis.
func (c *cone) at(cosine float64) float64 {
	switch {
	case cosine >= c.inner:
		return 1
	case cosine <= c.outer:
		return c.outside
	}
	return c.outside + float64((1-c.outside)*((cosine-c.outer)/(c.inner-c.outer)))
}

// lowPass returns the cutoff in a direction, in octaves below MaxCutoff, given the cosine of its angle off the
// axis; 0: off.
func (c *cone) lowPass(cosine float64) float64 {
	switch {
	case c.down == 0 || cosine >= c.inner:
		return 0
	case cosine <= c.outer:
		return c.down
	}
	return float64(c.down * ((c.inner - cosine) / (c.inner - c.outer)))
}

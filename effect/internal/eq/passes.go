package eq

import "voicepool/internal/spectrum"

// Passes multiplies g by what the bands let through at a rate of which warped has the frequencies.
func (v *Values) Passes(rate int, warped *spectrum.Warped, g *spectrum.Gains) {
	for i := range v.N {
		if b := &v.Bands[i]; b.Type != None {
			if s := b.shape(rate); !s.flat() {
				mean := warped.Mean(s.power)
				g.Times(&mean)
			}
		}
	}
}

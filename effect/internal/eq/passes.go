package eq

import "voicepool/internal/spectrum"

// Passes multiplies g, power gains per spectrum band, by the response of the bands of v. warped holds the
// spectrum bands at the rate in Hz.
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

package wave

// Random is an integer random source (SplitMix64). A seed gives the same numbers on every machine.
type Random uint64

// Bits advances the source and returns the next 64 random bits.
func (r *Random) Bits() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Unit returns the next random number, uniform in 0..1 without 1.
func (r *Random) Unit() float64 { return float64(float64(r.Bits()>>11) * 0x1p-53) }

// Between returns the next random number, uniform from lo up to but not including hi.
func (r *Random) Between(lo, hi float64) float64 { return lo + float64((hi-lo)*r.Unit()) }

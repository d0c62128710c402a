package steal

// random is an integer random source (SplitMix64): the same numbers from the same seed on every machine.
type random uint64

// newRandom returns a source of random numbers for one purpose, which name identifies. Equal seeds and names give
// equal numbers. Sources with different names are independent.
func newRandom(seed uint64, name string) *random {
	r := random(seed)
	for _, c := range []byte(name) {
		r = random(r.bits() ^ uint64(c))
	}
	return &r
}

// bits advances r and returns the next 64 random bits.
func (r *random) bits() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// unit returns a random number, uniform in 0..1 without 1.
func (r *random) unit() float64 { return float64(r.bits()>>11) * 0x1p-53 }

// between returns a random number, uniform in lo..hi.
func (r *random) between(lo, hi float64) float64 { return lo + float64((hi-lo)*r.unit()) }

// n returns a random integer, uniform in 0..n-1. n must be positive and below 1<<31.
func (r *random) n(n int) int { return int(r.bits() >> 33 % uint64(n)) }

// noise returns a random number, uniform in -1..1.
func (r *random) noise() float64 { return float64(2*r.unit()) - 1 }

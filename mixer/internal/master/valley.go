package master

// unity is the gain 1 of a valley.
const unity = 1 << 30

// valley computes a smooth gain from the gains that peaks need. The gain is at most the needed gain when the
// frames of a peak come out, including some frames before and after. It returns to exactly 1 when no gain has
// been needed for long. Audio side.
//
// A needed gain is held for the length of the lookahead, released exponentially, and averaged twice over half
// of that length. An average of values that are at most the needed gain is at most the needed gain, too. Two
// averages make a curve that is flat around the peak. Gains are integers in units of 2^-30: their running
// sums are exact, so the result does not depend on the block length.
type valley struct {
	lows  []low // ring of needed gains: the smallest at the front, then increasing
	first int
	count int
	hold  int64 // how many places a low is held
	at    int64 // number of the present place

	held         int64 // gain after hold and release
	release      int64 // share of the remaining distance per frame, 2^-32
	inner, outer box   // the two averages
	full         int64 // sum of outer at unity
}

// low is a place and its needed gain.
type low struct{ at, gain int64 }

// newValley returns a valley, a smoothed gain, that begins at 1. ahead is the lookahead in frames: how long before a
// peak the gain may begin to fall. release is the share of the remaining distance to 1 that the gain covers per
// frame, in units of 2^-32. The gain stays at its minimum for about a seventh of the lookahead before a peak and as
// long after it.
func newValley(ahead int, release int64) valley {
	flat := ahead * 3 / 20
	slope := ahead - flat + 1 // total length of both averages
	outer := slope/2 + 1
	inner := slope + 1 - outer
	v := valley{
		lows: make([]low, slope+2*flat+2), hold: int64(slope + 2*flat),
		held: unity, release: release,
		inner: newBox(inner, unity), outer: newBox(outer, int64(inner)*unity),
	}
	v.full = v.outer.sum
	return v
}

// flat reports whether the gain is 1 until another gain is needed.
func (v *valley) flat() bool { return v.count == 0 && v.outer.sum == v.full }

// next advances the valley by a place of the input. need is the gain that this place needs, in units of 2^-30 and at
// most unity. The result is the linear gain of the output frame: the frame that is earlier than this place by the
// lookahead. While the valley is flat, the caller may leave out places that need no gain.
func (v *valley) next(need int64) float32 {
	if need < unity {
		for v.count > 0 && v.low(v.count-1).gain >= need {
			v.count--
		}
		*v.low(v.count) = low{v.at, need}
		v.count++
	}
	var gain [1]float32
	v.glide(gain[:])
	return gain[0]
}

// glide advances the valley by len(gains) places of the input that need no gain. It stores in gains the linear gains
// of the output frames, like repeated calls of next(unity).
func (v *valley) glide(gains []float32) {
	for len(gains) > 0 {
		if v.count > 0 && v.low(0).at < v.at-v.hold {
			v.first = (v.first + 1) % len(v.lows)
			v.count--
		}
		n, most := int64(len(gains)), int64(unity)
		if v.count > 0 {
			n, most = max(1, min(n, v.low(0).at+v.hold+1-v.at)), v.low(0).gain
		}
		v.held = v.under(gains[:n], v.held, most)
		v.at += n
		gains = gains[n:]
	}
}

// under stores in gains the linear gains of the next output frames. During all of them the smallest needed gain must
// be most. held is the needed gain after hold and release, before these frames; the result is the same after them.
// held, most and the result are in units of 2^-30. under also advances the two averages of v.
func (v *valley) under(gains []float32, held, most int64) int64 {
	// Keep the state in registers.
	release, full := v.release, float64(v.full)
	inner, i, once := v.inner.values, v.inner.at, v.inner.sum
	outer, j, twice := v.outer.values, v.outer.at, v.outer.sum
	for k := range gains {
		held = min(held+(unity-held)*release>>32+1, most)
		once += held - inner[i]
		inner[i] = held
		if i++; i == len(inner) {
			i = 0
		}
		twice += once - outer[j]
		outer[j] = once
		if j++; j == len(outer) {
			j = 0
		}
		gains[k] = float32(float64(twice) / full)
	}
	v.inner.at, v.inner.sum = i, once
	v.outer.at, v.outer.sum = j, twice
	return held
}

// low returns needed gain i of the ring, the oldest first. It is also valid for the next free element, v.count.
func (v *valley) low(i int) *low { return &v.lows[(v.first+i)%len(v.lows)] }

// box is the sum of the last values. at is the index of the oldest one, which is replaced next.
type box struct {
	values []int64
	at     int
	sum    int64
}

// newBox returns a running sum of n values, each equal to value at first.
func newBox(n int, value int64) box {
	b := box{values: make([]int64, n), sum: int64(n) * value}
	for i := range b.values {
		b.values[i] = value
	}
	return b
}

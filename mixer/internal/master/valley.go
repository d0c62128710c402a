package master

// unity is the gain 1 of a valley.
const unity = 1 << 30

// valley makes a gain that moves gently out of the gains that single places between frames
// need. It is at most what each of them needs by the time its frames come out, for some frames
// before and after, and exactly 1 when none needed one for long. Audio side.
//
// A needed gain is held for as long as the valley looks ahead, lets go exponentially, and is
// averaged twice over half of that time. An average of values that are all at most the needed
// gain is so, too; two make a curve that is flat where the peak is. Gains are integers, in
// units of 2^-30: running sums of them are exact, so the blocks do not show.
type valley struct {
	lows  []low // the least needed gain at the front, then ever larger ones: a ring
	first int
	count int
	hold  int64 // how many places a low counts for, after its own
	at    int64 // the place

	held         int64 // the gain that lets go
	release      int64 // share of the way back per frame, 2^-32
	inner, outer box   // the average of held, and of that
	full         int64 // outer's sum where all is unity
}

// low is a place and the gain that it needs.
type low struct{ at, gain int64 }

// newValley looks ahead by so many frames, of which it stays down for about a
// seventh before a peak and for as many after it.
func newValley(ahead int, release int64) valley {
	flat := ahead * 3 / 20
	slope := ahead - flat + 1 // the length of both averages together
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

// flat reports whether the gain is 1 and stays so until another is needed.
func (v *valley) flat() bool { return v.count == 0 && v.outer.sum == v.full }

// next takes the gain that the next place needs, at most unity, and returns the
// gain of the frame that comes out: the one that lies as far before this place as
// the valley looks ahead. While it is flat, places that need nothing may be left
// out.
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

// glide sets gains as next(unity) does, one by one: places that need nothing.
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

// under is glide while the least needed gain is the same. It returns the gain that lets go.
func (v *valley) under(gains []float32, held, most int64) int64 {
	// What moves is in registers.
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

func (v *valley) low(i int) *low { return &v.lows[(v.first+i)%len(v.lows)] }

// box is the sum of the last values. The next one takes the place of the oldest, at at.
type box struct {
	values []int64
	at     int
	sum    int64
}

// newBox returns a box that has been given n times the same value.
func newBox(n int, value int64) box {
	b := box{values: make([]int64, n), sum: int64(n) * value}
	for i := range b.values {
		b.values[i] = value
	}
	return b
}

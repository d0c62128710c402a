package reverb

import (
	"math"
	"math/bits"

	"voicepool/pcm"
)

// reflection is a first reflection: when it comes at a size of 1, and how loud, of the same side or the
// other one.
type reflection struct {
	millis, gain float64
	crosses      bool
}

// The first reflections of each side. Their powers add up to 1.
var (
	firstLeft = [...]reflection{
		{4.3, 0.52, false}, {9.1, -0.46, true}, {13.7, 0.41, false}, {18.9, 0.34, true},
		{25.3, -0.30, false}, {31.1, 0.25, false}, {38.3, -0.21, true}, {45.7, 0.18, false},
	}
	firstRight = [...]reflection{
		{5.9, 0.52, false}, {8.3, 0.46, true}, {14.9, -0.41, false}, {20.3, 0.34, false},
		{24.1, 0.30, true}, {33.7, -0.25, false}, {36.5, 0.21, false}, {47.9, -0.18, true},
	}
)

// foreground is what came in: what goes into the room is read from it, and the first reflections.
type foreground struct {
	ring        []pcm.Frame
	mask        int64
	furthest    int
	left, right [len(firstLeft)]float32 // the gains
}

func newForeground(rate int) foreground {
	most := int((0.25+2*firstRight[len(firstRight)-1].millis/1000)*float64(rate)) + 16
	n := int64(1) << bits.Len(uint(most))
	f := foreground{ring: make([]pcm.Frame, n), mask: n - 1, furthest: most}
	power := 0.0
	for _, r := range firstLeft {
		power += float64(r.gain * r.gain)
	}
	root := math.Sqrt(power)
	for i := range firstLeft {
		f.left[i], f.right[i] = float32(firstLeft[i].gain/root), float32(firstRight[i].gain/root)
	}
	return f
}

func (f *foreground) most() int { return f.furthest }

func (f *foreground) clear() { clear(f.ring) }

func (f *foreground) write(x pcm.Frame, at int64) { f.ring[at&f.mask] = x }

// read returns what goes into the room at a frame, and the first reflections.
func (f *foreground) read(t *taps, at int64) (direct, first pcm.Frame) {
	direct, first = f.look(&t.now, at)
	if w := t.share(); w > 0 {
		d, e := f.look(&t.next, at)
		for c := range d {
			direct[c] = float32(direct[c]*(1-w)) + float32(d[c]*w)
			first[c] = float32(first[c]*(1-w)) + float32(e[c]*w)
		}
	}
	return direct, first
}

// look is read at some places.
func (f *foreground) look(p *places, at int64) (direct, first pcm.Frame) {
	direct = f.ring[(at-int64(p[lanes]))&f.mask]
	for i := range firstLeft {
		l := f.ring[(at-int64(p[lanes+1+i]))&f.mask]
		r := f.ring[(at-int64(p[lanes+1+len(firstLeft)+i]))&f.mask]
		x, y := l[0], r[1]
		if firstLeft[i].crosses {
			x = l[1]
		}
		if firstRight[i].crosses {
			y = r[0]
		}
		first[0] += float32(x * f.left[i])
		first[1] += float32(y * f.right[i])
	}
	return direct, first
}

// The walls of each side, in milliseconds.
var (
	wallsLeft  = [...]float64{1.31, 2.11, 4.79, 6.97}
	wallsRight = [...]float64{1.51, 1.93, 4.51, 7.33}
)

// wallGain is how much of a wall's answer comes back to it.
const wallGain = 0.6

// diffuser is allpasses in a row: all frequencies as loud as they were, and dense.
type diffuser struct {
	walls [len(wallsLeft)]wall
	sum   int
}

// wall is an allpass, after M. R. Schroeder, "Natural Sounding Artificial Reverberation", JAES 10 (1962).
type wall struct {
	ring []float32
	at   int
}

func newDiffuser(rate int, millis [len(wallsLeft)]float64) (d diffuser) {
	for i, ms := range millis {
		n := prime(max(int(float64(ms/1000*float64(rate))), 2))
		d.walls[i].ring = make([]float32, n)
		d.sum += n
	}
	return d
}

// most returns for how many frames something is in it that counts: each wall gives back less and less,
// and -200 dB are left after so many turns.
func (d *diffuser) most() int { return 50 * d.sum }

func (d *diffuser) clear() {
	for i := range d.walls {
		clear(d.walls[i].ring)
	}
}

// pass takes a sample through all walls.
func (d *diffuser) pass(x float32) float32 {
	for i := range d.walls {
		w := &d.walls[i]
		behind := w.ring[w.at]
		in := x - float32(behind*wallGain)
		in = float32(in+grain) - grain
		w.ring[w.at] = in
		x = behind + float32(in*wallGain)
		if w.at++; w.at == len(w.ring) {
			w.at = 0
		}
	}
	return x
}

package reverb

import (
	"math"

	"voicepool/internal/dsp"
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
	loops       // left and right
	furthest    int
	left, right echoes
}

// echoes are the first reflections of a side: their gains, and of which loop they are.
type echoes struct {
	gain [len(firstLeft)]float32
	base [len(firstLeft)]int32
}

// take has a reflection be the i-th one of a side.
func (e *echoes) take(f *foreground, i, side int, r *reflection, gain float64) {
	if r.crosses {
		side = 1 - side
	}
	e.gain[i], e.base[i] = float32(gain), f.base[side]
}

// look is read at some places.
func (e *echoes) look(dst *dsp.Stretch, f *foreground, p *[len(firstLeft)]int32, at int64) {
	var places [len(firstLeft)]int32
	for i, base := range e.base {
		places[i] = base + (int32(at)-p[i])&f.least
	}
	dsp.Echoes(dst, f.ring, &places, &e.gain)
}

func newForeground(rate int) foreground {
	most := int((0.25+2*firstRight[len(firstRight)-1].millis/1000)*float64(rate)) + 16
	f := foreground{loops: newLoops(most, most), furthest: most}
	power := 0.0
	for _, r := range firstLeft {
		power += float64(r.gain * r.gain)
	}
	root := math.Sqrt(power)
	for i := range firstLeft {
		f.left.take(&f, i, 0, &firstLeft[i], firstLeft[i].gain/root)
		f.right.take(&f, i, 1, &firstRight[i], firstRight[i].gain/root)
	}
	return f
}

func (f *foreground) most() int { return f.furthest }

// write writes a run.
func (f *foreground) write(block []pcm.Frame, at int64) {
	left, right := (*dsp.Stretch)(f.ring[f.place(0, at):]), (*dsp.Stretch)(f.ring[f.place(1, at):])
	for i, x := range block[:min(len(block), dsp.RoomRun)] {
		left[i], right[i] = x[0], x[1]
	}
	f.repeat(at)
}

// read returns what goes into the room in a run, and the first reflections.
func (f *foreground) read(direct, first *[2]dsp.Stretch, t *taps, at int64, n int) {
	f.look(direct, first, &t.now, at)
	if t.done > 0 {
		var d, e [2]dsp.Stretch
		f.look(&d, &e, &t.next, at)
		for c := range d {
			t.fade(&direct[c], &d[c], n)
			t.fade(&first[c], &e[c], n)
		}
	}
}

// look is read at some places.
func (f *foreground) look(direct, first *[2]dsp.Stretch, p *places, at int64) {
	for c := range direct {
		direct[c] = dsp.Stretch(f.ring[f.place(c, at-int64(p[lanes])):])
	}
	f.left.look(&first[0], f, (*[len(firstLeft)]int32)(p[lanes+1:]), at)
	f.right.look(&first[1], f, (*[len(firstRight)]int32)(p[lanes+1+len(firstLeft):]), at)
}

// The walls of each side, in milliseconds.
var (
	wallsLeft  = [...]float64{1.31, 2.11, 4.79, 6.97}
	wallsRight = [...]float64{1.51, 1.93, 4.51, 7.33}
)

// wallGain is how much of a wall's answer comes back to it.
const wallGain = dsp.RoomWall

// diffuser is allpasses in a row: all frequencies as loud as they were, and dense. They are those of M. R.
// Schroeder, "Natural Sounding Artificial Reverberation", JAES 10 (1962).
type diffuser struct {
	loops
	length [len(wallsLeft)]int
	sum    int
}

func newDiffuser(rate int, millis [len(wallsLeft)]float64) (d diffuser) {
	for i, ms := range millis {
		d.length[i] = prime(max(int(float64(ms/1000*float64(rate))), 2))
		d.sum += d.length[i]
	}
	d.loops = newLoops(d.length[:]...)
	return d
}

// most returns for how many frames something is in it that counts: each wall gives back less and less,
// and -200 dB are left after so many turns.
func (d *diffuser) most() int { return 50 * d.sum }

// pass takes a run through all walls.
func (d *diffuser) pass(x *dsp.Stretch, at int64) {
	var from, to [len(wallsLeft)]int32
	for i := range from {
		from[i], to[i] = d.place(i, at-int64(d.length[i])), d.place(i, at)
	}
	dsp.Walls(x, d.ring, &from, &to)
	d.repeat(at)
}

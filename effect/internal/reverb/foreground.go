package reverb

import (
	"math"

	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// reflection is a first reflection: its delay at size 1, its gain, and whether it comes from the other
// channel.
type reflection struct {
	millis, gain float64
	crosses      bool
}

// First reflections of each channel. Their powers add up to 1.
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

// foreground stores the input. The input of the network and the first reflections are read from it.
type foreground struct {
	loops       // left and right
	furthest    int
	left, right echoes
}

// echoes are the gains and source loops of the first reflections of a channel.
type echoes struct {
	gain [len(firstLeft)]float32
	base [len(firstLeft)]int32
}

// take sets reflection i of the channel side: its gain, and the input channel that it reads, which is the other
// one if r crosses.
func (e *echoes) take(f *foreground, i, side int, r *reflection, gain float64) {
	if r.crosses {
		side = 1 - side
	}
	e.gain[i], e.base[i] = float32(gain), f.base[side]
}

// look fills dst with the sum of the first reflections for the run at frame at. p holds the delay of each
// reflection in frames.
func (e *echoes) look(dst *dsp.Stretch, f *foreground, p *[len(firstLeft)]int32, at int64) {
	var places [len(firstLeft)]int32
	for i, base := range e.base {
		places[i] = base + (int32(at)-p[i])&f.least
	}
	dsp.Echoes(dst, f.ring, &places, &e.gain)
}

// newForeground returns the input memory and the reflections of both channels for a rate in Hz. The power of the
// reflections of a channel is 1.
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

// most returns the number of frames that the foreground can be read back.
func (f *foreground) most() int { return f.furthest }

// write stores the input of a run, whose first frame is at. Frames beyond a run are ignored.
func (f *foreground) write(block []pcm.Frame, at int64) {
	left, right := (*dsp.Stretch)(f.ring[f.place(0, at):]), (*dsp.Stretch)(f.ring[f.place(1, at):])
	for i, x := range block[:min(len(block), dsp.RoomRun)] {
		left[i], right[i] = x[0], x[1]
	}
	f.repeat(at)
}

// read fills direct with the delayed input of the network and first with the first reflections, per channel, for
// the n frames from frame at on. During a crossfade of t both are crossfaded.
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

// look is read with the delays p, without a crossfade.
func (f *foreground) look(direct, first *[2]dsp.Stretch, p *places, at int64) {
	for c := range direct {
		direct[c] = dsp.Stretch(f.ring[f.place(c, at-int64(p[lanes])):])
	}
	f.left.look(&first[0], f, (*[len(firstLeft)]int32)(p[lanes+1:]), at)
	f.right.look(&first[1], f, (*[len(firstRight)]int32)(p[lanes+1+len(firstLeft):]), at)
}

// Delays of the allpasses of each channel, in milliseconds.
var (
	wallsLeft  = [...]float64{1.31, 2.11, 4.79, 6.97}
	wallsRight = [...]float64{1.51, 1.93, 4.51, 7.33}
)

// wallGain is the feedback gain of an allpass.
const wallGain = dsp.RoomWall

// diffuser is a chain of allpasses: it keeps all levels and makes the signal dense. See M. R. Schroeder,
// "Natural Sounding Artificial Reverberation", JAES 10 (1962).
type diffuser struct {
	loops
	length [len(wallsLeft)]int
	sum    int
}

// newDiffuser returns the allpass chain of one channel, with delays in ms, for a rate in Hz.
func newDiffuser(rate int, millis [len(wallsLeft)]float64) (d diffuser) {
	for i, ms := range millis {
		d.length[i] = prime(max(int(float64(ms/1000*float64(rate))), 2))
		d.sum += d.length[i]
	}
	d.loops = newLoops(d.length[:]...)
	return d
}

// most returns how many frames an input affects the chain: each allpass decays, to -200 dB after 50 passes.
func (d *diffuser) most() int { return 50 * d.sum }

// pass applies all allpasses in turn to the run x, in place. at is its first frame.
func (d *diffuser) pass(x *dsp.Stretch, at int64) {
	var from, to [len(wallsLeft)]int32
	for i := range from {
		from[i], to[i] = d.place(i, at-int64(d.length[i])), d.place(i, at)
	}
	dsp.Walls(x, d.ring, &from, &to)
	d.repeat(at)
}

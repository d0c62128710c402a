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
	reflectionsLeft = [...]reflection{
		{4.3, 0.52, false}, {9.1, -0.46, true}, {13.7, 0.41, false}, {18.9, 0.34, true},
		{25.3, -0.30, false}, {31.1, 0.25, false}, {38.3, -0.21, true}, {45.7, 0.18, false},
	}
	reflectionsRight = [...]reflection{
		{5.9, 0.52, false}, {8.3, 0.46, true}, {14.9, -0.41, false}, {20.3, 0.34, false},
		{24.1, 0.30, true}, {33.7, -0.25, false}, {36.5, 0.21, false}, {47.9, -0.18, true},
	}
)

// earlyReflections stores the input. The input of the network and the first reflections are read from it.
type earlyReflections struct {
	rings       // left and right
	maxDelay    int
	left, right reflectionTaps
}

// reflectionTaps are the gains and source rings of the first reflections of a channel.
type reflectionTaps struct {
	gain [len(reflectionsLeft)]float32
	base [len(reflectionsLeft)]int32
}

// set sets reflection i of the channel side: its gain, and the input channel that it reads, which is the other
// one if r crosses.
func (e *reflectionTaps) set(f *earlyReflections, i, side int, r *reflection, gain float64) {
	if r.crosses {
		side = 1 - side
	}
	e.gain[i], e.base[i] = float32(gain), f.base[side]
}

// sum fills dst with the sum of the first reflections of a channel for the run whose first frame is at. p holds the
// delay of each reflection in frames, and f the input.
func (e *reflectionTaps) sum(dst *dsp.LineRun, f *earlyReflections, p *[len(reflectionsLeft)]int32, at int64) {
	var places [len(reflectionsLeft)]int32
	for i, base := range e.base {
		places[i] = base + (int32(at)-p[i])&f.smallestMask
	}
	dsp.SumTaps(dst, f.ring, &places, &e.gain)
}

// newEarlyReflections returns the input memory and the reflections of both channels for a rate in Hz. The power of the
// reflections of a channel is 1.
func newEarlyReflections(rate int) earlyReflections {
	most := int((0.25+2*reflectionsRight[len(reflectionsRight)-1].millis/1000)*float64(rate)) + 16
	f := earlyReflections{rings: newRings(most, most), maxDelay: most}
	power := 0.0
	for _, r := range reflectionsLeft {
		power += float64(r.gain * r.gain)
	}
	root := math.Sqrt(power)
	for i := range reflectionsLeft {
		f.left.set(&f, i, 0, &reflectionsLeft[i], reflectionsLeft[i].gain/root)
		f.right.set(&f, i, 1, &reflectionsRight[i], reflectionsRight[i].gain/root)
	}
	return f
}

// maxDelayFrames returns the number of frames that the input can be read back.
func (f *earlyReflections) maxDelayFrames() int { return f.maxDelay }

// write stores the input of a run, whose first frame is at. Frames beyond a run are ignored.
func (f *earlyReflections) write(block []pcm.Frame, at int64) {
	left, right := (*dsp.LineRun)(f.ring[f.index(0, at):]), (*dsp.LineRun)(f.ring[f.index(1, at):])
	for i, x := range block[:min(len(block), dsp.FDNRun)] {
		left[i], right[i] = x[0], x[1]
	}
	f.repeatStart(at)
}

// read fills direct with the delayed input of the network and first with the first reflections, per channel, for
// the n frames from frame at on. During a crossfade of t both are crossfaded.
func (f *earlyReflections) read(direct, first *[2]dsp.LineRun, t *taps, at int64, n int) {
	f.sum(direct, first, &t.now, at)
	if t.fadedFrames > 0 {
		var d, e [2]dsp.LineRun
		f.sum(&d, &e, &t.next, at)
		for c := range d {
			t.fade(&direct[c], &d[c], n)
			t.fade(&first[c], &e[c], n)
		}
	}
}

// sum fills direct and first like read, with the delays p and without a crossfade.
func (f *earlyReflections) sum(direct, first *[2]dsp.LineRun, p *delays, at int64) {
	for c := range direct {
		direct[c] = dsp.LineRun(f.ring[f.index(c, at-int64(p[lineCount])):])
	}
	f.left.sum(&first[0], f, (*[len(reflectionsLeft)]int32)(p[lineCount+1:]), at)
	f.right.sum(&first[1], f, (*[len(reflectionsRight)]int32)(p[lineCount+1+len(reflectionsLeft):]), at)
}

// Delays of the allpasses of each channel, in milliseconds.
var (
	allpassLeft  = [...]float64{1.31, 2.11, 4.79, 6.97}
	allpassRight = [...]float64{1.51, 1.93, 4.51, 7.33}
)

// allpassGain is the feedback gain of an allpass.
const allpassGain = dsp.AllpassGain

// diffuser is a chain of allpasses: it keeps all levels and makes the signal dense. See M. R. Schroeder,
// "Natural Sounding Artificial Reverberation", JAES 10 (1962).
type diffuser struct {
	rings
	length [len(allpassLeft)]int
	sum    int
}

// newDiffuser returns the allpass chain of one channel, with delays in ms, for a rate in Hz.
func newDiffuser(rate int, millis [len(allpassLeft)]float64) (d diffuser) {
	for i, ms := range millis {
		d.length[i] = prime(max(int(float64(ms/1000*float64(rate))), 2))
		d.sum += d.length[i]
	}
	d.rings = newRings(d.length[:]...)
	return d
}

// maxDelayFrames returns how many frames an input affects the chain: each allpass decays, to -200 dB after 50 passes.
func (d *diffuser) maxDelayFrames() int { return 50 * d.sum }

// pass applies all allpasses in turn to the run x, in place. at is its first frame.
func (d *diffuser) pass(x *dsp.LineRun, at int64) {
	var from, to [len(allpassLeft)]int32
	for i := range from {
		from[i], to[i] = d.index(i, at-int64(d.length[i])), d.index(i, at)
	}
	dsp.Allpasses(x, d.ring, &from, &to)
	d.repeatStart(at)
}

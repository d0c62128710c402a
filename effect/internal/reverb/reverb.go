// Package reverb implements a reverb as a feedback delay network of sixteen lines, after J.-M. Jot and A.
// Chaigne, "Digital Delay Networks for Designing Artificial Reverberators", AES 90th Convention (1991). Each
// line absorbs in three bands, so that all lines decay in the same time, and a lossless Hadamard matrix mixes
// them. Allpasses before the network make it dense from the start, taps before them are the first
// reflections, and the ends of the lines are modulated slowly.
package reverb

import (
	"slices"

	"voicepool/effect/internal/ramp"
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// Values are the parameters.
type Values struct {
	Time       float64 // seconds, 0.1..20, until 500 Hz to 1 kHz are 60 dB down
	Low        float64 // factor of Time for low frequencies, 0.25..2.5: half way at 200 Hz, see absorption
	High       float64 // factor of Time for high frequencies, 0.1..1.5: half way at 5 kHz
	Predelay   float64 // seconds, 0..0.25
	Size       float64 // 0.2..2: factor of the lengths of all lines and reflections
	Early      float64 // dB, -60..12: level of the first reflections relative to the rest
	Width      float64 // 0..1: stereo width
	Modulation float64 // 0..1: modulation depth of the lines
}

// defaults returns the values of a new reverb.
func defaults() Values {
	return Values{Time: 1.8, Low: 1.1, High: 0.5, Predelay: 0.01, Size: 1, Early: -6, Width: 1, Modulation: 0.3}
}

const (
	lineCount      = dsp.FDNLines
	updateInterval = 64 // tiny states are cleared, and modulation targets are set, at multiples of this many frames

	// silenceLevel is the level below which written samples count as silence: -200 dBFS.
	silenceLevel = 1e-10
)

// Indices of the numbers that ramp: those below for the output, followed by the factors of each line.
const (
	lateGain   = iota // gain of the lines
	earlyGain         // gain of the first reflections
	sameShare         // share of a channel in itself
	crossShare        // share of a channel in the other one
	outputs
)

// Reverb is a stereo reverb.
type Reverb struct {
	rate int
	ramp ramp.Ramp
	next []float64 // scratch space for Move

	reflections earlyReflections
	allpasses   [2]diffuser
	lines       lines
	out         dsp.FDNOutput
	absorb      absorption
	taps        taps
	lastSound   int64 // last frame at which a sample above quiet was written
	empty       bool  // the reverb has no tail
	maxRun      int   // maximum frames per run

	rows      dsp.LineRuns
	in, first [2]dsp.LineRun
	peaks     dsp.LineRun
	wet       [dsp.FDNRun]pcm.Frame

	interpolationLoss [len(halfOctaves)]float64 // see the function interpolationLoss
	tangents          tangents
}

// New returns a reverb for a rate in Hz, with the defaults. Control side.
func New(rate int) *Reverb {
	n := outputs + lineCount*factorsPerLine
	r := &Reverb{rate: rate, ramp: ramp.New(n), next: make([]float64, n), empty: true, interpolationLoss: interpolationLoss(rate), tangents: newTangents(float64(rate))}
	r.reflections = newEarlyReflections(rate)
	r.allpasses = [2]diffuser{newDiffuser(rate, allpassLeft), newDiffuser(rate, allpassRight)}
	r.lines = newLines(rate)
	r.taps = newTaps(rate)
	r.maxRun = r.shortest()
	v := defaults()
	r.Jump(&v)
	return r
}

// Jump sets the parameters to v at once, without ramps. It clicks if the reverb has a tail.
func (r *Reverb) Jump(v *Values) {
	r.taps.jump(r.delaysOf(v))
	r.setTargets(v)
	r.ramp.Jump(r.next)
	r.applyTargets(r.ramp.Now(), 0)
	r.lines.setModulation(v.Modulation)
	r.lines.amplitude = r.lines.targetAmplitude
}

// Move moves the parameters to v in 64 frames, see package ramp. Read positions change by a crossfade of 40
// ms; changes during a crossfade wait. Call it only at frames that are multiples of 32.
func (r *Reverb) Move(v *Values) {
	r.taps.move(r.delaysOf(v))
	r.setTargets(v)
	r.ramp.Move(r.next)
	r.lines.setModulation(v.Modulation)
}

// applyTargets applies the numbers x: the output gains from frame index from of the run on, and the absorption at once.
func (r *Reverb) applyTargets(x []float64, from int) {
	for i := range r.out {
		for j := range r.out[i][from:] {
			r.out[i][from+j] = float32(x[i])
		}
	}
	r.absorb.set(x[outputs:])
}

// shortest returns the maximum length of a run in frames: no frame may be read in the run that writes it.
func (r *Reverb) shortest() int {
	n := dsp.FDNRun
	for i := range r.allpasses {
		n = min(n, slices.Min(r.allpasses[i].length[:]))
	}
	places := r.delaysOf(&Values{Size: 0.2})
	for _, p := range places[:lineCount] {
		n = min(n, int(p)-int(float64(modulationMillis/1000*float64(r.rate)))-3)
	}
	return max(n, 1)
}

// Process replaces block by the reverb, in place. frame is the mixer's number of the first frame. Audio side.
func (r *Reverb) Process(block []pcm.Frame, frame int64) {
	for len(block) > 0 {
		if grid := frame - frame%updateInterval; grid != r.lines.pieceStart {
			r.lines.beginPiece(grid)
			r.flushTail(frame)
		}
		n := r.length(len(block), frame)
		r.run(block[:n], frame)
		block, frame = block[n:], frame+int64(n)
	}
}

// length returns the length in frames of the next run, at frame at: at most n, and short enough that no position
// changes within it.
func (r *Reverb) length(n int, at int64) int {
	if r.empty {
		n = 1
	}
	n = min(n, r.maxRun, int(updateInterval-at%updateInterval))
	return r.lines.prepare(r.taps.length(n), at)
}

// run replaces the block by the reverb, in place. at is its first frame, and length allows its length. While the
// reverb is empty, it only advances the ramps and outputs silence.
func (r *Reverb) run(block []pcm.Frame, at int64) {
	n := len(block)
	r.reflections.write(block, at)
	for i := n - 1; i >= 0; i-- {
		if x := block[i]; x[0] > silenceLevel || x[0] < -silenceLevel || x[1] > silenceLevel || x[1] < -silenceLevel {
			r.lastSound, r.empty = at+int64(i), false
			break
		}
	}
	if r.empty {
		if !r.ramp.Still() {
			r.applyTargets(r.ramp.Next(), 0)
		}
		r.taps.pass(n)
		clear(block)
		return
	}
	r.reflections.read(&r.in, &r.first, &r.taps, at, n)
	for c := range r.in {
		r.allpasses[c].pass(&r.in[c], at)
	}
	r.lines.read(&r.rows, &r.taps, at, n)
	moves := !r.ramp.Still()
	if moves {
		r.move(n)
	} else {
		r.absorb.Filter(&r.rows, n)
	}
	dsp.Scatter(&r.wet, &r.peaks, &r.rows, &r.in, &r.first, &r.out, r.lines.ring, r.lines.writeIndices(at))
	if moves {
		r.applyTargets(r.ramp.Now(), 0)
	}
	r.lines.repeatStart(at)
	copy(block, r.wet[:n])
	for i := n - 1; i >= 0; i-- {
		if r.peaks[i] > silenceLevel {
			r.lastSound = max(r.lastSound, at+int64(i))
			break
		}
	}
	r.taps.pass(n)
}

// move applies the absorption to the n frames of the run one by one while numbers ramp.
func (r *Reverb) move(n int) {
	for i := range n {
		if !r.ramp.Still() {
			r.applyTargets(r.ramp.Next(), i)
		}
		r.absorb.FilterFrame(&r.rows, i)
	}
}

// flushTail sets tiny filter states to 0. If frame at is past the end of the tail, it clears the reverb.
func (r *Reverb) flushTail(at int64) {
	r.absorb.FlushTiny(silenceLevel * 1e-5)
	if !r.empty && at-r.lastSound > r.longest() {
		r.clear()
	}
}

// longest returns the longest time in frames that an input sample stays in the reverb without the feedback of
// the lines.
func (r *Reverb) longest() int64 {
	return int64(r.reflections.maxDelayFrames() + max(r.allpasses[0].maxDelayFrames(), r.allpasses[1].maxDelayFrames()) + r.lines.maxDelayFrames())
}

// clear makes the reverb silent. It keeps the parameters.
func (r *Reverb) clear() {
	r.reflections.clear()
	r.allpasses[0].clear()
	r.allpasses[1].clear()
	r.lines.clear()
	r.absorb.clear()
	r.empty = true
}

// Reset makes the reverb silent; the parameters stay.
func (r *Reverb) Reset() { r.clear() }

// Idle reports whether the reverb is silent and no parameter moves.
func (r *Reverb) Idle() bool { return r.empty && r.ramp.Still() && r.taps.still() && r.lines.still() }

// Tail returns an upper bound of the frames, at a rate in Hz, after a full-scale input during which the output is
// above -90 dBFS. It is twice the longest decay time of the bands, which is 120 dB, plus the delay through the
// reverb.
func Tail(v *Values, rate int) int64 {
	longest := float64(float64(2*v.Time) * max(v.Low, v.High, 1))
	through := v.Predelay + float64(v.Size*(lineMillis[lineCount-1]+2*reflectionsLeft[len(reflectionsLeft)-1].millis)/1000) + 0.1
	return int64((longest + through) * float64(rate))
}

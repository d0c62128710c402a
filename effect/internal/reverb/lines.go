package reverb

import "voicepool/internal/dsp"

// lineMillis are the lengths of the lines at size 1: a geometric series.
var lineMillis = [lineCount]float64{
	14.3, 15.9, 17.6, 19.5, 21.6, 23.9, 26.5, 29.4, 32.6, 36.1, 40.0, 44.4, 49.2, 54.5, 60.4, 67.0,
}

// Rows of a Hadamard matrix. They are orthogonal, so left and right are as different as the lines are.
const (
	tapLeft  = dsp.FDNLeftRow
	tapRight = dsp.FDNRightRow
	negated  = dsp.FDNNegated
)

// modulationMillis is the modulation amplitude of a line in milliseconds, at a modulation of 1.
const modulationMillis = 0.35

// unit is one frame in units of read positions.
const unit = dsp.FDNUnit

// lines are the delay lines.
type lines struct {
	rings
	rate     int
	maxDelay int

	targetAmplitude, amplitude float64              // modulation amplitude in units: target and present value
	pieceStart                 int64                // frame at which the present linear pieces start
	fromOffset, toOffset       [lineCount]int32     // offsets at that frame, and rest frames later
	step                       [lineCount]int32     // change of offset per frame
	period                     [lineCount / 2]int64 // modulation period in frames, of odd lines

	wholeFrames, fraction, at [lineCount]int32 // of the run: offsets in whole frames and units, and read indices
	other                     dsp.LineRuns     // samples at the next positions during a crossfade
}

// newLines returns the delay lines of the network for a rate in Hz, with space for the largest size and
// modulation.
func newLines(rate int) lines {
	var most [lineCount]int
	for i, ms := range lineMillis {
		most[i] = int(ms*2/1000*float64(rate)) + int(modulationMillis/1000*float64(rate)) + 128
	}
	l := lines{rings: newRings(most[:]...), rate: rate, maxDelay: most[lineCount-1], pieceStart: -updateInterval}
	for i := range l.period {
		turns := float64(30+4*(2*i+1)) / 100 // per second
		l.period[i] = max(int64(float64(rate)/turns), 1)
	}
	return l
}

// maxDelayFrames returns the number of frames that the longest line can be read back.
func (l *lines) maxDelayFrames() int { return l.maxDelay }

// setModulation sets the target of the modulation amplitude, 0..1; 1 moves the read positions by modulationMillis.
func (l *lines) setModulation(modulation float64) {
	l.targetAmplitude = float64(modulation * modulationMillis / 1000 * float64(l.rate) * unit)
}

// beginPiece starts linear pieces of the modulation from frame to frame + rest. Each line has its own modulation
// frequency, 0.3 to 0.9 Hz, and a phase that is a function of the frame number only.
func (l *lines) beginPiece(frame int64) {
	if l.pieceStart+updateInterval != frame {
		l.computeOffsets(frame)
	}
	l.fromOffset = l.toOffset
	l.computeOffsets(frame + updateInterval)
	for i := range l.step {
		l.step[i] = (l.toOffset[i] - l.fromOffset[i]) / updateInterval
	}
	l.pieceStart, l.amplitude = frame, l.targetAmplitude
}

// still reports whether the modulation amplitude has reached its target in the present piece.
func (l *lines) still() bool { return l.amplitude == l.targetAmplitude }

// isModulated reports whether a line is modulated: every other one is. Interpolation between samples costs treble,
// and the matrix distributes the modulation to all lines anyway.
func isModulated(lane int) bool { return lane&1 != 0 }

// computeOffsets computes into l.toOffset the offsets of the read positions at a frame, in steps of 1/unit of a
// frame.
func (l *lines) computeOffsets(frame int64) {
	if l.targetAmplitude == 0 {
		l.toOffset = [lineCount]int32{}
		return
	}
	var x [lineCount / 2]float64
	for i := range x {
		period := l.period[i]
		phase := float64(frame%period) / float64(period)
		x[i] = float64(2*phase) + float64(float64((2*i+1)*7%16)/8) - 0.5
	}
	dsp.CosPi(x[:])
	for i, x := range x {
		l.toOffset[2*i+1] = int32(l.targetAmplitude * x)
	}
}

// prepare computes the offsets of the read positions at frame at. It returns how many of the next n frames stay
// between the same two samples, at least 1.
func (l *lines) prepare(n int, at int64) int {
	for i := 1; i < lineCount; i += 2 {
		step := l.step[i]
		back := l.fromOffset[i] + step*int32(at-l.pieceStart)
		part := back & (unit - 1)
		l.wholeFrames[i], l.fraction[i] = back>>16, part
		if last := part + step*int32(n-1); last < 0 {
			n = int(part/-step) + 1
		} else if last >= unit {
			n = int((unit-1-part)/step) + 1
		}
	}
	return n
}

// read fills y with the outputs of the lines for the n frames from frame at on. During a crossfade of t they are
// crossfaded.
func (l *lines) read(y *dsp.LineRuns, t *taps, at int64, n int) {
	l.readAt(y, &t.now, at)
	if t.fadedFrames > 0 {
		l.readAt(&l.other, &t.next, at)
		for i := range y {
			t.fade(&y[i], &l.other[i], n)
		}
	}
}

// readAt fills y like read, with the delays p and without a crossfade.
func (l *lines) readAt(y *dsp.LineRuns, p *delays, at int64) {
	base, mask := (*[lineCount]int32)(l.base), (*[lineCount]int32)(l.mask)
	for i := 0; i < lineCount; i += 2 {
		l.at[i] = base[i] + (int32(at)-p[i])&mask[i]
		l.at[i+1] = base[i+1] + (int32(at)-p[i+1]-l.wholeFrames[i+1]-2)&mask[i+1]
	}
	dsp.ReadLines(y, l.ring, &l.at, &l.fraction, &l.step)
}

// writeIndices returns the ring indices for writing the run from frame at on, one per line. The next call overwrites
// them.
func (l *lines) writeIndices(at int64) *[lineCount]int32 {
	base, mask := (*[lineCount]int32)(l.base), (*[lineCount]int32)(l.mask)
	for i := range l.at {
		l.at[i] = base[i] + int32(at)&mask[i]
	}
	return &l.at
}

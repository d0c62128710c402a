package reverb

import "voicepool/internal/dsp"

// lineMillis are the lengths of the lines at size 1: a geometric series.
var lineMillis = [lanes]float64{
	14.3, 15.9, 17.6, 19.5, 21.6, 23.9, 26.5, 29.4, 32.6, 36.1, 40.0, 44.4, 49.2, 54.5, 60.4, 67.0,
}

// Rows of a Hadamard matrix. They are orthogonal, so left and right are as different as the lines are.
const (
	tapLeft  = dsp.RoomLeft
	tapRight = dsp.RoomRight
	turned   = dsp.RoomTurned
)

// swing is the modulation amplitude of a line in milliseconds, at a modulation of 1.
const swing = 0.35

// unit is one frame in units of read positions.
const unit = dsp.RoomUnit

// lines are the delay lines.
type lines struct {
	loops
	rate     int
	furthest int

	reach, aims float64          // modulation amplitude in units: target and present value
	aimed       int64            // frame at which the present linear pieces start
	moved, to   [lanes]int32     // offsets at that frame, and rest frames later
	step        [lanes]int32     // change of offset per frame
	period      [lanes / 2]int64 // modulation period in frames, of odd lines

	whole, part, at [lanes]int32 // of the run: offsets in whole frames and units, and read indices
	other           dsp.Rows     // samples at the next positions during a crossfade
}

// newLines returns the delay lines of the network for a rate in Hz, with space for the largest size and
// modulation.
func newLines(rate int) lines {
	var most [lanes]int
	for i, ms := range lineMillis {
		most[i] = int(ms*2/1000*float64(rate)) + int(swing/1000*float64(rate)) + 128
	}
	l := lines{loops: newLoops(most[:]...), rate: rate, furthest: most[lanes-1], aimed: -rest}
	for i := range l.period {
		turns := float64(30+4*(2*i+1)) / 100 // per second
		l.period[i] = max(int64(float64(rate)/turns), 1)
	}
	return l
}

// most returns the number of frames that the longest line can be read back.
func (l *lines) most() int { return l.furthest }

// depth sets the target of the modulation amplitude; 1 moves the read positions by swing ms.
func (l *lines) depth(modulation float64) {
	l.reach = float64(modulation * swing / 1000 * float64(l.rate) * unit)
}

// aim starts linear pieces of the modulation from frame to frame + rest. Each line has its own modulation
// frequency, 0.3 to 0.9 Hz, and a phase that is a function of the frame number only.
func (l *lines) aim(frame int64) {
	if l.aimed+rest != frame {
		l.swing(frame)
	}
	l.moved = l.to
	l.swing(frame + rest)
	for i := range l.step {
		l.step[i] = (l.to[i] - l.moved[i]) / rest
	}
	l.aimed, l.aims = frame, l.reach
}

// still reports whether the modulation amplitude has reached its target in the present piece.
func (l *lines) still() bool { return l.aims == l.reach }

// swings reports whether a line is modulated: every other one is. Interpolation between samples costs treble,
// and the matrix distributes the modulation to all lines anyway.
func swings(lane int) bool { return lane&1 != 0 }

// swing computes into l.to the offsets of the read positions at a frame, in 1/unit frames.
func (l *lines) swing(frame int64) {
	if l.reach == 0 {
		l.to = [lanes]int32{}
		return
	}
	var x [lanes / 2]float64
	for i := range x {
		period := l.period[i]
		phase := float64(frame%period) / float64(period)
		x[i] = float64(2*phase) + float64(float64((2*i+1)*7%16)/8) - 0.5
	}
	dsp.CosPi(x[:])
	for i, x := range x {
		l.to[2*i+1] = int32(l.reach * x)
	}
}

// prepare computes the offsets of the read positions at frame at. It returns how many of the next n frames stay
// between the same two samples, at least 1.
func (l *lines) prepare(n int, at int64) int {
	for i := 1; i < lanes; i += 2 {
		step := l.step[i]
		back := l.moved[i] + step*int32(at-l.aimed)
		part := back & (unit - 1)
		l.whole[i], l.part[i] = back>>16, part
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
func (l *lines) read(y *dsp.Rows, t *taps, at int64, n int) {
	l.look(y, &t.now, at)
	if t.done > 0 {
		l.look(&l.other, &t.next, at)
		for i := range y {
			t.fade(&y[i], &l.other[i], n)
		}
	}
}

// look is read with the delays p, without a crossfade.
func (l *lines) look(y *dsp.Rows, p *places, at int64) {
	base, mask := (*[lanes]int32)(l.base), (*[lanes]int32)(l.mask)
	for i := 0; i < lanes; i += 2 {
		l.at[i] = base[i] + (int32(at)-p[i])&mask[i]
		l.at[i+1] = base[i+1] + (int32(at)-p[i+1]-l.whole[i+1]-2)&mask[i+1]
	}
	dsp.Ends(y, l.ring, &l.at, &l.part, &l.step)
}

// places returns the ring indices for writing the run from frame at on, one per line. The next call overwrites
// them.
func (l *lines) places(at int64) *[lanes]int32 {
	base, mask := (*[lanes]int32)(l.base), (*[lanes]int32)(l.mask)
	for i := range l.at {
		l.at[i] = base[i] + int32(at)&mask[i]
	}
	return &l.at
}

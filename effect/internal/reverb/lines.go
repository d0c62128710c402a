package reverb

import "voicepool/internal/dsp"

// lineMillis are the lengths of the lines at a size of 1: a geometric series.
var lineMillis = [lanes]float64{
	14.3, 15.9, 17.6, 19.5, 21.6, 23.9, 26.5, 29.4, 32.6, 36.1, 40.0, 44.4, 49.2, 54.5, 60.4, 67.0,
}

// The rows of a Hadamard matrix are orthogonal, so left and right are as different as the lines are.
const (
	tapLeft  = dsp.RoomLeft
	tapRight = dsp.RoomRight
	turned   = dsp.RoomTurned
)

// swing is how many milliseconds the end of a line moves either way at a modulation of 1.
const swing = 0.35

// unit is a frame of where a line is read.
const unit = dsp.RoomUnit

// lines are the delay lines.
type lines struct {
	loops
	rate     int
	furthest int

	reach, aims float64          // how far the ends move, in units: as it was asked for, and as it is
	aimed       int64            // the frame from which they go straight
	moved, to   [lanes]int32     // where they are then, and rest frames later
	step        [lanes]int32     // a frame
	period      [lanes / 2]int64 // frames of a turn, of odd lines

	whole, part, at [lanes]int32 // of the run: how far they have moved, whole frames and units, and places
	other           dsp.Rows     // what is read at the next places
}

func newLines(rate int) lines {
	var most [lanes]int
	for i, ms := range lineMillis {
		most[i] = int(ms*2/1000*float64(rate)) + int(swing/1000*float64(rate)) + 128
	}
	l := lines{loops: newLoops(most[:]...), rate: rate, furthest: most[lanes-1], aimed: -rest}
	for i := range l.period {
		turns := float64(30+4*(2*i+1)) / 100 // a second
		l.period[i] = max(int64(float64(rate)/turns), 1)
	}
	return l
}

func (l *lines) most() int { return l.furthest }

// depth says how far the ends of the lines are to move.
func (l *lines) depth(modulation float64) {
	l.reach = float64(modulation * swing / 1000 * float64(l.rate) * unit)
}

// aim has the ends go straight, from a frame on, to where they are to be rest frames later. Each turns at a
// speed of its own, 0.3 to 0.9 times a second, by the frame alone.
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

// still reports whether the ends move as far as was asked for.
func (l *lines) still() bool { return l.aims == l.reach }

// swings reports whether the end of a line moves: every other one does. Reading between samples costs
// heights, and all that sounds comes through these soon enough.
func swings(lane int) bool { return lane&1 != 0 }

// swing works out how far the ends of the lines have moved at a frame, in units.
func (l *lines) swing(frame int64) {
	if l.reach == 0 {
		l.to = [lanes]int32{}
		return
	}
	var x [lanes / 2]float64
	for i := range x {
		period := l.period[i]
		phase := float64(frame%period) / float64(period)
		x[i] = float64(2*phase) + float64((2*i+1)*7%16)/8 - 0.5
	}
	dsp.CosPi(x[:])
	for i, x := range x {
		l.to[2*i+1] = int32(l.reach * x)
	}
}

// prepare works out where the ends are at a frame, and returns for how many of n frames they stay between the
// same samples.
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

// read reads the ends of the lines in a run.
func (l *lines) read(y *dsp.Rows, t *taps, at int64, n int) {
	l.look(y, &t.now, at)
	if t.done > 0 {
		l.look(&l.other, &t.next, at)
		for i := range y {
			t.fade(&y[i], &l.other[i], n)
		}
	}
}

// look is read at some places.
func (l *lines) look(y *dsp.Rows, p *places, at int64) {
	base, mask := (*[lanes]int32)(l.base), (*[lanes]int32)(l.mask)
	for i := 0; i < lanes; i += 2 {
		l.at[i] = base[i] + (int32(at)-p[i])&mask[i]
		l.at[i+1] = base[i+1] + (int32(at)-p[i+1]-l.whole[i+1]-2)&mask[i+1]
	}
	dsp.Ends(y, l.ring, &l.at, &l.part, &l.step)
}

// places returns where a run is written.
func (l *lines) places(at int64) *[lanes]int32 {
	base, mask := (*[lanes]int32)(l.base), (*[lanes]int32)(l.mask)
	for i := range l.at {
		l.at[i] = base[i] + int32(at)&mask[i]
	}
	return &l.at
}

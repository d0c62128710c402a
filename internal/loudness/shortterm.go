package loudness

import "voicepool/pcm"

// shortSteps is how many steps of 100 ms short-term loudness looks back: 3 s.
const shortSteps = 30

// StepFrames returns how many frames a step of 100 ms has, at least 1: the grid
// of what moves with the time.
func StepFrames(rate int) int64 { return max(1, int64(rate+5)/10) }

// ShortTerm measures the short-term loudness of stereo frames as EBU Tech 3341
// has it: that of the last 3 s, ungated, in steps of 100 ms. What was before the
// first step is silence.
type ShortTerm struct {
	left, right Filter
	step        int64 // frames
	sum         float64
	steps       [shortSteps]float64
	at          int
}

// NewShortTerm returns a meter for a rate in Hz, 1 or more.
func NewShortTerm(rate int) ShortTerm {
	return ShortTerm{left: NewFilter(rate), right: NewFilter(rate), step: StepFrames(rate)}
}

// Write measures frames of the step that is under way, finite ones. The caller
// ends it after StepFrames of them.
func (s *ShortTerm) Write(frames []pcm.Frame) {
	// Filter.Next for both channels at once, with all that moves in registers.
	a, b, sum := s.left.shelf, s.left.high, s.sum
	l1, l2, l3, l4 := s.left.s1, s.left.s2, s.left.h1, s.left.h2
	r1, r2, r3, r4 := s.right.s1, s.right.s2, s.right.h1, s.right.h2
	for _, x := range frames {
		l, r := float64(x[0]), float64(x[1])
		ly, ry := float64(a.b0*l)+l1, float64(a.b0*r)+r1
		l1, r1 = float64(a.b1*l)-float64(a.a1*ly)+l2, float64(a.b1*r)-float64(a.a1*ry)+r2
		l2, r2 = float64(a.b2*l)-float64(a.a2*ly), float64(a.b2*r)-float64(a.a2*ry)
		lz, rz := float64(b.b0*ly)+l3, float64(b.b0*ry)+r3
		l3, r3 = float64(b.b1*ly)-float64(b.a1*lz)+l4, float64(b.b1*ry)-float64(b.a1*rz)+r4
		l4, r4 = float64(b.b2*ly)-float64(b.a2*lz), float64(b.b2*ry)-float64(b.a2*rz)
		sum += float64(lz*lz) + float64(rz*rz)
	}
	s.sum = sum
	s.left.s1, s.left.s2, s.left.h1, s.left.h2 = l1, l2, l3, l4
	s.right.s1, s.right.s2, s.right.h1, s.right.h2 = r1, r2, r3, r4
}

// EndStep ends the step that is under way.
func (s *ShortTerm) EndStep() {
	s.left.Rest()
	s.right.Rest()
	s.steps[s.at] = s.sum
	s.at = (s.at + 1) % shortSteps
	s.sum = 0
}

// Resting reports whether silence would change nothing but the passing of
// steps: the filters have nothing left to give.
func (s *ShortTerm) Resting() bool {
	l, r := &s.left, &s.right
	return l.s1 == 0 && l.s2 == 0 && l.h1 == 0 && l.h2 == 0 && r.s1 == 0 && r.s2 == 0 && r.h1 == 0 && r.h2 == 0
}

// Power returns the K-weighted mean square of the last 30 steps, summed over
// the channels: the argument of FromPower.
func (s *ShortTerm) Power() float64 {
	sum := 0.0
	for i := range s.steps { // the oldest first
		sum += s.steps[(s.at+i)%shortSteps]
	}
	return sum / float64(shortSteps*s.step)
}

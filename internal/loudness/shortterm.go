package loudness

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// shortSteps is how many steps of 100 ms short-term loudness looks back: 3 s.
const shortSteps = 30

// StepFrames returns how many frames a step of 100 ms has, at least 1: the grid
// of what moves with the time.
func StepFrames(rate int) int64 { return max(1, int64(rate+5)/10) }

// ShortTerm measures the short-term loudness of stereo frames as EBU Tech 3341
// has it: that of the last 3 s, ungated, in steps of 100 ms. What was before the
// first step is silence.
type ShortTerm struct {
	filters dsp.Biquads
	step    int64 // frames
	sum     float64
	steps   [shortSteps]float64
	at      int
}

// NewShortTerm returns a meter for a rate in Hz, 1 or more.
func NewShortTerm(rate int) ShortTerm {
	f := NewFilter(rate)
	return ShortTerm{filters: both(&f, &f), step: StepFrames(rate)}
}

// Write measures frames of the step that is under way, finite ones. The caller
// ends it after StepFrames of them.
func (s *ShortTerm) Write(frames []pcm.Frame) { s.sum = s.filters.Power(frames, s.sum) }

// EndStep ends the step that is under way.
func (s *ShortTerm) EndStep() {
	for i := range s.filters.State { // as Filter.Rest
		for c, x := range s.filters.State[i] {
			if x < least && x > -least {
				s.filters.State[i][c] = 0
			}
		}
	}
	s.steps[s.at] = s.sum
	s.at = (s.at + 1) % shortSteps
	s.sum = 0
}

// Resting reports whether silence would change nothing but the passing of
// steps: the filters have nothing left to give.
func (s *ShortTerm) Resting() bool { return s.filters.State == [4]dsp.Pair{} }

// Silent reports whether it is Resting, and the last 30 steps and the one under way are silence.
func (s *ShortTerm) Silent() bool {
	return s.sum == 0 && s.steps == [shortSteps]float64{} && s.Resting()
}

// Leap passes some steps of silence at once, where it is Silent.
func (s *ShortTerm) Leap(steps int64) { s.at = int((int64(s.at) + steps) % shortSteps) }

// Power returns the K-weighted mean square of the last 30 steps, summed over
// the channels: the argument of FromPower.
func (s *ShortTerm) Power() float64 {
	sum := 0.0
	for i := range s.steps { // the oldest first
		sum += s.steps[(s.at+i)%shortSteps]
	}
	return sum / float64(shortSteps*s.step)
}

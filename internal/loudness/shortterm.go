package loudness

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// shortSteps is the window of short-term loudness in steps of 100 ms: 3 s.
const shortSteps = 30

// StepFrames returns the number of frames in a step of 100 ms at a rate in Hz, at least 1. Time-dependent
// measurements use this grid.
func StepFrames(rate int) int64 { return max(1, int64(rate+5)/10) }

// ShortTerm measures the short-term loudness of stereo frames after EBU Tech 3341: the loudness of the last 3
// s, ungated, in steps of 100 ms. The time before the first step counts as silence.
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

// Write measures finite frames of the present step. The caller ends the step after StepFrames frames.
func (s *ShortTerm) Write(frames []pcm.Frame) { s.sum = s.filters.Power(frames, s.sum) }

// EndStep ends the present step.
func (s *ShortTerm) EndStep() {
	for i := range s.filters.State { // as Filter.FlushTiny
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

// Resting reports whether the filter states are zero, so that silence changes only the number of steps.
func (s *ShortTerm) Resting() bool { return s.filters.State == [4]dsp.Pair{} }

// Silent reports whether it is Resting and the last 30 steps and the present one are silent.
func (s *ShortTerm) Silent() bool {
	return s.sum == 0 && s.steps == [shortSteps]float64{} && s.Resting()
}

// Leap skips steps of silence at once. It must be Silent.
func (s *ShortTerm) Leap(steps int64) { s.at = int((int64(s.at) + steps) % shortSteps) }

// Power returns the K-weighted mean square of the last 30 steps, summed over the channels: the argument of
// FromPower.
func (s *ShortTerm) Power() float64 {
	sum := 0.0
	for i := range s.steps { // oldest first
		sum += s.steps[(s.at+i)%shortSteps]
	}
	return sum / float64(shortSteps*s.step)
}

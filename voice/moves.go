package voice

import (
	"voicepool/internal/move"
	"voicepool/internal/passfilter"
)

// Moves holds the moves of a voice's own gain, pan, pitch, speed and cutoffs, and its filter states.
type Moves struct {
	Gain, Pan, Pitch, Speed move.Move
	LowPass, HighPass       passfilter.Cutoff
	Filtered                bool // the voice had a filter, which may have been off

	states passfilter.States
}

// Moves returns copies of the moves of the voice's own gain, pan, pitch, speed and cutoffs, and of its filter states.
// Another voice continues them with Continue. Stale filter states are copied as 0.
func (v *Voice) Moves() Moves {
	m := Moves{Gain: v.gain, Pan: v.pan, Pitch: v.pitch, Speed: v.speed}
	if f := v.filter; f != nil {
		m.LowPass, m.HighPass, m.Filtered, m.states = f.passes.Low.Cutoff, f.passes.High.Cutoff, true, f.passes.States()
	}
	return m
}

// Continue makes the voice, which starts at frame of the mix, continue the moves of another voice. The moves may have
// begun before. The cutoffs are copied only if both voices have a filter. With moves nil the voice keeps its own.
//
// The filter states are copied from past, the moves of the voice that v follows, so that the filtered signal has no
// step between the two voices. Only states of filters that are on in v are set, if the other voice had a filter.
func (v *Voice) Continue(frame int64, moves, past *Moves) {
	f := v.filter
	if moves != nil {
		v.gain, v.pan, v.pitch, v.speed = moves.Gain, moves.Pan, moves.Pitch, moves.Speed
		if f != nil && moves.Filtered {
			f.passes.ContinueCutoffs(&moves.LowPass, &moves.HighPass)
		}
		v.Replan(frame)
	}
	if f.active() && past.Filtered {
		f.passes.SetStates(&past.states)
	}
}

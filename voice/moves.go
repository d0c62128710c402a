package voice

import "voicepool/internal/dsp"

// Moves holds the moves of a voice's own gain, pan, pitch, speed and cutoffs, and its filter states.
type Moves struct {
	Gain, Pan, Pitch, Speed Move
	LowPass, HighPass       Cutoff

	filter bool // the voice had a filter, with these states
	states [2][2]dsp.SVFStates
}

// Moves returns copies of the moves of the voice's own gain, pan, pitch, speed and cutoffs, and of its filter states.
// Another voice continues them with SetMoves and ContinueFilters. Stale filter states are copied as 0.
func (v *Voice) Moves() Moves {
	m := Moves{Gain: v.gain, Pan: v.pan, Pitch: v.pitch, Speed: v.speed}
	if f := v.filter; f != nil {
		m.LowPass, m.HighPass, m.filter = f.low.Cutoff, f.high.Cutoff, true
		if !f.stale {
			m.states = [2][2]dsp.SVFStates{{f.low.left, f.low.right}, {f.high.left, f.high.right}}
		}
	}
	return m
}

// HadFilter reports whether the voice that m was copied from had a filter, which may have been off.
func (m *Moves) HadFilter() bool { return m.filter }

// SetMoves replaces the moves of the voice by copies of m, the moves of another voice. The voice starts at frame of the
// mix; the moves may have begun before. The cutoffs are copied only if both voices have a filter. The filter states are
// not copied, see ContinueFilters.
func (v *Voice) SetMoves(frame int64, m *Moves) {
	v.gain, v.pan, v.pitch, v.speed = m.Gain, m.Pan, m.Pitch, m.Speed
	if f := v.filter; f != nil && m.filter {
		f.continueCutoff(&f.low, &m.LowPass)
		f.continueCutoff(&f.high, &m.HighPass)
	}
	v.Replan(frame)
}

// continueCutoff gives the stage p of the new filter f the cutoff c and switches the stage on. c may have begun to move
// before. If p has exactly this cutoff already, the filter does not change.
func (f *Filter) continueCutoff(p *filterStage, c *Cutoff) {
	if *c == p.Cutoff {
		return
	}
	p.Cutoff, p.on = *c, true
	f.ramping, f.end = true, -1
}

// ContinueFilters copies the filter states in m to the filter of v. m comes from the voice that v follows, so the
// filtered signal has no step between the two voices. Call it when v starts. Only states of filters that are on in v
// are set. It has no effect if v has no active filter or the preceding voice had no filter.
func (v *Voice) ContinueFilters(m *Moves) {
	f := v.filter
	if !f.active() || !m.filter {
		return
	}
	if f.low.on {
		f.low.left, f.low.right = m.states[0][0], m.states[0][1]
	}
	if f.high.on {
		f.high.left, f.high.right = m.states[1][0], m.states[1][1]
	}
}

package mixer

import (
	"sync/atomic"

	"voicepool/mixer/internal/publish"
	"voicepool/space"
	"voicepool/voice"
)

// spatialState is the spatial state of a voice.
type spatialState struct {
	source space.Source
	space  voice.Space

	lowPass, directLowPass float64 // current or target cutoffs in Hz; 0: off
}

// applyMove sets the position of the start of r, which has not begun, to its latest position in SetPositions. It has
// no effect if SetPositions has not moved the start, or while the control side is writing the position.
func (r *record) applyMove() {
	if !r.isSpatial || !r.moved.Load() {
		return
	}
	var spot spotVectors
	if readVectors(&r.spatial.spot, spot[:]) {
		r.spatial.source.Spot = spot.spot()
	}
}

// initSpatial computes how the start of r sounds at its position for the present listener: gain, pan, pitch and
// low-pass. These values apply at once, without a fade. initSpatial stores them in r and returns a pointer to them.
// The result is nil if r is not spatial.
func (a *audio) initSpatial(r *record) *voice.Space {
	if !r.isSpatial {
		return nil
	}
	p := &r.spatial.spatialState
	h, m := a.spatialGains(r)
	p.space.Set(h, p.source.Spread)
	p.space.RampPaths(a.now, m.Direct, m.Sends, 0)
	p.lowPass, p.directLowPass = m.LowPass, m.DirectLowPass
	return &p.space
}

// spatialGains returns how the spatial start of r reaches the present listener. The first result holds gain, pan and
// pitch. The second result holds the gains and cutoffs of the direct path and of the sends. If r has no sends, the
// first result and the general cutoff include the direct path, and both path gains are 1. It changes no state.
func (a *audio) spatialGains(r *record) (voice.SpaceValues, space.Muffled) {
	h, m := a.ear.Hear(&r.spatial.source)
	if r.sends > 0 {
		return voice.SpaceValues(h), m
	}
	if m.Direct != 1 {
		h.Gain = float64(h.Gain * m.Direct)
	}
	if m.DirectLowPass != 0 { // it is the lower one
		m.LowPass = m.DirectLowPass
	}
	return voice.SpaceValues(h), space.Muffled{LowPass: m.LowPass, Direct: 1, Sends: 1}
}

// applyPositions moves the listener and all spatial voices to the latest positions of SetListener and SetPositions.
// Their gains and filters fade within 20 ms, and the moves are recorded in the journal. A position that the control
// side is writing right now waits for the next block.
func (a *audio) applyPositions() {
	a.positionsSent.Store(false)
	var ears listenerVectors
	all := readIfMoved(a, &a.listenerMoved, &a.listener, ears[:])
	if all {
		a.ear = ears.ear()
		a.journalListener(&ears)
	}
	for i, place := a.nextInOrder(0); i >= 0; i, place = a.nextInOrder(place) {
		s := a.voiceTable.at(i)
		if !s.record.isSpatial || !s.record.moved.Load() && !all {
			continue
		}
		var spot spotVectors
		if readIfMoved(a, &s.record.moved, &s.record.spatial.spot, spot[:]) {
			s.record.spatial.source.Spot = spot.spot()
			a.journalPosition(s, &s.record.spatial.spatialState)
		}
		a.fadeToPosition(i, a.mutable(i))
	}
}

// setListener moves the listener to the position ears. The gains and filters of all spatial voices fade to their new
// values within 20 ms.
func (a *audio) setListener(ears *listenerVectors) {
	a.ear = ears.ear()
	for i, place := a.nextInOrder(0); i >= 0; i, place = a.nextInOrder(place) {
		if a.voiceTable.at(i).record.isSpatial {
			a.fadeToPosition(i, a.mutable(i))
		}
	}
}

// fadeToPosition moves the gains and filters of the spatial voice s at index i to the values for its present position
// and listener. The move takes 20 ms; it is immediate if the voice has not sounded. A change of cutoff too small to be
// audible is left out. The scores of the voice are updated.
func (a *audio) fadeToPosition(i int, s *slot) {
	p := &s.record.spatial.spatialState
	over := a.hop
	if !s.sounded {
		over = 0
	}
	h, m := a.spatialGains(s.record)
	p.space.Ramp(a.now, h, over)
	p.space.RampPaths(a.now, m.Direct, m.Sends, over)
	if cutoffDiffers(p.lowPass, m.LowPass) || cutoffDiffers(p.directLowPass, m.DirectLowPass) {
		p.lowPass, p.directLowPass = m.LowPass, m.DirectLowPass
		s.moveSpatialLowPass(p, a.now, over)
	}
	s.voice.Replan(a.now)
	a.rescore(i)
}

// minCutoffRatio is the smallest change of a cutoff that is applied: 1/64 of an octave, which is
// inaudible. Otherwise absorption by air would keep the cutoffs of all moving voices fading, which costs
// more than a constant cutoff.
const minCutoffRatio = 1.0108892860517005

// cutoffDiffers reports whether the change of a cutoff from one value to another is large enough to be applied. Both
// values are in Hz, and 0 is off. A change between 0 and another value is always large enough.
func cutoffDiffers(from, to float64) bool {
	if from == 0 || to == 0 {
		return from != to
	}
	return to > float64(from*minCutoffRatio) || from > float64(to*minCutoffRatio)
}

// readIfMoved copies the vectors in cell to the parameter vectors if moved is set, and clears moved. The result is
// false if moved was not set, or if the control side is writing cell. In the second case moved and a.positionsDeferred
// are set, so that the next block tries again.
func readIfMoved[W publish.Words](a *audio, moved *atomic.Bool, cell *publish.SeqCell[W], vectors []space.Vector) bool {
	if !moved.Swap(false) {
		return false
	}
	ok := readVectors(cell, vectors)
	if !ok {
		moved.Store(true)
		a.positionsDeferred.Store(true)
	}
	return ok
}

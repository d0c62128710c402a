package mixer

import (
	"sync/atomic"

	"voicepool/space"
	"voicepool/voice"
)

// placed is the spatial state of a voice.
type placed struct {
	source space.Source
	space  voice.Space

	lowPass, directLowPass float64 // current or target cutoffs in Hz; 0: off
}

// applyMove applies a move to a start that has not begun.
func (r *record) applyMove() {
	if !r.placed || !r.moved.Load() {
		return
	}
	if w, ok := r.where.spot.read(); ok {
		r.where.source.Spot = w.spot()
	}
}

// place computes the initial spatial state of a start; nil if it is not spatial.
func (a *audio) place(r *record) *voice.Space {
	if !r.placed {
		return nil
	}
	p := &r.where.placed
	h, m := a.hear(r)
	p.space.Set(h, p.source.Spread)
	p.space.RampPaths(a.now, m.Direct, m.Sends, 0)
	p.lowPass, p.directLowPass = m.LowPass, m.DirectLowPass
	return &p.space
}

// hear computes how a spatial start is heard now. Without sends, the direct path is merged into the
// whole.
func (a *audio) hear(r *record) (voice.SpaceValues, space.Muffled) {
	h, m := a.ear.Hear(&r.where.source)
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

// movePlaces moves all voices to their latest positions.
func (a *audio) movePlaces() {
	a.positionsSent.Store(false)
	ears, all := readMoved(a, &a.listenerMoved, &a.listener)
	if all {
		a.ear = ears.ear()
		a.noteListener(&ears)
	}
	for i, place := a.nextInOrder(0); i >= 0; i, place = a.nextInOrder(place) {
		s := a.voiceTable.at(i)
		if !s.record.placed || !s.record.moved.Load() && !all {
			continue
		}
		if w, ok := readMoved(a, &s.record.moved, &s.record.where.spot); ok {
			s.record.where.source.Spot = w.spot()
			a.notePlace(s, &s.record.where.placed)
		}
		a.glide(i, a.mutable(i))
	}
}

// listen sets the listener and moves all spatial voices accordingly.
func (a *audio) listen(ears *earVectors) {
	a.ear = ears.ear()
	for i, place := a.nextInOrder(0); i >= 0; i, place = a.nextInOrder(place) {
		if a.voiceTable.at(i).record.placed {
			a.glide(i, a.mutable(i))
		}
	}
}

// glide fades a voice to its present place.
func (a *audio) glide(i int, s *slot) {
	p := &s.record.where.placed
	over := a.hop
	if !s.sounded {
		over = 0
	}
	h, m := a.hear(s.record)
	p.space.Ramp(a.now, h, over)
	p.space.RampPaths(a.now, m.Direct, m.Sends, over)
	if turns(p.lowPass, m.LowPass) || turns(p.directLowPass, m.DirectLowPass) {
		p.lowPass, p.directLowPass = m.LowPass, m.DirectLowPass
		s.moveSpatialLowPass(p, a.now, over)
	}
	s.voice.Replan(a.now)
	a.rescore(i)
}

// leastTurn is the smallest change of a cutoff that is applied: 1/64 of an octave, which is inaudible.
// Otherwise absorption by air would keep the cutoffs of all moving voices fading, which costs more than a
// constant cutoff.
const leastTurn = 1.0108892860517005

// turns reports whether a cutoff changes enough to be applied; 0 is off.
func turns(from, to float64) bool {
	if from == 0 || to == 0 {
		return from != to
	}
	return to > float64(from*leastTurn) || from > float64(to*leastTurn)
}

// readMoved reads a position if it has changed. If a write is in progress, it leaves the flags set for
// the next block.
func readMoved[A spotVectors | earVectors](a *audio, moved *atomic.Bool, words *seqVectors[A]) (read A, ok bool) {
	if !moved.Swap(false) {
		return read, false
	}
	if read, ok = words.read(); !ok {
		moved.Store(true)
		a.positionsDeferred.Store(true)
	}
	return read, ok
}

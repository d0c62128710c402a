package mixer

import (
	"fmt"
	"strings"
	"sync/atomic"

	"voicepool/internal/hearing"
	"voicepool/internal/move"
	"voicepool/mixer/internal/spatial"
	"voicepool/space"
)

// positionError turns an error of package space into an error of the mixer with a single prefix.
type positionError struct{ cause error }

// Error returns the message of the cause with the prefix of ErrOption.
func (e positionError) Error() string {
	return ErrOption.Error() + strings.TrimPrefix(e.cause.Error(), space.ErrRange.Error())
}

// Unwrap returns ErrOption and the error of package space.
func (e positionError) Unwrap() []error { return []error{ErrOption, e.cause} }

// SetPositions moves each voice in voices to the spot with the same index in spots. The moves begin at the next frame
// that is mixed and end within 20 ms. Voices that are gone or were started without an Emitter are skipped. The last
// of several calls between two blocks counts, so SetPositions never fails with ErrBusy. The error wraps ErrOption:
// the lengths differ, a spot is invalid, or a voice is another mixer's. On an error no voice moves.
//
// Control side; it never waits for the audio side. It does not allocate, except the first time that a voice is
// occluded or obstructed.
func (m *Mixer) SetPositions(voices []Handle, spots []space.Spot) error {
	if len(voices) != len(spots) {
		return fmt.Errorf("%w: %d voices and %d places", ErrOption, len(voices), len(spots))
	}
	for i := range spots {
		if _, err := spots[i].Checked(); err != nil {
			return positionError{err}
		}
		if voices[i].mixer != m && voices[i].mixer != nil {
			return fmt.Errorf("%w: voice %d is another mixer's", ErrOption, i)
		}
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	for i, h := range voices {
		r := m.recordOf(h.id)
		if r == nil || h.mixer == nil || !r.isSpatial {
			continue
		}
		s, _ := spots[i].Checked()
		if s.Muffled() {
			m.allocateFilters(r)
		}
		r.spatial.spot.Write(&s)
		r.moved.Store(true)
		m.pitches.noteVelocity(r, s.Velocity)
	}
	m.pushPositions()
	return nil
}

// SetListener moves the listener to l. The move begins at the next frame that is mixed and ends within 20 ms. The
// last of several calls between two blocks counts, so SetListener never fails with ErrBusy. An invalid l is an error
// that wraps ErrOption, and the listener stays. Control side; it does not allocate.
func (m *Mixer) SetListener(l space.Listener) error {
	ear, err := hearing.NewEar(&l)
	if err != nil {
		return positionError{err}
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.pitches.noteListener(&ear)
	m.listener.Write(&spatial.Listener{Ear: ear, Forward: l.Forward, Up: l.Up})
	m.listenerMoved.Store(true)
	m.pushPositions()
	return nil
}

// pushPositions makes the audio side read new positions of voices and of the listener, which the caller has
// published. It sends a cmdPositions, unless a cmdPositions is under way that is later than all other commands.
// Without room in the ring buffer, the audio side reads the positions in its next block. The caller holds m.mutex.
func (m *Mixer) pushPositions() {
	if m.positionsSent.Load() && m.positionsSeq > m.otherSeq {
		return
	}
	m.positionsSent.Store(true)
	if m.push(command{kind: cmdPositions, frame: Now}) != nil {
		m.positionsDeferred.Store(true)
		return
	}
	m.positionsSeq = m.seq
}

// SetPosition moves the voices that t selects to spot, within 20 ms from the moment on. Voices that were started
// without an Emitter are skipped. If spot is invalid, or t is a bus or TargetAll, the error wraps ErrOption;
// otherwise it is ErrBusy. It allocates. To move many voices at Now, use Mixer.SetPositions.
func (at Moment) SetPosition(t Target, spot space.Spot) error {
	s, err := spot.Checked()
	switch {
	case err != nil:
		return positionError{err}
	case t.kind == busVoices || t.kind == allVoices:
		return fmt.Errorf("%w: only voices have a place; name one, a tag or a sound", ErrOption)
	}
	m := at.mixer
	c := command{kind: cmdPosition, frame: at.frame, batch: at.batch, rank: at.rank, ref: at.ref, target: t, payload: &payload{spot: s}}
	if err := m.sendToPlay(c); err != nil {
		return err
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.pitches.ear.Waves == 0 {
		return nil
	}
	for _, r := range m.allRecords() {
		if r.isSpatial && m.selects(&t, r) && m.alive(r) {
			m.pitches.noteVelocity(r, s.Velocity)
		}
	}
	return nil
}

// SetListener moves the listener to l, within 20 ms from the moment on. The error is ErrBusy, or wraps ErrOption if l
// is invalid. It allocates. To move the listener at Now, Mixer.SetListener does not allocate.
func (at Moment) SetListener(l space.Listener) error {
	ear, err := hearing.NewEar(&l)
	if err != nil {
		return positionError{err}
	}
	m := at.mixer
	p := &payload{listener: spatial.Listener{Ear: ear, Forward: l.Forward, Up: l.Up}}
	if err := m.send(command{kind: cmdPosition, frame: at.frame, batch: at.batch, rank: at.rank, ref: at.ref, target: TargetAll(), payload: p}); err != nil {
		return err
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.pitches.noteListener(&ear)
	return nil
}

// applyMove sets the position of the start of r, which has not begun, to its latest position in SetPositions. It has
// no effect if SetPositions has not moved the start, or while the control side is writing the position.
func (r *record) applyMove() {
	if !r.isSpatial || !r.moved.Load() {
		return
	}
	if spot, ok := r.spatial.spot.Read(); ok {
		r.spatial.Source.Spot = spot
	}
}

// positioner places voices in space.
type positioner struct {
	a   *audio
	ear hearing.Ear // of the listener
}

// startSpatial sets how the start of r sounds at its position for the present listener: gain, pan, pitch and low-pass.
// These values apply at once, without a fade. The result is for the voice; it is nil if r is not spatial.
func (p *positioner) startSpatial(r *record) *move.Spatial {
	if !r.isSpatial {
		return nil
	}
	r.spatial.Start(&p.ear, p.a.now, r.sends > 0)
	return &r.spatial.Space
}

// applyPositions moves the listener and all spatial voices to the latest positions of SetListener and SetPositions.
// Their gains and filters fade within 20 ms, and the moves are recorded in the journal. A position that the control
// side is writing right now waits for the next block.
func (p *positioner) applyPositions() {
	a := p.a
	a.positionsSent.Store(false)
	all := a.listenerMoved.Swap(false)
	if all {
		var l spatial.Listener
		if l, all = a.listener.Read(); all {
			p.ear = l.Ear
			a.journalListener(&l)
		} else {
			p.deferPosition(&a.listenerMoved)
		}
	}
	for i, place := a.voices.NextInOrder(0); i >= 0; i, place = a.voices.NextInOrder(place) {
		s := a.voices.At(i)
		r := s.record
		moved := r.isSpatial && r.moved.Load()
		if !moved && !(all && r.isSpatial) {
			continue
		}
		if moved && r.moved.Swap(false) {
			if spot, ok := r.spatial.spot.Read(); ok {
				r.spatial.Source.Spot = spot
				a.journalPosition(s)
			} else {
				p.deferPosition(&r.moved)
			}
		}
		p.fadeToPosition(i, a.mutable(i))
	}
}

// deferPosition leaves a position for the next block, because the control side is writing it right now. moved belongs
// to the position.
func (p *positioner) deferPosition(moved *atomic.Bool) {
	moved.Store(true)
	p.a.positionsDeferred.Store(true)
}

// setListener moves the listener to l. The gains and filters of all spatial voices fade to their new values within
// 20 ms.
func (p *positioner) setListener(l *spatial.Listener) {
	a := p.a
	p.ear = l.Ear
	for i, place := a.voices.NextInOrder(0); i >= 0; i, place = a.voices.NextInOrder(place) {
		if a.voices.At(i).record.isSpatial {
			p.fadeToPosition(i, a.mutable(i))
		}
	}
}

// fadeToPosition moves the gains and filters of the spatial voice s at index i to the values for its present position
// and listener. The move takes 20 ms; it is immediate if the voice has not sounded. A change of cutoff too small to be
// audible is left out. The scores of the voice are updated.
func (p *positioner) fadeToPosition(i int, s *slot) {
	a := p.a
	over := a.hop
	if !s.sounded {
		over = 0
	}
	if s.record.spatial.Move(&p.ear, a.now, over, s.record.sends > 0) {
		s.moveSpatialLowPass(a.now, over)
	}
	s.voice.Replan(a.now)
	a.scores.rescore(i)
}

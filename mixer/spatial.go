package mixer

import (
	"fmt"
	"math"
	"strings"

	"voicepool/mixer/internal/publish"
	"voicepool/space"
)

// The values that the control side moves, as vectors. Their numbers are the words of a publish.SeqCell.
type (
	spotVectors     [4]space.Vector // a Spot, with its scalars as the fourth
	listenerVectors [6]space.Vector // an Ear, with its scalars as the fourth; then the Listener's Forward and Up
)

// writeVectors publishes vectors in cell, from where readVectors copies them without waiting. vectors has at most six
// elements. Control side. The caller holds the mutex, because only one goroutine may write at a time.
func writeVectors[W publish.Words](cell *publish.SeqCell[W], vectors []space.Vector) {
	var words [18]uint64 // as many as the longer vectors have
	for i, v := range vectors {
		for j, x := range v {
			words[3*i+j] = math.Float64bits(x)
		}
	}
	cell.Write(words[:3*len(vectors)])
}

// readVectors fills vectors with the vectors last written to cell by writeVectors. If a write is in progress or came
// in between, it returns false, and vectors is invalid. It never waits.
func readVectors[W publish.Words](cell *publish.SeqCell[W], vectors []space.Vector) bool {
	var words [18]uint64 // as many as the longer vectors have
	ok := cell.Read(words[:3*len(vectors)])
	for i := range vectors {
		for j := range vectors[i] {
			vectors[i][j] = math.Float64frombits(words[3*i+j])
		}
	}
	return ok
}

// spot returns the Spot that v holds, the inverse of vectorsOfSpot.
func (v *spotVectors) spot() space.Spot {
	return space.Spot{Position: v[0], Velocity: v[1], Forward: v[2], Occlusion: v[3][0], Obstruction: v[3][1]}
}

// vectorsOfSpot converts a spot to vectors.
func vectorsOfSpot(s *space.Spot) spotVectors {
	return spotVectors{s.Position, s.Velocity, s.Forward, {s.Occlusion, s.Obstruction}}
}

// ear returns the Ear that v holds, as given to vectorsOfListener.
func (v *listenerVectors) ear() space.Ear {
	return space.Ear{Position: v[0], Velocity: v[1], Right: v[2], Waves: v[3][0], Strength: v[3][1], Half: v[3][2]}
}

// vectorsOfListener converts a listener and its ear to vectors.
func vectorsOfListener(l *space.Listener, ear *space.Ear) listenerVectors {
	return listenerVectors{ear.Position, ear.Velocity, ear.Right, {ear.Waves, ear.Strength, ear.Half}, l.Forward, l.Up}
}

// listener returns a Listener equivalent to the Listener whose values v holds: its Ear is the same. Its Doppler is 1
// with a suitable SpeedOfSound, or 0.
func (v *listenerVectors) listener() space.Listener {
	l := space.Listener{
		Position: v[0], Velocity: v[1], Forward: v[4], Up: v[5], Strength: v[3][1], Width: float64(2 * v[3][2]),
	}
	if l.Strength == 0 {
		l.Strength = space.NoPan
	}
	if waves := v[3][0]; waves > 0 {
		l.Doppler, l.SpeedOfSound = 1, waves
	}
	return l
}

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
		spot := vectorsOfSpot(&s)
		writeVectors(&r.spatial.spot, spot[:])
		r.moved.Store(true)
		m.noteVelocity(r, &s.Velocity)
	}
	m.pushPositions()
	return nil
}

// SetListener moves the listener to l. The move begins at the next frame that is mixed and ends within 20 ms. The
// last of several calls between two blocks counts, so SetListener never fails with ErrBusy. An invalid l is an error
// that wraps ErrOption, and the listener stays. Control side; it does not allocate.
func (m *Mixer) SetListener(l space.Listener) error {
	ear, err := l.Ear()
	if err != nil {
		return positionError{err}
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.noteListener(&ear)
	ears := vectorsOfListener(&l, &ear)
	writeVectors(&m.listener, ears[:])
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
	if m.ear.Waves == 0 {
		return nil
	}
	for _, r := range m.allRecords() {
		if r.isSpatial && m.selects(&t, r) && m.alive(r) {
			m.noteVelocity(r, &s.Velocity)
		}
	}
	return nil
}

// SetListener moves the listener to l, within 20 ms from the moment on. The error is ErrBusy, or wraps ErrOption if l
// is invalid. It allocates. To move the listener at Now, Mixer.SetListener does not allocate.
func (at Moment) SetListener(l space.Listener) error {
	ear, err := l.Ear()
	if err != nil {
		return positionError{err}
	}
	m := at.mixer
	p := &payload{listener: vectorsOfListener(&l, &ear)}
	if err := m.send(command{kind: cmdPosition, frame: at.frame, batch: at.batch, rank: at.rank, ref: at.ref, target: TargetAll(), payload: p}); err != nil {
		return err
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.noteListener(&ear)
	return nil
}

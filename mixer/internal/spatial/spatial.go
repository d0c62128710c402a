// Package spatial places voices in space. SpotCell and ListenerCell carry positions from the goroutines that set them,
// the control side of a mixer, to the goroutine that mixes, its audio side. State turns the position of one voice into
// the gains, the pan, the pitch and the cutoffs that the voice fades to.
package spatial

import (
	"math"
	"sync/atomic"

	"voicepool/internal/hearing"
	"voicepool/internal/move"
	"voicepool/mixer/internal/publish"
	"voicepool/space"
)

// Listener is the position of the listener.
type Listener struct {
	Ear         hearing.Ear
	Forward, Up space.Vector // as in space.Listener
}

// Listener returns a space.Listener with the same Ear. Its Doppler is 1 with a suitable SpeedOfSound, or 0. Any
// goroutine may call it.
func (l *Listener) Listener() space.Listener {
	of := space.Listener{
		Position: l.Ear.Position, Velocity: l.Ear.Velocity, Forward: l.Forward, Up: l.Up, Strength: l.Ear.Strength, Width: float64(2 * l.Ear.Half),
	}
	if of.Strength == 0 {
		of.Strength = space.NoPan
	}
	if waves := l.Ear.Waves; waves > 0 {
		of.Doppler, of.SpeedOfSound = 1, waves
	}
	return of
}

// SpotCell holds the last spot of a voice that the control side has written. The zero value holds the zero Spot.
type SpotCell struct {
	cell publish.SeqCell[[12]atomic.Uint64] // four vectors: the last one has the scalars
}

// Write replaces the spot in c. Control side, with the mutex held, because only one goroutine may write at a time.
func (c *SpotCell) Write(s *space.Spot) {
	words := pack(s.Position, s.Velocity, s.Forward, space.Vector{s.Occlusion, s.Obstruction})
	c.cell.Write(words[:12])
}

// Read returns the spot in c. If a write is in progress or came in between, it returns false, and the spot is invalid.
// It never waits. Audio side.
func (c *SpotCell) Read() (space.Spot, bool) {
	var words [18]uint64
	var v [4]space.Vector
	ok := c.cell.Read(words[:12])
	unpack(v[:], &words)
	return space.Spot{Position: v[0], Velocity: v[1], Forward: v[2], Occlusion: v[3][0], Obstruction: v[3][1]}, ok
}

// ListenerCell holds the last listener that the control side has written. The zero value holds the zero Listener.
type ListenerCell struct {
	cell publish.SeqCell[[18]atomic.Uint64] // six vectors: the fourth has the scalars
}

// Write replaces the listener in c. Control side, with the mutex held, because only one goroutine may write at a time.
func (c *ListenerCell) Write(l *Listener) {
	e := &l.Ear
	words := pack(e.Position, e.Velocity, e.Right, space.Vector{e.Waves, e.Strength, e.Half}, l.Forward, l.Up)
	c.cell.Write(words[:])
}

// Read returns the listener in c. If a write is in progress or came in between, it returns false, and the listener is
// invalid. It never waits. Audio side.
func (c *ListenerCell) Read() (Listener, bool) {
	var words [18]uint64
	var v [6]space.Vector
	ok := c.cell.Read(words[:])
	unpack(v[:], &words)
	return Listener{
		Ear:     hearing.Ear{Position: v[0], Velocity: v[1], Right: v[2], Waves: v[3][0], Strength: v[3][1], Half: v[3][2]},
		Forward: v[4], Up: v[5],
	}, ok
}

// pack returns the words of vectors, at most six.
func pack(vectors ...space.Vector) (words [18]uint64) {
	for i, v := range vectors {
		for j, x := range v {
			words[3*i+j] = math.Float64bits(x)
		}
	}
	return words
}

// unpack fills vectors, at most six, from their words.
func unpack(vectors []space.Vector, words *[18]uint64) {
	for i := range vectors {
		for j := range vectors[i] {
			vectors[i][j] = math.Float64frombits(words[3*i+j])
		}
	}
}

// State is the spatial state of one voice. The control side sets Source before the voice begins; then the audio side
// owns the State.
type State struct {
	Source hearing.Source // the spot of the voice, and how its sound spreads
	Space  move.Spatial   // for the voice itself; its Direct and Sends are for the caller

	lowPass, directLowPass float64
}

// LowPass returns the cutoffs in Hz that the voice has or fades to: of the whole voice, and of its path to the bus
// alone, which is 0 for a voice without sends. 0 is off. Audio side.
func (s *State) LowPass() (all, direct float64) { return s.lowPass, s.directLowPass }

// Start sets gains, pan, pitch and cutoffs for the position of the voice, at the frame now and without a fade. hasSends
// is true if the voice has sends: they have their own attenuation. Audio side.
func (s *State) Start(ear *hearing.Ear, now int64, hasSends bool) {
	h, m := s.heard(ear, hasSends)
	s.Space.Set(h, s.Source.Spread)
	s.Space.RampPaths(now, m.Direct, m.Sends, 0)
	s.lowPass, s.directLowPass = m.LowPass, m.DirectLowPass
}

// Move fades gains, pan and pitch to the values for the present position of the voice, within the given number of
// frames from the frame now on. It reports whether the caller has to fade the cutoffs to LowPass; a change too small to
// be audible is left out. hasSends is as in Start. Audio side.
func (s *State) Move(ear *hearing.Ear, now, frames int64, hasSends bool) (cutoffs bool) {
	h, m := s.heard(ear, hasSends)
	s.Space.Ramp(now, h, frames)
	s.Space.RampPaths(now, m.Direct, m.Sends, frames)
	if cutoffs = differ(s.lowPass, m.LowPass) || differ(s.directLowPass, m.DirectLowPass); cutoffs {
		s.lowPass, s.directLowPass = m.LowPass, m.DirectLowPass
	}
	return cutoffs
}

// heard returns how the voice reaches the listener. The first result holds gain, pan and pitch. The second result holds
// the gains and cutoffs of the direct path and of the sends. Without sends, the first result and the general cutoff
// include the direct path, and both path gains are 1.
func (s *State) heard(ear *hearing.Ear, hasSends bool) (move.SpatialValues, hearing.Muffled) {
	h, m := ear.Hear(&s.Source)
	if hasSends {
		return move.SpatialValues(h), m
	}
	if m.Direct != 1 {
		h.Gain = float64(h.Gain * m.Direct)
	}
	if m.DirectLowPass != 0 { // it is the lower one
		m.LowPass = m.DirectLowPass
	}
	return move.SpatialValues(h), hearing.Muffled{LowPass: m.LowPass, Direct: 1, Sends: 1}
}

// minCutoffRatio is the smallest change of a cutoff that is applied: 1/64 of an octave, which is inaudible. Otherwise
// absorption by air would keep the cutoffs of all moving voices fading, which costs more than a constant cutoff.
const minCutoffRatio = 1.0108892860517005

// differ reports whether the change of a cutoff from one value to another is large enough to be applied. Both values
// are in Hz, and 0 is off. A change between 0 and another value is always large enough.
func differ(from, to float64) bool {
	if from == 0 || to == 0 {
		return from != to
	}
	return to > float64(from*minCutoffRatio) || from > float64(to*minCutoffRatio)
}

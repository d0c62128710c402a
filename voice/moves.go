package voice

// Moves are those of a voice's own gain, pan, pitch and speed.
type Moves struct{ Gain, Pan, Pitch, Speed Move }

// Moves returns those of the voice.
func (v *Voice) Moves() Moves { return Moves{v.gain, v.pan, v.pitch, v.speed} }

// SetMoves gives a voice that starts at frame moves that may have begun before it.
func (v *Voice) SetMoves(frame int64, m *Moves) {
	v.gain, v.pan, v.pitch, v.speed = m.Gain, m.Pan, m.Pitch, m.Speed
	v.Replan(frame)
}

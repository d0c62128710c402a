package mixer

import "voicepool/voice"

// When says at which frame of a voice its successor starts.
type When uint8

const (
	AtEnd     When = iota // where the voice ends by itself, or by its For
	AtLoopEnd             // where it next comes to the end of its loop, in its last round too; AtEnd, if it does not loop or is past its loop
)

// Then has a sound start at the exact frame at which the voice ends, so that the two stand
// as if written out as one. With AtLoopEnd the voice ends at the end of its loop, without a
// tail. The handle is that of the successor, which is pending until then: it can be set,
// stopped, and followed itself.
//
// The frame follows the voice through pauses, seeks, pitches and speeds. The slot of the
// voice is free at that frame, before anything else starts. Nothing follows a voice that is
// stopped, stolen for good, or refused: its successor counts as stopped, from the beginning
// of a StopOver on. One that is virtual is followed where it would end. A voice has one
// successor: another Then takes its place. A stream whose decoder is too slow at its end is
// followed within 20 ms.
//
// A fade that is under way at that frame goes on in the successor, as one and the same: a Set
// or Fade that takes more than 5 ms, of gain, pan, pitch, speed or a cutoff. So does the 5 ms ramp of what
// was set for both. What was set for the successor itself, to another value, counts before that.
// All else it begins with is its own. Where both have a filter, it goes on with what that holds.
//
// A successor counts as a command under way. Then fails with ErrGone, and as Play does.
func (h Handle) Then(next *voice.Sound, o Options, when When) (Handle, error) {
	if h.mixer == nil {
		return Handle{}, ErrGone
	}
	return h.mixer.play(&command{kind: cmdThen, frame: Now, target: TargetVoice(h), when: when}, next, &o)
}

// LeftLoop reports whether a voice that loops has left its loop for good, or is over. Audio side, between
// two calls of Render.
func (m *Mixer) LeftLoop(h Handle) bool { return m.audio.leftLoop(h.id) }

// UntilEnd returns how many of some frames can be rendered before the first voice is over, or leaves
// its loop, as things stand, so that a Render of no more ends at that very frame: for whoever renders without a
// clock, and gives commands for the frame at which a voice ends. What gives way to a start does so
// at the frame of the start, or at one of the grid of 20 ms. It is at least 1, where frames is. Audio
// side, between two calls of Render.
func (m *Mixer) UntilEnd(frames int) int { return int(m.audio.untilEnd(int64(frames))) }

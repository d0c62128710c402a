package mixer

import "voicepool/voice"

// When selects the frame at which a successor starts.
type When uint8

const (
	AtEnd     When = iota // when the voice ends by itself or by its Options.For
	AtLoopEnd             // when it next reaches the end of its loop, in its last round too; like AtEnd if it does not loop or is past its loop
)

// Then starts the sound next with the options o as the successor of the voice, without a gap. The successor starts at
// the exact frame where the voice ends. With AtLoopEnd in the parameter when, the voice ends without a tail when it
// next reaches the end of its loop. The returned handle belongs to the successor, which is pending until that frame.
// It can be changed, stopped and given a successor itself.
//
// Pauses, seeks, pitches and speeds of the voice move that frame. The slot of the voice becomes free at that frame,
// before any other start. If the voice is stopped, stolen for good or refused, its successor counts as stopped. With
// StopOver this happens when the fade begins. If the voice is virtual, the successor starts when the voice would
// end. A voice has one successor; another Then replaces it. If the decoder of a stream is late at its end, the
// successor starts within 20 ms.
//
// A fade of gain, pan, pitch, speed or a cutoff continues in the successor if it takes more than 5 ms. A ramp of 5 ms
// continues only if the property was set on both voices to the same value. A property that was set on the successor
// to another value keeps that value. All other properties come from o. If both have a filter, the filter of the
// successor continues without a step.
//
// A successor counts as a command under way. Then fails with ErrGone if the voice is over, and with the errors of
// Play.
func (h Handle) Then(next *voice.Sound, o Options, when When) (Handle, error) {
	if h.mixer == nil {
		return Handle{}, ErrGone
	}
	return h.mixer.play(&command{kind: cmdThen, frame: Now, target: TargetVoice(h), when: when}, next, &o)
}

// LeftLoop reports whether the voice of h has left its loop for good or is over. It is false while the start is
// pending, and for a living voice without a loop. h must belong to m and not be zero. Audio side: call it between two
// calls of Render.
func (m *Mixer) LeftLoop(h Handle) bool { return m.audio.leftLoop(h.id) }

// UntilEnd returns how many frames can be rendered before the first voice ends or leaves its loop, at most the
// parameter frames. Rendering the returned number of frames ends exactly at that frame. The result is at least 1,
// unless frames is 0. Paused voices do not count, and steals are not foreseen. Use it for offline rendering with
// commands for the frame where a voice ends. Audio side: call it between two calls of Render.
func (m *Mixer) UntilEnd(frames int) int { return int(m.audio.untilEnd(int64(frames))) }

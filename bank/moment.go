package bank

import (
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// Moment changes a play at one frame of the mix. Create it with Handle.At. All methods are control side, act on all
// voices of the play, and fail with mixer.ErrGone if the play has ended, with mixer.ErrBusy if too many commands are
// under way, or with an error that wraps mixer.ErrOption.
type Moment struct {
	handle Handle
	frame  int64
}

// At returns the moment of frame, for changes of the play at that frame, counted from the first frame that the mixer
// rendered. mixer.Now is the next frame. If the frame has already been mixed, a change acts at once.
func (h Handle) At(frame int64) Moment { return Moment{h, frame} }

// Stop fades the play to silence over the duration over, from the moment on, and then ends it, as Handle.Stop does.
func (at Moment) Stop(over time.Duration) error {
	if at.handle.ended() {
		return mixer.ErrGone
	}
	return at.mixerMoment().Stop(mixer.TargetVoice(at.handle.Handle), over)
}

// Fade moves the game's gain to the value gain over the duration over, from the moment on, linearly in decibels. gain
// is as in Handle.SetGain. Fade does not stop the play.
func (at Moment) Fade(gain pcm.Decibels, over time.Duration) error {
	return at.Set(mixer.Change{Fields: mixer.FieldGain, Gain: gain, Shape: sounds.InDecibels}, over)
}

// Set changes properties of the play over the duration over, from the moment on, as mixer.Moment.Set does. A gain and a
// pitch in c are the game's: the values of the parameters at the time of the call are added. A parameter set
// between the call and the moment does not alter the change.
func (at Moment) Set(c mixer.Change, over time.Duration) error {
	h := at.handle
	if h.ended() {
		return mixer.ErrGone
	}
	return h.changeGame(at.frame, c, func(c mixer.Change) error {
		return at.mixerMoment().Set(mixer.TargetVoice(h.Handle), c, over)
	})
}

// mixerMoment returns the moment of the mixer. The handle must not be zero.
func (at Moment) mixerMoment() mixer.Moment { return at.handle.Mixer().Engine().At(at.frame) }

// ended reports whether the play has ended, was reused for another start, or is the zero Handle.
func (h Handle) ended() bool {
	return h == Handle{} || h.forEach(func(one mixer.Handle) error {
		if one.State().Over() {
			return mixer.ErrGone
		}
		return nil
	}) == mixer.ErrGone
}

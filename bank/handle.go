package bank

import (
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// Handle identifies one play of a bank. It is a small comparable value; the zero Handle identifies no play.
//
// A play can have several voices: layers, and sounds that follow by `then`. The methods of Handle act on all of them at
// one frame, and fail with mixer.ErrGone when the last has ended. Seek and Position use the first voice that has not
// ended. Methods of the embedded mixer.Handle, such as Done and Then, use the first voice. In commands of mixer.Moment,
// mixer.TargetVoice(h.Handle) selects all voices of the play. Moment.Seek is an exception: it moves only the first.
// With mixer.Config.Lead, methods that change the play, except Stop, may also fail with mixer.ErrBusy. Then no voice
// has changed, except streams by SetLoop. For a mixer with very many commands under way, see mixer.Engine.Together.
//
// SetGain, Fade and SetPitch set the game's gain and pitch. The voice plays with the sum of this value, the value of
// the file and the values of its parameters.
type Handle struct {
	mixer.Handle
	play *play // nil: a single voice
	age  uint64
}

// forEach calls do for each voice of the play and returns the first error other than mixer.ErrGone. It returns
// mixer.ErrGone if all voices have ended, or if the play has been reused for another start. It locks Bank.mu during
// the calls, except for a play with a single voice.
func (h Handle) forEach(do func(mixer.Handle) error) error {
	if h.play == nil {
		return do(h.Handle)
	}
	b := h.play.bank
	b.mu.Lock()
	defer b.mu.Unlock()
	if h.play.age != h.age {
		return mixer.ErrGone
	}
	return h.play.forEach(do)
}

// State returns the state of the first voice that has not ended. If all have ended, it returns the state of the first
// voice. For the zero Handle it is mixer.StateNone.
func (h Handle) State() mixer.State {
	state := h.Handle.State()
	_ = h.forEach(func(one mixer.Handle) error {
		if s := one.State(); state.Over() && !s.Over() {
			state = s
		}
		return nil
	})
	return state
}

// lock locks Bank.mu and returns all voices of the play, or nil if the play has been reused for another start. The
// caller unlocks Bank.mu. h.play must not be nil.
func (h Handle) lock() mixer.Handles {
	h.play.bank.mu.Lock()
	if h.play.age != h.age {
		return nil
	}
	return h.play.voices
}

// Stop fades the play to silence along a raised cosine, over the duration over, and then ends it, like
// mixer.Handle.Stop. Layers that have not started yet are cancelled. The error is mixer.ErrGone if the play has ended.
func (h Handle) Stop(over time.Duration) error {
	if h.play == nil {
		return h.Handle.Stop(over)
	}
	defer h.play.bank.mu.Unlock()
	return h.lock().Stop(over)
}

// Pause fades the play out within 10 ms and holds it at its position until Resume. A voice that is already fading out
// ends at once. The error is mixer.ErrGone if the play has ended.
func (h Handle) Pause() error {
	if h.play == nil {
		return h.Handle.Pause()
	}
	defer h.play.bank.mu.Unlock()
	return h.lock().Pause()
}

// Resume ends a Pause; the play fades in over 5 ms. The error is mixer.ErrGone if the play has ended.
func (h Handle) Resume() error {
	if h.play == nil {
		return h.Handle.Resume()
	}
	defer h.play.bank.mu.Unlock()
	return h.lock().Resume()
}

// SetGain sets the game's gain, ramped over 5 ms. gain is -120..+24 dB or -Inf; -80 or less is silence. The gains of
// the file and its parameters are added. The error is mixer.ErrGone, or wraps mixer.ErrOption for an invalid gain.
func (h Handle) SetGain(gain pcm.Decibels) error {
	return h.set(mixer.Change{Fields: mixer.FieldGain, Gain: gain}, 0)
}

// Fade moves the game's gain to the value gain over the duration over, like mixer.Handle.Fade. gain and the error are
// as in SetGain. Fade does not stop the play.
func (h Handle) Fade(gain pcm.Decibels, over time.Duration) error {
	return h.set(mixer.Change{Fields: mixer.FieldGain, Gain: gain}, over)
}

// SetPitch sets the game's pitch, -48..+48 semitones, ramped over 5 ms. The pitches of the file and its parameters
// are added. The error is mixer.ErrGone, or wraps mixer.ErrOption for an invalid pitch.
func (h Handle) SetPitch(pitch pcm.Semitones) error {
	return h.set(mixer.Change{Fields: mixer.FieldPitch, Pitch: pitch}, 0)
}

// set changes properties of all voices of the play now, over the duration over. The gain and the pitch in c are the
// game's.
func (h Handle) set(c mixer.Change, over time.Duration) error {
	c.Shape = sounds.InDecibels
	if h.play == nil {
		one := [1]mixer.Handle{h.Handle}
		return mixer.Handles(one[:]).Set(c, over)
	}
	return h.changeGame(mixer.Now, c, func(c mixer.Change) error { return mixer.Handles(h.play.voices).Set(c, over) })
}

// changeGame calls set with c, a change of the game's values at frame, after it has added the values of the parameters
// to its gain and pitch. If set returns nil, the play stores the game's values. An invalid gain or pitch is not
// changed, so that the mixer rejects it. changeGame holds Bank.mu, except for a single voice, which stores no values.
func (h Handle) changeGame(frame int64, c mixer.Change, set func(mixer.Change) error) error {
	p := h.play
	if p == nil {
		return set(c)
	}
	p.bank.mu.Lock()
	defer p.bank.mu.Unlock()
	if p.age != h.age {
		return mixer.ErrGone
	}
	if c.Gain == pcm.FromLinear(0) {
		c.Gain = mixer.MinGain
	}
	game := c
	gain, pitch := p.plusParameters(c.Gain, c.Pitch)
	if inInterval(float64(c.Gain), mixer.MinGain, mixer.MaxGain) {
		c.Gain = gain
	}
	if inInterval(float64(c.Pitch), -mixer.MaxPitch, mixer.MaxPitch) {
		c.Pitch = pitch
	}
	err := set(c)
	if err == nil && c.Fields&(mixer.FieldGain|mixer.FieldPitch) != 0 {
		p.store(frame, game)
	}
	return err
}

// SetPan sets the pan of all voices, -1 (left) .. +1 (right), ramped over 5 ms; the pan of the file is replaced. The
// error is mixer.ErrGone, or wraps mixer.ErrOption for an invalid pan.
func (h Handle) SetPan(pan float64) error {
	return h.set(mixer.Change{Fields: mixer.FieldPan, Pan: pan}, 0)
}

// SetSpeed sets the game's speed, a ratio of 1/16..16, ramped over 5 ms. It multiplies the speed of the file. The
// error is mixer.ErrGone, or wraps mixer.ErrOption for an invalid speed.
func (h Handle) SetSpeed(speed float64) error {
	return h.set(mixer.Change{Fields: mixer.FieldSpeed, Speed: speed}, 0)
}

// SetLowPass sets the cutoff of the low-pass of all voices, 20..20,000 Hz, ramped over 5 ms. 0 is off. The error is
// mixer.ErrGone, or wraps mixer.ErrOption for an invalid cutoff.
func (h Handle) SetLowPass(hz float64) error {
	return h.set(mixer.Change{Fields: mixer.FieldLowPass, Filters: mixer.Filters{LowPass: hz}}, 0)
}

// SetHighPass sets the cutoff of the high-pass of all voices, 20..20,000 Hz, ramped over 5 ms. 0 is off. The error is
// mixer.ErrGone, or wraps mixer.ErrOption for an invalid cutoff.
func (h Handle) SetHighPass(hz float64) error {
	return h.set(mixer.Change{Fields: mixer.FieldHighPass, Filters: mixer.Filters{HighPass: hz}}, 0)
}

// SetSend changes the gain of a send of the play, like mixer.Handle.SetSend. The parameter to is the name of the bus
// that the send feeds. The send moves to the new gain, in dB, over the duration over. The error is mixer.ErrGone or
// mixer.ErrBusy, or wraps mixer.ErrOption.
func (h Handle) SetSend(to string, gain pcm.Decibels, over time.Duration) error {
	if h.ended() {
		return mixer.ErrGone
	}
	return h.Mixer().Engine().At(mixer.Now).SetSend(mixer.TargetVoice(h.Handle), to, gain, over)
}

// SetPriority sets the priority of all voices, -1,000,000..1,000,000; the priority of the file is replaced. The error
// is mixer.ErrGone, or wraps mixer.ErrOption for an invalid priority.
func (h Handle) SetPriority(priority int) error {
	return h.set(mixer.Change{Fields: mixer.FieldPriority, Priority: priority}, 0)
}

// Protect protects the play from being stolen if on is true, and otherwise ends the protection. The error is
// mixer.ErrGone if the play has ended.
func (h Handle) Protect(on bool) error {
	return h.set(mixer.Change{Fields: mixer.FieldProtect, Protect: on}, 0)
}

// SetLoop sets the remaining loop rounds of each looping voice of the play, including sounds that follow by `then`.
// rounds counts from the current round: 1 leaves the loop at its end, mixer.Forever stays in it. Errors are as in
// mixer.Handle.SetLoop. Streams change one after another; after an error, some of them may have changed.
func (h Handle) SetLoop(rounds int) error {
	return h.set(mixer.Change{Fields: mixer.FieldRounds, Rounds: rounds}, 0)
}

// firstActive returns the first voice of the play that has not ended. If all have ended, it returns the first voice. It
// locks Bank.mu as forEach does.
func (h Handle) firstActive() mixer.Handle {
	found := h.Handle
	_ = h.forEach(func(one mixer.Handle) error {
		if found.State().Over() && !one.State().Over() {
			found = one
		}
		return nil
	})
	return found
}

// Seek moves the first voice of the play that has not ended to position, a time in its sound. Other voices do not
// move. Errors are as in mixer.Handle.Seek.
func (h Handle) Seek(position time.Duration) error { return h.firstActive().Seek(position) }

// Position returns the position in the sound of the first voice of the play that has not ended. If all have ended, it
// is the position of the first voice.
func (h Handle) Position() time.Duration { return h.firstActive().Position() }

// Set sets a parameter of the bank's file for this play only, ramped over 5 ms. parameter is its name. x is the new
// value, in the unit of the parameter. The error wraps ErrName, mixer.ErrGone, or mixer.ErrOption if x is out of the
// range of the parameter.
func (h Handle) Set(parameter string, x float64) error {
	if h == (Handle{}) {
		return mixer.ErrGone
	}
	known := map[string]int{}
	if h.play == nil {
		return unknownError("parameter", parameter, known)
	}
	b := h.play.bank
	b.mu.Lock()
	defer b.mu.Unlock()
	if h.play.age != h.age || h.play.ended() {
		return mixer.ErrGone
	}
	r := h.play.rules
	for i := range r.Parameters {
		p := &r.Parameters[i]
		if known[p.Name] = i; p.Name != parameter {
			continue
		}
		if err := inRange(r.Name, p, x); err != nil {
			return err
		}
		return h.play.setParameter(i, x)
	}
	return unknownError("parameter", parameter, known)
}

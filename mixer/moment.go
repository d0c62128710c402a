package mixer

import (
	"fmt"
	"time"

	"voicepool/internal/property"
	"voicepool/mixer/internal/batches"
	"voicepool/pcm"
	"voicepool/sounds"
)

// Now is a frame for At. It means the first frame that is mixed after the command has arrived. Such a command
// is never late. With Config.Lead, Now means the frame that Engine.Next returns. Such a command is late if
// that frame has already been mixed.
const Now = -1

// errNoMixer is returned by methods of the zero Moment.
var errNoMixer = fmt.Errorf("%w: the zero Moment has no mixer; call Engine.At", ErrOption)

// Moment sends commands for one frame. The methods of the zero Moment fail.
//
// All methods are control side, safe for concurrent use, and never wait for the audio side. They do not
// allocate, except the first time that a sound is played in a new pitch range, and while a mixer grows
// (see Config.Commands). They fail with ErrBusy when the audio side is behind, and with errors that wrap
// ErrOption. Commands for one frame are executed in the order of the calls, unless WithRank changes it.
type Moment struct {
	mixer *Mixer
	frame int64
	ref   Ref
	batch *batches.Batch // the frame counts from its firing; may be nil
	rank  int32
}

// At returns the moment of frame, for commands at that frame. Frames count from the first frame that the mixer
// rendered; Now is the next frame that is mixed or, with Config.Lead, the frame that Next returns. If the frame has
// already been mixed, commands are executed immediately and Stats.Late is incremented. A frame below Now makes the
// methods of the moment fail.
func (e Engine) At(frame int64) Moment { return Moment{mixer: e.mixer, frame: frame} }

// WithRef returns the same moment with the reference ref, a number of the caller's choice; the default is 0. If a
// command for a tag finds no voice, its EventMissed repeats the reference.
func (at Moment) WithRef(ref Ref) Moment {
	at.ref = ref
	return at
}

// WithRank returns the same moment with the given rank; the default is 0. If several commands for one frame arrive
// before that frame, commands with lower ranks are executed first.
func (at Moment) WithRank(rank int32) Moment {
	at.rank = rank
	return at
}

// Stop ends the voices that t selects. If over is 0 or less, the voices free their slots at once and leave a tail of 10
// ms. Otherwise they fade to silence over the duration over, along a raised cosine, and keep their slots until then.
// Paused voices end without a tail. A pending start that TargetVoice selects is cancelled. The error is ErrBusy or
// wraps ErrOption.
func (at Moment) Stop(t Target, over time.Duration) error {
	if at.mixer == nil {
		return errNoMixer
	}
	return at.mixer.sendToPlay(command{kind: cmdStop, frame: at.frame, batch: at.batch, rank: at.rank, ref: at.ref, target: t, fadeFrames: at.mixer.stopFrames(over)})
}

// FadeOut ends the voices that t selects over the duration over, as Stop does, but the gain follows the curve shape.
// The error wraps ErrOption for an unknown shape or an invalid target, or is ErrBusy.
func (at Moment) FadeOut(t Target, over time.Duration, shape sounds.Shape) error {
	if at.mixer == nil {
		return errNoMixer
	}
	if shape > sounds.ConstantPower {
		return shapeError(shape)
	}
	return at.mixer.sendToPlay(command{
		kind: cmdStop, frame: at.frame, batch: at.batch, rank: at.rank, ref: at.ref, target: t, fadeFrames: at.mixer.stopFrames(over), change: Change{Shape: shape},
	})
}

// Cut ends the voices that t selects exactly at the moment, without a tail. This clicks, unless another sound continues
// seamlessly. The error is ErrBusy or wraps ErrOption. The journal also records a cut if a voice leaves its loop for a
// successor, see Handle.Then.
func (at Moment) Cut(t Target) error {
	return at.mixer.sendToPlay(command{kind: cmdStop, frame: at.frame, batch: at.batch, rank: at.rank, ref: at.ref, target: t, fadeFrames: noTail})
}

// Pause pauses the voices that t selects, with a tail of 10 ms. Their fades continue. Voices that a stop is fading
// out end at once. If t is a bus or TargetAll, voices that start there later begin paused. A paused voice keeps its
// slot, and its audibility counts as if it were heard. The error is ErrBusy or wraps ErrOption.
func (at Moment) Pause(t Target) error {
	return at.mixer.sendToPlay(command{kind: cmdPause, frame: at.frame, batch: at.batch, rank: at.rank, ref: at.ref, target: t})
}

// Resume ends the pauses of the voices that t selects; the voices fade in over 5 ms. There are three kinds of pause:
// of a voice (by a voice, a tag or a sound), of its bus, and of all voices (TargetAll). Resume ends only the kind of
// pause that a Pause with t begins, so a voice may remain paused. The error is ErrBusy or wraps ErrOption.
func (at Moment) Resume(t Target) error {
	return at.mixer.sendToPlay(command{kind: cmdResume, frame: at.frame, batch: at.batch, rank: at.rank, ref: at.ref, target: t})
}

// SetGain sets the gain of the voices that t selects, or of the bus t, ramped over 5 ms. gain is -120..+24 dB or
// -Inf; -80 or less is silence. The error is ErrBusy or wraps ErrOption.
func (at Moment) SetGain(t Target, gain pcm.Decibels) error {
	return at.Set(t, Change{Fields: FieldGain, Gain: gain}, 0)
}

// SetPan sets the pan of the voices that t selects, or of the bus t, ramped over 5 ms. pan is -1 (left) .. +1
// (right). The error is ErrBusy or wraps ErrOption.
func (at Moment) SetPan(t Target, pan float64) error {
	return at.Set(t, Change{Fields: FieldPan, Pan: pan}, 0)
}

// SetPitch sets the pitch of the voices that t selects, or of the bus t, ramped over 5 ms. pitch is -48..+48
// semitones. The error is ErrBusy, or wraps ErrOption for a value out of range and for the master, which has no
// pitch.
func (at Moment) SetPitch(t Target, pitch pcm.Semitones) error {
	return at.Set(t, Change{Fields: FieldPitch, Pitch: pitch}, 0)
}

// SetSpeed sets the speed of the voices that t selects, ramped over 5 ms. speed is a ratio of 1/16..16. The error is
// ErrBusy, or wraps ErrOption for a value out of range and for a bus, which has no speed.
func (at Moment) SetSpeed(t Target, speed float64) error {
	return at.Set(t, Change{Fields: FieldSpeed, Speed: speed}, 0)
}

// Fade moves the gain of the voices that t selects, or of the bus t, to the parameter gain, -120..+24 dB or -Inf,
// linearly in decibels over the duration over, at least 5 ms. The voices do not stop at the end. Set has fades along
// other curves. The error is ErrBusy or wraps ErrOption.
func (at Moment) Fade(t Target, gain pcm.Decibels, over time.Duration) error {
	return at.Set(t, Change{Fields: FieldGain, Gain: gain, Shape: sounds.InDecibels}, over)
}

// Set changes properties of the voices that t selects or, if t is a bus, of the bus itself. c holds the properties and
// their new values. The change takes the duration over, at least 5 ms. Gains move linearly in decibels or along
// c.Shape, volumes and mutes linearly in amplitude, pitch and speed linearly in semitones, and cutoffs linearly in
// their logarithm. Priority, protection and rounds change at once.
//
// Without Config.Lead, sets at Now of a bus or of one voice never fail with ErrBusy: several of them between two
// blocks replace each other. This does not apply to sets that include priority, protection or rounds. A voice that is
// gone is not an error. Setting the rounds of streams opens other decoders, as Seek does, for the starts requested
// before the call. The error is ErrBusy, wraps ErrOption, or comes from opening a stream.
func (at Moment) Set(t Target, c Change, over time.Duration) error {
	if at.mixer == nil {
		return errNoMixer
	}
	if err := c.check(); err != nil {
		return err
	}
	if t.kind != busVoices && t.kind != allVoices {
		if err := c.checkVoice(); err != nil {
			return err
		}
	}
	switch {
	case t.kind == allVoices:
		return fmt.Errorf("%w: everything cannot be set; set the master bus", ErrOption)
	case t.kind == busVoices && t.bus == 0 && c.Fields&FieldPitch != 0:
		return fmt.Errorf("%w: the master has no pitch; a bus has", ErrOption)
	case t.kind == busVoices && c.Fields.voiceOnly() != 0:
		return fmt.Errorf("%w: a bus has no %s", ErrOption, property.Table[c.Fields.voiceOnly().first()].Name)
	case t.kind == busVoices && c.Fields&(FieldPriority|FieldProtect|FieldRounds) != 0:
		return fmt.Errorf("%w: a bus has no priority, protection or rounds", ErrOption)
	}
	m := at.mixer
	if c.Fields&FieldRounds != 0 {
		if err := t.check(m); err != nil {
			return err
		}
		if err := at.setStreamRounds(&t, c.Rounds); err != nil {
			return err
		}
	}
	set := command{kind: cmdSet, frame: at.frame, batch: at.batch, rank: at.rank, ref: at.ref, target: t, change: c, fadeFrames: m.frames(over)}
	moves := t.kind == busVoices || t.kind == oneVoice && c.Fields < 1<<property.NumVoiceFades
	if at.frame != Now || m.clock.Lead > 0 || !moves {
		return m.sendToPlay(set)
	}
	if err := t.check(m); err != nil {
		return err
	}
	if play := t.tag; t.kind == oneVoice && play != 0 {
		m.mutex.Lock()
		defer m.mutex.Unlock()
		m.hold()
		defer m.release()
		m.forPlay(play, func(h Handle, r *record) { h.storeSets(r, &c, set.fadeFrames) })
		return nil
	}
	if t.kind == oneVoice {
		if err := (Handle{mixer: m, id: t.id}).fadeProperties(&c, set.fadeFrames); err != ErrGone {
			return err
		}
		return nil
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.pitches.notePitchCommand(&set)
	m.storeBusSets(t.bus, &c, set.fadeFrames)
	return nil
}

// Seek moves the voices that t selects to position in their sounds. The old position fades out over 10 ms, and the new
// position fades in over 5 ms. A position beyond the end ends a voice, unless it loops. With TargetVoice, only that
// voice moves, without the other starts of its Options.Play. The error is ErrBusy, or wraps ErrOption for a negative
// position or an invalid target.
//
// For streams, Seek opens other decoders, which allocates and can fail as Play does. Only the streams that play when
// Seek is called are moved. After an error, some of them may have moved.
func (at Moment) Seek(t Target, position time.Duration) error {
	if position < 0 {
		return negativePositionError(position)
	}
	m := at.mixer
	if err := t.check(m); err != nil {
		return err
	}
	if t.kind == oneVoice {
		t.tag = 0
	}
	streams := m.streamedVoices(&t)
	c := command{kind: cmdSeek, frame: at.frame, batch: at.batch, rank: at.rank, ref: at.ref, target: t, position: m.frames(position)}
	if t.kind != oneVoice || len(streams) == 0 {
		if err := m.send(c); err != nil {
			return err
		}
	}
	for _, h := range streams {
		if err := m.seekStream(c, h); err != nil {
			return err
		}
	}
	return nil
}

// negativePositionError returns the error of Seek for a position before the beginning. It wraps ErrOption.
func negativePositionError(position time.Duration) error {
	return fmt.Errorf("%w: a position of %v is before the beginning", ErrOption, position)
}

// Resize changes the number of slots of the pool to the parameter voices, 1..Config.MaxVoices. If more voices are
// playing, the policy chooses the voices that are stolen or become virtual; protected voices stay. Resize cancels the
// effect of earlier calls of Resize for later frames. The error is ErrBusy, or wraps ErrOption if voices is out of
// range.
func (at Moment) Resize(voices int) error {
	if at.mixer == nil {
		return errNoMixer
	}
	if voices < 1 || voices > at.mixer.maxVoices {
		return fmt.Errorf("%w: %w", ErrOption, &pcm.RangeError{Name: "voices", Value: float64(voices), Min: 1, Max: float64(at.mixer.maxVoices)})
	}
	return at.mixer.send(command{kind: cmdResize, frame: at.frame, batch: at.batch, rank: at.rank, ref: at.ref, target: TargetAll(), voices: int32(voices)})
}

// noTail, as the length of a stop, ends a voice between two frames.
const noTail = -1

// stopFrames converts d, the duration of the fade of a stop, to frames. The result is 0 if d is negative. A stop of 0
// frames has a tail of 10 ms.
func (m *Mixer) stopFrames(d time.Duration) int64 { return max(m.frames(d), 0) }

// frames converts d to frames at the mixer's rate, rounded. A negative d gives 0.
func (m *Mixer) frames(d time.Duration) int64 { return pcm.Frames(d, m.rate) }

package mixer

import (
	"fmt"
	"time"

	"voicepool/pcm"
	"voicepool/voice"
)

// Now, as a frame, means the first frame that is mixed after the command has
// arrived. It is never late.
const Now = -1

// errNoMixer is the error of a Moment that Mixer.At did not return.
var errNoMixer = fmt.Errorf("%w: the zero Moment has no mixer; call Mixer.At", ErrOption)

// Moment gives commands for one frame. The methods of the zero Moment fail. All its methods are control side, may be
// called by any goroutine and never wait for the audio side. They allocate nothing,
// except the first time a sound is played in a new pitch range, and where a mixer grows, see
// Config.Commands. They fail with ErrBusy
// when the audio side is behind, and with errors that wrap ErrOption. Commands for one frame act in the order of the calls, if no rank says otherwise.
type Moment struct {
	mixer *Mixer
	frame int64
	ref   int64
	salvo *Salvo // nil: frame is one of the mixer
	rank  int32
}

// At returns the moment of a frame, counted from the first one that was ever
// mixed, or Now. A frame that has been mixed already is late: it counts in
// Stats.Late, and the command acts at once.
func (m *Mixer) At(frame int64) Moment { return Moment{mixer: m, frame: frame} }

// WithRef returns the same moment with a mark that comes back in Missed events.
func (at Moment) WithRef(ref int64) Moment {
	at.ref = ref
	return at
}

// WithRank returns the same moment with a rank, 0 without: of commands for one frame that are there
// before it, those of lower ranks act first.
func (at Moment) WithRank(rank int32) Moment {
	at.rank = rank
	return at
}

// Play starts s. That it returns a handle means that the question has been
// asked: whether there is a voice for it is decided at its frame, see
// Handle.State. The sound must have the mixer's rate.
func (at Moment) Play(s *voice.Sound, o Options) (Handle, error) {
	if at.mixer == nil {
		return Handle{}, errNoMixer
	}
	return at.mixer.play(&command{kind: cmdPlay, frame: at.frame, salvo: at.salvo, rank: at.rank}, s, &o)
}

// Stop ends the voices of t. With a fade of 0 they give up their slots at once and leave
// a tail of 10 ms. Else they keep them until they have faded to silence, a raised cosine.
// Paused ones end without a tail.
func (at Moment) Stop(t Target, fade time.Duration) error {
	if at.mixer == nil {
		return errNoMixer
	}
	return at.mixer.sendEach(command{kind: cmdStop, frame: at.frame, salvo: at.salvo, rank: at.rank, ref: at.ref, target: t, over: at.mixer.fade(fade)})
}

// FadeOut ends the voices of t as Stop does, along a shape of fade.
func (at Moment) FadeOut(t Target, fade time.Duration, shape voice.Shape) error {
	if at.mixer == nil {
		return errNoMixer
	}
	if shape > voice.ConstantPower {
		return noShape(shape)
	}
	return at.mixer.sendEach(command{
		kind: cmdStop, frame: at.frame, salvo: at.salvo, rank: at.rank, ref: at.ref, target: t, over: at.mixer.fade(fade), change: Change{Shape: shape},
	})
}

// Cut ends the voices of t at the frame, without a tail. That clicks, except where another
// sound goes on from there, as after Handle.Then, which leaves an entry of it in a journal.
func (at Moment) Cut(t Target) error {
	return at.mixer.sendEach(command{kind: cmdStop, frame: at.frame, salvo: at.salvo, rank: at.rank, ref: at.ref, target: t, over: noTail})
}

// Pause holds the voices of t where they are, with a tail of 10 ms. Their moves go on; those that a stop
// fades out end at once. A bus, or TargetAll, stays paused: what starts there waits. A paused voice keeps
// its slot, and counts for stealing as if it were heard.
func (at Moment) Pause(t Target) error {
	return at.mixer.sendEach(command{kind: cmdPause, frame: at.frame, salvo: at.salvo, rank: at.rank, ref: at.ref, target: t})
}

// Resume undoes Pause of the same target; voices fade in over 5 ms.
func (at Moment) Resume(t Target) error {
	return at.mixer.sendEach(command{kind: cmdResume, frame: at.frame, salvo: at.salvo, rank: at.rank, ref: at.ref, target: t})
}

// SetGain sets the gain of the voices of t, or of the bus that t names, ramped over
// 5 ms. gain is -120..+24 dB or -Inf; -80 or less is silence.
func (at Moment) SetGain(t Target, gain pcm.Decibels) error {
	return at.Set(t, Change{Fields: FieldGain, Gain: gain}, 0)
}

// SetPan sets the pan, -1 (left) .. +1 (right), ramped over 5 ms.
func (at Moment) SetPan(t Target, pan float64) error {
	return at.Set(t, Change{Fields: FieldPan, Pan: pan}, 0)
}

// SetPitch sets the pitch, -48..+48 semitones, ramped over 5 ms. The master has none.
func (at Moment) SetPitch(t Target, pitch pcm.Semitones) error {
	return at.Set(t, Change{Fields: FieldPitch, Pitch: pitch}, 0)
}

// SetSpeed sets the speed of voices, a ratio of 1/16..16, ramped over 5 ms.
func (at Moment) SetSpeed(t Target, speed float64) error {
	return at.Set(t, Change{Fields: FieldSpeed, Speed: speed}, 0)
}

// SetLowPass sets the cutoff of the low-pass of voices, or of a bus, 20..20,000 Hz, on its way for 5 ms.
// 0 is off.
func (at Moment) SetLowPass(t Target, hz float64) error {
	return at.Set(t, Change{Fields: FieldLowPass, LowPass: hz}, 0)
}

// SetHighPass sets the cutoff of the high-pass of voices, or of a bus, 20..20,000 Hz, on its way for 5 ms.
// 0 is off.
func (at Moment) SetHighPass(t Target, hz float64) error {
	return at.Set(t, Change{Fields: FieldHighPass, HighPass: hz}, 0)
}

// Fade moves the gain to gain, -120..+24 dB or -Inf, within a time and along a shape. It
// stops nothing.
func (at Moment) Fade(t Target, gain pcm.Decibels, within time.Duration, shape voice.Shape) error {
	return at.Set(t, Change{Fields: FieldGain, Gain: gain, Shape: shape}, within)
}

// Set moves the voices of t, or the bus that t names, to several values at once, within
// at least 5 ms: gains straight in decibels, pitch and speed straight in semitones, cutoffs straight
// in their logarithm. Sets of
// Now, of one voice or a bus, are never lost: those that no block has seen yet replace each
// other. The rounds of streams open other decoders, as Seek does: those are meant that have been
// asked for when Set is called.
func (at Moment) Set(t Target, c Change, within time.Duration) error {
	if at.mixer == nil {
		return errNoMixer
	}
	if err := c.check(); err != nil {
		return err
	}
	switch {
	case t.kind == allVoices:
		return fmt.Errorf("%w: everything cannot be set; set the master bus", ErrOption)
	case t.kind == busVoices && t.bus == 0 && c.Fields&FieldPitch != 0:
		return fmt.Errorf("%w: the master has no pitch; a bus has", ErrOption)
	case t.kind == busVoices && c.Fields&FieldSpeed != 0:
		return fmt.Errorf("%w: a bus has no speed", ErrOption)
	case t.kind != busVoices && c.Fields&(FieldMute|FieldSolo) != 0:
		return fmt.Errorf("%w: only a bus can be muted or soloed", ErrOption)
	case t.kind == busVoices && c.Fields&(FieldPriority|FieldProtect|FieldRounds) != 0:
		return fmt.Errorf("%w: a bus has no priority, protection or rounds", ErrOption)
	}
	m := at.mixer
	if c.Fields&FieldRounds != 0 {
		if err := t.check(m); err != nil {
			return err
		}
		if err := at.turnStreams(&t, c.Rounds); err != nil {
			return err
		}
	}
	set := command{kind: cmdSet, frame: at.frame, salvo: at.salvo, rank: at.rank, ref: at.ref, target: t, change: c, over: m.frames(within)}
	moves := t.kind == busVoices || t.kind == oneVoice && c.Fields < 1<<voiceMoves
	if at.frame != Now || m.lead.frames > 0 || !moves {
		return m.sendEach(set)
	}
	if err := t.check(m); err != nil {
		return err
	}
	if play := t.tag; t.kind == oneVoice && play != 0 {
		m.mutex.Lock()
		defer m.mutex.Unlock()
		m.ofPlay(play, func(h Handle, r *record) { h.wishAll(r, &c, set.over) })
		return nil
	}
	if t.kind == oneVoice {
		if err := (Handle{mixer: m, id: t.id}).glide(&c, set.over); err != ErrGone {
			return err
		}
		return nil
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.retuneAll(&set)
	m.wishBus(t.bus, &c, set.over)
	return nil
}

// Seek takes the voices of t to a position in their sounds; TargetVoice names one voice here. The old place fades out over
// 10 ms, the new one fades in over 5 ms. A position beyond the end ends them. For streams
// Seek opens other decoders, which allocates, and fails as Play does: those are meant
// that play when Seek is called, and an error may come when some of them have moved.
func (at Moment) Seek(t Target, position time.Duration) error {
	if position < 0 {
		return errBefore(position)
	}
	m := at.mixer
	if err := t.check(m); err != nil {
		return err
	}
	if t.kind == oneVoice {
		t.tag = 0
	}
	streams := m.streams(&t)
	c := command{kind: cmdSeek, frame: at.frame, salvo: at.salvo, rank: at.rank, ref: at.ref, target: t, place: m.frames(position)}
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

func errBefore(position time.Duration) error {
	return fmt.Errorf("%w: a place of %v is before the beginning", ErrOption, position)
}

// Resize changes how many voices the pool has, 1..Config.MaxVoices. What plays
// beyond that is stolen, as the policy chooses; protected voices stay. The later call counts:
// a Resize takes back what earlier calls have ordered for frames after its own.
func (at Moment) Resize(voices int) error {
	if at.mixer == nil {
		return errNoMixer
	}
	if voices < 1 || voices > at.mixer.maxVoices {
		return fmt.Errorf("%w: %d voices are not in 1..%d", ErrOption, voices, at.mixer.maxVoices)
	}
	return at.mixer.send(command{kind: cmdResize, frame: at.frame, salvo: at.salvo, rank: at.rank, ref: at.ref, target: TargetAll(), voices: int32(voices)})
}

// noTail, as the frames of a stop, ends a voice between two frames.
const noTail = -1

// fade returns the frames of a stop that leaves a tail, or fades.
func (m *Mixer) fade(d time.Duration) int64 { return max(m.frames(d), 0) }

func (m *Mixer) frames(d time.Duration) int64 { return pcm.Frames(d, m.rate) }

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

// Moment gives commands for one frame. All its methods are control side, may be
// called by any goroutine, allocate nothing (but for what the first pitch of its kind
// has made of a sound, see Config.Quality) and never wait for the audio side; they fail with ErrBusy when the audio side is behind, and with errors that
// wrap ErrOption. Commands for one frame act in the order of the calls.
type Moment struct {
	mixer *Mixer
	frame int64
	ref   int64
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

// Play starts s. That it returns a handle means that the question has been
// asked: whether there is a voice for it is decided at its frame, see
// Handle.State. The sound must have the mixer's rate.
func (at Moment) Play(s *voice.Sound, o Options) (Handle, error) {
	return at.mixer.play(at.frame, s, &o)
}

// Stop ends the voices of t. With over 0 they give up their slots at once and
// leave a tail of 10 ms; else they keep them until they have faded to silence,
// a raised cosine. Paused ones end without a tail.
func (at Moment) Stop(t Target, over time.Duration) error {
	return at.mixer.send(command{kind: cmdStop, frame: at.frame, ref: at.ref, target: t, over: at.mixer.frames(over)})
}

// Pause holds the voices of t where they are, with a tail of 10 ms. Their moves
// go on. A bus, or TargetAll, stays paused: what starts there waits.
func (at Moment) Pause(t Target) error {
	return at.mixer.send(command{kind: cmdPause, frame: at.frame, ref: at.ref, target: t})
}

// Resume undoes Pause of the same target; voices fade in over 5 ms.
func (at Moment) Resume(t Target) error {
	return at.mixer.send(command{kind: cmdResume, frame: at.frame, ref: at.ref, target: t})
}

// Set moves the voices of t, or the bus that t names, to c: gains straight in
// decibels, pitch and speed straight in semitones, over at least 5 ms.
func (at Moment) Set(t Target, c Change, over time.Duration) error {
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
	return at.mixer.send(command{kind: cmdSet, frame: at.frame, ref: at.ref, target: t, change: c, over: at.mixer.frames(over)})
}

// Seek takes the voices of t to another place of their sounds, each with a tail
// of 10 ms, and fades them in there over 5 ms. A place beyond the end ends them.
// For streams it opens another course, which allocates, and fails as Play does:
// those that are asked for when it is called are meant, and an error may come when
// some of them have been told.
func (at Moment) Seek(t Target, to time.Duration) error {
	if to < 0 {
		return errBefore(to)
	}
	m := at.mixer
	if err := t.check(m); err != nil {
		return err
	}
	streams := m.streams(&t)
	c := command{kind: cmdSeek, frame: at.frame, ref: at.ref, target: t, over: m.frames(to)}
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

func errBefore(to time.Duration) error {
	return fmt.Errorf("%w: a place of %v is before the beginning", ErrOption, to)
}

// Resize changes how many voices the pool has, 1..Config.MaxVoices. What plays
// beyond that is stolen, as the policy chooses; protected voices stay.
func (at Moment) Resize(voices int) error {
	if voices < 1 || voices > at.mixer.maxVoices {
		return fmt.Errorf("%w: %d voices are not in 1..%d", ErrOption, voices, at.mixer.maxVoices)
	}
	return at.mixer.send(command{kind: cmdResize, frame: at.frame, ref: at.ref, over: int64(voices)})
}

func (m *Mixer) frames(d time.Duration) int64 { return pcm.Frames(d, m.rate) }

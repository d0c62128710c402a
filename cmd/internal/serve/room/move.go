package room

import (
	"slices"
	"time"

	"voicepool/internal/words"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// VoiceChange is a change of voices. A nil field leaves its property unchanged.
type VoiceChange struct {
	Gain, Pan, Pitch, Speed *float64
	mixer.FilterOverrides
	Over     time.Duration
	Shape    string
	Seek     *time.Duration
	Pause    *bool
	Loop     *bool
	Priority *int
	When     Moment
}

// check returns an *Error of Kind Range if a value or a time of m is out of range, or its shape is unknown. It returns
// nil if m is valid.
func (m *VoiceChange) check() error {
	for _, one := range []struct {
		field string
		x     *float64
	}{{"gain", m.Gain}, {"pan", m.Pan}, {"pitch", m.Pitch}, {"speed", m.Speed}} {
		if one.x != nil {
			if err := checkRange(one.field, *one.x); err != nil {
				return err
			}
		}
	}
	if err := checkFilters(&m.FilterOverrides); err != nil {
		return err
	}
	if m.Priority != nil {
		if err := checkRange("priority", float64(*m.Priority)); err != nil {
			return err
		}
	}
	if m.Seek != nil {
		if err := checkDuration("seek", *m.Seek); err != nil {
			return err
		}
	}
	if _, err := shape(m.Shape); err != nil {
		return err
	}
	if err := checkDuration("over", m.Over); err != nil {
		return err
	}
	return m.When.check()
}

// shapes maps names in sheets to shapes of fades.
var shapes = map[string]sounds.Shape{
	"": sounds.Natural, "decibels": sounds.InDecibels, "db": sounds.InDecibels, "amplitude": sounds.InAmplitude, "linear": sounds.InAmplitude,
	"cosine": sounds.RaisedCosine, "power": sounds.ConstantPower,
}

// shape returns the fade shape that sheets call name. The empty name means the natural shape. An unknown name is an
// *Error of Kind Range.
func shape(name string) (sounds.Shape, error) {
	s, ok := shapes[name]
	if !ok {
		return s, invalidField("shape", "unknown shape %q of a fade (want amplitude, cosine, decibels or power)", words.OneLine(name))
	}
	return s, nil
}

// change converts the property changes of m to a mixer change. It leaves out the seek, the pause and the times Over and
// When. If m changes no property, the Fields of the result are 0. An unknown shape counts as natural.
func (m *VoiceChange) change() (c mixer.Change) {
	if m.Gain != nil {
		c.Fields, c.Gain = c.Fields|mixer.FieldGain, pcm.Decibels(*m.Gain)
	}
	if m.Pan != nil {
		c.Fields, c.Pan = c.Fields|mixer.FieldPan, *m.Pan
	}
	if m.Pitch != nil {
		c.Fields, c.Pitch = c.Fields|mixer.FieldPitch, pcm.Semitones(*m.Pitch)
	}
	if m.Speed != nil {
		c.Fields, c.Speed = c.Fields|mixer.FieldSpeed, *m.Speed
	}
	for i, x := range m.FilterFields() {
		if *x != nil {
			c.Fields |= mixer.FieldLowPass << i
		}
	}
	c.Filters = m.Override(c.Filters)
	if m.Priority != nil {
		c.Fields, c.Priority = c.Fields|mixer.FieldPriority, *m.Priority
	}
	if m.Loop != nil {
		c.Fields, c.Rounds = c.Fields|mixer.FieldRounds, 1
		if *m.Loop {
			c.Rounds = mixer.Forever
		}
	}
	c.Shape, _ = shape(m.Shape)
	return c
}

// apply sends the property changes, the seek and the pause or resume of m to the mixer, for the voices t at the moment
// at. The properties move within the time m.Over; priority and loop change at once. apply stops at the first error and
// returns it; the commands that were sent before still act.
func (m *VoiceChange) apply(at mixer.Moment, t mixer.Target) error {
	if c := m.change(); c.Fields != 0 {
		if err := at.Set(t, c, m.Over); err != nil {
			return err
		}
	}
	if m.Seek != nil {
		if err := at.Seek(t, *m.Seek); err != nil {
			return err
		}
	}
	switch {
	case m.Pause == nil:
		return nil
	case *m.Pause:
		return at.Pause(t)
	}
	return at.Resume(t)
}

// Set changes the voices that target selects as m describes, at the time m.When. The parameter target is the number of
// a voice or an id. Set does not wait until the changes act. Changes of loops are recorded for snapshots at once, even
// if they act later.
//
// Voices that have not begun also change, but have no number yet; Set returns the sorted numbers of the others.
// Snapshots do not record changes of voices without a number. An unknown target is an *Error of Kind NotFound. A value
// out of range is an *Error of Kind Range. If the mixer rejects a change of one voice, Set returns no numbers, but the
// voices before it stay changed.
func (r *Room) Set(target string, m VoiceChange) ([]uint64, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	voices, err := r.forTargets(target, m.When, func(at mixer.Moment, t mixer.Target) error { return m.apply(at, t) })
	r.loops.recordChange(voices, &m)
	return voices, err
}

// Stop fades out the voices that target selects. The parameter target is the number of a voice or an id. The fade
// begins at the moment when and takes the time over; 0 means 10 ms. Stop does not wait for the fade.
//
// Voices that have not begun are stopped, too, but have no number yet; Stop returns the sorted numbers of the others.
// An unknown target is an *Error of Kind NotFound. A time out of range is an *Error of Kind Range.
func (r *Room) Stop(target string, over time.Duration, when Moment) ([]uint64, error) {
	if err := checkDuration("over", over); err != nil {
		return nil, err
	}
	if err := when.check(); err != nil {
		return nil, err
	}
	return r.forTargets(target, when, func(at mixer.Moment, t mixer.Target) error { return at.Stop(t, over) })
}

// forTargets calls do for each voice that target selects, with the mixer's moment for when and the voice. The parameter
// target is the number of a voice or an id. Other changes of voices and buses wait until the calls are made. The result
// is the sorted numbers of these voices, without the voices that have not begun, because they have no number.
//
// If target selects no voice, the error is an *Error of Kind NotFound. At the first error of do, forTargets stops and
// returns that error without numbers. The voices before it stay changed.
func (r *Room) forTargets(target string, when Moment, do func(mixer.Moment, mixer.Target) error) (numbers []uint64, err error) {
	r.orders.Lock()
	defer r.orders.Unlock()
	err = r.execute(func() error {
		frame, _ := r.frame(&when)
		handles := r.current().find(target)
		if len(handles) == 0 {
			return unknownName("voice", target, r.current().player.IDs())
		}
		for _, h := range handles {
			if err := do(r.current().player.Mixer().Engine().At(frame), mixer.TargetVoice(h)); err != nil {
				return err
			}
			if n := h.Number(); n != 0 { // 0: not started yet
				numbers = append(numbers, n)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(numbers)
	return numbers, nil
}

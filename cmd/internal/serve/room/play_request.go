package room

import (
	"time"

	"voicepool/cmd/internal/show/showrun"
	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/mixer"
	"voicepool/pcm"
)

// PlayRequest is a request for a start. Nil and zero fields use the values of the sheet.
type PlayRequest struct {
	Sound string  `json:"sound"`
	Gain  float64 `json:"gain,omitempty"`
	Pan   float64 `json:"pan,omitempty"`
	Pitch float64 `json:"pitch,omitempty"`
	Speed float64 `json:"speed,omitempty"` // 0: 1
	mixer.FilterOverrides
	Bus        string        `json:"bus,omitempty"`
	Loop       *bool         `json:"loop,omitempty"`
	Priority   int           `json:"priority,omitempty"`   // added to the sound's
	Importance float64       `json:"importance,omitempty"` // in dB, added to the sound's
	Protect    bool          `json:"protect,omitempty"`    // never stolen; false: the sound's value
	Owner      string        `json:"owner,omitempty"`      // for limits per owner
	ID         string        `json:"id,omitempty"`
	FadeIn     time.Duration `json:"fade_in,omitempty"`
	From       time.Duration `json:"from,omitempty"`
	For        time.Duration `json:"for,omitempty"` // 0: the whole sound
	When       Moment        `json:"when,omitzero"`
}

// check returns an *Error of Kind NotFound if the sheet s lacks the sound of o. It returns an *Error of Kind Range if a
// value is out of range, or if the id or owner is longer than 128 bytes. It does not check the bus. It returns nil if o
// is valid.
func (o *PlayRequest) check(s *cue.Sheet) error {
	found := false
	for i := range s.Sounds {
		found = found || s.Sounds[i].Name == o.Sound
	}
	if !found {
		return unknownName("sound", o.Sound, soundNames(s))
	}
	if o.Speed != 0 {
		if err := checkRange("speed", o.Speed); err != nil {
			return err
		}
	}
	for _, one := range []error{
		checkFilters(&o.FilterOverrides), checkRange("gain", o.Gain), checkRange("pan", o.Pan), checkRange("pitch", o.Pitch), checkRange("priority", float64(o.Priority)), checkRange("importance", o.Importance),
		checkDuration("fade_in", o.FadeIn), checkDuration("from", o.From), checkDuration("for", o.For), o.When.check(),
	} {
		if one != nil {
			return one
		}
	}
	for _, name := range []struct{ field, text string }{{"id", o.ID}, {"owner", o.Owner}} {
		if len(name.text) > 128 {
			return invalidField(name.field, "has %d bytes, more than 128", len(name.text))
		}
	}
	return nil
}

// start sends the request to the player p and returns the handles of the new voices, one for each layer of the sound.
// The request must have passed check. The voices begin at the given frame, which may be mixer.Now. If batch is not nil,
// they begin with that batch instead. The field o.When is ignored.
//
// The events of the start have the number ref in their Ref; 0 means no reference. An unknown bus is an *Error of Kind
// NotFound. Other errors come from the player.
func (o *PlayRequest) start(p *play.Player, frame int64, batch *mixer.Batch, ref mixer.Ref) ([]mixer.Handle, error) {
	if o.Bus != "" {
		if _, err := p.Mixer().Bus(o.Bus); err != nil {
			return nil, unknownName("bus", o.Bus, showrun.BusNames(p.Sheet()))
		}
	}
	return p.Start(play.Start{
		Sound: o.Sound, Gain: pcm.Decibels(o.Gain), Pan: o.Pan, Pitch: pcm.Semitones(o.Pitch), Speed: o.Speed, FilterOverrides: o.FilterOverrides, Bus: o.Bus,
		Priority: o.Priority, Importance: pcm.Decibels(o.Importance), Protect: o.Protect, Loop: o.Loop, From: o.From, For: o.For, FadeIn: o.FadeIn, ID: o.ID, Owner: o.Owner,
		Frame: frame, Batch: batch, Ref: ref,
	})
}

// Play starts the sound that o requests and returns when the mixer has decided whether it plays. If a device takes
// longer than 2 s, Play stops the start and returns an *Error of Kind Busy. If the pool rejects the start, the error is
// an *Error of Kind Refused with the event. An unknown sound or bus is of Kind NotFound, a value out of range of Kind
// Range, an ended room of Kind Closed.
//
// A start at a later frame has no result yet. During a pause of the show, a start may have no result either. Play then
// returns at once, with the State "pending" and the voice number 0. The Frame is only set if o.When.Frame is set; a
// time in o.When.At is not converted. Give such a start an ID to address its voices later. Loops are recorded for
// snapshots.
func (r *Room) Play(o PlayRequest) (PlayResult, error) {
	st := r.current()
	if err := o.check(st.player.Sheet()); err != nil {
		return PlayResult{}, err
	}
	pending := r.eventLog.registerPlay()
	defer r.eventLog.unregisterPlay(pending)
	frame, later := int64(0), false
	err := r.execute(func() (err error) {
		frame, later = r.frame(&o.When)
		st = r.current()
		pending.handles, err = o.start(st.player, frame, nil, pending.ref)
		return err
	})
	if err != nil {
		return PlayResult{}, err
	}
	r.loops.record(&o, max(frame, st.player.Mixer().Now()), pending.handles, st.player.Sheet())
	if later {
		st.namePending(o.Sound, pending.handles)
	}
	if later || r.output != nil && st.show.Paused() {
		return PlayResult{Sound: o.Sound, ID: o.ID, Frame: o.When.Frame, State: "pending", Slot: -1}, nil
	}
	return r.playResult(&o, pending)
}

package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"voicepool/mixer"
)

// Event is something that happened, in the words of the sheet.
type Event struct {
	Frame  int64
	Kind   mixer.EventKind
	Voice  uint64 // the number of the start, from 1; 0: it never started
	Sound  string // as the sheet calls it; empty for mixer.Missed
	Cue    int    // its place in the sheet, from 0; -1: none
	Slot   int    // -1: none
	Called        // the cue, by people
	Ref    int64  // what the program gave that started it by hand, see cue.Start; no part of the JSON
	Reason mixer.Reason

	// Of a voice that was stolen or became virtual: the number and the sound of who
	// took its slot; of a start that was coalesced the voice that it is a part of.
	By      uint64
	BySound string

	Endless bool // of a loss: the voice never comes to an end by itself

	// Of a choice: the levels that decided, and among how many.
	Audibility, Newcomer, RunnerUp Level
	Candidates                     int
	Peers                          int // how many of those had the victim's priority
	HasRunnerUp                    bool
	Priority                       int // of the victim; of a start that was refused its own
	NewcomerPriority               int // of who took a slot
	RunnerUpPriority               int // of the second least: the victim's, but where the victim alone had the lowest; of ReasonOutranked the lowest that plays
	Policy                         mixer.Overflow

	// Of Reason ReasonGroupLimit and ReasonBusLimit: how many voices the limit allows, 0 where
	// more than one bus may be meant. Of ReasonBusLimit: that bus, or the newcomer's. Of
	// Cooldown: how long it is.
	Limit    int
	PerOwner bool // the limit of a sound is one of each owner
	Bus      string
	Cooldown string // as a sheet has it: "0.25s"

	// Of a victim: the largest K-weighted level that it can have had over any three hops of 20 ms
	// from here on; +Inf where nobody knows.
	Lost Level

	// Of a victim: by how much what it goes through made it less audible than its gains say, its filters
	// and the effects and sends of its buses; 0: nothing did. And its own cutoffs in Hz; 0: off.
	Muffled           Level
	LowPass, HighPass float64

	// By Read, of a victim of which that is known: by how many dB the mix was louder
	// in the 60 ms from here on.
	BelowMix    Level
	HasBelowMix bool

	// Of the device, which is no voice's: what became of the sound, why it was lost, and, of
	// Back, how long nothing was heard.
	State   DeviceState
	Why     string
	Seconds float64
}

// DeviceState is what became of the sound.
type DeviceState string

const (
	DeviceLost DeviceState = "lost" // nothing is heard from here on
	DeviceBack DeviceState = "back" // it is heard again
)

// wire is how an event is spelled: what does not belong to its kind is left out.
type wire struct {
	Frame int64  `json:"frame"`
	Kind  string `json:"kind"`
	Voice uint64 `json:"voice,omitempty"`
	Sound string `json:"sound,omitempty"`
	Cue   *int   `json:"cue,omitempty"`
	Called
	By               uint64   `json:"by,omitempty"`
	BySound          string   `json:"by_sound,omitempty"`
	Slot             *int     `json:"slot,omitempty"`
	Audibility       *Level   `json:"audibility_db,omitempty"`
	Newcomer         *Level   `json:"newcomer_db,omitempty"`
	RunnerUp         *Level   `json:"runner_up_db,omitempty"`
	Candidates       *int     `json:"candidates,omitempty"`
	Peers            *int     `json:"peers,omitempty"`
	Priority         *int     `json:"priority,omitempty"`
	NewcomerPriority *int     `json:"newcomer_priority,omitempty"`
	RunnerUpPriority *int     `json:"runner_up_priority,omitempty"`
	Policy           string   `json:"policy,omitempty"`
	Lost             *Level   `json:"lost_db,omitempty"`
	BelowMix         *Level   `json:"below_mix_db,omitempty"`
	Muffled          *Level   `json:"muffled_db,omitempty"`
	LowPass          *float64 `json:"lowpass,omitempty"`
	HighPass         *float64 `json:"highpass,omitempty"`
	Reason           string   `json:"reason,omitempty"`
	Limit            int      `json:"limit,omitempty"`
	PerOwner         bool     `json:"per_owner,omitempty"`
	Endless          bool     `json:"endless,omitempty"`
	Bus              string   `json:"bus,omitempty"`
	Cooldown         string   `json:"cooldown,omitempty"`
	State            string   `json:"state,omitempty"`
	Seconds          *float64 `json:"seconds,omitempty"`
}

// Loss reports whether a voice gave way: it was stolen, or became virtual.
func (e *Event) Loss() bool { return e.Kind == mixer.EventStolen || e.Kind == mixer.EventVirtual }

// Refusal reports whether a start got no voice of its own by a rule or a full pool.
func (e *Event) Refusal() bool { return e.Kind == mixer.EventRejected || e.Kind == mixer.EventLimited }

// Outranking reports whether somebody took the slot, whose priority is NewcomerPriority.
func (e *Event) Outranking() bool { return e.Loss() && e.By != 0 }

// ByPriority reports whether priority decided a loss, before the policy compared how loud voices
// are: higher ones were spared, came back for the victim, or refused the start.
func (e *Event) ByPriority() bool {
	switch {
	case e.Reason == mixer.ReasonOutranked:
		return true
	case e.Reason == mixer.ReasonExchanged:
		return e.NewcomerPriority > e.Priority
	}
	return e.Loss() && e.Peers > 0 && e.Peers < e.Candidates
}

// decided reports whether the event has the numbers of a choice.
func (e *Event) decided() bool { return e.Loss() || e.Refusal() && e.Candidates > 0 }

// none is the level of nothing.
var none = Level(math.Inf(-1))

// UnmarshalJSON reads what MarshalJSON gives. Levels that are null or left out are -Inf.
func (e *Event) UnmarshalJSON(text []byte) error {
	var w wire
	if err := json.Unmarshal(text, &w); err != nil {
		return err
	}
	*e = Event{
		Frame: w.Frame, Kind: mixer.EventStarted, Voice: w.Voice, Sound: w.Sound, Cue: or(w.Cue, 0), Called: w.Called, By: w.By, BySound: w.BySound, Slot: or(w.Slot, -1),
		Audibility: or(w.Audibility, none), Newcomer: or(w.Newcomer, none), RunnerUp: or(w.RunnerUp, none), HasRunnerUp: w.RunnerUp != nil,
		Candidates: or(w.Candidates, 0), Peers: or(w.Peers, 0), Priority: or(w.Priority, 0), NewcomerPriority: or(w.NewcomerPriority, or(w.Priority, 0)),
		RunnerUpPriority: or(w.RunnerUpPriority, or(w.Priority, 0)),
		Lost:             or(w.Lost, none), BelowMix: or(w.BelowMix, 0), HasBelowMix: w.BelowMix != nil,
		Muffled: or(w.Muffled, 0), LowPass: or(w.LowPass, 0), HighPass: or(w.HighPass, 0), Limit: w.Limit, PerOwner: w.PerOwner, Endless: w.Endless, Bus: w.Bus, Cooldown: w.Cooldown,
	}
	if w.Kind == "" {
		return errors.New("an event without a kind")
	}
	return cmp.Or(
		named(&e.Kind, w.Kind, "kind of event", mixer.EventDevice),
		e.device(&w),
		named(&e.Reason, w.Reason, "reason", mixer.ReasonExchanged),
		named(&e.Policy, cmp.Or(w.Policy, e.Policy.String()), "policy", mixer.StealMasked),
	)
}

// device reads what belongs to the device.
func (e *Event) device(w *wire) error {
	if e.Kind != mixer.EventDevice {
		return nil
	}
	e.State, e.Why, e.Seconds = DeviceState(w.State), w.Reason, or(w.Seconds, 0)
	w.Reason, e.Cue, e.Slot = "", -1, -1
	if e.State != DeviceLost && e.State != DeviceBack {
		return fmt.Errorf("%q is no state of a device, want %s or %s", w.State, DeviceLost, DeviceBack)
	}
	return nil
}

// named sets dst to what has a name, from what it is to the last. what is how messages call it.
func named[T interface {
	~uint8
	String() string
}](dst *T, name, what string, last T) error {
	for ; *dst <= last; *dst++ {
		if (*dst).String() == name {
			return nil
		}
	}
	return fmt.Errorf("%q is no %s", name, what)
}

// or returns what p points to, or x where it points to nothing.
func or[T any](p *T, x T) T {
	if p == nil {
		return x
	}
	return *p
}

package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"voicepool/mixer"
)

// Event is an event of a mixer, as described at mixer.Event, or of a device, with the names of the cue
// sheet.
type Event struct {
	Frame    int64
	Kind     mixer.EventKind
	Voice    uint64    // number of the voice, in the order of starts from 1; 0: the start got no voice
	Sound    string    // name in the sheet; empty for mixer.Missed
	Cue      int       // index in the sheet, from 0; -1: not from a cue
	Slot     int       // index of the voice's place in the mixer's table of voices; -1: no place
	CueLabel           // the cue's number and name
	Ref      mixer.Ref // value that a call of play.Player.Start has set, see play.Start; not in the JSON
	Reason   mixer.Reason

	// For a voice that was stolen or became virtual: the start that took its slot. A coalesced start gets no voice of
	// its own; for it, By is the voice that it was merged into.
	By      uint64
	BySound string

	Endless bool // for a loss: the voice would never end by itself

	// How the mixer chose the victim, the voice that lost its slot: the compared levels, and the number of
	// candidates.
	Audibility, Newcomer, RunnerUp Level
	Candidates                     int
	Peers                          int // number of candidates with the victim's priority
	HasRunnerUp                    bool
	Priority                       int // of the victim, or of a rejected start
	NewcomerPriority               int // of the start or voice that took the slot
	RunnerUpPriority               int // of the second-best candidate; for ReasonOutranked, the lowest priority that plays
	Policy                         mixer.Overflow

	// The importance that the levels above include, in dB, of the victim or of a rejected start, and of the start
	// or voice that took the slot.
	Importance, NewcomerImportance Level

	// For ReasonGroupLimit and ReasonBusLimit, Limit is the limit in the sheet; 0 if it is unknown. For
	// ReasonBusLimit, Bus is the bus at its limit. For ReasonCooldown, Cooldown is the cooldown of the sound.
	Limit    int
	PerOwner bool // the limit applies to each owner separately
	Bus      string
	Cooldown string // as in a sheet: "0.25s"

	// For a victim, how loud the lost sound would have been: the largest K-weighted level over 60 ms that it
	// could have had from this frame on, see mixer.Decision.Lost; +Inf if unknown.
	Lost Level

	// For a victim, by how many dB its filters, and the effects and sends of its buses, reduced its
	// audibility; 0: not at all. LowPass and HighPass are its own cutoffs in Hz; 0: off.
	Muffled           Level
	LowPass, HighPass float64

	// For a victim in a render: by how many dB the rest of the mix was louder than Lost in the following 60 ms.
	BelowMix    Level
	HasBelowMix bool

	// For a device event, its state and reason. For DeviceBack, how long the device was lost.
	State        DeviceState
	DeviceReason string
	Seconds      float64
}

// DeviceState is the state of the audio device in an event.
type DeviceState string

const (
	DeviceLost DeviceState = "lost" // no sound is heard from this frame on
	DeviceBack DeviceState = "back" // sound is heard again
)

// jsonEvent is the JSON form of an event. Fields that do not apply to its kind are omitted.
type jsonEvent struct {
	Frame int64  `json:"frame"`
	Kind  string `json:"kind"`
	Voice uint64 `json:"voice,omitempty"`
	Sound string `json:"sound,omitempty"`
	Cue   *int   `json:"cue,omitempty"`
	CueLabel
	By                 uint64   `json:"by,omitempty"`
	BySound            string   `json:"by_sound,omitempty"`
	Slot               *int     `json:"slot,omitempty"`
	Audibility         *Level   `json:"audibility_db,omitempty"`
	Newcomer           *Level   `json:"newcomer_db,omitempty"`
	RunnerUp           *Level   `json:"runner_up_db,omitempty"`
	Candidates         *int     `json:"candidates,omitempty"`
	Peers              *int     `json:"peers,omitempty"`
	Priority           *int     `json:"priority,omitempty"`
	NewcomerPriority   *int     `json:"newcomer_priority,omitempty"`
	RunnerUpPriority   *int     `json:"runner_up_priority,omitempty"`
	Importance         *Level   `json:"importance_db,omitempty"`
	NewcomerImportance *Level   `json:"newcomer_importance_db,omitempty"`
	Policy             string   `json:"policy,omitempty"`
	Lost               *Level   `json:"lost_db,omitempty"`
	BelowMix           *Level   `json:"below_mix_db,omitempty"`
	Muffled            *Level   `json:"muffled_db,omitempty"`
	LowPass            *float64 `json:"lowpass,omitempty"`
	HighPass           *float64 `json:"highpass,omitempty"`
	Reason             string   `json:"reason,omitempty"`
	Limit              int      `json:"limit,omitempty"`
	PerOwner           bool     `json:"per_owner,omitempty"`
	Endless            bool     `json:"endless,omitempty"`
	Bus                string   `json:"bus,omitempty"`
	Cooldown           string   `json:"cooldown,omitempty"`
	State              string   `json:"state,omitempty"`
	Seconds            *float64 `json:"seconds,omitempty"`
}

// Loss reports whether the event is the loss of a playing voice: the voice was stolen or became virtual.
func (e *Event) Loss() bool { return e.Kind == mixer.EventStolen || e.Kind == mixer.EventVirtual }

// Refusal reports whether the event is a start that got no voice, because of a limit, a cooldown or a full pool.
func (e *Event) Refusal() bool { return e.Kind == mixer.EventRejected || e.Kind == mixer.EventLimited }

// Heard returns how loud a victim or a rejected start would have been: its Audibility without its Importance.
func (e *Event) Heard() Level { return e.Audibility - e.Importance }

// NewcomerHeard returns how loud the start or voice that took the slot would have been, or a rejected start itself: its
// Newcomer without its importance.
func (e *Event) NewcomerHeard() Level {
	switch {
	case e.Outranking():
		return e.Newcomer - e.NewcomerImportance
	case e.Refusal():
		return e.Newcomer - e.Importance
	}
	return e.Newcomer
}

// Outranking reports whether a voice lost its slot to another start or voice, which By identifies. NewcomerPriority is
// valid only in this case.
func (e *Event) Outranking() bool { return e.Loss() && e.By != 0 }

// ByPriority reports whether priority decided a loss or a rejection, or excluded some candidates before the policy
// compared the others. For events without a loss or a rejection it is false.
func (e *Event) ByPriority() bool {
	switch {
	case e.Reason == mixer.ReasonOutranked:
		return true
	case e.Reason == mixer.ReasonExchanged:
		return e.NewcomerPriority > e.Priority
	}
	return e.Loss() && e.Peers > 0 && e.Peers < e.Candidates
}

// hasChoice reports whether the event has the values of a choice between candidates for stealing. This is so for a
// loss, and for a refused start after such a comparison.
func (e *Event) hasChoice() bool { return e.Loss() || e.Refusal() && e.Candidates > 0 }

// noLevel is the level of silence.
var noLevel = Level(math.Inf(-1))

// UnmarshalJSON parses text, the output of MarshalJSON, and overwrites all fields of e, including fields that text
// leaves out. A missing slot becomes -1, and a missing cue 0; for a device event the cue is always -1. A missing or
// null level becomes -Inf, except BelowMix and Muffled, which become 0. It returns an error for invalid JSON, for a
// missing kind, and for an unknown kind, reason, policy or device state. After an error of encoding/json e is
// unchanged; after another error its fields are not valid.
func (e *Event) UnmarshalJSON(text []byte) error {
	var w jsonEvent
	if err := json.Unmarshal(text, &w); err != nil {
		return err
	}
	*e = Event{
		Frame: w.Frame, Kind: mixer.EventStarted, Voice: w.Voice, Sound: w.Sound, Cue: valueOr(w.Cue, 0), CueLabel: w.CueLabel, By: w.By, BySound: w.BySound, Slot: valueOr(w.Slot, -1),
		Audibility: valueOr(w.Audibility, noLevel), Newcomer: valueOr(w.Newcomer, noLevel), RunnerUp: valueOr(w.RunnerUp, noLevel), HasRunnerUp: w.RunnerUp != nil,
		Candidates: valueOr(w.Candidates, 0), Peers: valueOr(w.Peers, 0), Priority: valueOr(w.Priority, 0), NewcomerPriority: valueOr(w.NewcomerPriority, valueOr(w.Priority, 0)),
		RunnerUpPriority: valueOr(w.RunnerUpPriority, valueOr(w.Priority, 0)),
		Importance:       valueOr(w.Importance, 0), NewcomerImportance: valueOr(w.NewcomerImportance, 0),
		Lost: valueOr(w.Lost, noLevel), BelowMix: valueOr(w.BelowMix, 0), HasBelowMix: w.BelowMix != nil,
		Muffled: valueOr(w.Muffled, 0), LowPass: valueOr(w.LowPass, 0), HighPass: valueOr(w.HighPass, 0), Limit: w.Limit, PerOwner: w.PerOwner, Endless: w.Endless, Bus: w.Bus, Cooldown: w.Cooldown,
	}
	if w.Kind == "" {
		return errors.New("an event without a kind")
	}
	policy := cmp.Or(w.Policy, e.Policy.String())
	var unknown error
	if e.Policy, unknown = mixer.ParseOverflow(policy); unknown != nil {
		unknown = unknownName("policy", policy)
	}
	return cmp.Or(
		parseName(&e.Kind, w.Kind, "kind of event", mixer.EventDevice),
		e.parseDevice(&w),
		parseName(&e.Reason, w.Reason, "reason", mixer.ReasonUnloaded),
		unknown,
	)
}

// parseDevice fills in the fields of a device event from w. It sets e.Cue and e.Slot to -1. It also clears w.Reason,
// because a device event keeps its reason as text in e.DeviceReason. It returns an error if the device state is
// unknown. For other kinds of event it has no effect.
func (e *Event) parseDevice(w *jsonEvent) error {
	if e.Kind != mixer.EventDevice {
		return nil
	}
	e.State, e.DeviceReason, e.Seconds = DeviceState(w.State), w.Reason, valueOr(w.Seconds, 0)
	w.Reason, e.Cue, e.Slot = "", -1, -1
	if e.State != DeviceLost && e.State != DeviceBack {
		return fmt.Errorf("unknown device state %q; want %s or %s", w.State, DeviceLost, DeviceBack)
	}
	return nil
}

// parseName sets *dst to the value with the given name, as its String method returns it. The search begins at the
// present value of *dst and ends at last. For an unknown name it returns an error and leaves *dst beyond last. kind is
// a word for the error message, such as "reason".
func parseName[T interface {
	~uint8
	String() string
}](dst *T, name, kind string, last T) error {
	for ; *dst <= last; *dst++ {
		if (*dst).String() == name {
			return nil
		}
	}
	return unknownName(kind, name)
}

func unknownName(kind, name string) error { return fmt.Errorf("%q is no %s", name, kind) }

// valueOr returns *p, or the value of the parameter otherwise if p is nil.
func valueOr[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}

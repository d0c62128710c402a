package mixer_test

import (
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// modelEvent is a mixer.Event with its Decision as values, so that two events can be compared.
type modelEvent struct {
	Frame  int64
	Kind   mixer.EventKind
	Reason mixer.Reason
	Slot   int
	Voice  uint64
	Sound  *sounds.Sound
	Group  *mixer.Group
	Ref    mixer.Ref
	Bus    mixer.Bus

	By                                            uint64
	BySound                                       *sounds.Sound
	ByGroup                                       *mixer.Group
	ByRef                                         mixer.Ref
	Endless                                       bool
	Audibility, Newcomer, RunnerUp, Lost, Muffled pcm.Decibels
	Candidates, Peers                             int
	Priority, RunnerUpPriority, NewcomerPriority  int32
	Policy                                        mixer.Overflow
	LowPass, HighPass                             float64
	Importance, NewcomerImportance                pcm.Decibels
}

// flatEvent returns e with its Decision; without one, its fields are zero.
func flatEvent(e mixer.Event) modelEvent {
	f := modelEvent{Frame: e.Frame, Kind: e.Kind, Reason: e.Reason, Slot: e.Slot, Voice: e.Voice, Sound: e.Sound, Group: e.Group, Ref: e.Ref, Bus: e.Bus}
	if d := e.Steal; e.Kind.HasDecision() {
		f.By, f.BySound, f.ByGroup, f.ByRef, f.Endless, f.Policy = d.By, d.BySound, d.ByGroup, d.ByRef, d.Endless, d.Policy
		f.Audibility, f.Newcomer, f.RunnerUp, f.Lost, f.Muffled = d.Audibility, d.Newcomer, d.RunnerUp, d.Lost, d.Muffled
		f.Candidates, f.Peers, f.LowPass, f.HighPass = d.Candidates, d.Peers, d.LowPass, d.HighPass
		f.Priority, f.RunnerUpPriority, f.NewcomerPriority = d.Priority, d.RunnerUpPriority, d.NewcomerPriority
		f.Importance, f.NewcomerImportance = d.Importance, d.NewcomerImportance
	}
	return f
}

// flatEvents returns the flatEvent of each event.
func flatEvents(events []mixer.Event) []modelEvent {
	out := make([]modelEvent, len(events))
	for i, e := range events {
		out[i] = flatEvent(e)
	}
	return out
}

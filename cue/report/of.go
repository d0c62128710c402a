package report

import (
	"math"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/voice"
)

// EventOf converts an event of a mixer. Sounds have the names of voice.Sound.Name, and Cue is the event's
// Ref. The fields that depend on a sheet stay empty.
func EventOf(m *mixer.Event) Event {
	silent := Level(pcm.FromPower(0))
	e := Event{
		Frame: m.Frame, Kind: m.Kind, Voice: m.Voice, Sound: name(m.Sound), Cue: int(m.Ref), Slot: m.Slot, Reason: m.Reason,
		By: m.By, BySound: name(m.BySound), Candidates: m.Candidates, Peers: m.Peers, HasRunnerUp: !math.IsInf(float64(m.RunnerUp), 1),
		Audibility: silent, Newcomer: silent, RunnerUp: silent, Lost: silent,
		Priority: int(m.Priority), NewcomerPriority: int(m.NewcomerPriority), RunnerUpPriority: int(m.RunnerUpPriority), Policy: m.Policy, Endless: m.Endless,
	}
	if e.Refusal() {
		e.Priority = e.NewcomerPriority
	}
	if e.Loss() || e.Refusal() {
		e.Audibility, e.Newcomer, e.Lost = Level(m.Audibility), Level(m.Newcomer), Level(m.Lost)
		if e.HasRunnerUp {
			e.RunnerUp = Level(m.RunnerUp)
		}
		e.Muffled, e.LowPass, e.HighPass = Level(m.Muffled), m.LowPass, m.HighPass
	}
	return e
}

// name returns the name of a sound, or "" for nil.
func name(s *voice.Sound) string {
	if s == nil {
		return ""
	}
	return s.Name()
}

// TotalsOf converts the counters of a mixer.
func TotalsOf(st *mixer.Stats) Totals {
	return Totals{
		Asked: st.Asked, Started: st.Started, Rejected: st.Rejected, Limited: st.Limited, Coalesced: st.Coalesced, Ended: st.Ended, Stopped: st.Stopped,
		Stolen: st.Stolen, Playing: st.Playing, Missed: st.Missed, Late: st.Late, HighWater: st.HighWater,
		Underruns: st.Underruns, Faults: st.Faults, EventsLost: st.EventsLost, StreamsBroken: st.Broken,
	}
}

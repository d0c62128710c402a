package report

import (
	"math"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// EventOf converts m, an event of a mixer, to an event of a report. Sounds get the names of sounds.Sound.Name, and Cue
// becomes m.Ref. The fields that depend on a cue sheet or a device stay empty. Levels that do not apply to the kind
// of event are -Inf, except the levels BelowMix and Muffled, which are 0. For a refused start, Priority is the
// priority of this start. HasRunnerUp is true if the mixer chose between several voices to steal. It has no meaning for
// coalesced starts.
func EventOf(m *mixer.Event) Event {
	silent := Level(pcm.FromPower(0))
	e := Event{
		Frame: m.Frame, Kind: m.Kind, Voice: m.Voice, Sound: name(m.Sound), Cue: int(m.Ref), Slot: m.Slot, Reason: m.Reason,
		Audibility: silent, Newcomer: silent, RunnerUp: silent, Lost: silent,
	}
	if !m.Kind.HasDecision() {
		return e
	}
	d := &m.Steal
	e.By, e.BySound, e.Endless, e.Policy, e.HasRunnerUp = d.By, name(d.BySound), d.Endless, d.Policy, !math.IsInf(float64(d.RunnerUp), 1)
	e.Candidates, e.Peers = d.Candidates, d.Peers
	e.Priority, e.NewcomerPriority, e.RunnerUpPriority = int(d.Priority), int(d.NewcomerPriority), int(d.RunnerUpPriority)
	e.Importance, e.NewcomerImportance = Level(d.Importance), Level(d.NewcomerImportance)
	if e.Refusal() {
		e.Priority = e.NewcomerPriority
		e.Importance = e.NewcomerImportance
	}
	if e.Loss() || e.Refusal() {
		e.Audibility, e.Newcomer, e.Lost = Level(d.Audibility), Level(d.Newcomer), Level(d.Lost)
		if e.HasRunnerUp {
			e.RunnerUp = Level(d.RunnerUp)
		}
		e.Muffled, e.LowPass, e.HighPass = Level(d.Muffled), d.LowPass, d.HighPass
	}
	return e
}

// name returns the name of the sound s, or "" if s is nil.
func name(s *sounds.Sound) string {
	if s == nil {
		return ""
	}
	return s.Name()
}

// TotalsOf converts stats, the counters of a mixer, to the totals of a report. UnheardSeconds stays 0, because a mixer
// does not measure it.
func TotalsOf(stats *mixer.Stats) Totals {
	return Totals{
		Asked: stats.Asked, Started: stats.Started, Rejected: stats.Rejected, Limited: stats.Limited, Coalesced: stats.Coalesced, Ended: stats.Ended, Stopped: stats.Stopped,
		Stolen: stats.Stolen, Playing: stats.Playing, Missed: stats.Missed, Late: stats.Late, HighWater: stats.HighWater,
		Underruns: stats.Underruns, Faults: stats.Faults, EventsLost: stats.EventsLost, StreamsBroken: stats.Broken,
	}
}

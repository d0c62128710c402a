package trial

import "voicepool/mixer"

// Losses counts what gave way in a run: to the pool, and to limits, which a pool
// of any size leaves.
type Losses struct {
	Steals   int64 `json:"steals"`         // voices lost for good to a full pool
	Rejected int64 `json:"rejected"`       // starts for which the pool had no voice
	Swaps    int64 `json:"became_virtual"` // how often a voice went on unheard
	LimitLosses
}

// LimitLosses counts what gave way to limits.
type LimitLosses struct {
	LimitSteals int64 `json:"limit_steals"` // voices stolen by the limit of a sound or a bus
	Limited     int64 `json:"limited"`      // starts refused by such a limit, or by a cooldown
}

// Losses tells from a report what gave way.
func (r *Run) Losses() Losses {
	t := &r.Report.Totals
	n := Losses{Steals: t.Stolen, Rejected: t.Rejected, LimitLosses: LimitLosses{Limited: t.Limited}}
	for i := range r.Report.Events {
		switch e := &r.Report.Events[i]; {
		case e.Kind == mixer.EventVirtual:
			n.Swaps++
		case e.Kind == mixer.EventStolen && (e.Reason == mixer.ReasonGroupLimit || e.Reason == mixer.ReasonBusLimit):
			n.Steals--
			n.LimitSteals++
		}
	}
	return n
}

// Pool reports whether the pool has taken anything.
func (n Losses) Pool() bool { return n.Steals > 0 || n.Rejected > 0 || n.Swaps > 0 }

// Limits reports whether limits have.
func (n LimitLosses) Limits() bool { return n.LimitSteals > 0 || n.Limited > 0 }

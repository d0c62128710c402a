package main

import "voicepool/mixer"

// losses counts what gave way in a run: to the pool, and to limits, which a pool
// of any size leaves.
type losses struct {
	Steals   int64 `json:"steals"`         // voices lost for good to a full pool
	Rejected int64 `json:"rejected"`       // starts for which the pool had no voice
	Swaps    int64 `json:"became_virtual"` // how often a voice went on unheard
	limitLosses
}

// limitLosses counts what gave way to limits.
type limitLosses struct {
	LimitSteals int64 `json:"limit_steals"` // voices stolen by the limit of a sound or a bus
	Limited     int64 `json:"limited"`      // starts refused by such a limit, or by a cooldown
}

// losses tells from a report what gave way.
func (r *run) losses() losses {
	t := &r.report.Totals
	n := losses{Steals: t.Stolen, Rejected: t.Rejected, limitLosses: limitLosses{Limited: t.Limited}}
	for i := range r.report.Events {
		switch e := &r.report.Events[i]; {
		case e.Kind == mixer.BecameVirtual:
			n.Swaps++
		case e.Kind == mixer.Stolen && (e.Reason == mixer.GroupLimit || e.Reason == mixer.BusLimit):
			n.Steals--
			n.LimitSteals++
		}
	}
	return n
}

// pool reports whether the pool has taken anything.
func (n losses) pool() bool { return n.Steals > 0 || n.Rejected > 0 || n.Swaps > 0 }

// limits reports whether limits have.
func (n limitLosses) limits() bool { return n.LimitSteals > 0 || n.Limited > 0 }

package mixer

import (
	"voicepool/internal/spectrum"
	"voicepool/voice"
)

// A voice is heard on several ways: through its bus down to an output, and through all buses to which it
// and its buses send. On each way filters and equalisers leave a part of each band. What a choice
// compares is the power of all ways together: they add up as powers, since what comes back from a hall
// has other phases.

// ways are those of what comes to a bus.
type ways struct {
	own       spectrum.Gains // through its effects and filters
	ownAt     int64          // the place of the grid they are of; -1: none yet
	ownMoves  bool
	through   spectrum.Gains // and those of the buses below, to its output
	sent      spectrum.Gains // by sends, of a power of 1
	whole     spectrum.Gains // of a power of 1, both, with all gains
	sends     bool           // there is something of it
	colours   bool           // it is not all as if there were nothing of it
	shiftSent bool           // whole has become another since scores were fresh
}

// refreshWays brings the ways of all buses up to date, each after those to which it gives.
func (a *audio) refreshWays() {
	sp := a.spectral.Load()
	if sp == nil {
		return
	}
	sp.known = true
	moved := false
	for at := len(a.up) - 1; at >= 0; at-- {
		i := a.up[at]
		b, w := &a.buses[i], &sp.buses[i]
		through, sent, whole := w.through, w.sent, w.whole
		a.filters(i, w)
		w.through, w.sent = w.own, spectrum.Gains{}
		above := a.tree[i].above
		if above >= 0 {
			w.through.Times(&sp.buses[above].through)
		}
		if !b.quiet {
			gives := pair(voice.Wider(voice.Stereo, &b.pan, a.now)).times(both(b.gain.Most(a.now))).power() / 2
			for j := range b.sends {
				s := &b.sends[j]
				power := s.gain.Most(a.now)
				if power = float64(power * power); !s.pre {
					power = float64(power * gives)
				}
				w.sent.Add(&sp.buses[s.bus].whole, power)
			}
			if above >= 0 {
				w.sent.Add(&sp.buses[above].sent, gives)
			}
			w.sent.Times(&w.own)
		}
		w.whole = w.sent
		if !b.quiet {
			w.whole.Add(&w.through, b.reach.power()/2)
		}
		w.sends = w.sent != spectrum.Gains{}
		w.colours = w.sends || w.through != spectrum.Flat()
		b.shift = b.shift || w.through != through || w.sent != sent
		w.shiftSent = w.shiftSent || w.whole != whole
		moved = moved || b.shift || w.shiftSent
	}
	if moved { // also where scores were fresh in this frame already
		a.scored, a.scoredVirtual = -1, -1
	}
}

// filters works out what the effects and filters of a bus let through: when they are told something, and
// at each place of the grid while they move.
func (a *audio) filters(i int, w *ways) {
	at := a.now / a.hop * a.hop
	if w.ownAt >= 0 && (!w.ownMoves || w.ownAt == at) {
		return
	}
	w.ownAt, w.ownMoves, w.own = at, false, spectrum.Flat()
	own := (*[spectrum.Bands]float64)(&w.own)
	w.ownMoves = a.buses[i].filter.Passes(a.now, own)
	for _, p := range a.buses[i].rack.all {
		moves := p.Passes(a.now, own)
		w.ownMoves = w.ownMoves || moves
	}
}

// filtersMove has refreshWays look again at the effects and filters of a bus.
func (a *audio) filtersMove(i int) {
	if sp := a.spectral.Load(); sp != nil {
		sp.buses[i].ownAt = -1
	}
}

// sendsSettled reports whether the sends of a voice stay as they are from a frame on.
func (r *record) sendsSettled(frame int64) bool {
	if r.sends == 0 {
		return true
	}
	if r.placed && r.where.space.Sends.End() > frame {
		return false
	}
	if screen := r.screen(); screen != nil && !screen.Settled(frame) {
		return false
	}
	rare := r.rare.Load()
	for j := range r.sends {
		if rare.sends[j].gain.End() > frame {
			return false
		}
	}
	return true
}

// shiftsSent reports whether what the voice of a record sends to has shifted.
func (a *audio) shiftsSent(r *record) bool {
	sp := a.spectral.Load()
	if r.sends == 0 || sp == nil {
		return false
	}
	rare := r.rare.Load()
	for j := range r.sends {
		if sp.buses[rare.sends[j].bus].shiftSent {
			return true
		}
	}
	return false
}

// shiftsAny reports whether anything that is sent to has shifted.
func (a *audio) shiftsAny() bool {
	if sp := a.spectral.Load(); sp != nil {
		for i := range sp.buses {
			if sp.buses[i].shiftSent {
				return true
			}
		}
	}
	return false
}

func (a *audio) forgetSent() {
	if sp := a.spectral.Load(); sp != nil {
		for i := range sp.buses {
			sp.buses[i].shiftSent = false
		}
	}
}

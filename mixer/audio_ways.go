package mixer

import (
	"voicepool/internal/spectrum"
	"voicepool/voice"
)

// A voice is heard over several paths: through its bus down to an output, and through the sends of the
// voice and of its buses. Filters and equalizers change each band on each path. Choices compare the total
// power of all paths. Powers add up because a reverb changes the phases.

// ways are the spectral responses for sound that enters a bus.
type ways struct {
	own       spectrum.Gains // of its effects and filters
	ownAt     int64          // the frame of the grid for which own is valid; -1: not computed
	ownMoves  bool
	through   spectrum.Gains // of it and the buses below, down to the output
	sent      spectrum.Gains // over sends, for an input power of 1
	whole     spectrum.Gains // both, with all gains, for an input power of 1
	sends     bool           // sent is not zero
	colours   bool           // the response is not flat, or there are sends
	shiftSent bool           // whole has changed since the scores were refreshed
}

// refreshWays updates the responses of all buses. Each bus comes after the buses that it feeds.
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
			gives := pair(voice.LouderPan(voice.Stereo, &b.pan, a.now)).times(both(b.gain.MaxGain(a.now))).power() / 2
			for j := range b.sends {
				s := &b.sends[j]
				power := s.gain.MaxGain(a.now)
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
	if moved { // even if scores were refreshed in this frame
		a.scored, a.scoredVirtual = -1, -1
	}
}

// filters updates the response of the effects and filters of a bus: after a change, and on each frame of
// the grid during a fade.
func (a *audio) filters(i int, w *ways) {
	at := a.now / a.hop * a.hop
	if w.ownAt >= 0 && (!w.ownMoves || w.ownAt == at) {
		return
	}
	w.ownAt, w.ownMoves, w.own = at, false, spectrum.Flat()
	own := (*[spectrum.Bands]float64)(&w.own)
	w.ownMoves = a.buses[i].filter.ApplyResponse(a.now, own)
	for _, p := range a.buses[i].rack.all {
		moves := p.Passes(a.now, own)
		w.ownMoves = w.ownMoves || moves
	}
}

// filtersMove invalidates the response of the effects and filters of a bus.
func (a *audio) filtersMove(i int) {
	if sp := a.spectral.Load(); sp != nil {
		sp.buses[i].ownAt = -1
	}
}

// sendsSettled reports whether the sends of a voice are constant from a frame on.
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

// shiftsSent reports whether the response of a bus that the voice sends to has changed.
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

// shiftsAny reports whether the response of any bus that receives sends has changed.
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

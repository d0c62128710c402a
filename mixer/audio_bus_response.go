package mixer

import (
	"voicepool/internal/spectrum"
	"voicepool/voice"
)

// A voice is heard over several paths: through its bus down to an output, and through the sends of the
// voice and of its buses. Filters and equalizers change each band on each path. Choices compare the total
// power of all paths. Powers add up because a reverb changes the phases.

// busResponse holds the spectral responses for sound that enters a bus.
type busResponse struct {
	own          spectrum.Gains // of its effects and filters
	ownFrame     int64          // the frame of the grid for which own is valid; -1: not computed
	ownFades     bool
	through      spectrum.Gains // of it and the buses below, down to the output
	sent         spectrum.Gains // over sends, for an input power of 1
	total        spectrum.Gains // both, with all gains, for an input power of 1
	sends        bool           // sent is not zero
	notFlat      bool           // the response is not flat, or there are sends
	totalChanged bool           // total has changed since the scores were refreshed
}

// refreshBusResponses recomputes the responses of all buses for the present frame. A response is the power of each
// frequency band that reaches the output, through parents and sends. Each bus comes after the buses that it feeds. A
// changed bus is marked, so that its voices get new scores. After any change, scores count as outdated even if they
// were refreshed in this frame. It has no effect while a.spectral is nil, because scores then ignore filters.
func (a *audio) refreshBusResponses() {
	sp := a.spectral.Load()
	if sp == nil {
		return
	}
	sp.known = true
	changed := false
	for at := len(a.mixOrder) - 1; at >= 0; at-- {
		i := a.mixOrder[at]
		b, w := &a.buses[i], &sp.buses[i]
		through, sent, total := w.through, w.sent, w.total
		a.refreshOwnResponse(i, w)
		w.through, w.sent = w.own, spectrum.Gains{}
		above := a.tree[i].above
		if above >= 0 {
			w.through.Times(&sp.buses[above].through)
		}
		if !b.quiet {
			gives := newStereo(voice.LouderPan(voice.Stereo, &b.pan, a.now)).times(equalStereo(b.gain.MaxGain(a.now))).power() / 2
			for j := range b.sends {
				s := &b.sends[j]
				power := s.gain.MaxGain(a.now)
				if power = float64(power * power); !s.pre {
					power = float64(power * gives)
				}
				w.sent.Add(&sp.buses[s.bus].total, power)
			}
			if above >= 0 {
				w.sent.Add(&sp.buses[above].sent, gives)
			}
			w.sent.Times(&w.own)
		}
		w.total = w.sent
		if !b.quiet {
			w.total.Add(&w.through, b.gains.power()/2)
		}
		w.sends = w.sent != spectrum.Gains{}
		w.notFlat = w.sends || w.through != spectrum.Flat()
		b.scoresChanged = b.scoresChanged || w.through != through || w.sent != sent
		w.totalChanged = w.totalChanged || w.total != total
		changed = changed || b.scoresChanged || w.totalChanged
	}
	if changed { // even if scores were refreshed in this frame
		a.scoredAt, a.scoredVirtualAt = -1, -1
	}
}

// refreshOwnResponse updates w.own: how much power of each frequency band the effects and filters of a.buses[i] pass.
// w must belong to the same bus. A stored result stays valid until invalidateResponse. During a fade it is recomputed
// once per hop of 20 ms.
func (a *audio) refreshOwnResponse(i int, w *busResponse) {
	at := a.now / a.hop * a.hop
	if w.ownFrame >= 0 && (!w.ownFades || w.ownFrame == at) {
		return
	}
	w.ownFrame, w.ownFades, w.own = at, false, spectrum.Flat()
	own := (*[spectrum.Bands]float64)(&w.own)
	w.ownFades = a.buses[i].filter.ApplyResponse(a.now, own)
	for _, p := range a.buses[i].rack.all {
		moves := p.Passes(a.now, own)
		w.ownFades = w.ownFades || moves
	}
}

// invalidateResponse marks the stored frequency response of a.buses[i] as outdated, so that the next
// refreshOwnResponse recomputes it.
func (a *audio) invalidateResponse(i int) {
	if sp := a.spectral.Load(); sp != nil {
		sp.buses[i].ownFrame = -1
	}
}

// sendsConstant reports whether the sends of the start of r are constant from the given frame of the mix on. This
// requires that the gains of the sends, their attenuation by distance and the filter of the direct path are not
// fading. It is true without sends.
func (r *record) sendsConstant(frame int64) bool {
	if r.sends == 0 {
		return true
	}
	if r.isSpatial && r.spatial.space.Sends.End() > frame {
		return false
	}
	if screen := r.screen(); screen != nil && !screen.Settled(frame) {
		return false
	}
	extra := r.extra.Load()
	for j := range r.sends {
		if extra.sends[j].gain.End() > frame {
			return false
		}
	}
	return true
}

// sendResponseChanged reports whether the frequency response of any bus that the start of r sends to has changed since
// the scores were refreshed. It is false without sends, and while scores ignore filters.
func (a *audio) sendResponseChanged(r *record) bool {
	sp := a.spectral.Load()
	if r.sends == 0 || sp == nil {
		return false
	}
	extra := r.extra.Load()
	for j := range r.sends {
		if sp.buses[extra.sends[j].bus].totalChanged {
			return true
		}
	}
	return false
}

// anySendResponseChanged reports whether the frequency response of any bus, including its gains, has changed since the
// scores were refreshed. It is false while scores ignore filters.
func (a *audio) anySendResponseChanged() bool {
	if sp := a.spectral.Load(); sp != nil {
		for i := range sp.buses {
			if sp.buses[i].totalChanged {
				return true
			}
		}
	}
	return false
}

// clearSendResponseChanges marks the frequency responses of all buses as unchanged, because the caller has refreshed
// all scores.
func (a *audio) clearSendResponseChanges() {
	if sp := a.spectral.Load(); sp != nil {
		for i := range sp.buses {
			sp.buses[i].totalChanged = false
		}
	}
}

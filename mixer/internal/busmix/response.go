package busmix

import (
	"voicepool/internal/panning"
	"voicepool/internal/spectrum"
)

// A voice is heard over several paths: through its bus down to an output, and through the sends of the
// voice and of its buses. Filters and equalizers change each band on each path. Choices compare the total
// power of all paths. Powers add up because a reverb changes the phases.

// Response holds the spectral responses for sound that enters a bus, as of the last Graph.Refresh.
type Response struct {
	Through spectrum.Gains // of the bus and the buses that it is mixed into, down to the output
	Sent    spectrum.Gains // over sends, for an input power of 1
	Total   spectrum.Gains // both, with all gains, for an input power of 1
	Sends   bool           // Sent is not zero
	NotFlat bool           // the response is not flat, or there are sends

	own          spectrum.Gains // of its effects and filters
	ownFrame     int64          // the frame of the grid when own was computed
	ownFades     bool
	totalChanged bool // Total has changed since ClearScoresChanged
}

// Responses holds the responses of all buses, and room for the responses of voices.
type Responses struct {
	Buses  []Response
	Voices []spectrum.Gains // by index: left^2 + right^2 per band over all paths of a voice; the caller computes them

	known bool // Buses has been computed
}

// NewResponses returns the responses of the given numbers of buses and voices, not computed yet. Control side.
func NewResponses(buses, voices int) *Responses {
	return &Responses{Buses: make([]Response, buses), Voices: make([]spectrum.Gains, voices)}
}

// Refresh recomputes, for the given frame of the mix, the state of all buses that scores and pauses use. It computes
// the gains down to the output, and whether a bus or a parent is muted, soloed or paused. The mute of the master counts
// only for buses on the first output. If the gains of a bus have changed, its voices need new scores, see
// ScoresChanged. Each fade counts with the larger of its current and target value. Ducks do not count, because ducked
// voices would be stolen and restored again and again. RefreshResponses must follow, if there are responses.
func (g *Graph) Refresh(frame int64) {
	for _, i := range g.tree.ParentsFirst {
		b := &g.Buses[i]
		was, wasVolumes := b.gains, b.volumes
		b.volume = b.maxVolume(frame)
		b.volumes = b.volume
		gain := float64(b.Gain.MaxGain(frame) * b.volume)
		b.gains = NewStereo(panning.Louder(panning.Stereo, &b.Pan, frame)).Times(EqualStereo(gain))
		b.maxGains = NewStereo(panning.Larger(panning.Stereo, &b.Pan, frame)).Times(EqualStereo(float64(gain * max(b.Mute.At(frame), b.Mute.To))))
		b.pausedByTree, b.quiet, b.hasSolo = b.paused, b.muted, b.soloed
		if i > 0 {
			above := &g.Buses[g.tree.Nodes[i].Parent]
			b.pausedByTree = b.pausedByTree || above.pausedByTree
			b.hasSolo = b.hasSolo || above.hasSolo
			if g.tree.Nodes[i].Above >= 0 {
				b.gains, b.maxGains = b.gains.Times(above.gains), b.maxGains.Times(above.maxGains)
				b.quiet, b.volumes = b.quiet || above.quiet, float64(b.volumes*above.volumes)
			}
		}
		b.scoresChanged = b.scoresChanged || b.gains != was || b.volumes != wasVolumes
	}
}

// maxVolume returns the larger of the current and the target factor of the volume at the given frame of the mix.
func (b *Bus) maxVolume(frame int64) float64 { return max(b.Volume.At(frame), b.Volume.To) }

// SentVolume returns the product of the volumes that apply to a send from one bus to another, given by their indices,
// as of the last Refresh. These are the volumes of the bus from and of the buses that it is mixed into, but not of
// buses that the output of the bus to passes through. A fade counts with the larger of its current and target value.
// The result is 1 if from is negative.
func (g *Graph) SentVolume(from, to int) float64 {
	volume := 1.0
	for i := from; i >= 0 && !g.tree.PassesThrough(to, i); i = g.tree.Nodes[i].Above {
		volume = float64(volume * g.Buses[i].volume)
	}
	return volume
}

// Known reports whether RefreshResponses has computed the responses of all buses in r at least once.
func (r *Responses) Known() bool { return r.known }

// RefreshResponses recomputes r for the given frame of the mix. A response is the power of each frequency band that
// reaches the output, through parents and sends. Each bus comes after the buses that it feeds. A changed bus is marked,
// so that its voices get new scores. The result reports whether any bus is marked.
func (g *Graph) RefreshResponses(r *Responses, frame int64) (changed bool) {
	r.known = true
	for at := len(g.order) - 1; at >= 0; at-- {
		i := g.order[at]
		b, w := &g.Buses[i], &r.Buses[i]
		through, sent, total := w.Through, w.Sent, w.Total
		b.refreshOwn(w, frame, g.hop)
		w.Through, w.Sent = w.own, spectrum.Gains{}
		above := g.tree.Nodes[i].Above
		if above >= 0 {
			w.Through.Times(&r.Buses[above].Through)
		}
		if !b.quiet {
			gain := float64(b.Gain.MaxGain(frame) * b.volume)
			gives := NewStereo(panning.Louder(panning.Stereo, &b.Pan, frame)).Times(EqualStereo(gain)).Power() / 2
			for j := range b.sends {
				s := &b.sends[j]
				from, power := i, 1.0
				if !s.Pre {
					from, power = above, gives
				}
				gain := float64(s.Gain.MaxGain(frame) * g.SentVolume(from, s.Bus))
				w.Sent.Add(&r.Buses[s.Bus].Total, float64(float64(gain*gain)*power))
			}
			if above >= 0 {
				w.Sent.Add(&r.Buses[above].Sent, gives)
			}
			w.Sent.Times(&w.own)
		}
		w.Total = w.Sent
		if !b.quiet {
			w.Total.Add(&w.Through, b.gains.Power()/2)
		}
		w.Sends = w.Sent != spectrum.Gains{}
		w.NotFlat = w.Sends || w.Through != spectrum.Flat()
		b.scoresChanged = b.scoresChanged || w.Through != through || w.Sent != sent
		w.totalChanged = w.totalChanged || w.Total != total
		changed = changed || b.scoresChanged || w.totalChanged
	}
	return changed
}

// refreshOwn updates w.own: how much power of each frequency band the effects and filters of the bus pass. w must
// belong to the bus. A stored result stays valid until b.responseStale. During a fade it is recomputed once per hop.
func (b *Bus) refreshOwn(w *Response, frame, hop int64) {
	at := frame / hop * hop
	if !b.responseStale && (!w.ownFades || w.ownFrame == at) {
		return
	}
	w.ownFrame, w.own, b.responseStale = at, spectrum.Flat(), false
	b.filter.ApplyResponse(frame, &w.own)
	w.ownFades = !b.filter.Settled(frame)
	for _, p := range b.newest().processors {
		moves := p.Passes(frame, (*[spectrum.Bands]float64)(&w.own))
		w.ownFades = w.ownFades || moves
	}
}

// ScoresChanged reports whether the gains or the response of any bus have changed since ClearScoresChanged. r may be
// nil.
func (g *Graph) ScoresChanged(r *Responses) bool {
	for i := range g.Buses {
		if g.Buses[i].scoresChanged || r != nil && r.Buses[i].totalChanged {
			return true
		}
	}
	return false
}

// ClearScoresChanged marks the gains and responses of all buses as unchanged, because the caller has refreshed all
// scores. r may be nil.
func (g *Graph) ClearScoresChanged(r *Responses) {
	for i := range g.Buses {
		if g.Buses[i].scoresChanged = false; r != nil {
			r.Buses[i].totalChanged = false
		}
	}
}

// ScoresChanged reports whether the gains or the response of the bus have changed since ClearScoresChanged.
func (b *Bus) ScoresChanged() bool { return b.scoresChanged }

// TotalChanged reports whether the response of a destination of sends has changed since ClearScoresChanged.
func (r *Responses) TotalChanged(sends []Send) bool {
	for i := range sends {
		if r.Buses[sends[i].Bus].totalChanged {
			return true
		}
	}
	return false
}

// Silent reports whether scores count voices on the bus as silent. The bus or a bus that it is mixed into is muted, or
// the solo of another bus silences it.
func (b *Bus) Silent() bool { return b.quiet || b.Solo.To == 0 }

// Power returns left^2 + right^2 of a voice on this bus, after the gains of the bus and of all its parents up to the
// output. The parameter gains holds the linear gains of the voice itself. The gains of the buses are as of the last
// Graph.Refresh. A fade of a gain counts with the larger of its current and target value; fades of mutes and solos, and
// ducks, do not count. The power is 0 if the bus is Silent.
func (b *Bus) Power(gains Stereo) float64 {
	if b.Silent() {
		return 0
	}
	return gains.Times(b.gains).Power()
}

// ReachesMaximum reports whether Power is the largest power that the present fades of mutes and solos of buses allow,
// from the given frame of the mix on.
func (b *Bus) ReachesMaximum(frame int64) bool {
	return !b.quiet && b.maxGains == b.gains && b.Solo.SettledAt(1, frame)
}

// MaxGains returns upper bounds of the gains of a voice on this bus, after the gains of the bus and of all its parents
// up to the output, from the given frame of the mix on. The parameter gains holds bounds for the voice itself.
func (b *Bus) MaxGains(gains Stereo, frame int64) Stereo {
	return gains.Times(EqualStereo(max(b.Solo.At(frame), b.Solo.To))).Times(b.maxGains)
}

// Stereo is a pair of factors.
type Stereo struct{ Left, Right float64 }

// NewStereo returns the pair of factors left and right.
func NewStereo(left, right float64) Stereo { return Stereo{left, right} }

// EqualStereo returns the pair with the factor x on both sides.
func EqualStereo(x float64) Stereo { return Stereo{x, x} }

// Times returns the pair of the product of the left factors and the product of the right ones.
func (s Stereo) Times(t Stereo) Stereo {
	return Stereo{float64(s.Left * t.Left), float64(s.Right * t.Right)}
}

// Power returns left^2 + right^2.
func (s Stereo) Power() float64 { return float64(s.Left*s.Left) + float64(s.Right*s.Right) }

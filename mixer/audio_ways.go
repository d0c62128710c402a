package mixer

import (
	"voicepool/internal/spectrum"
	"voicepool/pcm"
	"voicepool/voice"
)

// A voice is heard on several ways: through its bus down to an output, and through all buses to which it
// and its buses send. On each way filters and equalisers leave a part of each band. What a choice
// compares is the power of all ways together: they add up as powers, since what comes back from a hall
// has other phases.

// spectral is what scores need of that, from when on something filters or sends.
type spectral struct {
	known bool // the ways are worked out: it may have come in the middle of a frame
	buses []ways
	heard []spectrum.Gains // by index: left^2 + right^2 of a voice on all its ways; the last is the newcomer's
}

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

// hearSpectra has scores know filters and sends from now on. Control side.
func (s *shared) hearSpectra() {
	if s.blind || s.spectral.Load() != nil {
		return
	}
	spectrum.Warp(s.rate).Prepare()
	sp := &spectral{buses: make([]ways, len(s.tree)), heard: make([]spectrum.Gains, len(s.positions)+1)}
	for i := range sp.buses {
		sp.buses[i].ownAt = -1
	}
	s.spectral.Store(sp)
}

// spectralBuses reports whether scores know filters or sends of buses from the beginning.
func spectralBuses(buses []BusConfig) bool {
	for i := range buses {
		if b := &buses[i]; len(b.Sends) > 0 || b.LowPass != 0 || b.HighPass != 0 {
			return true
		}
		for j := range buses[i].Effects {
			if buses[i].Effects[j].Filters() {
				return true
			}
		}
	}
	return false
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

// filtersMove has refreshWays look again at the effects of a bus.
func (a *audio) filtersMove(i int) {
	if sp := a.spectral.Load(); sp != nil {
		sp.buses[i].ownAt = -1
		a.refresh()
	}
}

// colour works out what is heard of a voice in each band, for an index, and reports whether that is
// something else than its gains say: those of the voice, and the power of all on its direct way.
func (a *audio) colour(i int, v *voice.Voice, r *record, reach stereo, direct float64) bool {
	sp := a.spectral.Load()
	if sp == nil {
		return false
	}
	if !sp.known {
		a.refreshWays()
	}
	b, w := &a.buses[r.bus], &sp.buses[r.bus]
	if !w.colours && !v.Filters() && r.sends == 0 {
		return false
	}
	heard := &sp.heard[i]
	if *heard = w.through; b.quiet || b.direct.To == 0 {
		*heard = spectrum.Gains{}
		return true
	}
	heard.Scale(direct)
	power := reach.power()
	if w.sends {
		heard.Add(&w.sent, power)
	}
	if screen := r.screen(); screen != nil { // on the way to the bus
		screen.Passes(v, a.now, (*[spectrum.Bands]float64)(heard))
	}
	if r.sends > 0 {
		rare := r.rare.Load()
		if r.placed { // with a curve of their own, which may go on where nothing is heard of the voice
			power = pair(v.SendReach(a.now)).power()
		}
		for j := range r.sends {
			s := &rare.sends[j]
			gain, from := s.gain.Most(a.now), power
			if s.pre {
				from = v.ReachPre(a.now)
			}
			heard.Add(&sp.buses[s.bus].whole, float64(from*float64(gain*gain)))
		}
	}
	v.Passes(a.now, (*[spectrum.Bands]float64)(heard))
	return true
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

// audibilities is how loud a voice is from now on, and in the next 20 ms.
type audibilities struct{ whole, soon float32 }

// audibilities returns how loud a voice of an index is from now on, and in the next 20 ms: the power of
// its gains times its indices, or, where it is coloured, that of each band. The latter is 0 where keeps
// says that nobody asks.
func (a *audio) audibilities(i int, coloured bool, power float64, v *voice.Voice, keeps bool) audibilities {
	index, near := v.Indices()
	ahead, now := power, power
	if coloured {
		heard := &a.spectral.Load().heard[i]
		var lacks bool
		if ahead, now, lacks = v.Through((*[spectrum.Bands]float64)(heard), keeps); lacks {
			a.needs.Store(true)
		}
	}
	return audibilities{float32(float64(ahead * index)), float32(float64(now * near))}
}

// raises reports whether a voice may be louder than its gains say: by sends, or by the equalisers of its
// buses. Its own filters take away.
func (a *audio) raises(s *slot) bool {
	sp := a.spectral.Load()
	return s.sends || sp != nil && sp.buses[s.bus].colours
}

// muffle notes by how much what a voice of an index goes through makes it less audible.
func (a *audio) muffle(e *Event, s *slot, i int) {
	e.LowPass, e.HighPass = s.voice.Cutoffs()
	if screen := s.record.screen(); screen != nil {
		if hz := screen.Cutoff(); hz > 0 && (e.LowPass == 0 || hz < e.LowPass) {
			e.LowPass = hz
		}
	}
	if !s.coloured || s.power == 0 {
		return
	}
	if index, _ := s.voice.Indices(); index > 0 {
		e.Muffled = pcm.Decibels(max(float64(a.scores.whole[i])/float64(s.power*index), 1e-30)) // a factor; 0: nothing does
	}
}

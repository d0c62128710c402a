package mixer

import (
	"math"

	"voicepool/internal/spectrum"
	"voicepool/mixer/internal/busmix"
	"voicepool/mixer/internal/score"
	"voicepool/mixer/internal/victim"
	"voicepool/voice"
)

// scorer keeps the scores of all voices up to date: how audible each will be. The choice of a victim compares them.
type scorer struct {
	score.Scores
	a               *audio
	scoredAt        int64 // the last frame at which all scores of slots were refreshed
	scoredVirtualAt int64 // the same for virtual voices
	scoredMovingAt  int64 // the same for remaining of virtual voices that move
}

// newScorer returns the scores of a mixer without a voice, for the configuration c with its defaults filled in.
func newScorer(c *Config, a *audio) scorer {
	return scorer{score.New(c.MaxVoices, c.maxVirtual(), keyOf(c.Overflow), a.hop), a, -1, -1, -1}
}

// voiceAt returns the voice s at index i for its scores.
func (k *scorer) voiceAt(i int, s *slot) score.Voice {
	return score.Voice{
		Index: i, State: &s.State, Playing: &s.voice, Response: k.response(i, s.Shaped), Importance: s.record.importance.factor, Published: &s.record.score,
	}
}

// response returns the stored response at index i, or nil if shaped is false: then no filter applies.
func (k *scorer) response(i int, shaped bool) *spectrum.Gains {
	if !shaped {
		return nil
	}
	return &k.a.responses.Load().Voices[i]
}

// measure returns how audible v is. If the spectrum of its sound is missing, a.missingMips is set to request it.
func (k *scorer) measure(v *score.Voice) score.Audibility {
	level, lacks := v.Measure()
	if lacks {
		k.a.missingMips.Store(true)
	}
	return level
}

// rescore recomputes all scores of the voice at index i: how audible it will be. The score is the highest average
// loudness of its remaining sound, multiplied by the power of all gains. Each fade counts with the larger of its
// current and target value. The scores are published, and their next update is scheduled.
func (k *scorer) rescore(i int) {
	a := k.a
	s := a.mutable(i)
	reach := busmix.NewStereo(s.voice.PeakGains(a.now, false))
	s.Power = a.graph.Buses[s.bus].Power(reach)
	s.Shaped = k.applyResponse(i, &s.voice, s.record, reach, s.Power)
	k.classify(i, s)
	v := k.voiceAt(i, s)
	k.store(&v, s, k.measure(&v))
}

// store stores the given audibility of v, the voice s, which is compared when a voice must be stolen. It publishes the
// audibility, pan and gain of the voice, and schedules the next update of its scores. s.Power and the kind of s,
// endless or finite, must be up to date.
func (k *scorer) store(v *score.Voice, s *slot, level score.Audibility) {
	a := k.a
	k.Update(v, level, s.voice.Settled(a.now) && s.record.sendsConstant(a.now), a.now, a.grid.done == a.now)
	s.record.levels.Store(float32(s.voice.Pan(a.now)), float32(s.voice.Gain()))
}

// computeScores computes how audible the incoming start will be, as two powers. audibility is the value that the pool
// compares, and remaining is the value over the whole length of the voice. If the start cannot become virtual, they are
// equal. The scores stay in the start, for adoptScores. For the policy StealMasked it also stores the power in each
// band.
func (in *incoming) computeScores() (audibility, remaining float64) {
	a := in.a
	k, last := &a.scores, len(a.newPlayheads)
	reach := busmix.NewStereo(in.voice.PeakGains(a.now, false))
	in.isScored, in.Power = true, a.graph.Buses[in.record.bus].Power(reach)
	in.Shaped = k.applyResponse(last, in.voice, in.record, reach, in.Power)
	importance := in.record.importance.factor
	v := score.Voice{State: &in.State, Playing: in.voice, Response: k.response(last, in.Shaped), Importance: importance}
	in.audibility = k.measure(&v)
	if k.Masking != nil {
		k.SetMasking(a.voices.Base(), &v)
	}
	remaining = float64(float32(in.audibility.Remaining * importance))
	if !in.Virtualizable {
		return remaining, remaining
	}
	return float64(float32(in.audibility.Soon * importance)), remaining
}

// adoptScores stores the scores of the incoming start, whose voice now has index i. If computeScores was called for
// this start, its result is used; otherwise rescore computes the scores.
func (in *incoming) adoptScores(i int) {
	a := in.a
	if !in.isScored {
		a.scores.rescore(i)
		return
	}
	s := &in.record.slot
	if in.Shaped {
		voices := a.responses.Load().Voices
		voices[i] = voices[len(voices)-1]
	}
	a.scores.classify(i, s)
	v := a.scores.voiceAt(i, s)
	a.scores.store(&v, s, in.audibility)
}

// scoreScope selects the scores that a choice needs.
type scoreScope uint8

const (
	scopeReal   scoreScope = iota // real voices
	scopeMoving                   // and remaining of virtual voices that move, see refreshRemaining
	scopeAll                      // and all scores of virtual voices
)

// refreshScores updates the scores of voices, which are compared when a voice must be stolen, to the present frame.
// The parameter which selects real voices or also virtual voices. Scores that cannot have changed are left as they
// are. It is called regularly for all scores, and before a choice for the scores that the choice needs. A second call
// for the same scores at the same frame has no effect: a change of a voice or bus at that frame updates the scores
// itself.
func (k *scorer) refreshScores(which scoreScope) {
	a := k.a
	real, virtual := k.scoredAt != a.now, which > scopeReal && k.scoredVirtualAt != a.now
	if virtual && which == scopeMoving && k.scoredMovingAt == a.now {
		virtual = false
	}
	if !real && !virtual {
		return
	}
	a.graph.refresh()
	responses := a.responses.Load()
	shifted := a.graph.ScoresChanged(responses)
	if real {
		k.refreshReal(shifted)
	}
	k.scoredAt = a.now
	switch {
	case virtual && shifted:
		for i := a.voices.Next(a.voices.Base()); i >= 0; i = a.voices.Next(i + 1) {
			k.refreshScore(i, a.current(i), true)
		}
		k.scoredVirtualAt = a.now
	case virtual && which == scopeAll:
		for i := k.NextDue(a.voices.Base(), a.now); i >= 0; i = k.NextDue(i+1, a.now) {
			k.refreshScore(i, a.current(i), false)
		}
		k.scoredVirtualAt = a.now
	case virtual:
		for i := k.NextMovingDue(a.voices.Base(), a.now); i >= 0; i = k.NextMovingDue(i+1, a.now) {
			k.refreshScore(i, a.current(i), false)
		}
		k.scoredMovingAt = a.now
	}
	if shifted && (a.voices.Virtual() == 0 || k.scoredVirtualAt == a.now) {
		a.graph.ClearScoresChanged(responses)
	}
}

// refreshRemaining updates one score of the virtual voices to the present frame: the audibility of their whole
// remaining sound. The parameter kind selects endless or finite voices, or both. The caller has called
// refreshScores(scopeMoving) at this frame. Then a choice that compares only this score can follow.
func (k *scorer) refreshRemaining(kind victim.Kind) {
	a := k.a
	if k.NoteSearch(a.now); k.scoredVirtualAt == a.now {
		return
	}
	for _, each := range [...]victim.Kind{victim.Finite, victim.Endless} {
		if kind != victim.Any && kind != each {
			continue
		}
		for i := k.NextRemainingDue(each, a.voices.Base(), a.now); i >= 0; i = k.NextRemainingDue(each, i+1, a.now) {
			k.refreshScore(i, a.current(i), false)
		}
	}
}

// refreshReal recomputes the scores of real voices that may have changed since the last call, and stores when the next
// score may change. If shifted is true, a gain or response of a bus has changed; then the scores of all real voices
// are recomputed.
func (k *scorer) refreshReal(shifted bool) {
	a := k.a
	if !k.BeginReal(a.now, shifted) {
		return
	}
	for _, v := range a.voices.Real() {
		if shifted || a.now >= k.ValidUntil(v.Index) {
			k.refreshScore(v.Index, v.Voice, shifted)
		} else {
			k.Keep(v.Index)
		}
	}
}

// refreshScore recomputes the score of the voice s at index i, which measures how audible the voice will be. If only
// the position of the voice has changed, the stored power of its gains is reused. The parameter shifted is true if a
// gain or response of any bus has changed.
func (k *scorer) refreshScore(i int, s *slot, shifted bool) {
	a := k.a
	if s.Constant() && !a.graph.Buses[s.bus].ScoresChanged() && !(shifted && k.sendResponseChanged(s.record)) { // the usual case: it has only advanced
		v := k.voiceAt(i, s)
		k.Advance(&v, k.measure(&v), a.now, a.grid.done == a.now)
	} else {
		k.rescore(i)
	}
}

// lossBound returns an upper bound of the loudness that is lost if the voice s is stolen, as a power. It is +Inf if
// unknown, for example because sends or equalizers may make the voice louder. Each fade counts with the larger of its
// current and target value. For stereo sounds the louder channel counts for both.
func (k *scorer) lossBound(s *slot) float64 {
	a := k.a
	if k.mayGetLouder(s) {
		return math.Inf(1)
	}
	b := &a.graph.Buses[s.bus]
	e, at, looped := s.voice.Envelope()
	if s.Constant() && s.Power > 0 && b.ReachesMaximum(a.now) && s.voice.Sound().Channels() == 1 {
		return float64(s.Power * e.MaxAfter(at, looped)) // constant gains: the power is the bound
	}
	g := b.MaxGains(busmix.NewStereo(s.voice.GainBounds(a.now)), a.now)
	if s.voice.Sound().Channels() == 2 {
		g = busmix.EqualStereo(max(g.Left, g.Right))
	}
	power := g.Power()
	if power == 0 {
		return 0 // even if its loudness is unknown
	}
	return float64(power * e.MaxAfter(at, looped))
}

// scoreMasking sets the masking score of every real voice: how much of the voice is audible beside the others. If
// incoming is true, the incoming start counts among the others. Paused voices mask no voice.
func (k *scorer) scoreMasking(incoming bool) {
	voices := k.a.voices
	hidden := voices.Hidden()
	isMixed := func(v realVoice) bool { return v.Voice.paused == 0 && v.Index != hidden }
	k.Masking.Begin(incoming)
	for _, v := range voices.Real() {
		if isMixed(v) {
			k.Masking.Add(v.Index)
		}
	}
	for _, v := range voices.Real() {
		k.Masking.Score(v.Index, isMixed(v))
	}
}

// scoreVirtualMasking sets the masking scores of real and virtual voices. The score of a virtual voice measures how
// audible it would be beside the real voices. It is exact for the virtual voices to restore first. The parameter first
// is the number of these voices, see masking.Table.BeginVirtual. If again is true, a voice was restored since the last
// call in this frame. It has no effect unless the policy is StealMasked.
func (k *scorer) scoreVirtualMasking(again bool, first int) {
	if k.Masking == nil {
		return
	}
	k.scoreMasking(false)
	k.Masking.BeginVirtual(again, first)
	for j, priority := range k.RestorePriorities() {
		if priority == victim.Unstealable || k.Masking.IsBounded(j, priority) {
			continue
		}
		if k.Masking.Stale(j) {
			i := k.a.voices.Base() + j
			v := k.voiceAt(i, k.a.voices.At(i))
			k.UpdateMasking(&v, true)
		}
		k.Masking.Rate(j, priority)
	}
}

// classify sets two fields of the voice s at index i: Endless, if s does not end by itself, and Virtualizable, if s
// becomes virtual when a full pool steals it. Call it when the end of the voice may have changed.
func (k *scorer) classify(i int, s *slot) {
	s.Endless = s.endAt == never && s.voice.Endless()
	if s.virtual { // it keeps its place, even if its kind changes
		k.a.voices.SetEndless(i, s.Endless)
	}
	s.Virtualizable = k.virtualizable(s.record.whenFull, s.Endless)
}

// virtualizable reports whether a voice becomes virtual if a full pool has no slot for it. w is its Options.WhenFull,
// and endless is true if it does not end by itself. With WhenFullEnd it never does. Otherwise endless voices always
// do, and finite voices if Config.Virtual is above 0.
func (k *scorer) virtualizable(w WhenFull, endless bool) bool {
	return w != WhenFullEnd && (endless || k.a.voices.MaxFinite() > 0)
}

// applyResponse computes how much power of each frequency band of the voice v reaches the output, after all filters,
// buses and sends. It stores the result at index i of a.responses.Voices. v belongs to the start of r. reach holds the
// linear gains of the voice itself. direct is the power, left^2 + right^2, of its path through its own bus. If the bus
// is muted, or silenced by another solo, the stored result is 0. If no filter and no send applies, it stores no result
// and returns false. It also returns false while a.responses is nil.
func (k *scorer) applyResponse(i int, v *voice.Voice, r *record, reach busmix.Stereo, direct float64) bool {
	a := k.a
	responses := a.responses.Load()
	if responses == nil {
		return false
	}
	if !responses.Known() {
		a.graph.refreshResponses()
	}
	bus := &responses.Buses[r.bus]
	if !bus.NotFlat && !v.HasActiveFilter() && r.sends == 0 {
		return false
	}
	heard := &responses.Voices[i]
	if *heard = bus.Through; a.graph.Buses[r.bus].Silent() {
		*heard = spectrum.Gains{}
		return true
	}
	heard.Scale(direct)
	power := reach.Power()
	if bus.Sends {
		heard.Add(&bus.Sent, power)
	}
	if screen := r.screen(); screen != nil { // on the path to the bus
		screen.ApplyResponse(a.now, heard)
	}
	if r.sends > 0 {
		extra := r.extra.Load()
		if r.isSpatial { // sends have their own attenuation and may be audible if the voice is not
			power = busmix.NewStereo(v.PeakGains(a.now, true)).Power()
		}
		for j := range r.sends {
			s := &extra.sends[j]
			gain, from := float64(s.Gain.MaxGain(a.now)*a.graph.SentVolume(int(r.bus), s.Bus)), power
			if s.Pre {
				from = v.PeakPrefaderPower(a.now)
			}
			heard.Add(&responses.Buses[s.Bus].Total, float64(from*float64(gain*gain)))
		}
	}
	v.ApplyResponse(a.now, (*[spectrum.Bands]float64)(heard))
	return true
}

// sendsConstant reports whether the sends of the start of r are constant from the given frame of the mix on. This
// requires that the gains of the sends, their attenuation by distance and the filter of the direct path are not
// fading. It is true without sends.
func (r *record) sendsConstant(frame int64) bool {
	sends := r.voiceSends()
	if sends == nil {
		return true
	}
	if r.isSpatial && r.spatial.Space.Sends.End() > frame {
		return false
	}
	if screen := r.screen(); screen != nil && !screen.Settled(frame) {
		return false
	}
	for i := range sends {
		if sends[i].Gain.End() > frame {
			return false
		}
	}
	return true
}

// sendResponseChanged reports whether the frequency response of any bus that the start of r sends to has changed since
// the scores were refreshed. It is false without sends, and while scores ignore filters.
func (k *scorer) sendResponseChanged(r *record) bool {
	responses := k.a.responses.Load()
	return responses != nil && responses.TotalChanged(r.voiceSends())
}

// mayGetLouder reports whether the voice s may become louder than its gains alone allow, through its sends or through
// effects on its buses. Filters of the voice itself only attenuate, so they do not count.
func (k *scorer) mayGetLouder(s *slot) bool {
	responses := k.a.responses.Load()
	return s.hasSends || responses != nil && responses.Buses[s.bus].NotFlat
}

// noteFilters stores in e the cutoffs of the voice s at index i in Hz. In e.Muffled it stores the power factor by
// which filters, effects and sends change how audible the voice is. If no such response applies, e.Muffled stays
// unchanged, which means 0 for a new event.
func (k *scorer) noteFilters(e *audioEvent, s *slot, i int) {
	lowPass, highPass := s.voice.Cutoffs()
	if screen := s.record.screen(); screen != nil {
		if hz := screen.Low.TargetHz(); hz > 0 && (lowPass == 0 || hz < lowPass) {
			lowPass = hz
		}
	}
	e.LowPass, e.HighPass = float32(lowPass), float32(highPass)
	if !s.Shaped || s.Power == 0 {
		return
	}
	loudness, at, looped := s.voice.Envelope()
	if index, _ := loudness.BothAt(at, looped); index > 0 {
		e.Muffled = float32(max(float64(k.Remaining(i))/float64(float64(s.Power*index)*float64(s.record.importance.factor)), 1e-30)) // a factor; 0 means no filters
	}
}

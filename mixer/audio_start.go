package mixer

import (
	"voicepool/internal/property"
	"voicepool/internal/release"
	"voicepool/pcm"
	"voicepool/pool"
	"voicepool/voice"
)

// start decides, at the present frame, the outcome of the start with the handle id, a request to play a sound. It
// begins a real or a virtual voice, perhaps after another voice was stolen. Or the request ends at once without a
// voice, is refused, or is merged into a voice of its group. The outcome counts in Stats, and its events are emitted.
// fades are the fades of the predecessor; nil without a predecessor.
func (a *audio) start(id pool.Handle, fades *voice.Moves) {
	r := a.record(id)
	in := incoming{a: a, id: id, record: r, voice: &r.slot.voice, fades: fades}
	a.stats.Asked++
	if r.cancelled == id { // stopped before it began
		in.endUnheard(EventStopped)
		return
	}
	if r.sound.Load().Unloaded() {
		in.refuse(&audioEvent{Kind: EventRejected, Choice: eventChoice{Reason: ReasonUnloaded}})
		return
	}
	g := r.group
	if g != nil && in.coalesce(g) {
		return
	}
	if g != nil && g.started && a.now-g.last < g.cooldown {
		in.refuse(&audioEvent{Kind: EventLimited, Choice: eventChoice{Reason: ReasonCooldown}})
		return
	}
	if r.hasNoSound() {
		a.noteSilentFrom(a.now)
		in.endUnheard(EventEnded)
		return
	}
	s := &r.slot
	if space := a.positions.startSpatial(r); space != r.options.Space {
		r.options.Space = space
	}
	in.voice.Start(r.sound.Load(), r.options, a.now)
	r.attachFilters(in.voice, a.now)
	continued := in.continueFades()
	in.Endless = r.duration == 0 && in.voice.Endless()
	in.Virtualizable = a.scores.virtualizable(r.whenFull, in.Endless)
	d := in.decide()
	i := in.apply(d)
	if i < 0 {
		return
	}
	a.stats.Started++
	// Assigned field by field, because the slot contains a voice. The slot may hold values of an earlier
	// start.
	s.record, r.playing = r, id
	s.paused, s.sounded, s.stopping, s.virtual, s.underrun, s.lacksMipLevel = 0, false, false, false, false, false
	s.State = in.State
	release.Uint64(&r.number, uint64(a.stats.Started))
	s.began, s.pausedAt, s.endAt, s.coalescedPower = a.now, a.now, never, 1
	s.bus, s.prio, s.protect = r.bus, r.prio, r.protect
	if s.hasSends = r.sends > 0; s.hasSends {
		extra := r.extra.Load()
		for i := range r.sends {
			a.graph.Buses[extra.sends[i].Bus].ReceiveSends()
		}
	}
	if r.duration > 0 {
		s.endAt = a.now + r.duration
	}
	if extra := r.extra.Load(); extra != nil && extra.newRounds != nil {
		turn := command{kind: cmdSet, feed: extra.newRounds, change: Change{Fields: FieldRounds, Rounds: extra.newRounds.Rounds()}}
		a.journalVoiceCommand(i, &turn)
		s.voice.SwitchBuffer(extra.newRounds)
		extra.newRounds = nil
	}
	if a.graph.HasPitch(int(r.bus)) {
		if pitch := a.graph.PitchOf(int(r.bus), a.now); pitch.From != 0 || pitch.To != 0 {
			s.voice.SetBusPitch(a.now, pitch)
		}
	}
	if a.graph.Buses[r.bus].PausedByTree() {
		s.paused |= pausedBus
	}
	if a.paused {
		s.paused |= pausedAll
	}
	a.updateIndex(i)
	if g != nil {
		g.playing++
		g.started, g.last, g.first, g.number = true, a.now, r, s.number()
	}
	a.graph.AddPlaying(int(s.bus), 1)
	a.scores.Set(i, r.prio, s.number(), r.protect)
	in.adoptScores(i)
	overrides := r.overrides(id)
	if continued != 0 {
		if overrides != nil {
			overrides.props &^= continued
		}
		a.journalContinuedFades(i, continued)
	}
	if props := propertySet(r.dirty.Load()) >> property.NumVoiceFades << property.NumVoiceFades; props != 0 || overrides != nil && overrides.props != 0 {
		a.applyProperties(r, props, overrides)
	}
	a.stats.Playing++
	a.size.updateHighWater()
	a.emitVoiceEvent(&audioEvent{}, EventStarted, s, a.now, i)
	if w := &d.event; s.virtual {
		e := audioEvent{Choice: eventChoice{
			Reason: w.Reason, Powers: w.Powers, Candidates: w.Candidates, Peers: w.Peers, Policy: a.overflow, Priority: s.prio, RunnerUpPriority: w.RunnerUpPriority, Endless: s.Endless,
		}}
		e.Importance = r.importance.decibels
		e.Lost = a.scores.lossBound(s)
		a.scores.noteFilters(&e, s, i)
		a.emitVoiceEvent(&e, EventVirtual, s, a.now, i)
	}
}

// hasNoSound reports whether the start of r needs no voice: its sound is empty, or the start begins at or after the
// end of the sound and does not loop. It returns false for a stream.
func (r *record) hasNoSound() bool {
	sound := r.sound.Load()
	return !sound.Streamed() && r.options.From >= sound.Frames() && !(r.options.Loop && sound.Loop().Frames() > 0)
}

// coalesce merges the start in into the last voice of the group g. It does so only if that voice began recently enough
// and still plays, and reports whether it did. A voice that is fading out, virtual or paused by itself is not used; a
// pause of its bus does not matter. The powers of merged starts add up, up to the limit of the group, and the voice
// gets the gain of the sum. The start in then ends as coalesced, with an EventCoalesced.
func (in *incoming) coalesce(g *Group) bool {
	a := in.a
	if g.coalesceWithin == 0 || !g.started || a.now-g.last > g.coalesceWithin {
		return false
	}
	first := g.first
	if first.playing == 0 || first.number.Load() != g.number {
		return false
	}
	s := a.mutable(first.status.Index())
	if s.voice.FadeEnd() != never || s.paused&pausedItself != 0 || s.virtual { // the merged start would not be heard
		return false
	}
	// The sounds of a group are considered equal, so only their gains are compared.
	options, of := &in.record.options, &first.options
	own := pcm.Decibels(options.BaseGain + options.Gain - (of.BaseGain + of.Gain)).Linear()
	s.coalescedPower = min(s.coalescedPower+float64(own*own), g.maxPower)
	s.voice.SetCrowd(a.now, pcm.FromPower(s.coalescedPower), a.smoothed(s.sounded, 0))
	a.scores.rescore(first.status.Index())
	var e audioEvent
	s.record.setCause(&e, s.number())
	e.Kind = EventCoalesced
	in.refuse(&e)
	return true
}

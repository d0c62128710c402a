package mixer

import (
	"slices"

	"voicepool/internal/move"
	"voicepool/internal/property"
	"voicepool/mixer/internal/busmix"
)

// busGraph is the buses of the mixer. Its methods decide what depends on voices.
type busGraph struct {
	*busmix.Graph
	a        *audio
	sounding []bool // scratch space of soundingBuses

	// Consecutive changes of buses at one frame share a refresh, because its cost grows with the number of buses.
	sharing bool   // set leaves the refresh to finishChanges
	waiting bool   // a refresh is left to finishChanges
	changed []bool // by bus: finishChanges computes the scores of its voices
}

// busConfigs converts all buses of c, with their ducks and sends, for the audio side.
func (s *shared) busConfigs(c *checkedConfig) []busmix.BusConfig {
	all := make([]busmix.BusConfig, len(c.buses))
	for i := range c.buses {
		b := &c.buses[i]
		all[i] = busmix.BusConfig{
			Gain: float64(b.Gain), Pan: b.Pan, Pitch: float64(b.Pitch), Voices: b.Voices, Mute: b.Mute, Solo: b.Solo, Duck: s.newDuckRules(&b.Duck),
			Insert: b.Insert, Effects: b.Effects, LowPass: b.LowPass, HighPass: b.HighPass,
		}
		for j := range b.Sends {
			all[i].Sends = append(all[i].Sends, newSend(s.tree.Nodes[i].Sends[j], &b.Sends[j]))
		}
	}
	return all
}

// newSend returns the state of the send d to the bus with index bus.
func newSend(bus int, d *Send) busmix.Send {
	return busmix.Send{Bus: bus, Gain: move.Constant(float64(d.Gain)), Pre: d.Pre}
}

// refresh recomputes, for the present frame, the state of all buses that scores and pauses use. If the gains or the
// response of a bus have changed, its voices will get new scores.
func (g *busGraph) refresh() {
	g.Refresh(g.a.now)
	g.refreshResponses()
}

// refreshResponses recomputes the responses of all buses for the present frame. After any change, scores count as
// outdated even if they were refreshed in this frame. It has no effect while scores ignore filters.
func (g *busGraph) refreshResponses() {
	a := g.a
	if r := a.responses.Load(); r != nil && g.RefreshResponses(r, a.now) {
		a.scores.scoredAt, a.scores.scoredVirtualAt = -1, -1
	}
}

// soundingBuses returns by bus whether a voice on it may be heard: it is real, has sounded and is not paused. The next
// call overwrites the result.
func (g *busGraph) soundingBuses() []bool {
	clear(g.sounding)
	for _, v := range g.a.voices.Real() {
		if v.Voice.sounded && v.Voice.paused == 0 {
			g.sounding[v.Voice.bus] = true
		}
	}
	return g.sounding
}

// mayHaveOutput reports whether the bus with index bus may have output at the present frame: from voices, tails,
// effects or inserts on it or below it.
func (g *busGraph) mayHaveOutput(bus int) bool {
	return g.MayHaveOutput(bus, false, g.soundingBuses(), g.a.now)
}

// set applies c, a cmdSet, to the bus with the given index: each property in c.change fades to its new value within
// c.fadeFrames frames. If the bus may have output, the fade lasts at least 5 ms. Voices on the bus and below it get the
// new pitch and new scores. After a change of solo, all voices get new scores.
func (g *busGraph) set(index int, c *command) {
	a := g.a
	var sets [property.NumBusFades]busmix.Set
	n := 0
	for fields := c.change.Fields; fields != 0; fields &= fields - 1 {
		f := fields.first()
		sets[n] = busmix.Set{Property: f, Value: c.change.get(f)}
		n++
	}
	over := a.smoothed(g.mayHaveOutput(index), c.fadeFrames)
	a.noteTailUntil(g.Set(index, sets[:n], a.now, over, c.change.Shape))
	if g.sharing && c.change.Fields&(FieldSolo|FieldPitch) == 0 {
		g.waiting, g.changed[index] = true, true
		return
	}
	g.refresh()
	solo := c.change.Fields&FieldSolo != 0
	if solo {
		g.FadeSolos(g.soundingBuses(), a.now, c.fadeFrames)
	}
	for i, place := a.voices.NextInOrder(0); i >= 0; i, place = a.voices.NextInOrder(place) {
		below := a.tree.PassesThrough(int(a.voices.At(i).bus), index)
		if below && c.change.Fields&FieldPitch != 0 {
			s := a.mutable(i)
			s.voice.SetBusPitch(a.now, g.PitchOf(int(s.bus), a.now))
		}
		if below || solo {
			a.scores.rescore(i)
		}
	}
}

// finishChanges does the refresh that set has left, if there is one, and updates the scores of the voices on the
// changed buses and below them. It must be called at the frame of the changes, before scores are used.
func (g *busGraph) finishChanges() {
	if !g.waiting {
		return
	}
	a := g.a
	g.refresh()
	for _, i := range a.tree.ParentsFirst { // a change also concerns the buses below
		if above := a.tree.Nodes[i].Above; above >= 0 && g.changed[above] {
			g.changed[i] = true
		}
	}
	for i, place := a.voices.NextInOrder(0); i >= 0; i, place = a.voices.NextInOrder(place) {
		if g.changed[a.voices.At(i).bus] {
			a.scores.rescore(i)
		}
	}
	g.waiting = false
	clear(g.changed)
}

// executeShared executes c as execute does. If c changes a bus, the refresh of the buses waits for the next command
// that does not, or for finishChanges, which the caller calls after the last command of a frame.
func (a *audio) executeShared(c *command) {
	a.graph.sharing = c.kind == cmdPendingBus || c.kind == cmdEffects || c.kind == cmdSet && c.target.kind == busVoices
	if !a.graph.sharing {
		a.graph.finishChanges()
	}
	a.execute(c)
	a.graph.sharing = false
}

// setEffect executes c, a cmdEffect: it fades parameters of one effect of a bus within c.fadeFrames frames, at least 10
// ms. A parameter with more than two choices changes at once.
func (g *busGraph) setEffect(c *command) {
	e := c.payload.effect
	g.a.noteTailUntil(g.SetEffect(int(c.target.bus), e.name, e.kind, e.moves, g.a.now, c.fadeFrames))
	g.refresh()
}

// setEffects executes c, a cmdEffects: it replaces the effects of a bus, with a crossfade of 20 ms.
func (g *busGraph) setEffects(c *command) {
	g.a.noteTailUntil(g.SetEffects(int(c.target.bus), c.payload.chain, g.a.now))
	if g.sharing {
		g.waiting, g.changed[c.target.bus] = true, true
		return
	}
	g.refresh()
}

// setSend executes c, a cmdSend: it fades the gain of a send of a bus within c.fadeFrames frames. If the bus may have
// output, the fade lasts at least 5 ms. If the bus has no send to the bus in c, the gains stay unchanged.
func (g *busGraph) setSend(c *command) {
	a, bus, to := g.a, int(c.target.bus), c.payload.send
	a.noteTailUntil(g.SetSend(bus, to.bus, to.gain, a.now, a.smoothed(g.mayHaveOutput(bus), c.fadeFrames)))
	g.refresh()
}

// noteTailUntil records in Stats.RingsUntil that effects may sound until the given frame of the mix. During Engine.Skip
// it also records the frame in Stats.SilentFrom. A frame before the recorded one has no effect.
func (a *audio) noteTailUntil(frame int64) {
	a.stats.RingsUntil = max(a.stats.RingsUntil, frame)
	if a.skipping {
		a.noteSilentFrom(frame)
	}
}

// reportFaults counts the effects, inserts and filters that failed in the last block in Stats.Faults, and emits an
// EventFault for each. a.now must still be the first frame of the block.
func (g *busGraph) reportFaults() {
	for _, bus := range g.Faults {
		g.a.stats.Faults++
		g.a.emit(&audioEvent{Frame: g.a.now, Kind: EventFault, Slot: -1, Bus: bus})
	}
}

// updateDucks lowers each bus with a duck from the present frame on, if a voice on the trigger bus is loud enough. The
// loudness of voices is known only from their last scores, which may be 20 ms old.
func (g *busGraph) updateDucks() {
	a := g.a
	for i := range g.Buses {
		d := &g.Buses[i].Duck
		if r := d.Rules(); r != nil {
			loud := g.HasVoices(r.Trigger) && slices.ContainsFunc(a.voices.Real(), func(v realVoice) bool { return g.triggers(r, v.Index, v.Voice) })
			d.Update(loud, a.now)
		}
	}
}

// scheduleReleases schedules the release of each duck whose last trigger ends within the n frames just mixed. It reads
// a.endings, so it must be called before endFinishedVoices.
func (g *busGraph) scheduleReleases(n int64) {
	if len(g.a.endings) == 0 {
		return
	}
	for i := range g.Buses {
		if d := &g.Buses[i].Duck; d.Lowers() {
			if last, silent := g.lastTriggerEnd(d.Rules(), g.a.now+n); silent {
				d.HoldFrom(last)
			}
		}
	}
}

// triggers reports whether the voice s at index i triggers a duck with the rules d. Such a voice is on the trigger bus
// or below it, is neither virtual nor paused, and is loud enough.
func (g *busGraph) triggers(d *busmix.DuckRules, i int, s *slot) bool {
	a := g.a
	return i < a.voices.Base() && a.scores.Remaining(i) >= float32(d.Above*s.record.importance.factor) && // its loudness is compared
		s.paused == 0 && a.tree.Below(int(s.bus), d.Trigger)
}

// lastTriggerEnd reports in silent whether all voices that trigger a duck with the rules d end before the frame end.
// If so, the result frame is the frame where the last of them ends; otherwise it has no meaning. Both are frames of
// the mix.
func (g *busGraph) lastTriggerEnd(d *busmix.DuckRules, end int64) (frame int64, silent bool) {
	a := g.a
	left, last := 0, a.now
	for _, v := range a.voices.Real() {
		if g.triggers(d, v.Index, v.Voice) {
			left++
		}
	}
	for _, e := range a.endings {
		frame := a.now + int64(e.offset)
		if i := int(e.slot); !e.dry && frame < end && g.triggers(d, i, a.mutable(i)) {
			left--
			last = max(last, frame)
		}
	}
	return last, left == 0
}

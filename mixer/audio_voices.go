package mixer

import (
	"cmp"
	"slices"

	"voicepool/internal/dsp"
	"voicepool/internal/release"
	"voicepool/internal/ring"
	"voicepool/mixer/internal/victim"
	"voicepool/pcm"
	"voicepool/pool"
	"voicepool/voice"
)

// mixVoices adds the next n frames of all voices to their buses, in the order of slots, and collects in a.endings the
// voices that end within them. Voices whose Options.For ends leave a tail here. Virtual voices only advance.
func (a *audio) mixVoices(n int64) {
	alive := a.real()
	if bank := a.filterBank.Load(); bank != nil {
		bank.Clear()
	}
	if a.stems != nil {
		a.mixVoicesForStems(alive, n)
		alive = nil
	}
	for len(alive) > 0 {
		alive = alive[a.mixUntilPanic(alive, n):]
	}
	a.mixVirtual(n)
	slices.SortFunc(a.endings, func(e, f ending) int {
		return cmp.Or(cmp.Compare(e.offset, f.offset), cmp.Compare(a.position(int(e.slot)), a.position(int(f.slot))))
	})
	for _, e := range a.endings {
		if e.cut && int(e.slot) < a.base { // here, so that tails are summed in the order of their frames
			a.leaveTail(a.mutable(int(e.slot)), a.now+int64(e.offset))
		}
	}
}

// mixUntilPanic mixes the next n frames of the voices alive, in order, until a voice panics. done is the number of
// voices processed, including a voice that panicked, which is added to a.endings as faulty. The caller repeats the
// call for the rest. Other ends are added to a.endings, too.
func (a *audio) mixUntilPanic(alive []realVoice, n int64) (done int) {
	defer func() {
		if recover() != nil {
			a.endings = append(a.endings, ending{slot: int32(alive[done].index), fault: true})
			done++
		}
	}()
	var next *voice.Voice
	heard, bank := a.mixedSlots(), a.filterBank.Load()
	for ; done < len(alive); done++ {
		v := alive[done]
		if v.slot.paused != 0 {
			continue
		}
		if bank != nil && bank.Accepts(&v.slot.voice, n, a.now) && a.mixesAllOf(v, heard, n) {
			a.filterAhead(bank, alive[done:], heard, n)
		}
		if next = nil; done+1 < len(alive) {
			next = &alive[done+1].slot.voice
		}
		steady := false // whether the fast path has done everything
		switch {
		case v.slot.hasSends && v.index < heard:
			a.mixSending(v, next, n)
			steady = true
		case n >= v.slot.endAt-a.now:
		case v.index >= heard:
			steady = v.slot.voice.SkipFast(n)
		default:
			steady = v.slot.voice.MixFast(next, a.buses[v.slot.bus].block(n), a.now)
		}
		if !steady {
			a.mixVoice(v.index, v.slot, next, n)
		}
	}
	return done
}

// filterAhead filters the next n frames of the first voices in next together, as many as bank takes. It skips paused
// voices and voices with an index of heard or above. MixFast of each voice then uses the result.
func (a *audio) filterAhead(bank *voice.FilterBatch, next []realVoice, mixed int, n int64) {
	for _, v := range next {
		if a.mixesAllOf(v, mixed, n) && !bank.Add(&v.slot.voice, n, a.now) {
			break
		}
	}
	bank.Run(n, a.now)
}

// mixesAllOf reports whether voice v is mixed for all of the next n frames: it is not paused, has an index below
// mixed, and Options.For does not end it within them.
func (a *audio) mixesAllOf(v realVoice, mixed int, n int64) bool {
	return v.slot.paused == 0 && v.index < mixed && n < v.slot.endAt-a.now
}

// mixedSlots returns the number of indices, from 0, whose voices are mixed: all slots, or none in Skip.
func (a *audio) mixedSlots() int {
	if a.skipping {
		return 0
	}
	return a.base
}

// mixVoice adds up to n of the next frames of the voice s at index i to its bus. If the voice is virtual, or in Skip,
// it only advances. got is the number of frames before the end of the voice, at most n. mixVoice records an end, and
// a stream that runs dry, in a.endings. next is the voice that will be mixed afterwards; its samples are prefetched.
// next may be nil.
func (a *audio) mixVoice(i int, s *slot, next *voice.Voice, n int64) (got int64) {
	room := min(n, s.endAt-a.now)
	if i < a.mixedSlots() {
		got = int64(s.voice.MixBefore(next, a.buses[s.bus].block(n)[:room], a.now))
	} else {
		got = s.voice.Skip(room, a.now)
	}
	s.sounded = s.sounded || got > 0
	switch at := a.now + got; {
	case got < room || s.voice.Ended(at):
		a.endings = append(a.endings, ending{offset: int32(got), slot: int32(i), fault: s.voice.Faulty(), broken: s.voice.Broken()})
	case s.endAt == at:
		a.endings = append(a.endings, ending{offset: int32(got), slot: int32(i), cut: true})
	}
	if lacks := s.voice.LacksMip(); lacks != s.lacksMipLevel {
		s.lacksMipLevel = lacks
		if lacks {
			a.stats.MissingMipLevels++
			a.missingMips.Store(true)
		}
	}
	if from, dry := s.voice.Underrun(); dry != s.underrun {
		s.underrun = dry
		if dry {
			a.endings = append(a.endings, ending{offset: int32(from - a.now), slot: int32(i), dry: true})
		}
	}
	return got
}

// endFinishedVoices handles a.endings in the order of frames: it ends the voices, emits the events of ends, faults
// and underruns, and empties the list. A voice whose stream ran dry does not end.
func (a *audio) endFinishedVoices() {
	for _, e := range a.endings {
		i, frame, kind := int(e.slot), a.now+int64(e.offset), EventEnded
		s := a.mutable(i)
		if e.dry {
			a.stats.Underruns++
			a.emitVoiceEvent(&audioEvent{}, EventUnderrun, s, frame, i)
			continue
		}
		if e.fault {
			a.stats.Faults++
			a.emitVoiceEvent(&audioEvent{}, EventFault, s, frame, i)
		} else if e.broken {
			a.stats.Broken++
			a.emitVoiceEvent(&audioEvent{}, EventBroken, s, frame, i)
		}
		if s.stopping && s.voice.FadingOut() && frame >= s.voice.FadeEnd() {
			kind = EventStopped
		}
		a.endVoice(i, frame, kind, &audioEvent{})
	}
	a.endings = a.endings[:0]
}

// emitVoiceEvent sets the kind k, the frame of the mix and the description of the voice s at index i in e, and emits
// e.
func (a *audio) emitVoiceEvent(e *audioEvent, k EventKind, s *slot, frame int64, i int) {
	if e.Frame, e.Kind, e.Slot = frame, k, int32(i); s.virtual { // a virtual voice has no slot
		e.Slot = -1
	}
	e.Voice, e.Sound, e.Group, e.Ref = s.number(), s.voice.Sound(), s.record.group, s.record.ref
	a.setStem(e, s.record)
	a.emit(e)
}

// setCause stores the start of r in e as the cause of the event: the start or voice that takes the place of another.
// number is the start number of r.
func (r *record) setCause(e *audioEvent, number uint64) {
	e.By, e.BySound, e.ByGroup, e.ByRef, e.NewcomerPriority = number, r.sound.Load(), r.group, r.ref, r.prio
}

// countOutcome increments the counter in Stats for a start whose last event is of kind k, and returns the final state
// of the start. A kind that does not end a start counts as EventEnded.
func (a *audio) countOutcome(k EventKind) State {
	state, count := StateEnded, &a.stats.Ended
	switch k {
	case EventStopped:
		state, count = StateStopped, &a.stats.Stopped
	case EventStolen:
		state, count = StateStolen, &a.stats.Stolen
	case EventLimited:
		state, count = StateLimited, &a.stats.Limited
	case EventCoalesced:
		state, count = StateCoalesced, &a.stats.Coalesced
	case EventRejected:
		state, count = StateRejected, &a.stats.Rejected
	}
	*count++
	return state
}

// leaveTail adds a tail of voice s to the voice's bus and stem and to the destinations of its sends, and records the
// end of the tail in Stats. The tail is the next 10 ms of the voice from frame, a frame of the mix, on, or less for a
// very fast stream, under a raised cosine that falls to 0. The voice itself does not change. A voice that does not
// sound leaves no tail.
func (a *audio) leaveTail(s *slot, frame int64) {
	if !s.sounded || s.paused != 0 || s.virtual || s.voice.FadesBackInAt(frame) || a.tail == 0 {
		return
	}
	clear(a.scratch)
	copied := s.voice
	copied.SplitFilter(&a.tailFilter)
	length := copied.TailFrames(frame, a.tail)
	var pre []pcm.Frame
	if s.record.sendsPre {
		pre = (*a.preBuffer.Load())[:length]
		clear(pre)
		copied.SplitPrefader(&a.splits.Load().pre)
		a.splits.Load().pre.SetOutput(pre, frame)
	}
	n := mixRecovered(&copied, a.scratch[:length], frame)
	a.applyTailWindow(a.scratch[:n], length)
	home := a.scratch[:n]
	if s.hasSends {
		home = a.directTail(s, home, frame)
	}
	a.buses[s.bus].addTail(home, frame)
	if a.stems != nil {
		s.record.extra.Load().stem.buses[s.bus].Load().addTail(home, frame)
	}
	a.noteSilentFrom(frame + int64(n))
	a.noteTailFrom(frame+int64(n), int(s.bus))
	a.extendTailFor(s)
	if s.hasSends {
		if pre != nil {
			pre = pre[:n]
			a.applyTailWindow(pre, length)
		}
		a.sendTail(s, a.scratch[:n], pre, frame)
	}
}

// applyTailWindow multiplies tail by a window that falls from 1 to 0 within length frames. tail may be shorter than
// length; it then gets the beginning of the window.
func (a *audio) applyTailWindow(tail []pcm.Frame, length int64) {
	if length == a.tail {
		dsp.Window(tail, a.tailWindow)
		return
	}
	for i := range tail {
		x, g := &tail[i], a.tailWindow[int64(i)*a.tail/length]
		x[0], x[1] = float32(x[0]*g), float32(x[1]*g)
	}
}

// mixRecovered adds the voice v to dst, which begins at frame, a frame of the mix. Like Voice.Mix it returns the
// number of frames before the end of v. It returns 0 if v panics; dst is undefined then.
func mixRecovered(v *voice.Voice, dst []pcm.Frame, frame int64) (n int) {
	defer func() {
		if recover() != nil {
			n = 0
		}
	}()
	return v.Mix(dst, frame)
}

// noteSilentFrom records in Stats.SilentFrom that sound lasts until frame, a frame of the mix. A frame before the
// recorded one has no effect.
func (a *audio) noteSilentFrom(frame int64) {
	a.stats.SilentFrom = max(a.stats.SilentFrom, frame)
}

// endVoice ends the voice at index i at frame, a frame of the mix, with the kind k as outcome: it completes and emits
// e, releases the successor, and frees the index and the record. It leaves no tail.
func (a *audio) endVoice(i int, frame int64, k EventKind, e *audioEvent) {
	s, state := a.mutable(i), a.countOutcome(k)
	a.noteSilentFrom(frame)
	a.noteTailOfVoice(s, frame)
	a.stats.Playing--
	if g := s.record.group; g != nil {
		g.playing--
	}
	a.addPlaying(s.bus, -1)
	a.emitVoiceEvent(e, k, s, frame, i)
	storeFrames(&s.record.position, s.voice.Position()) // before returnRecord publishes the state
	if len(a.successors) > 0 {
		moves := s.voice.Moves()
		a.releaseSuccessor(s.record.playing, state == StateEnded, &moves)
	}
	a.freeIndex(i)
	a.returnRecord(s.record, s.record.playing, state)
}

// freeIndex frees index i of the voice table after its voice has ended or moved, and excludes the index from choices.
func (a *audio) freeIndex(i int) {
	a.scores.Set(i, victim.Unstealable, 0, false) // otherwise the number would occur twice
	if i >= a.base {
		a.scores.SetRestorePrio(i, victim.Unstealable)
		a.scoresDue.remainingHolds[i-a.base], a.scoresDue.validUntil[i] = never, never
	}
	a.release(i)
}

// returnRecord returns the record r of start id to the control side, with the final state of the start, drops the
// start's sound and streams, and decrements its countdowns. The audio side must not use the record afterwards.
func (a *audio) returnRecord(r *record, id pool.Handle, state State) {
	r.playing = 0
	r.slot.voice.Drop() // releases references for the garbage collector
	release.Pointer(&r.sound, nil)
	r.setNewRounds(nil)
	r.group, r.options.Buffer, r.options.Space = nil, nil, nil
	if r.hasCountdowns {
		a.countDown(r)
	}
	r.status.Set(state, -1)
	ring.Push(a.freed, id) // never full: it has room for every record
}

package mixer

import (
	"cmp"
	"slices"
	"sync/atomic"

	"voicepool/internal/dsp"
	"voicepool/internal/release"
	"voicepool/internal/ring"
	"voicepool/pcm"
	"voicepool/pool"
	"voicepool/voice"
)

// mixVoices adds the next n frames of all real voices to their buses, in the order of slots. Virtual voices only
// advance. The voices that end within these frames are collected in a.endings, sorted by frame. A voice that reaches
// its time limit Options.For leaves a tail here.
func (a *audio) mixVoices(n int64) {
	alive := a.voices.Real()
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
		return cmp.Or(cmp.Compare(e.offset, f.offset), cmp.Compare(a.voices.Position(int(e.slot)), a.voices.Position(int(f.slot))))
	})
	for _, e := range a.endings {
		if e.cut && int(e.slot) < a.voices.Base() { // here, so that tails are summed in the order of their frames
			a.leaveTail(a.mutable(int(e.slot)), a.now+int64(e.offset))
		}
	}
}

// mixUntilPanic mixes the next n frames of the voices in alive, in order, until a voice panics. The result done is the
// number of voices processed, including a voice that panicked. The caller repeats the call for the rest. Voices that
// end or panic are added to a.endings.
func (a *audio) mixUntilPanic(alive []realVoice, n int64) (done int) {
	defer func() {
		if recover() != nil {
			a.endings = append(a.endings, ending{slot: int32(alive[done].Index), fault: true})
			done++
		}
	}()
	var next *voice.Voice
	heard, bank := a.mixedSlots(), a.filterBank.Load()
	buses := a.graph.Buses
	for ; done < len(alive); done++ {
		v := alive[done]
		if v.Voice.paused != 0 {
			continue
		}
		if bank != nil && bank.Accepts(&v.Voice.voice, n, a.now) && a.mixesAllOf(v, heard, n) {
			a.filterAhead(bank, alive[done:], heard, n)
		}
		if next = nil; done+1 < len(alive) {
			next = &alive[done+1].Voice.voice
		}
		steady := false // whether the fast path has done everything
		switch {
		case v.Voice.hasSends && v.Index < heard:
			a.mixSending(v, next, n)
			steady = true
		case n >= v.Voice.endAt-a.now:
		case v.Index >= heard:
			steady = v.Voice.voice.SkipFast(n)
		default:
			steady = v.Voice.voice.MixFast(next, buses[v.Voice.bus].Block(n), a.now)
		}
		if !steady {
			a.mixVoice(v.Index, v.Voice, next, n)
		}
	}
	return done
}

// filterAhead runs the filters of several voices together for the next n frames. It takes the first voices in next, as
// many as bank has room for. It skips voices that mixesAllOf excludes, such as paused voices. MixFast of each voice
// then uses the result in bank.
func (a *audio) filterAhead(bank *voice.FilterBatch, next []realVoice, mixed int, n int64) {
	for _, v := range next {
		if a.mixesAllOf(v, mixed, n) && !bank.Add(&v.Voice.voice, n, a.now) {
			break
		}
	}
	bank.Run(n, a.now)
}

// mixesAllOf reports whether the voice v is mixed for all of the next n frames. This requires that it is not paused,
// that its index is below the parameter mixed, and that its time limit Options.For does not end it within them.
func (a *audio) mixesAllOf(v realVoice, mixed int, n int64) bool {
	return v.Voice.paused == 0 && v.Index < mixed && n < v.Voice.endAt-a.now
}

// mixedSlots returns the number of indices, from 0 on, whose voices are mixed. This is the number of slots, or 0
// during Engine.Skip.
func (a *audio) mixedSlots() int {
	if a.skipping {
		return 0
	}
	return a.voices.Base()
}

// mixVoice adds up to n of the next frames of the voice s at index i to its bus. A virtual voice only advances, and so
// do all voices during Engine.Skip. The result got is the number of frames before the end of the voice, at most n. The
// end of a voice, and a stream that runs dry, are added to a.endings. The parameter next is the voice whose samples
// are prefetched; it may be nil.
func (a *audio) mixVoice(i int, s *slot, next *voice.Voice, n int64) (got int64) {
	room := min(n, s.endAt-a.now)
	if i < a.mixedSlots() {
		got = int64(s.voice.MixBefore(next, a.graph.Buses[s.bus].Block(n)[:room], a.now))
	} else {
		got = s.voice.Skip(room, a.now)
	}
	s.sounded = s.sounded || got > 0
	switch at := a.now + got; {
	case got < room || s.voice.Ended(at):
		invalid, broken := s.voice.Failure()
		a.endings = append(a.endings, ending{offset: int32(got), slot: int32(i), fault: invalid, broken: broken})
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

// endFinishedVoices ends the voices in a.endings, in the order of their frames, and empties the list. It emits the
// events of ends, faults, broken streams and underruns, and counts them in Stats. A voice whose stream ran dry does not
// end. a.now must still be the first of the frames just mixed.
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
		if s.stopping && frame >= s.voice.FadeEnd() {
			kind = EventStopped
		}
		a.endVoice(i, frame, kind, &audioEvent{})
	}
	a.endings = a.endings[:0]
}

// emitVoiceEvent emits e for the voice s at index i. It first fills in the kind k, the given frame of the mix and the
// fields that describe the voice. A virtual voice has the slot -1.
func (a *audio) emitVoiceEvent(e *audioEvent, k EventKind, s *slot, frame int64, i int) {
	if e.Frame, e.Kind, e.Slot = frame, k, int32(i); s.virtual { // a virtual voice has no slot
		e.Slot = -1
	}
	e.Voice, e.Sound, e.Group, e.Ref = s.number(), s.voice.Sound(), s.record.group, s.record.ref
	a.setStem(e, s.record)
	a.emit(e)
}

// setCause stores the start of r in e as the cause of the event: the start or voice that takes the place of another.
// The parameter number is its start number.
func (r *record) setCause(e *audioEvent, number uint64) {
	e.By, e.BySound, e.ByGroup, e.ByRef, e.NewcomerPriority = number, r.sound.Load(), r.group, r.ref, r.prio
	e.NewcomerImportance = r.importance.decibels
}

// countOutcome increments the counter in Stats for a start whose last event is of kind k. It returns the final state
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

// leaveTail lets the voice s fade out after it is cut at the given frame of the mix. The tail is its next 10 ms under a
// falling raised cosine; a very fast stream has a shorter tail. The tail is added to the bus and the sends of the
// voice, and to its part of the stems. Stats records the end of the tail. The voice itself does not change. A voice
// that is paused, virtual or has not sounded leaves no tail. Neither does a voice whose fade-in after a pause begins at
// that frame.
func (a *audio) leaveTail(s *slot, frame int64) {
	if !s.sounded || s.paused != 0 || s.virtual || s.voice.FadesBackInAt(frame) || a.tail == 0 {
		return
	}
	clear(a.scratch)
	var prefader *voice.Prefader
	if s.record.sendsPre {
		prefader = a.sendBuffers.Prefader()
	}
	copied := s.voice
	length := copied.BeginTail(&a.tailFilter, prefader, frame, a.tail)
	var pre []pcm.Frame
	if prefader != nil {
		pre = a.sendBuffers.Pre(length)
		prefader.SetOutput(pre, frame)
	}
	n := mixRecovered(&copied, a.scratch[:length], frame)
	a.applyTailWindow(a.scratch[:n], length)
	home := a.scratch[:n]
	if s.hasSends {
		home = a.sendBuffers.DirectTail(s.record.directPath(), home, frame)
	}
	a.graph.Buses[s.bus].AddTail(home, frame)
	if a.stems != nil {
		s.record.extra.Load().stem.AddTail(int(s.bus), home, frame)
	}
	a.noteSilentFrom(frame + int64(n))
	a.noteTailUntil(a.graph.VoiceTail(int(s.bus), nil, s.began, frame+int64(n)))
	if s.hasSends {
		if pre != nil {
			pre = pre[:n]
			a.applyTailWindow(pre, length)
		}
		a.sendTail(s, a.scratch[:n], pre, frame)
	}
}

// applyTailWindow multiplies tail by a window that falls from 1 to 0 within length frames. A tail shorter than length
// gets only the beginning of the window. It must not be longer.
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

// mixRecovered adds the voice v to dst, which begins at the given frame of the mix. It returns the number of frames
// before the end of v, at most len(dst). If v panics, it returns 0, and the content of dst is undefined.
func mixRecovered(v *voice.Voice, dst []pcm.Frame, frame int64) (n int) {
	defer func() {
		if recover() != nil {
			n = 0
		}
	}()
	return v.Mix(dst, frame)
}

// noteSilentFrom records in Stats.SilentFrom that sound lasts until the given frame of the mix. A frame before the
// recorded one has no effect.
func (a *audio) noteSilentFrom(frame int64) {
	a.stats.SilentFrom = max(a.stats.SilentFrom, frame)
}

// endVoice ends the voice at index i at the given frame of the mix, without a tail. The kind k is the outcome, which
// counts in Stats. It fills in e with the voice and emits it. The successor becomes ready to start. The index becomes
// free, and the record returns to the control side.
func (a *audio) endVoice(i int, frame int64, k EventKind, e *audioEvent) {
	s, state := a.mutable(i), a.countOutcome(k)
	a.noteSilentFrom(frame)
	a.noteTailUntil(a.graph.VoiceTail(int(s.bus), s.record.voiceSends(), s.began, frame))
	a.stats.Playing--
	if g := s.record.group; g != nil {
		g.playing--
	}
	a.graph.AddPlaying(int(s.bus), -1)
	a.emitVoiceEvent(e, k, s, frame, i)
	storeFrames(&s.record.position, s.voice.Position()) // before returnRecord publishes the state
	if next := a.successors.Release(s.record.playing, state != StateEnded); next != 0 {
		*a.record(next).extra.Load().predecessorFades = s.voice.Moves()
	}
	a.scores.Remove(i)
	a.voices.Remove(i)
	a.returnRecord(s.record, s.record.playing, state)
}

// updateIndex updates the state of a voice that depends on its index in the voice table, after the voice has got index
// i. From a.voices.Base() on, indices belong to virtual voices. The state, the index and the position of the voice
// become visible to the control side.
func (a *audio) updateIndex(i int) {
	s := a.mutable(i)
	s.virtual = i >= a.voices.Base()
	a.updateRestorePrio(i)
	a.newPlayheads[i] = s.voice.Position()
	storeFrames(&a.playheads[i], a.newPlayheads[i])
	s.record.status.Set(s.state(), i) // last: readers of the index expect a valid position
}

// unpublishIndex shows the control side that v, the voice of r, has no index for the moment. It first stores the
// position of v in r. It must be called before another voice gets the index of v.
func (r *record) unpublishIndex(v *voice.Voice) {
	storeFrames(&r.position, v.Position())
	r.status.Set(r.status.State(), -1)
}

// moveVoice completes the move of a voice from one index of the voice table to another, between a slot and a place for
// virtual voices. The voice must already be stored at index to, see voicetable.Table.AddReal. moveVoice moves its
// scores, publishes its new index and frees the index from. It returns to.
func (a *audio) moveVoice(from, to int) int {
	s := a.mutable(to)
	a.updateIndex(to)
	a.scores.Move(from, to)
	if r := a.responses.Load(); r != nil {
		r.Voices[to] = r.Voices[from]
	}
	v := a.scores.voiceAt(to, s)
	a.scores.UpdateMasking(&v, a.grid.done == a.now) // last, because a virtual voice has no rating yet
	a.scores.Remove(from)
	a.voices.Remove(from)
	return to
}

// returnRecord returns a record to the control side, with the final state of its start. id is the handle of the start,
// and r is the record. It drops the sound and the streams of the start and decrements its countdowns. The audio side
// must not use the record afterwards.
func (a *audio) returnRecord(r *record, id pool.Handle, state State) {
	r.playing = 0
	r.slot.voice.Drop() // releases references for the garbage collector
	release.Pointer(&r.sound, nil)
	r.setNewRounds(nil)
	r.group, r.options.Buffer, r.options.Space = nil, nil, nil
	if r.hasCountdowns {
		a.batches.countDown(r)
	}
	r.status.Set(state, -1)
	ring.Push(a.freed, id) // never full: it has room for every record
}

// storeFrames stores frames, a number of frames, in word. If the value is unchanged, it writes no memory.
func storeFrames(word *atomic.Int64, frames int64) {
	if word.Load() != frames {
		release.Int64(word, frames)
	}
}

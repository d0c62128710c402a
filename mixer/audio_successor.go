package mixer

import (
	"slices"

	"voicepool/pool"
	"voicepool/voice"
)

// pendingSuccessor is a start that waits for the end of its predecessor.
type pendingSuccessor struct {
	predecessor, start pool.Handle
	when               When
	loopEndAt          int64 // the frame at which the predecessor leaves its loop; never: not in this stretch
}

// readySuccessor is a start whose predecessor is over.
type readySuccessor struct {
	pendingSuccessor
	stopped bool // it never sounds
}

// successorQueue holds the successors. Both lists have room for all commands under way, see queueBuffers.
type successorQueue struct {
	successors       []pendingSuccessor
	readySuccessors  []readySuccessor
	predecessorFades *voice.Moves // the fades of the predecessor of the present start; nil without a predecessor
}

// addSuccessor makes the start c.record the successor of the start c.target.id. A successor begins without a gap when
// its predecessor ends or leaves its loop. An earlier successor of the same predecessor counts as stopped. If the
// predecessor is over, the new successor is ready at once. It counts as stopped if the predecessor is being stopped or
// is over for another reason than its end. But if the record of the predecessor already belongs to another start, the
// predecessor counts as ended. The command c stays under way until the successor starts.
func (a *audio) addSuccessor(c *command) {
	a.inFlight.Uncomplete()
	*a.record(c.record).extra.Load().predecessorFades = voice.Moves{}
	l := pendingSuccessor{predecessor: c.target.id, start: c.record, when: c.when, loopEndAt: never}
	a.releaseSuccessor(l.predecessor, false, nil)
	r := a.record(l.predecessor)
	state := r.status.State()
	switch own := pool.Handle(r.id.Load()) == l.predecessor; {
	case r.playing == l.predecessor && a.mutable(r.status.Index()).stopping:
		a.readySuccessors = append(a.readySuccessors, readySuccessor{pendingSuccessor: l, stopped: true})
	case r.playing == l.predecessor || own && !state.Over():
		a.successors = append(a.successors, l)
	default: // it has ended already
		a.readySuccessors = append(a.readySuccessors, readySuccessor{pendingSuccessor: l, stopped: own && state != StateEnded})
	}
}

// releaseSuccessor makes the successor of the given predecessor ready: the start that should follow it without a gap.
// It moves the successor, if any, to a.readySuccessors, and startSuccessors starts it. If ended is true, the
// predecessor has ended by itself; otherwise the successor counts as stopped. moves holds the fades of the
// predecessor, which the successor may continue; it may be nil.
func (a *audio) releaseSuccessor(predecessor pool.Handle, ended bool, moves *voice.Moves) {
	for i := range a.successors {
		if l := a.successors[i]; l.predecessor == predecessor {
			a.successors = slices.Delete(a.successors, i, i+1)
			if moves != nil {
				*a.record(l.start).extra.Load().predecessorFades = *moves
			}
			a.readySuccessors = append(a.readySuccessors, readySuccessor{pendingSuccessor: l, stopped: !ended})
			return
		}
	}
}

// cancelStart stops a start, a request to play a sound that has not begun. id is the handle of the start, and r is its
// record. When its frame comes, the start counts as stopped and gets no voice. If the start waits for another sound to
// end, this happens the next time that startSuccessors runs.
func (a *audio) cancelStart(r *record, id pool.Handle) {
	r.cancelled = id
	for i := range a.successors {
		if l := a.successors[i]; l.start == id {
			a.successors = slices.Delete(a.successors, i, i+1)
			a.readySuccessors = append(a.readySuccessors, readySuccessor{pendingSuccessor: l, stopped: true})
			return
		}
	}
}

// startSuccessors starts all sounds in a.readySuccessors at the present frame, in order, and empties the list. These
// are sounds that follow another sound, which is over. A successor that counts as stopped gets no voice. The commands
// of all these successors are counted as complete.
func (a *audio) startSuccessors() {
	for i := 0; i < len(a.readySuccessors); i++ { // the list may grow
		s := &a.readySuccessors[i]
		r := a.record(s.start)
		if s.stopped {
			r.cancelled = s.start
		}
		c := command{kind: cmdPlay, frame: a.now, record: s.start}
		r.applyMove()
		a.journalCommand(&c)
		a.predecessorFades = r.extra.Load().predecessorFades
		a.start(&c)
		a.predecessorFades = nil
		a.inFlight.Complete()
	}
	a.readySuccessors = a.readySuccessors[:0]
}

// continueFades makes the incoming start continue the fades of its predecessor, the sound that it follows without a
// gap. id is the handle of the start, and r is its record. It takes over fades longer than 5 ms. A property that was
// also set on the start keeps its own value, unless the predecessor fades to the same value. The filters of the
// predecessor continue, too. The result is the set of properties whose fades were taken over; 0 without a predecessor.
func (a *audio) continueFades(r *record, id pool.Handle) (props propertySet) {
	if a.predecessorFades == nil {
		return 0
	}
	if f := r.filter(); f != nil && a.predecessorFades.HadFilter() {
		a.incoming.AttachFilter(a.now, f, 0, 0) // for the cutoffs that it takes over
	}
	own := a.incoming.Moves()
	ownFades := fadesByProperty(&own)
	overrides := r.overrides(id)
	fades := fadesByProperty(a.predecessorFades)
	for f, m := range ownFades {
		set := overrides != nil && overrides.props&(1<<f) != 0
		switch {
		case fades[f].End() <= a.now:
		case set && property(f).finalValue(overrides.values[f], a.rate) != fades[f].To:
		case set || fades[f].Frames > a.smooth:
			*m = *fades[f]
			props |= 1 << f
		}
	}
	if props&(1<<propLowPass) != 0 {
		own.LowPass = a.predecessorFades.LowPass
	}
	if props&(1<<propHighPass) != 0 {
		own.HighPass = a.predecessorFades.HighPass
	}
	if props != 0 {
		a.incoming.SetMoves(a.now, &own)
	}
	a.incoming.ContinueFilters(a.predecessorFades)
	return props
}

// journalContinuedFades records in the journal the fades that the voice at index i has taken over from its
// predecessor. For each property in props it records the present value and the target.
func (a *audio) journalContinuedFades(i int, props propertySet) {
	moves := a.mutable(i).voice.Moves()
	for f, m := range fadesByProperty(&moves) {
		if props&(1<<f) == 0 {
			continue
		}
		is, goes := command{kind: cmdSet}, command{kind: cmdSet, fadeFrames: m.End() - a.now, change: Change{Shape: m.Shape}}
		at, to := property(f).journalValues(&moves, a.now)
		is.change.put(property(f), at)
		goes.change.put(property(f), to)
		a.journalVoiceCommand(i, &is)
		a.journalVoiceCommand(i, &goes)
	}
}

// leaveLoops ends each voice that leaves its loop at the present frame because another sound follows there, and starts
// these sounds. It reads loopEndAt of each waiting successor, which untilSuccessor has set.
func (a *audio) leaveLoops() {
	for i := 0; i < len(a.successors); {
		if l := &a.successors[i]; l.loopEndAt == a.now {
			a.endForSuccessor(a.record(l.predecessor).status.Index()) // removes the pendingSuccessor
		} else {
			i++
		}
	}
	a.startSuccessors()
}

// endForSuccessor ends the voice at index i at the present frame, without a tail, so that the sound that follows can
// continue without a gap. It records the cut in the journal. The following sound becomes ready, but is not started.
func (a *audio) endForSuccessor(i int) {
	a.journalVoiceCommand(i, &command{kind: cmdStop, fadeFrames: noTail})
	a.endVoice(i, a.now, EventEnded, &audioEvent{})
}

// untilSuccessor returns how many of the next n frames can be mixed before a voice with a successor ends. A successor
// is a sound that follows without a gap. If it begins at a loop end, the next loop end counts as the end of the voice.
// The result is n if no such voice ends. untilSuccessor stores the frames of these loop ends for leaveLoops. If a
// command has moved a voice to its end, untilSuccessor ends this voice and starts its successor.
func (a *audio) untilSuccessor(n int64) int64 {
	for i := 0; i < len(a.successors); {
		l := &a.successors[i]
		l.loopEndAt = never
		r := a.record(l.predecessor)
		i++
		if r.playing != l.predecessor {
			continue
		}
		index := r.status.Index()
		s := a.mutable(index)
		if s.paused != 0 {
			continue
		}
		left, wraps := s.voice.RemainingFrames(n, a.now, l.when == AtLoopEnd)
		switch {
		case left == 0: // a command moved it to its end
			a.endForSuccessor(index)
			a.startSuccessors()
			i = 0
			continue
		case wraps:
			l.loopEndAt = a.now + left
		}
		n = min(n, left, s.endAt-a.now)
	}
	return n
}

// untilEnd implements Mixer.UntilEnd: it returns how many of the next n frames can be mixed before the first voice may
// end or leave its loop. Paused voices do not count. The result is at least 1, and n if no voice does so.
func (a *audio) untilEnd(n int64) int64 {
	for i, place := a.nextInOrder(0); i >= 0; i, place = a.nextInOrder(place) {
		s := a.current(i)
		if s.paused != 0 {
			continue
		}
		n = a.untilEndOf(s, n, true)
	}
	return n
}

// leftLoop implements Mixer.LeftLoop: it reports whether the voice of the start with the handle id has left its loop
// for good or is over. It returns false for a start that has not begun. It also returns false while a voice without a
// loop plays.
func (a *audio) leftLoop(id pool.Handle) bool {
	r := a.record(id)
	if r.playing != id {
		return r.status.State().Over() || pool.Handle(r.id.Load()) != id
	}
	return a.mutable(r.status.Index()).voice.PastLoop()
}

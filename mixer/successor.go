package mixer

import (
	"voicepool/internal/passfilter"
	"voicepool/internal/property"
	"voicepool/mixer/internal/successor"
	"voicepool/pool"
	"voicepool/sounds"
	"voicepool/voice"
)

// When selects the frame at which a successor starts.
type When uint8

const (
	AtEnd     When = iota // when the voice ends by itself or by its Options.For
	AtLoopEnd             // when it next reaches the end of its loop, in its last round too; like AtEnd if it does not loop or is past its loop
)

// Then starts the sound next with the options o as the successor of the voice, without a gap. The successor starts at
// the exact frame where the voice ends. With AtLoopEnd in the parameter when, the voice ends without a tail when it
// next reaches the end of its loop. The returned handle belongs to the successor, which is pending until that frame.
// It can be changed, stopped and given a successor itself.
//
// Pauses, seeks, pitches and speeds of the voice move that frame. The slot of the voice becomes free at that frame,
// before any other start. If the voice is stopped, stolen for good or refused, its successor counts as stopped. If
// Stop fades the voice out, this happens when the fade begins. If the voice is virtual, the successor starts when the
// voice would end. A voice has one successor; another Then replaces it. If the decoder of a stream is late at its end,
// the successor starts within 20 ms.
//
// A fade of gain, pan, pitch, speed or a cutoff continues in the successor if it takes more than 5 ms. A ramp of 5 ms
// continues only if the property was set on both voices to the same value. A property that was set on the successor
// to another value keeps that value. All other properties come from o. If both have a filter, the filter of the
// successor continues without a step.
//
// A successor counts as a command under way. Then fails with ErrGone if the voice is over, and with the errors of
// Play.
func (h Handle) Then(next *sounds.Sound, o Options, when When) (Handle, error) {
	if h.mixer == nil {
		return Handle{}, ErrGone
	}
	return h.mixer.play(&command{kind: cmdThen, frame: Now, target: TargetVoice(h), when: when}, next, &o)
}

// LeftLoop reports whether the voice of h has left its loop for good or is over. It is false while the start is
// pending, and for a living voice without a loop. h must belong to m and not be zero. Audio side: call it between two
// calls of Render.
func (e Engine) LeftLoop(h Handle) bool { return e.mixer.audio.leftLoop(h.id) }

// UntilEnd returns how many frames can be rendered before the first voice ends or leaves its loop, at most the
// parameter frames. Rendering the returned number of frames ends exactly at that frame. The result is at least 1,
// unless frames is 0. Paused voices do not count, and steals are not foreseen. Use it for offline rendering with
// commands for the frame where a voice ends. Audio side: call it between two calls of Render.
func (e Engine) UntilEnd(frames int) int { return int(e.mixer.audio.untilEnd(int64(frames))) }

// successions starts sounds that follow other sounds without a gap.
type successions struct {
	successor.Queue
	a *audio
}

// add makes the start c.record the successor of the start c.target.id. A successor begins without a gap when
// its predecessor ends or leaves its loop. An earlier successor of the same predecessor counts as stopped. If the
// predecessor is over, the new successor is ready at once. It counts as stopped if the predecessor is being stopped or
// is over for another reason than its end. But if the record of the predecessor already belongs to another start, the
// predecessor counts as ended. The command c stays under way until the successor starts.
func (q *successions) add(c *command) {
	a := q.a
	a.inFlight.Uncomplete()
	*a.record(c.record).extra.Load().predecessorFades = voice.Moves{}
	predecessor := c.target.id
	q.Release(predecessor, true)
	r := a.record(predecessor)
	state := r.status.State()
	switch own := pool.Handle(r.id.Load()) == predecessor; {
	case r.playing == predecessor && a.mutable(r.status.Index()).stopping:
		q.Ready(c.record, true)
	case r.playing == predecessor || own && !state.Over():
		q.Wait(successor.Start{Predecessor: predecessor, ID: c.record, AtLoopEnd: c.when == AtLoopEnd})
	default: // it has ended already
		q.Ready(c.record, own && state != StateEnded)
	}
}

// cancelStart stops a start, a request to play a sound that has not begun. id is the handle of the start, and r is its
// record. When its frame comes, the start counts as stopped and gets no voice. If the start waits for another sound to
// end, this happens the next time that startReady runs.
func (q *successions) cancelStart(r *record, id pool.Handle) {
	r.cancelled = id
	q.Cancel(id)
}

// startReady starts all sounds at the present frame that follow another sound, which is over, in the order in which
// they became ready. A successor that counts as stopped gets no voice. The commands of all these successors are counted
// as complete.
func (q *successions) startReady() {
	a := q.a
	for id, stopped := q.NextReady(); id != 0; id, stopped = q.NextReady() {
		r := a.record(id)
		if stopped {
			r.cancelled = id
		}
		r.applyMove()
		a.journalCommand(&command{kind: cmdPlay, frame: a.now, record: id})
		a.start(id, r.extra.Load().predecessorFades)
		a.inFlight.Complete()
	}
}

// continueFades makes the incoming start continue the fades of its predecessor, the sound that it follows without a
// gap. It takes over fades longer than 5 ms. A property that was also set on the start keeps its own value, unless the
// predecessor fades to the same value. The filters of the predecessor continue, too. The result is the set of
// properties whose fades were taken over; 0 without a predecessor.
func (in *incoming) continueFades() (props propertySet) {
	if in.fades == nil {
		return 0
	}
	a := in.a
	if f := in.record.filter(); f != nil && in.fades.Filtered {
		in.voice.AttachFilter(a.now, f, passfilter.Values{}) // for the cutoffs that it takes over
	}
	own := in.voice.Moves()
	ownFades := fadesByProperty(&own)
	overrides := in.record.overrides(in.id)
	fades := fadesByProperty(in.fades)
	for f, m := range ownFades {
		set := overrides != nil && overrides.props&(1<<f) != 0
		switch {
		case fades[f].End() <= a.now:
		case set && finalValue(property.ID(f), overrides.values[f], a.rate) != fades[f].To:
		case set || fades[f].Frames > a.smooth:
			*m = *fades[f]
			props |= 1 << f
		}
	}
	for i := range own.Filters {
		if props&(1<<property.LowPass<<i) != 0 {
			own.Filters[i] = in.fades.Filters[i]
		}
	}
	moves := &own
	if props == 0 {
		moves = nil
	}
	in.voice.Continue(a.now, moves, in.fades)
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
		at, to := journalValues(property.ID(f), &moves, a.now)
		is.change.put(property.ID(f), at)
		goes.change.put(property.ID(f), to)
		a.journalVoiceCommand(i, &is)
		a.journalVoiceCommand(i, &goes)
	}
}

// leaveLoops ends each voice that leaves its loop at the present frame because another sound follows there, and starts
// these sounds. It reads LoopEndAt of each waiting successor, which untilNext has set.
func (q *successions) leaveLoops() {
	a := q.a
	for i := 0; i < len(q.Waiting()); {
		if s := &q.Waiting()[i]; s.LoopEndAt == a.now {
			q.endForSuccessor(a.record(s.Predecessor).status.Index()) // removes s
		} else {
			i++
		}
	}
	q.startReady()
}

// endForSuccessor ends the voice at index i at the present frame, without a tail, so that the sound that follows can
// continue without a gap. It records the cut in the journal. The following sound becomes ready, but is not started.
func (q *successions) endForSuccessor(i int) {
	a := q.a
	a.journalVoiceCommand(i, &command{kind: cmdStop, fadeFrames: noTail})
	a.endVoice(i, a.now, EventEnded, &audioEvent{})
}

// untilNext returns how many of the next n frames can be mixed before a voice with a successor ends. A successor
// is a sound that follows without a gap. If it begins at a loop end, the next loop end counts as the end of the voice.
// The result is n if no such voice ends. untilNext stores the frames of these loop ends for leaveLoops. If a
// command has moved a voice to its end, untilNext ends this voice and starts its successor.
func (q *successions) untilNext(n int64) int64 {
	a := q.a
	for i := 0; i < len(q.Waiting()); {
		next := &q.Waiting()[i]
		next.LoopEndAt = successor.Never
		r := a.record(next.Predecessor)
		i++
		if r.playing != next.Predecessor {
			continue
		}
		index := r.status.Index()
		s := a.mutable(index)
		if s.paused != 0 {
			continue
		}
		left, wraps := s.voice.RemainingFrames(n, a.now, next.AtLoopEnd)
		switch {
		case left == 0: // a command moved it to its end
			q.endForSuccessor(index)
			q.startReady()
			i = 0
			continue
		case wraps:
			next.LoopEndAt = a.now + left
		}
		n = min(n, left, s.endAt-a.now)
	}
	return n
}

// untilEnd implements Engine.UntilEnd: it returns how many of the next n frames can be mixed before the first voice may
// end or leave its loop. Paused voices do not count. The result is at least 1, and n if no voice does so.
func (a *audio) untilEnd(n int64) int64 {
	for i, place := a.voices.NextInOrder(0); i >= 0; i, place = a.voices.NextInOrder(place) {
		s := a.current(i)
		if s.paused != 0 {
			continue
		}
		n = a.untilEndOf(s, n, true)
	}
	return n
}

// leftLoop implements Engine.LeftLoop: it reports whether the voice of the start with the handle id has left its loop
// for good or is over. It returns false for a start that has not begun. It also returns false while a voice without a
// loop plays.
func (a *audio) leftLoop(id pool.Handle) bool {
	r := a.record(id)
	if r.playing != id {
		return r.status.State().Over() || pool.Handle(r.id.Load()) != id
	}
	return a.mutable(r.status.Index()).voice.PastLoop()
}

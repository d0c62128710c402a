package room

import (
	"errors"
	"fmt"
	"slices"

	"voicepool/mixer"
)

// maxSteps is the largest number of steps in a batch.
const maxSteps = 500 // a mixer accepts 960 commands at a time

// batch collects the steps of one call of Batch. They wait in a mixer.Batch, so that they all act at one frame, or not
// at all.
type batch struct {
	room     *Room
	playback *playback
	steps    []Step
	batch    *mixer.Batch
	plays    []*pendingPlay // starts that wait for their results, by step; nil for other steps
	voices   [][]mixer.Handle
}

// Batch carries out all steps at the same frame, or does not carry out any step. It returns that frame and one Result
// for each step. The parameter when is the time of the batch; the times in the steps are ignored. A step may use an id
// that an earlier step starts.
//
// A start that the pool rejects sets Refused of its Result and does not affect the other steps. On a device, Batch
// waits up to 2 s for the outcome of each start, unless the batch acts later. If that wait fails, the error is of Kind
// Busy or Closed, although the other steps have acted; on Busy, the late start is stopped. Batch waits during a pause
// of the show, too.
//
// If a step is invalid, the error is an *Error with the position in Field, such as "commands[2].gain". More than 500
// steps are an *Error of Kind Limit.
func (r *Room) Batch(when Moment, steps []Step) (frame int64, results []Result, err error) {
	if err := when.check(); err != nil {
		return 0, nil, err
	}
	if len(steps) > maxSteps {
		return 0, nil, &Error{Kind: Limit, Field: "commands", Limit: maxSteps, Detail: fmt.Sprintf("commands: %d commands are more than the %d of a batch", len(steps), maxSteps)}
	}
	b := &batch{room: r, steps: steps, plays: make([]*pendingPlay, len(steps)), voices: make([][]mixer.Handle, len(steps))}
	for i := range steps {
		if steps[i].Play != nil {
			b.plays[i] = r.eventLog.registerPlay()
			defer r.eventLog.unregisterPlay(b.plays[i])
		}
	}
	r.orders.Lock()
	later := false
	err = r.execute(func() error {
		b.playback = r.current()
		b.batch = b.playback.player.Mixer().Engine().NewBatch()
		at, late := r.frame(&when)
		if frame, later = at, late; at == mixer.Now {
			frame = b.playback.player.Mixer().Engine().Next()
		}
		m := b.playback.player.Mixer()
		err := b.addSteps()
		if err == nil {
			err = m.Engine().At(at).Fire(b.batch)
		}
		if err != nil {
			_ = m.Engine().At(mixer.Now).Drop(b.batch)
		}
		return err
	})
	r.orders.Unlock()
	if err != nil {
		return 0, nil, err
	}
	results, err = b.results(frame, later)
	return frame, results, err
}

// addSteps checks all steps and then adds them to the mixer's batch; there they wait until the caller fires it. The
// error is for the first invalid step and has its index. After an error some steps may already be in the mixer's batch,
// so the caller must drop it. The caller holds the mutex Room.orders.
func (b *batch) addSteps() error {
	for i := range b.steps {
		if err := b.check(&b.steps[i]); err != nil {
			return withStepIndex(i, err)
		}
	}
	startedIDs := map[string]bool{}
	for i := range b.steps {
		if err := b.addStep(i, startedIDs); err != nil {
			return withStepIndex(i, err)
		}
	}
	return nil
}

// withStepIndex converts err to an *Error whose Field and Detail begin with the position of a step, such as
// "commands[2]". The parameter i is the index of the step, from 0. A nil err stays nil.
func withStepIndex(i int, err error) error {
	one, ok := errors.AsType[*Error](roomError(err))
	if !ok {
		return err
	}
	e := *one
	at := fmt.Sprintf("commands[%d]", i)
	if e.Detail = at + ": " + e.Detail; e.Field != "" {
		at += "." + e.Field
	}
	e.Field = at
	return &e
}

// check returns an *Error if the step s is empty, has a value out of range, or names an unknown sound. For a change of
// a bus it also checks the name of the bus. It does not check the bus of a start, effects, sends, or whether the voices
// of the step exist. It changes neither the batch nor the mixer.
func (b *batch) check(s *Step) error {
	switch {
	case s.Play != nil:
		return s.Play.check(b.playback.player.Sheet())
	case s.Set != nil:
		return s.Set.check()
	case s.Stop != nil:
		return checkDuration("over", *s.Stop)
	case s.Bus != nil:
		if err := s.Bus.check(); err != nil {
			return err
		}
		_, err := b.room.targetBus(s.Target, s.Bus)
		return err
	}
	return invalidField("do", "the command is empty (want one of play, set, stop, bus)")
}

// addStep adds step i, which check has accepted, to the mixer batch. For results, it stores in b the handles of a play,
// or the voices of a set or stop. startedIDs is the set of ids that earlier steps start; a play adds its id. An unknown
// voice, bus or effect is an error; parts of the step may then be in the mixer batch.
func (b *batch) addStep(i int, startedIDs map[string]bool) (err error) {
	s, at := &b.steps[i], b.batch.At(0)
	switch {
	case s.Play != nil:
		startedIDs[s.Play.ID] = true
		b.plays[i].handles, err = s.Play.start(b.playback.player, 0, b.batch, b.plays[i].ref)
		return err
	case s.Bus != nil:
		bus, err := b.room.targetBus(s.Target, s.Bus)
		if err != nil {
			return err
		}
		return s.Bus.apply(at, bus)
	}
	targets, err := b.targets(i, startedIDs)
	if err != nil {
		return err
	}
	for _, t := range targets {
		if s.Set != nil {
			err = s.Set.apply(at, t)
		} else {
			err = at.Stop(t, *s.Stop)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// targets returns the mixer targets of step i, a set or a stop whose field Target is an id or the number of a voice.
// They are the tag of the id, which also covers starts of this batch, and each further voice that Target selects. It
// stores the selected voices in b.voices[i]. startedIDs is the set of ids that earlier steps start. If Target selects
// no voice and is not in startedIDs, the error is an *Error of Kind NotFound.
func (b *batch) targets(i int, startedIDs map[string]bool) (all []mixer.Target, err error) {
	target := b.steps[i].Target
	b.voices[i] = b.playback.find(target)
	if len(b.voices[i]) == 0 && !(startedIDs[target] && target != "") {
		return nil, unknownName("voice", target, b.playback.player.IDs())
	}
	tag, ok := b.playback.player.Tag(target)
	if ok {
		all = append(all, mixer.TargetTag(tag))
	}
	for _, h := range b.voices[i] {
		if !ok || h.Tag() != tag {
			all = append(all, mixer.TargetVoice(h))
		}
	}
	return all, nil
}

// results returns the Result of each step after the batch was sent to the mixer. It also records started loops, changed
// voices and bus changes for snapshots. The parameter frame is the frame of the batch, and later means that the mixer
// has not reached it yet.
//
// If later is true, each start has the State "pending". Otherwise, on a device, results waits for the outcome of each
// start, up to 2 s. A start that the pool rejects sets Refused of its Result. An error means that the outcome of a
// start did not arrive; the remaining steps are then not recorded.
func (b *batch) results(frame int64, later bool) ([]Result, error) {
	results := make([]Result, len(b.steps))
	r := b.room
	for i := range b.steps {
		s, out := &b.steps[i], &results[i]
		switch {
		case s.Play != nil:
			r.loops.record(s.Play, frame, b.plays[i].handles, b.playback.player.Sheet())
			v := PlayResult{Sound: s.Play.Sound, ID: s.Play.ID, State: "pending", Slot: -1}
			if later {
				b.playback.namePending(s.Play.Sound, b.plays[i].handles)
			} else {
				var err error
				if v, err = r.playResult(s.Play, b.plays[i]); err != nil {
					e, ok := errors.AsType[*Error](err)
					if !ok || e.Kind != Refused {
						return nil, err
					}
					out.Refused = e
					continue
				}
			}
			out.Result = &v
		case s.Bus != nil:
			r.recordBusChange(s.Target, s.Bus, frame, later)
			one := r.bus(s.Target)
			out.Bus = &one
		default:
			if out.Voices = b.numbers(i); s.Set != nil {
				r.loops.recordChange(out.Voices, s.Set)
			}
		}
	}
	return results, nil
}

// numbers returns the sorted numbers of the voices that step i, a set or a stop, acts on, each number once. It includes
// voices that earlier steps of this batch have started and that have a number by now. All voices that were pending
// before the batch, which means that they had not begun, together give one 0. Without voices the result is nil.
func (b *batch) numbers(i int) (numbers []uint64) {
	for _, h := range b.voices[i] {
		numbers = append(numbers, h.Number())
	}
	for j := range i {
		if p := b.steps[j].Play; p != nil && p.ID == b.steps[i].Target && p.ID != "" {
			for _, h := range b.plays[j].handles {
				if n := h.Number(); n != 0 {
					numbers = append(numbers, n)
				}
			}
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

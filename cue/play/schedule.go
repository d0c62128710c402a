package play

import (
	"cmp"
	"container/heap"
	"slices"
	"strings"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/internal/runsheet"
	"voicepool/internal/sheet/chance"
	"voicepool/internal/words"
	"voicepool/pcm"
)

// never is a frame after every show.
const never = 1<<63 - 1

// Action is one repetition of a cue, due at one frame.
type Action struct {
	Frame      int64
	Cue        int    // index in Sheet.Cues
	Repetition uint64 // from 0; it keeps counting when the sheet repeats
	Skipped    bool   // it has no effect: Cue.Chance skips it, or its start is already over
	Dropped    uint64 // number of later repetitions of the cue that are dropped because they come after `until`

	// Random choices of a start.
	File  int           // index in Sound.Files
	Gain  pcm.Decibels  // drawn from the range of the sound; the gain of the cue is not included
	Pitch pcm.Semitones // drawn from the range of the sound; the pitch of the cue is not included

	layerChoices []choices // random choices per layer
}

// choices holds the random choices of a layer.
type choices struct {
	file  int
	gain  pcm.Decibels
	pitch pcm.Semitones
}

// Schedule iterates over the actions of a sheet, ordered by frame and then by the position of the cue in the
// file. It generates them one at a time, so a cue with a billion repetitions takes no memory. One goroutine
// at a time.
type Schedule struct {
	sheet *runsheet.Sheet
	rate  int
	seed  uint64

	bases        []int64 // by cue: the frame of the end that it waited for
	order        []int   // cues ordered by frame, then index
	nextInOrder  int     // the first cue of order that has not begun
	heap         occurrenceHeap
	pendingPlays uint64                            // starts still to come
	pendingSends uint64                            // messages still to come
	isOver       func(*Action, *runsheet.Cue) bool // reports whether a start in the middle of its sound is already over; may be nil
	pickers      []chance.Picker                   // by index in Sheet.Sounds

	// Each started cue of a list chooses its files with a picker of its own, so that its choices do not
	// depend on other cues. The key is the cue and the layer. listPickers holds, per sound, the state after all
	// their choices.
	listPickers []chance.Picker
	cuePickers  map[[2]int]*chance.Picker
}

// occurrence is the next repetition of a cue.
type occurrence struct {
	runsheet.Instant
	number uint64
	since  int64  // nanoseconds since the first repetition, if intervals are random
	round  uint64 // number of completed rounds of a sheet that repeats
}

// occurrenceHeap is a heap of the next repetitions of all cues that have begun.
type occurrenceHeap []occurrence

// Len implements heap.Interface.
func (h occurrenceHeap) Len() int { return len(h) }

// Less implements heap.Interface: the earlier repetition is less.
func (h occurrenceHeap) Less(i, j int) bool { return h[i].Before(h[j].Instant) }

// Swap implements heap.Interface.
func (h occurrenceHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface: it appends x, which must be an occurrence.
func (h *occurrenceHeap) Push(x any) { *h = append(*h, x.(occurrence)) }

// Pop implements heap.Interface: it removes and returns the last occurrence of the slice.
func (h *occurrenceHeap) Pop() any {
	last := len(*h) - 1
	t := (*h)[last]
	*h = (*h)[:last]
	return t
}

// instant returns the instant of a frame and the index of a cue.
func instant(frame int64, index int) runsheet.Instant {
	return runsheet.Instant{Frame: frame, Index: index}
}

// NewSchedule returns an iterator over the actions of sheet s, from its beginning. The actions of scheduled GOs are
// included, but actions that wait for an end are not. rate is the sample rate for the frames of actions, 1..768,000 Hz.
// seed determines the random choices; it may differ from the sheet's own.
func NewSchedule(s *cue.Sheet, rate int, seed uint64) *Schedule {
	return newSchedule(runsheet.Scheduled(s), rate, seed)
}

// newSchedule is NewSchedule for a sheet that is being played.
func newSchedule(s *runsheet.Sheet, rate int, seed uint64) *Schedule {
	sc := &Schedule{
		sheet: s, rate: rate, seed: seed, order: make([]int, 0, len(s.Cues)), pickers: make([]chance.Picker, len(s.Sounds)),
		listPickers: make([]chance.Picker, len(s.Sounds)), cuePickers: map[[2]int]*chance.Picker{},
	}
	frames := make([]int64, len(s.Cues))
	for i, c := range s.Active() {
		sc.addPickers(i)
		if c.State == runsheet.Waiting {
			continue
		}
		sc.order = append(sc.order, i)
		frames[i] = c.Frame(0, rate)
		sc.countCue(c)
	}
	slices.SortStableFunc(sc.order, func(a, b int) int { return cmp.Compare(frames[a], frames[b]) })
	return sc
}

// countCue adds all repetitions of cue c to the number of starts or messages that are still to come.
func (sc *Schedule) countCue(c *runsheet.Cue) { sc.countRepetitions(c, c.Times) }

// countRepetitions adds the given number of repetitions of cue c to the number of starts or messages that are still to
// come. If the sheet repeats the cue forever, that number becomes 2^64 - 1. Cues that are neither a start nor a message
// are not counted.
func (sc *Schedule) countRepetitions(c *runsheet.Cue, times uint64) {
	if n := sc.pendingCount(c); n != nil {
		if sc.sheet.RepeatsWithSheet(c) {
			times = 1<<64 - 1
		}
		*n += min(times, 1<<64-1-*n)
	}
}

// pendingCount returns a pointer to the count that c belongs to: starts still to come if c is a start, or messages
// still to come if c is a message. Otherwise it returns nil.
func (sc *Schedule) pendingCount(c *runsheet.Cue) *uint64 {
	switch c.Action.(type) {
	case *cue.Play:
		return &sc.pendingPlays
	case *cue.Message:
		return &sc.pendingSends
	}
	return nil
}

// release schedules all repetitions of a cue whose wait for an end is over. index is the index of the cue in the sheet.
// The times of the cue are counted from frame, usually that end.
func (sc *Schedule) release(index int, frame int64) {
	for len(sc.bases) <= index {
		sc.bases = append(sc.bases, 0)
	}
	sc.bases[index] = frame
	sc.add(index)
}

// add schedules all repetitions of a cue that was just added to the sheet or released. index is its index in the sheet.
func (sc *Schedule) add(index int) {
	sc.countCue(&sc.sheet.Cues[index])
	heap.Push(&sc.heap, occurrence{Instant: instant(sc.frame(index, 0), index)})
}

// clear drops all pending repetitions of the cues with an index below cues. Later cues stay scheduled. The counts of
// starts and messages still to come are corrected.
func (sc *Schedule) clear(cues int) {
	sc.heap = slices.DeleteFunc(sc.heap, func(t occurrence) bool { return t.Index < cues })
	heap.Init(&sc.heap)
	sc.order, sc.nextInOrder = slices.DeleteFunc(sc.order[sc.nextInOrder:], func(i int) bool { return i < cues }), 0
	sc.pendingPlays, sc.pendingSends = 0, 0
	for _, t := range sc.heap {
		c := &sc.sheet.Cues[t.Index]
		sc.countRepetitions(c, c.Times-t.number)
	}
	for _, i := range sc.order {
		sc.countCue(&sc.sheet.Cues[i])
	}
}

// frame returns the frame of a repetition of the cue with the given index in the sheet. Repetitions are counted from 0.
// Random intervals are not included.
func (sc *Schedule) frame(index int, repetition uint64) int64 {
	return sc.base(index) + sc.sheet.Cues[index].RegularTime(repetition).Frames(sc.rate)
}

// base returns the frame that the times of a cue count from: its GO, or the end that it waited for. index is the index
// of the cue in the sheet. A cue that waits must have been released; otherwise base panics.
func (sc *Schedule) base(index int) int64 {
	if c := &sc.sheet.Cues[index]; c.State != runsheet.Waiting {
		return c.Base.Frames(sc.rate)
	}
	return sc.bases[index]
}

// Peek returns the frame of the action that Next will return, without removing the action. At the end of the schedule
// the frame is 0 and ok is false.
func (sc *Schedule) Peek() (frame int64, ok bool) {
	t, _, ok := sc.first()
	return t.Frame, ok
}

// Plays returns the number of starts that Next has not returned yet. Repetitions count, but the layers of a start do
// not. The result is an upper bound if intervals are random, and very large if the sheet repeats a start.
func (sc *Schedule) Plays() uint64 { return sc.pendingPlays }

// first returns t, the next repetition of a cue that is due, without removing it. repeated is true if t comes from
// sc.heap, and false if it comes from sc.order; advance needs it. At the end of the schedule ok is false.
func (sc *Schedule) first() (t occurrence, repeated, ok bool) {
	if len(sc.heap) > 0 {
		t, repeated, ok = sc.heap[0], true, true
	}
	if sc.nextInOrder < len(sc.order) {
		i := sc.order[sc.nextInOrder]
		begins := occurrence{Instant: instant(sc.frame(i, 0), i)}
		if !ok || begins.Before(t.Instant) {
			return begins, false, true
		}
	}
	return t, repeated, ok
}

// Next removes the next action from the schedule and returns it, with its random choices. The action may be marked as
// Skipped, without an effect. At the end it returns a zero Action and false.
func (sc *Schedule) Next() (Action, bool) {
	t, repeated, ok := sc.first()
	if !ok {
		return Action{}, false
	}
	a, after, more := sc.actionOf(t)
	after.Frame = sc.base(t.Index) + sc.timeOf(after).Frames(sc.rate)
	sc.advance(after, repeated, more)
	if n := sc.pendingCount(&sc.sheet.Cues[t.Index]); n != nil {
		*n -= 1 + a.Dropped
	}
	return a, true
}

// actionOf returns the action of t, a repetition of a cue, with its random choices. after is the next repetition of the
// cue, without its frame. more is false if t was the last repetition. In a sheet that repeats, the repetition after the
// last is the first of the next round. The choice of files advances, so actionOf must be called once per repetition, in
// order.
func (sc *Schedule) actionOf(t occurrence) (a Action, after occurrence, more bool) {
	c := &sc.sheet.Cues[t.Index]
	after = occurrence{Instant: instant(0, t.Index), number: t.number + 1, round: t.round}
	more = after.number < c.Times
	a = Action{Frame: t.Frame, Cue: t.Index, Repetition: t.number + t.round*c.Times}
	d := chance.Draw{Seed: sc.seed, Stream: uint64(sc.sheet.FilePosition(t.Index)), Count: a.Repetition + c.Firing*c.Times}
	if more && !c.EveryMax.IsZero() {
		if after.since, more = c.NextRepetition(d, t.since); !more {
			a.Dropped = c.Times - after.number
		}
	}
	if sc.sheet.RepeatsWithSheet(c) && !(more && sc.inRound(after)) {
		after, more = occurrence{Instant: after.Instant, round: t.round + 1}, true
	}
	if a.Skipped = !c.Happens(d); c.Play != nil && !a.Skipped {
		sc.choose(&a, c)
		if c.MidSound && sc.isOver != nil {
			late := a // only this copy escapes to the heap
			a.Skipped = sc.isOver(&late, c)
		}
	}
	return a, after, more
}

// timeOf returns the time of t, a repetition of a cue, relative to the base of the cue: its GO, or the end that it
// waited for. In a sheet that repeats, the completed rounds of the sheet are included.
func (sc *Schedule) timeOf(t occurrence) rules.Time {
	c := &sc.sheet.Cues[t.Index]
	since := c.RegularTime(t.number)
	if !c.EveryMax.IsZero() {
		since = c.RepetitionTime(t.since)
	}
	if t.round > 0 {
		since, _ = since.Repeat(t.round, sc.sheet.Repeat)
	}
	return since
}

// inRound reports whether t, a repetition of a cue, is due before the sheet starts again. The round of t, a pass
// through the repeating sheet, begins at 0 for this comparison.
func (sc *Schedule) inRound(t occurrence) bool {
	t.round = 0
	return sc.timeOf(t).Compare(sc.sheet.Repeat) < 0
}

// advance removes the repetition that the method first has just returned. repeated must be the result of first. If more
// is true, the next repetition of the same cue, the parameter after, takes its place.
func (sc *Schedule) advance(after occurrence, repeated, more bool) {
	switch {
	case !repeated:
		sc.nextInOrder++
		if more {
			heap.Push(&sc.heap, after)
		}
	case more:
		sc.heap[0] = after
		heap.Fix(&sc.heap, 0)
	default:
		heap.Pop(&sc.heap)
	}
}

// drop removes the next action and all further repetitions of its cue. The counts of starts and messages still to come
// do not change, so the cue must not be a start. At the end of the schedule it has no effect.
func (sc *Schedule) drop() {
	if _, repeated, ok := sc.first(); ok {
		sc.advance(occurrence{}, repeated, false)
	}
}

// choose chooses a file, a gain and a pitch for a, an action of the start cue c, and also for each layer of c. It
// stores them in a. Gain and pitch are random. The file follows the pick rule of the sound: in turn, at random or
// shuffled. The choice of files advances, so the next call gets the next file by that rule.
func (sc *Schedule) choose(a *Action, c *runsheet.Cue) {
	position := uint64(sc.sheet.FilePosition(a.Cue))
	d := chance.Draw{Seed: sc.seed, Stream: position, Count: a.Repetition + c.Firing*c.Times}
	one := sc.chooseFor(c, d, [2]int{a.Cue})
	a.File, a.Gain, a.Pitch = one.file, one.gain, one.pitch
	for i := range c.Layers {
		d.Stream = chance.Layer(position, i)
		a.layerChoices = append(a.layerChoices, sc.chooseFor(&c.Layers[i], d, [2]int{a.Cue, i + 1}))
	}
}

// chooseFor chooses the file, the gain and the pitch of c, a cue or a layer, with the random source d. The choice of
// files advances. key holds the index of the cue and the number of the layer, from 1, or 0 for the cue itself. If
// sc.cuePickers has a file picker for key, it is used instead of the sound's.
func (sc *Schedule) chooseFor(c *runsheet.Cue, d chance.Draw, key [2]int) (out choices) {
	s := &sc.sheet.Sounds[c.Sound]
	if len(s.Files) > 0 {
		picker := &sc.pickers[c.Sound]
		if own := sc.cuePickers[key]; own != nil {
			picker = own
		}
		out.file = picker.Next(s.Pick, len(s.Files), uint64(c.Sound), d)
	}
	out.gain = pcm.Decibels(d.In(s.Gain, chance.Gain))
	out.pitch = pcm.Semitones(d.In(s.Pitch, chance.Pitch))
	return out
}

// maxListPicks limits how many file choices one cue takes from the pickers of later cues.
const maxListPicks = 4096

// addPickers gives the cue with index i file pickers of its own, if it is a start that a GO has added. Each of its
// sounds with several files gets a picker, which continues after the choices of all starts that GOs have added earlier.
// At most maxListPicks choices of each such start count. For other cues it has no effect.
func (sc *Schedule) addPickers(i int) {
	c := &sc.sheet.Cues[i]
	if c.Origin == 0 || c.Play == nil {
		return
	}
	addPicker := func(c *runsheet.Cue, key [2]int) {
		s := &sc.sheet.Sounds[c.Sound]
		if len(s.Files) < 2 {
			return
		}
		all := &sc.listPickers[c.Sound]
		sc.cuePickers[key] = all.Clone()
		for k := range min(c.Times, maxListPicks) {
			all.Next(s.Pick, len(s.Files), uint64(c.Sound), chance.Draw{Seed: sc.seed, Count: k})
		}
	}
	addPicker(c, [2]int{i})
	for j := range c.Layers {
		addPicker(&c.Layers[j], [2]int{i, j + 1})
	}
}

// growPickers makes room for the random file choices of further sounds. The parameter sounds is the new total number
// of sounds, which must not be less than before.
func (sc *Schedule) growPickers(sounds int) {
	more := make([]chance.Picker, sounds-len(sc.pickers))
	sc.pickers, sc.listPickers = append(sc.pickers, more...), append(sc.listPickers, slices.Clone(more)...)
}

// addFrom schedules the repetitions of one cue that are due at or after frame. The parameter index is the index of
// the cue in the sheet. Earlier repetitions are skipped. If the sheet repeats, earlier rounds of the sheet are skipped,
// too. If no repetition is left, the cue is not scheduled.
func (sc *Schedule) addFrom(index int, frame int64) {
	c := &sc.sheet.Cues[index]
	t, more := occurrence{Instant: instant(sc.frame(index, 0), index)}, true
	if every := c.Every.Frames(sc.rate); c.EveryMax.IsZero() && c.Times > 1 && t.Frame < frame && every > 0 {
		if k := uint64((frame - t.Frame) / (every + 1)); k > 0 { // at most the last repetition before it
			t.number = min(k, c.Times) - 1
			t.Frame = sc.frame(index, t.number)
		}
	}
	if period := sc.sheet.Repeat.Frames(sc.rate); sc.sheet.RepeatsWithSheet(c) && frame-t.Frame > period { // skip earlier rounds as well
		if rounds := frame / (period + 1); rounds > 1 { // at most the last round before it
			t = occurrence{Instant: t.Instant, round: uint64(rounds - 1)}
			t.Frame = sc.base(index) + sc.timeOf(t).Frames(sc.rate)
		}
	}
	for more && t.Frame < frame {
		_, after, another := sc.actionOf(t)
		after.Frame = sc.base(index) + sc.timeOf(after).Frames(sc.rate)
		t, more = after, another
	}
	if !more {
		return
	}
	heap.Push(&sc.heap, t)
	sc.countRepetitions(c, c.Times-t.number)
}

// Describe returns a short description of the action a in one line, such as "play bell". It consists of the number and
// the name of the cue, if it has them, the verb, and the target. Control characters become spaces.
func (sc *Schedule) Describe(a *Action) string {
	c := &sc.sheet.Cues[a.Cue]
	target := c.Target().Name
	switch a := c.Action.(type) {
	case *cue.Play:
		target = sc.sheet.Sounds[c.Sound].Name
	case *cue.SetScene:
		target = a.Scene
	}
	parts := []string{c.Number, c.Name, c.Action.Verb().String(), target}
	return words.OneLine(strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " "))
}

// Package runsheet holds a cue sheet while it is played. In the file, the actions of a list cue have no time of their
// own, because an operator starts them. In a runsheet they have: each GO appends a launch, one run of a list cue, with
// copies of its actions at the frames of this run.
//
//	s := runsheet.Scheduled(sheet) // after the GOs that the sheet itself schedules
//	for i, c := range s.Active() { // the cues that act
//		frame := c.Frame(0, s.Rate) // first, if c does not wait for an end
//	}
//
//	s = runsheet.New(sheet)      // before the first GO
//	next := s.AddGo(0, at, from) // an operator starts the first cue of the list
//
// A runsheet never changes the sheet that it was made from. The package does not call the mixer. Ids and owners have
// numbers here, for the tags and owners of the mixer. One goroutine at a time may use a Sheet.
package runsheet

import (
	"iter"
	"slices"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/internal/pauseclock"
	"voicepool/cue/report"
	"voicepool/internal/words"
	"voicepool/mixer"
	"voicepool/pcm"
)

// Sheet is a sheet that is being played. New and Scheduled make it.
type Sheet struct {
	rules.Rules
	Length *rules.Time // everything is cut there; nil: no cut
	Repeat rules.Time  // period after which the timeline starts over; 0: no repetition
	List   cue.List    // First is an index in Cues
	Goes   []cue.Go    // the GOs that the sheet schedules

	Cues     []Cue // in file order, followed by the actions of each GO and, after Replace, by the cues of later sheets
	Launches []Launch
	Panics   []Panic

	firstOwn int      // index in Cues of the first cue of the current file
	ownEnd   int      // index in Cues after its last cue
	firings  []uint64 // by index in List: number of starts
}

// Launch is one run of a list cue.
type Launch struct {
	List        int        // index in Sheet.List; -1: a later sheet does not have the cue
	Base        rules.Time // the time of the GO; for a cue that follows an end, the earliest time of that end
	Offset      rules.Time // from Base to the beginning of the cue
	Predecessor int        // the launch whose end it follows; -1: Base is exact

	First, Count int // its actions in Sheet.Cues; each GO adds a copy
}

// Panic is a scheduled panic. It ends the timeline and every launch of an earlier GO.
type Panic struct {
	Frame          int64
	Over           rules.Time
	Launches, Cues int // how many existed before the panic
}

// New returns the sheet s before the first GO. The actions of list cues are idle: they do not act before a GO adds
// copies of them. The cues of the timeline are idle, too, if a list cue starts the timeline.
func New(s *cue.Sheet) *Sheet {
	out := &Sheet{
		Rules: s.Rules, Length: s.Length, Repeat: s.Repeat, List: s.List, Goes: s.Goes,
		Cues: make([]Cue, len(s.Cues)), ownEnd: len(s.Cues), firings: make([]uint64, len(s.List)),
	}
	ids, owners := Numbers(s)
	idle := s.List.StartsTimeline()
	for i := range out.Cues {
		c := &out.Cues[i]
		if *c = newCue(&s.Cues[i], ids, owners, 0); c.List > 0 || idle {
			c.State = Idle
		}
	}
	return out
}

// Scheduled returns the sheet s after all GOs that it schedules. Scheduled panics are recorded in the result. The exact
// time of an action that waits for the end of another cue is unknown, so it gets the earliest possible time.
func Scheduled(s *cue.Sheet) *Sheet {
	out, next := New(s), 0
	if len(s.List) == 0 {
		return out
	}
	for _, g := range GoesByMixerClock(s.Goes, max(s.Rate, 1)) {
		switch g.Action {
		case cue.ActionGo:
			next = out.AddGo(CueOf(s.List, &g, next), g.At, g.From)
		case cue.ActionPanic:
			out.Panics = append(out.Panics, Panic{g.At.Frames(s.Rate), g.Over, len(out.Launches), len(out.Cues)})
		}
	}
	return out
}

// Numbers returns the numbers of the ids and of the owners that the starts of sheet s have, by name. They count from 1
// in the order of first use. Ids without a start, which other cues name, come last.
func Numbers(s *cue.Sheet) (ids, owners map[string]uint64) {
	ids, owners = map[string]uint64{}, map[string]uint64{}
	for i := range s.Cues {
		if p, is := s.Cues[i].Action.(*cue.Play); is {
			number(ids, p.ID)
			number(owners, p.Owner)
		}
	}
	for i := range s.Cues {
		c := &s.Cues[i]
		if number(ids, c.EndOf); c.Target().Scope == cue.OnID {
			number(ids, c.Target().Name)
		}
	}
	return ids, owners
}

// number gives name the next number, unless it is empty or has a number.
func number(numbers map[string]uint64, name string) {
	if name != "" && numbers[name] == 0 {
		numbers[name] = uint64(len(numbers) + 1)
	}
}

// CueOf returns the index in list of the cue that the GO g starts. If g has no cue number, it starts the first enabled
// cue at or after index standby. If no such cue is left, the result is len(list). A number in g must be in the list;
// for an unknown number the result is 0.
func CueOf(list cue.List, g *cue.Go, standby int) int {
	if g.Cue != "" {
		return list.Numbers()[words.CueNumber(g.Cue)] // Sheet.ReadGoes and Parse have verified that it exists
	}
	return list.Standby(standby)
}

// GoesByMixerClock returns goes with their times on the mixer's clock, which stops during pauses. A GO while the mixer
// is stopped gets the time when that stop began. If no time changes because the mixer never stops, the result is goes
// itself, otherwise a copy. rate is the sample rate in Hz. goes must be in the order of time.
func GoesByMixerClock(goes []cue.Go, rate int) []cue.Go {
	clock := pauseclock.New(rate)
	for i := range goes {
		if a := goes[i].Action; a == cue.ActionPause || a == cue.ActionResume {
			clock.SetPaused(goes[i].At.Frames(rate), a == cue.ActionPause)
		}
	}
	if clock.PauseForever(); !clock.Stops() {
		return goes
	}
	goes = slices.Clone(goes)
	for i := range goes {
		at := goes[i].At.Frames(rate)
		if frame := clock.MixerFrame(at); frame != at {
			goes[i].At = rules.FrameTime(frame, rate)
		}
	}
	return goes
}

// AddGo carries out a GO. It appends to s.Cues the actions of the list cue with index head, and of the cues that follow
// it by themselves. The parameter at is the time of the GO since the beginning of the show. The actions are shifted as
// if the time from had already elapsed since the GO. Cues that follow an end are not shifted. head must be the index of
// a cue. It returns the list index after the last of these cues.
func (s *Sheet) AddGo(head int, at, from rules.Time) (next int) {
	base, since, after := at, rules.Time{}, -1
	for _, i := range s.List.Chain(head) {
		l := &s.List[i]
		since = AddTimes(since, l.PreWait)
		s.addLaunch(i, Launch{List: i, Base: base, Offset: since, Predecessor: after})
		if after < 0 && !from.IsZero() {
			s.skipInto(&s.Launches[len(s.Launches)-1], from)
		}
		switch l.Then {
		case cue.ThenContinue:
			since = AddTimes(since, l.PostWait)
		case cue.ThenFollow:
			base, since, after = AddTimes(base, since), rules.Time{}, len(s.Launches)-1
		}
		next = i + 1
	}
	return next
}

// addLaunch adds one run of a list cue to the sheet. The parameter list is the index of the cue in s.List, and l has
// the times of the run. Copies of the cue's actions are appended to s.Cues. If the cue starts the timeline, copies of
// the timeline's cues come before them. addLaunch sets l.First and l.Count to the range of all these copies, and
// appends l to s.Launches. It also counts the run in s.firings.
func (s *Sheet) addLaunch(list int, l Launch) {
	listCue := &s.List[list]
	l.First = len(s.Cues)
	if listCue.Timeline {
		for i := s.firstOwn; i < s.ownEnd; i++ {
			if s.Cues[i].List == 0 {
				s.addAction(i, &l, 0)
			}
		}
	}
	for i := listCue.First; i < listCue.First+listCue.Count; i++ {
		s.addAction(i, &l, len(s.Launches)+1)
	}
	l.Count = len(s.Cues) - l.First
	s.Launches = append(s.Launches, l)
	s.firings[list]++
}

// addAction appends a copy of s.Cues[i] to s.Cues, timed for the launch l. If l follows the end of another launch, or
// if the action waits for the end of an id, the copy waits. The parameter number is the number of the launch, from 1.
// It is 0 for an action of the timeline, which does not delay the end of the launch.
func (s *Sheet) addAction(i int, l *Launch, number int) {
	c := s.Cues[i]
	c.Origin, c.Launch, c.Firing = s.FilePosition(i)+1, number, s.firings[l.List]
	waitsForEnd := c.EndOf != ""
	c.Base, c.At, c.State = l.Base, AddTimes(l.Offset, c.At), Timed
	if waitsForEnd { // relative to that end
		c.Base, c.At = AddTimes(l.Base, l.Offset), rules.Time{}
	}
	if l.Predecessor >= 0 || waitsForEnd {
		c.State = Waiting
	}
	c.Layers = slices.Clone(c.Layers)
	for j := range c.Layers {
		c.Layers[j].Base, c.Layers[j].At, c.Layers[j].Launch = c.Base, c.At, c.Launch
	}
	s.Cues = append(s.Cues, c)
}

// AddFinished adds a launch that brings the list cue with the given index into the state after its end: with its
// lasting results, such as endless loops and set values. All of them act at frame 0. It reports whether the list cue
// has any lasting result. Otherwise no launch is added.
func (s *Sheet) AddFinished(list int) bool {
	l := Launch{List: list, Predecessor: -1, First: len(s.Cues)}
	for _, i := range s.actionsOf(list) {
		if c, some := s.Cues[i].finished(); some {
			c.Origin, c.Launch, c.Firing = s.FilePosition(i)+1, len(s.Launches)+1, s.firings[list]
			s.Cues = append(s.Cues, c)
		}
	}
	if l.Count = len(s.Cues) - l.First; l.Count == 0 {
		return false
	}
	s.Launches = append(s.Launches, l)
	s.firings[list]++
	return true
}

// actionsOf returns the indexes in s.Cues of the actions of a list cue, ordered by time. list is the index of the list
// cue. If the list cue starts the timeline, the cues of the timeline are included.
func (s *Sheet) actionsOf(list int) (all []int) {
	listCue := &s.List[list]
	for i := s.firstOwn; i < s.ownEnd; i++ {
		if listCue.Timeline && s.Cues[i].List == 0 || i >= listCue.First && i < listCue.First+listCue.Count {
			all = append(all, i)
		}
	}
	slices.SortStableFunc(all, func(a, b int) int { return s.Cues[a].At.Compare(s.Cues[b].At) })
	return all
}

// AddByHand appends c, an action that no file has, to s.Cues and returns its index. The action acts at the time base.
// ids and owners have the numbers of the id and the owner of c. Sounds of c count from the sound with index firstSound
// in s.Sounds.
func (s *Sheet) AddByHand(c *cue.Cue, base rules.Time, ids, owners map[string]uint64, firstSound int) int {
	one := newCue(c, ids, owners, firstSound)
	one.Manual, one.Base = true, base
	one.Firing = uint64(len(s.Cues)) // each action gets its own random choices
	for i := range one.Layers {
		one.Layers[i].Base = base
	}
	s.Cues = append(s.Cues, one)
	return len(s.Cues) - 1
}

// Replace continues s with the sheet next. The sounds and cues of next are appended, so that earlier cues keep their
// indexes. The list of next replaces the list of s. The appended cues are idle, and their indexes are first to
// len(s.Cues)-1. ids and owners have the numbers of all ids and owners of next. newIndex converts an index of the old
// list to an index of the new list; the result is -1 if next does not have that cue.
func (s *Sheet) Replace(next *cue.Sheet, ids, owners map[string]uint64) (first int, newIndex func(list int) int) {
	firstSound := len(s.Sounds)
	s.Repeat, s.Scenes = next.Repeat, next.Scenes
	s.Sounds = slices.Concat(s.Sounds, next.Sounds)
	first = len(s.Cues)
	for i := range next.Cues {
		c := newCue(&next.Cues[i], ids, owners, firstSound)
		c.Origin, c.State = i+1, Idle
		s.Cues = append(s.Cues, c)
	}
	old, numbers := s.List, next.List.Numbers()
	newIndex = func(list int) int {
		if list >= 0 {
			if i, some := numbers[words.CueNumber(old[list].Number)]; some {
				return i
			}
		}
		return -1
	}
	for i := range s.Launches {
		s.Launches[i].List = newIndex(s.Launches[i].List)
	}
	firings := make([]uint64, len(next.List))
	for i, n := range s.firings {
		if j := newIndex(i); j >= 0 {
			firings[j] = n
		}
	}
	s.firstOwn, s.ownEnd, s.firings, s.List = first, len(s.Cues), firings, slices.Clone(next.List)
	for i := range s.List {
		s.List[i].First += first
	}
	return first, newIndex
}

// Trim changes the gain of each start, layers included, among the given number of cues from s.Cues[first] on. count is
// their number, and by the change in decibels. A sum out of the range of the mixer becomes the nearest valid gain.
func (s *Sheet) Trim(first, count int, by pcm.Decibels) {
	for i := first; i < first+count; i++ {
		for _, c := range s.Cues[i].Starts() {
			*c = c.owned()
			c.Play.Gain = min(max(c.Play.Gain+by, mixer.MinGain), mixer.MaxGain)
		}
	}
}

// Active returns an iterator over the cues that act, with their indexes in s.Cues. Idle cues are left out, such as the
// actions of the list; each GO adds active copies of them. The pointers point into the sheet.
func (s *Sheet) Active() iter.Seq2[int, *Cue] {
	return func(yield func(int, *Cue) bool) {
		for i := range s.Cues {
			if c := &s.Cues[i]; c.State != Idle && !yield(i, c) {
				return
			}
		}
	}
}

// HasFollowOns reports whether any active action begins when a cue, or the voices with an id, have ended. The time of
// such an action depends on the lengths of sounds, so only a render finds it.
func (s *Sheet) HasFollowOns() bool {
	for _, c := range s.Active() {
		if c.State == Waiting {
			return true
		}
	}
	return false
}

// RepeatsWithSheet reports whether cue c acts again when the sheet starts again. It is false if the sheet does not
// repeat. It is also false for list cues, for actions by hand and for cues at or after the end of the sheet's period.
func (s *Sheet) RepeatsWithSheet(c *Cue) bool {
	return !s.Repeat.IsZero() && c.List == 0 && !c.Manual && c.At.Compare(s.Repeat) < 0
}

// FilePosition returns the position in the file, from 0, of the cue that s.Cues[i] is a copy of. For a cue requested
// by hand it returns -1. For a cue that is not a copy, and for an index out of range, it returns i.
func (s *Sheet) FilePosition(i int) int {
	switch {
	case i < 0 || i >= len(s.Cues):
	case s.Cues[i].Manual:
		return -1
	case s.Cues[i].Origin > 0:
		return s.Cues[i].Origin - 1
	}
	return i
}

// CueLabel returns the label of s.Cues[i], as Label of cue.Cue does. The result is the zero value if i is out of range.
func (s *Sheet) CueLabel(i int) (label report.CueLabel) {
	if i >= 0 && i < len(s.Cues) {
		label = s.Cues[i].Cue.Label()
	}
	return label
}

// LastInstant returns the instant of the last repetition of s.Cues[i]. If its intervals are random, the result is an
// upper bound.
func (s *Sheet) LastInstant(i int) Instant { return Instant{s.Cues[i].LastFrame(s.Rate), i} }

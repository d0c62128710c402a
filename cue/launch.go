package cue

import (
	"iter"
	"slices"

	"voicepool/bank/rules"
)

// launch is one run of a list cue.
type launch struct {
	list        int        // index in Sheet.List
	base        rules.Time // the time of the GO; for a cue that follows an end, the earliest time of that end
	offset      rules.Time // from base to the beginning of the cue
	predecessor int        // the launch whose end it follows; -1: base is exact

	first, count int // its actions in Sheet.Cues; each GO adds a copy
}

// addTimes returns t + u. Requires that the sum does not overflow.
func addTimes(t, u rules.Time) rules.Time {
	sum, _ := t.Repeat(1, u)
	return sum
}

// withScheduledGoes returns a copy of the sheet in which all scheduled GOs have happened: Cues also has their actions,
// and the scheduled panics are recorded. An action that begins when another cue ends gets the earliest possible time of
// that end. If the sheet has no list or already has these actions, the result is the sheet itself.
func (s *Sheet) withScheduledGoes() *Sheet {
	if s.playable || len(s.List) == 0 {
		return s
	}
	out := s.playableCopy()
	next := 0
	for _, g := range s.goesByMixerClock(max(s.Rate, 1)) {
		switch g.Action {
		case ActionGo:
		case ActionPanic:
			out.panics = append(out.panics, scheduledPanic{g.At.Frames(s.Rate), g.Over, len(out.launches), len(out.Cues)})
			continue
		default:
			continue
		}
		next = out.addGo(s.cueOf(&g, next), g.At, g.From)
	}
	return out
}

// playableCopy returns a copy of the sheet whose Cues addGo can extend. In the copy the actions of list cues are idle,
// and so is the timeline if a list cue starts it: they do not act before a GO.
func (s *Sheet) playableCopy() *Sheet {
	out := *s
	out.playable, out.Cues, out.ownEnd = true, slices.Clone(s.Cues), len(s.Cues)
	out.firings = make([]uint64, len(s.List))
	for i := range out.Cues {
		if c := &out.Cues[i]; c.list > 0 || !s.timelineStartsWithShow() {
			c.state = stateIdle
		}
	}
	return &out
}

// addGo adds to s.Cues the actions of a GO at the time at since the beginning of the show: the actions of the list cue
// with index head and of the cues that follow it by themselves. It returns the list index after the last of these
// cues. The actions are shifted as if the time from had already elapsed since the GO.
func (s *Sheet) addGo(head int, at, from rules.Time) (next int) {
	base, since, after := at, rules.Time{}, -1
	for _, i := range s.chain(head) {
		l := &s.List[i]
		since = addTimes(since, l.PreWait)
		s.addLaunch(i, launch{list: i, base: base, offset: since, predecessor: after})
		if after < 0 && !from.IsZero() {
			s.skipInto(&s.launches[len(s.launches)-1], from)
		}
		switch l.Then {
		case ThenContinue:
			since = addTimes(since, l.PostWait)
		case ThenFollow:
			base, since, after = addTimes(base, since), rules.Time{}, len(s.launches)-1
		}
		next = i + 1
	}
	return next
}

// addLaunch appends a run of the list cue with index list to s.launches, and copies of its actions to s.Cues, with the
// timeline if the cue starts it. l has the times of the run; addLaunch sets its range of actions.
func (s *Sheet) addLaunch(list int, l launch) {
	listCue := &s.List[list]
	l.first = len(s.Cues)
	if listCue.Timeline {
		for i := s.firstOwn; i < s.ownEnd; i++ {
			if s.Cues[i].list == 0 {
				s.addAction(i, &l, 0)
			}
		}
	}
	for i := listCue.First; i < listCue.First+listCue.Count; i++ {
		s.addAction(i, &l, len(s.launches)+1)
	}
	l.count = len(s.Cues) - l.first
	s.launches = append(s.launches, l)
	s.firings[list]++
}

// addAction appends to s.Cues a copy of s.Cues[i] with the times of the launch l. number is the number of the launch,
// from 1, or 0 for an action of the timeline, which does not count for the end of the launch.
func (s *Sheet) addAction(i int, l *launch, number int) {
	c := s.Cues[i]
	c.origin, c.launch, c.firing = s.filePosition(i)+1, number, s.firings[l.list]
	waitsForEnd := c.awaitedID != ""
	c.base, c.At, c.state = l.base, addTimes(l.offset, c.At), stateTimed
	if waitsForEnd { // relative to that end
		c.base, c.At = addTimes(l.base, l.offset), rules.Time{}
	}
	if l.predecessor >= 0 || waitsForEnd {
		c.state = stateWaiting
	}
	c.layers = slices.Clone(c.layers)
	for j := range c.layers {
		c.layers[j].base, c.layers[j].At = c.base, c.At
	}
	s.Cues = append(s.Cues, c)
}

// filePosition returns the position in its file, from 0, of the cue that s.Cues[i] is a copy of. It is -1 if that cue
// was requested by hand, and i if i is out of range.
func (s *Sheet) filePosition(i int) int {
	if i >= 0 && i < len(s.Cues) && s.Cues[i].manual {
		return -1
	}
	if i >= 0 && i < len(s.Cues) && s.Cues[i].origin > 0 {
		return s.Cues[i].origin - 1
	}
	return i
}

// HasFollowOns reports whether an action of the sheet begins when a cue or id ends, so that its time depends on the
// lengths of sounds. Only a render finds such a time.
func (s *Sheet) HasFollowOns() bool {
	for _, c := range s.withScheduledGoes().activeCues() {
		if c.state == stateWaiting {
			return true
		}
	}
	return false
}

// activeCues returns an iterator over the cues that are not idle (list cues without a GO), with their indexes in
// s.Cues. The pointers alias the sheet.
func (s *Sheet) activeCues() iter.Seq2[int, *Cue] {
	return func(yield func(int, *Cue) bool) {
		for i := range s.Cues {
			if c := &s.Cues[i]; c.state != stateIdle && !yield(i, c) {
				return
			}
		}
	}
}

// frame returns the frame of repetition number repetition, from 0, since the beginning of the show. rate is in Hz. For
// a cue that waits for an end it is the earliest possible frame.
func (c *Cue) frame(repetition uint64, rate int) int64 {
	return c.base.Frames(rate) + c.regularTime(repetition).Frames(rate)
}

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

// addTimes returns the sum t + u, which must not overflow.
func addTimes(t, u rules.Time) rules.Time {
	sum, _ := t.Repeat(1, u)
	return sum
}

// withScheduledGoes returns a copy of the sheet as it is after all scheduled GO commands. Each GO adds copies of the
// actions that it starts to Cues. Scheduled panics are recorded in the copy. The exact time of an action that waits
// for the end of another cue is unknown, so it gets the earliest possible time. If the sheet has no list, or is a copy
// for playing already, the result is s itself.
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

// playableCopy returns a copy of the sheet for playing. Its Cues can be extended by addGo. In the copy, the actions of
// list cues are idle: they do not act before a GO adds copies of them. The cues of the timeline are idle, too, if a
// list cue starts the timeline. s does not change.
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

// addGo carries out a GO in a sheet that is being played. It appends to s.Cues the actions of the list cue with index
// head, and of the cues that follow it by themselves. The parameter at is the time of the GO since the beginning of the
// show. The actions are shifted as if the time from had already elapsed since the GO. Cues that follow an end are not
// shifted. head must be the index of a cue. It returns the list index after the last of these cues.
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

// addLaunch adds one run of a list cue to the sheet. The parameter list is the index of the cue. Copies of its actions
// are appended to s.Cues, and so are copies of the timeline if the cue starts it. l has the times of the run.
// addLaunch sets first and count in it, the range of its actions, and appends it to s.launches.
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

// addAction appends a copy of s.Cues[i] to s.Cues, timed for the launch l (one run of a list cue). If l follows the
// end of another launch, or if the action waits for the end of an id, the copy waits. The parameter number is the
// number of the launch, from 1. It is 0 for an action of the timeline, which does not delay the end of the launch.
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

// filePosition returns the position in the file, from 0, of the cue that s.Cues[i] is a copy of. For a cue requested
// by hand it returns -1. For a cue that is not a copy, and for an index out of range, it returns i.
func (s *Sheet) filePosition(i int) int {
	if i >= 0 && i < len(s.Cues) && s.Cues[i].manual {
		return -1
	}
	if i >= 0 && i < len(s.Cues) && s.Cues[i].origin > 0 {
		return s.Cues[i].origin - 1
	}
	return i
}

// HasFollowOns reports whether any action of the sheet begins when a cue, or the voices with an id, have ended. List
// cues without a scheduled GO do not count. The time of such an action depends on the lengths of sounds, so only a
// render finds it.
func (s *Sheet) HasFollowOns() bool {
	for _, c := range s.withScheduledGoes().activeCues() {
		if c.state == stateWaiting {
			return true
		}
	}
	return false
}

// activeCues returns an iterator over the cues that act, with their indexes in s.Cues. Idle cues are left out, such as
// the actions of the list; each GO adds active copies of them. Only withScheduledGoes and playableCopy mark cues as
// idle; in another sheet all cues act. The pointers point into the sheet.
func (s *Sheet) activeCues() iter.Seq2[int, *Cue] {
	return func(yield func(int, *Cue) bool) {
		for i := range s.Cues {
			if c := &s.Cues[i]; c.state != stateIdle && !yield(i, c) {
				return
			}
		}
	}
}

// frame returns the frame of the show when a repetition of c is due. The parameter repetition is its number: 0 is the
// first time that c acts. rate is the sample rate in Hz. If c waits for the end of another cue or id, the result
// assumes the earliest possible time of that end. The intervals between the repetitions of c must not be random.
func (c *Cue) frame(repetition uint64, rate int) int64 {
	return c.base.Frames(rate) + c.regularTime(repetition).Frames(rate)
}

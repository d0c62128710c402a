package cue

import (
	"iter"
	"slices"

	"voicepool/bank/rules"
)

// launch is a cue of the list that begins.
type launch struct {
	list  int        // its place there
	base  rules.Time // of the GO; of what follows an end, where that comes at the earliest
	since rules.Time // from there to where it begins
	after int        // the launch that it follows the end of; -1: none, so that base is exact

	first, count int // what it does, in Sheet.Cues: each GO has actions of its own
}

// plus returns t + u. That it fits is checked.
func plus(t, u rules.Time) rules.Time {
	sum, _ := t.Repeat(1, u)
	return sum
}

// fired returns the sheet with what the GOs of its list begin: as it is where there is no list. What
// waits for an end has the earliest time at which it can act.
func (s *Sheet) fired() *Sheet {
	if s.begun || len(s.List) == 0 {
		return s
	}
	out := s.unfired()
	next := 0
	for _, g := range s.clocked(max(s.Rate, 1)) {
		switch g.Does {
		case DoGo:
		case DoPanic:
			out.panics = append(out.panics, alarm{g.At.Frames(s.Rate), g.Over, len(out.launches), len(out.Cues)})
			continue
		default:
			continue
		}
		next = out.begin(s.meant(&g, next), g.At)
	}
	return out
}

// unfired returns a copy of the sheet to which begin adds what its list does.
func (s *Sheet) unfired() *Sheet {
	out := *s
	out.begun, out.Cues, out.own = true, slices.Clone(s.Cues), len(s.Cues)
	out.firings = make([]uint64, len(s.List))
	for i := range out.Cues {
		if c := &out.Cues[i]; c.list > 0 || !s.timed() {
			c.state = idle
		}
	}
	return &out
}

// begin adds what a GO begins at a time, by a cue and by all that goes on from it, and returns the
// place behind those.
func (s *Sheet) begin(head int, at rules.Time) (next int) {
	base, since, after := at, rules.Time{}, -1
	for _, i := range s.chain(head) {
		l := &s.List[i]
		since = plus(since, l.Pre)
		s.launch(i, launch{list: i, base: base, since: since, after: after})
		switch l.Then {
		case ThenContinue:
			since = plus(since, l.Wait)
		case ThenFollow:
			base, since, after = plus(base, since), rules.Time{}, len(s.launches)-1
		}
		next = i + 1
	}
	return next
}

// launch adds the actions of one cue of the list, and of the timeline that it begins.
func (s *Sheet) launch(list int, l launch) {
	of := &s.List[list]
	l.first = len(s.Cues)
	if of.Timeline {
		for i := s.first; i < s.own; i++ {
			if s.Cues[i].list == 0 {
				s.act(i, &l, 0)
			}
		}
	}
	for i := of.First; i < of.First+of.Count; i++ {
		s.act(i, &l, len(s.launches)+1)
	}
	l.count = len(s.Cues) - l.first
	s.launches = append(s.launches, l)
	s.firings[list]++
}

// act adds an action of a launch, which is told by its number from 1; 0: of the timeline.
func (s *Sheet) act(i int, l *launch, number int) {
	c := s.Cues[i]
	c.origin, c.launch, c.firing = s.place(i)+1, number, s.firings[l.list]
	ends := c.after != ""
	c.base, c.At, c.state = l.base, plus(l.since, c.At), byTime
	if ends { // from that end on
		c.base, c.At = plus(l.base, l.since), rules.Time{}
	}
	if l.after >= 0 || ends {
		c.state = waits
	}
	c.layers = slices.Clone(c.layers)
	for j := range c.layers {
		c.layers[j].base, c.layers[j].At = c.base, c.At
	}
	s.Cues = append(s.Cues, c)
}

// place returns where in the file's own order a cue of Cues stands; -1: nowhere.
func (s *Sheet) place(i int) int {
	if i >= 0 && i < len(s.Cues) && s.Cues[i].hand {
		return -1
	}
	if i >= 0 && i < len(s.Cues) && s.Cues[i].origin > 0 {
		return s.Cues[i].origin - 1
	}
	return i
}

// Awaits reports whether the times of GO do not say when all cues begin: some begin at the end of
// what others play, which only a render knows.
func (s *Sheet) Awaits() bool {
	for _, c := range s.fired().acting() {
		if c.state == waits {
			return true
		}
	}
	return false
}

// acting returns the cues that act, with their places.
func (s *Sheet) acting() iter.Seq2[int, *Cue] {
	return func(yield func(int, *Cue) bool) {
		for i := range s.Cues {
			if c := &s.Cues[i]; c.state != idle && !yield(i, c) {
				return
			}
		}
	}
}

// frame returns when a repetition, counted from 0, is due.
func (c *Cue) frame(repetition uint64, rate int) int64 {
	return c.base.Frames(rate) + c.moment(repetition).Frames(rate)
}

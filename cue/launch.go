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
	after int        // the place in the list of the cue that it follows; -1: none, so that base is exact
}

// launches returns what the GOs of a sheet begin, in this order.
func (s *Sheet) launches() (all []launch) {
	next, numbers := 0, s.numbers()
	for _, g := range s.Goes {
		if next = s.standby(next); g.Cue != "" {
			next = numbers[numberOf(g.Cue)] // it is there: checkGoes has looked
		}
		base, since, after := g.At, rules.Time{}, -1
		for _, i := range s.chain(next) {
			l := &s.List[i]
			since = plus(since, l.Pre)
			all = append(all, launch{i, base, since, after})
			switch l.Then {
			case ThenContinue:
				since = plus(since, l.Wait)
			case ThenFollow:
				base, since, after = plus(base, since), rules.Time{}, i
			}
			next = i + 1
		}
	}
	return all
}

// plus returns t + u. That it fits is checked.
func plus(t, u rules.Time) rules.Time {
	sum, _ := t.Repeat(1, u)
	return sum
}

// fired returns the sheet with the times that the GOs give its list: as it is where there is none.
// What waits for an end has the earliest time at which it can act.
func (s *Sheet) fired() *Sheet {
	if len(s.List) == 0 || s.begun {
		return s
	}
	out := *s
	out.begun, out.Cues = true, slices.Clone(s.Cues)
	timeline := !slices.ContainsFunc(s.List, func(l ListCue) bool { return l.Timeline && !l.Off })
	for i := range out.Cues {
		if c := &out.Cues[i]; c.list > 0 || !timeline {
			c.state = idle
		}
	}
	begin := func(i int, l *launch, after bool) {
		c := &out.Cues[i]
		c.base, c.At, c.state = l.base, plus(l.since, c.At), byTime
		if after { // from that end on
			c.base, c.At = plus(l.base, l.since), rules.Time{}
		}
		if l.after >= 0 || after {
			c.state = waits
		}
		c.layers = slices.Clone(c.layers)
		for j := range c.layers {
			c.layers[j].base, c.layers[j].At = c.base, c.At
		}
	}
	for _, l := range s.launches() {
		of := &s.List[l.list]
		for i := of.First; i < of.First+of.Count; i++ {
			begin(i, &l, s.Cues[i].after != "")
		}
		if !of.Timeline {
			continue
		}
		for i := range out.Cues {
			if out.Cues[i].list == 0 {
				begin(i, &l, false)
			}
		}
	}
	return &out
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

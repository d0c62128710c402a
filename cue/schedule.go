package cue

import (
	"cmp"
	"container/heap"
	"slices"
	"strings"

	"voicepool/bank/rules"
	"voicepool/internal/chance"
	"voicepool/internal/words"
	"voicepool/pcm"
)

// Action is one thing to do at one frame: a cue, or one repetition of it.
type Action struct {
	Frame      int64
	Cue        int    // in Sheet.Cues
	Repetition uint64 // from 0; in a sheet that repeats, it goes on counting
	Passed     bool   // chance leaves it out: it does nothing
	Rest       uint64 // repetitions that the cue has counted and that do not come: `until` is before them

	// Of Play, what chance has drawn.
	File  int           // in Sound.Files
	Gain  pcm.Decibels  // the sound's part
	Pitch pcm.Semitones // the sound's part

	layers []drawn // of a sound with layers, what chance has drawn for each
}

// drawn is what chance has drawn for a layer.
type drawn struct {
	file  int
	gain  pcm.Decibels
	pitch pcm.Semitones
}

// Schedule lists the actions of a sheet in their order: by frame, then by the
// place of their cue in the file. It makes them one by one, so that a cue with a
// thousand million repetitions takes no memory. One goroutine at a time.
type Schedule struct {
	sheet *Sheet
	rate  int
	seed  uint64

	bases   []int64 // of the cues that waited for an end: the frame of that
	order   []int   // cues by frame, then index
	at      int     // the first of order that has not begun
	heap    turns
	plays   uint64                   // starts that are still to come
	sends   uint64                   // and messages
	gone    func(*Action, *Cue) bool // whether a start in its midst is over by then; nil: nobody knows
	pickers []chance.Picker          // by sound

	// The cues of a list that are under way have files of their own, by their place and that of a
	// layer, so that what they take does not depend on what else starts meanwhile. listed says, by
	// sound, how far all of them will have come.
	listed []chance.Picker
	own    map[[2]int]*chance.Picker
}

// turn is the next repetition of a cue.
type turn struct {
	moment
	repetition uint64
	since      int64  // the nanoseconds from the first, where chance draws the times
	round      uint64 // of a sheet that repeats: how often it has
}

// turns is a heap of those of cues that have begun.
type turns []turn

func (h turns) Len() int           { return len(h) }
func (h turns) Less(i, j int) bool { return h[i].before(h[j].moment) }
func (h turns) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *turns) Push(x any)        { *h = append(*h, x.(turn)) }
func (h *turns) Pop() any {
	last := len(*h) - 1
	t := (*h)[last]
	*h = (*h)[:last]
	return t
}

// Schedule returns the actions of the sheet at a rate of 1..768,000 frames per
// second, drawn with a seed: the sheet's own or another.
func (s *Sheet) Schedule(rate int, seed uint64) *Schedule {
	s = s.fired()
	sc := &Schedule{
		sheet: s, rate: rate, seed: seed, order: make([]int, 0, len(s.Cues)), pickers: make([]chance.Picker, len(s.Sounds)),
		listed: make([]chance.Picker, len(s.Sounds)), own: map[[2]int]*chance.Picker{},
	}
	frames := make([]int64, len(s.Cues))
	for i, c := range s.acting() {
		sc.enlist(i)
		if c.state == waits {
			continue
		}
		sc.order = append(sc.order, i)
		frames[i] = c.frame(0, rate)
		sc.expect(c)
	}
	slices.SortStableFunc(sc.order, func(a, b int) int { return cmp.Compare(frames[a], frames[b]) })
	return sc
}

// expect counts the starts of a cue, or its messages.
func (sc *Schedule) expect(c *Cue) { sc.expectMore(c, c.Times) }

func (sc *Schedule) expectMore(c *Cue, times uint64) {
	if n := sc.left(c); n != nil {
		if sc.sheet.again(c) {
			times = 1<<64 - 1
		}
		*n += min(times, 1<<64-1-*n)
	}
}

// left returns the count that a cue is in; nil: in none.
func (sc *Schedule) left(c *Cue) *uint64 {
	switch c.Verb {
	case Play:
		return &sc.plays
	case Send:
		return &sc.sends
	}
	return nil
}

// release has a cue act from a frame on, at which what it waited for was over.
func (sc *Schedule) release(cue int, frame int64) {
	for len(sc.bases) <= cue {
		sc.bases = append(sc.bases, 0)
	}
	sc.bases[cue] = frame
	sc.add(cue)
}

// add takes a cue that was added to the sheet.
func (sc *Schedule) add(cue int) {
	sc.expect(&sc.sheet.Cues[cue])
	heap.Push(&sc.heap, turn{moment: moment{sc.frame(cue, 0), cue}})
}

// clear drops what some cues still do, the first ones.
func (sc *Schedule) clear(cues int) {
	sc.heap = slices.DeleteFunc(sc.heap, func(t turn) bool { return t.index < cues })
	heap.Init(&sc.heap)
	sc.order, sc.at = slices.DeleteFunc(sc.order[sc.at:], func(i int) bool { return i < cues }), 0
	sc.plays, sc.sends = 0, 0
	for _, t := range sc.heap {
		c := &sc.sheet.Cues[t.index]
		sc.expectMore(c, c.Times-t.repetition)
	}
	for _, i := range sc.order {
		sc.expect(&sc.sheet.Cues[i])
	}
}

// frame returns when a repetition of a cue is due.
func (sc *Schedule) frame(cue int, repetition uint64) int64 {
	return sc.base(cue) + sc.sheet.Cues[cue].moment(repetition).Frames(sc.rate)
}

// base returns the frame from which the times of a cue are.
func (sc *Schedule) base(cue int) int64 {
	if c := &sc.sheet.Cues[cue]; c.state != waits {
		return c.base.Frames(sc.rate)
	}
	return sc.bases[cue]
}

// Peek returns the frame of the next action, and whether there is one.
func (sc *Schedule) Peek() (frame int64, ok bool) {
	t, _, ok := sc.first()
	return t.frame, ok
}

// Plays returns how many starts are still to come.
func (sc *Schedule) Plays() uint64 { return sc.plays }

// first returns the next turn, and whether it is one of the heap.
func (sc *Schedule) first() (t turn, repeated, ok bool) {
	if len(sc.heap) > 0 {
		t, repeated, ok = sc.heap[0], true, true
	}
	if sc.at < len(sc.order) {
		i := sc.order[sc.at]
		begins := turn{moment: moment{sc.frame(i, 0), i}}
		if !ok || begins.before(t.moment) {
			return begins, false, true
		}
	}
	return t, repeated, ok
}

// Next returns the next action, and whether there is one.
func (sc *Schedule) Next() (Action, bool) {
	t, repeated, ok := sc.first()
	if !ok {
		return Action{}, false
	}
	a, after, more := sc.repeat(t)
	after.frame = sc.base(t.index) + sc.since(after).Frames(sc.rate)
	sc.advance(after, repeated, more)
	if n := sc.left(&sc.sheet.Cues[t.index]); n != nil {
		*n -= 1 + a.Rest
	}
	return a, true
}

// repeat returns the action of a turn, and the next turn of its cue, but for the frame of that.
func (sc *Schedule) repeat(t turn) (a Action, after turn, more bool) {
	c := &sc.sheet.Cues[t.index]
	after = turn{moment: moment{0, t.index}, repetition: t.repetition + 1, round: t.round}
	more = after.repetition < c.Times
	a = Action{Frame: t.frame, Cue: t.index, Repetition: t.repetition + t.round*c.Times}
	d := chance.Draw{Seed: sc.seed, Place: uint64(sc.sheet.place(t.index)), Time: a.Repetition + c.firing*c.Times}
	if more && !c.EveryMost.IsZero() {
		if after.since, more = c.gap(d, t.since); !more {
			a.Rest = c.Times - after.repetition
		}
	}
	if sc.sheet.again(c) && !(more && sc.inRound(after)) {
		after, more = turn{moment: after.moment, round: t.round + 1}, true
	}
	if a.Passed = !c.acts(d); c.Verb == Play && !a.Passed {
		sc.draw(&a, c)
		if c.late && sc.gone != nil {
			late := a // it alone is on the heap
			a.Passed = sc.gone(&late, c)
		}
	}
	return a, after, more
}

// since returns when a turn comes, from where its cue begins.
func (sc *Schedule) since(t turn) rules.Time {
	c := &sc.sheet.Cues[t.index]
	since := c.moment(t.repetition)
	if !c.EveryMost.IsZero() {
		since = c.drawn(t.since)
	}
	if t.round > 0 {
		since, _ = since.Repeat(t.round, sc.sheet.Repeat)
	}
	return since
}

// inRound reports whether a turn comes before its sheet begins again.
func (sc *Schedule) inRound(t turn) bool {
	t.round = 0
	return sc.since(t).Compare(sc.sheet.Repeat) < 0
}

// again reports whether a cue begins again with its sheet.
func (s *Sheet) again(c *Cue) bool {
	return !s.Repeat.IsZero() && c.list == 0 && !c.hand && c.At.Compare(s.Repeat) < 0
}

// advance passes over the first turn; if there is more of its cue, after is the
// next.
func (sc *Schedule) advance(after turn, repeated, more bool) {
	switch {
	case !repeated:
		sc.at++
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

// drop passes over the next action and all repetitions of its cue that are still
// to come, none of which may be a start.
func (sc *Schedule) drop() {
	if _, repeated, ok := sc.first(); ok {
		sc.advance(turn{}, repeated, false)
	}
}

// draw asks chance for what a start takes.
func (sc *Schedule) draw(a *Action, c *Cue) {
	cue := uint64(sc.sheet.place(a.Cue))
	d := chance.Draw{Seed: sc.seed, Place: cue, Time: a.Repetition + c.firing*c.Times}
	one := sc.drawn(c, d, [2]int{a.Cue})
	a.File, a.Gain, a.Pitch = one.file, one.gain, one.pitch
	for i := range c.layers {
		d.Place = chance.Layer(cue, i)
		a.layers = append(a.layers, sc.drawn(&c.layers[i], d, [2]int{a.Cue, i + 1}))
	}
}

func (sc *Schedule) drawn(c *Cue, d chance.Draw, key [2]int) (out drawn) {
	s := &sc.sheet.Sounds[c.Sound]
	if len(s.Files) > 0 {
		picker := &sc.pickers[c.Sound]
		if own := sc.own[key]; own != nil {
			picker = own
		}
		out.file = picker.Next(s.Pick, len(s.Files), uint64(c.Sound), d)
	}
	out.gain = pcm.Decibels(d.In(s.Gain, chance.Gain))
	out.pitch = pcm.Semitones(d.In(s.Pitch, chance.Pitch))
	return out
}

// mostPicked bounds how many files of one cue those that begin later come behind.
const mostPicked = 4096

// enlist has a cue of a list that begins take files of its own: those that come after what all
// cues take that have begun before, if they take so many.
func (sc *Schedule) enlist(i int) {
	c := &sc.sheet.Cues[i]
	if c.origin == 0 || c.Verb != Play {
		return
	}
	take := func(c *Cue, key [2]int) {
		s := &sc.sheet.Sounds[c.Sound]
		if len(s.Files) < 2 {
			return
		}
		all := &sc.listed[c.Sound]
		sc.own[key] = all.Clone()
		for k := range min(c.Times, mostPicked) {
			all.Next(s.Pick, len(s.Files), uint64(c.Sound), chance.Draw{Seed: sc.seed, Time: k})
		}
	}
	take(c, [2]int{i})
	for j := range c.layers {
		take(&c.layers[j], [2]int{i, j + 1})
	}
}

// Says returns what an action does in a few words, such as play bell; a cue of the list has its
// number and name before them.
func (sc *Schedule) Says(a *Action) string {
	c := &sc.sheet.Cues[a.Cue]
	what := c.Target
	switch c.Verb {
	case Play:
		what = sc.sheet.Sounds[c.Sound].Name
	case SetScene:
		what = c.Scene
	}
	parts := []string{c.Number, c.Name, c.Verb.String(), what}
	return words.OneLine(strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " "))
}

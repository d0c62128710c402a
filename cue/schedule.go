package cue

import (
	"cmp"
	"container/heap"
	"math/bits"
	"slices"

	"voicepool/pcm"
)

// Action is one thing to do at one frame: a cue, or one repetition of it.
type Action struct {
	Frame      int64
	Cue        int    // in Sheet.Cues
	Repetition uint64 // from 0

	// Of Play, what chance has drawn.
	File  int           // in Sound.Files
	Gain  pcm.Decibels  // the sound's part
	Pitch pcm.Semitones // the sound's part
}

// Schedule lists the actions of a sheet in their order: by frame, then by the
// place of their cue in the file. It makes them one by one, so that a cue with a
// thousand million repetitions takes no memory. One goroutine at a time.
type Schedule struct {
	sheet *Sheet
	rate  int
	seed  uint64

	order   []int // cues by frame, then index
	at      int   // the first of order that has not begun
	heap    turns
	plays   uint64 // starts that are still to come
	pickers []picker
}

// turn is the next repetition of a cue.
type turn struct {
	moment
	repetition uint64
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
	sc := &Schedule{
		sheet: s, rate: rate, seed: seed, order: make([]int, len(s.Cues)), pickers: make([]picker, len(s.Sounds)),
	}
	frames := make([]int64, len(s.Cues))
	for i := range s.Cues {
		sc.order[i] = i
		frames[i] = s.Cues[i].At.Frames(rate)
		if s.Cues[i].Verb == Play {
			sc.plays += min(s.Cues[i].Times, 1<<64-1-sc.plays)
		}
	}
	slices.SortStableFunc(sc.order, func(a, b int) int { return cmp.Compare(frames[a], frames[b]) })
	return sc
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
		begins := turn{moment: moment{sc.sheet.Cues[i].At.Frames(sc.rate), i}}
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
	c := &sc.sheet.Cues[t.index]
	after := turn{moment{0, t.index}, t.repetition + 1}
	more := after.repetition < c.Times
	if more {
		after.frame = c.moment(after.repetition).Frames(sc.rate)
	}
	sc.advance(after, repeated, more)
	a := Action{Frame: t.frame, Cue: t.index, Repetition: t.repetition}
	if c.Verb == Play {
		sc.plays--
		sc.draw(&a, c)
	}
	return a, true
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
	s := &sc.sheet.Sounds[c.Sound]
	cue := uint64(a.Cue)
	a.File = sc.pickers[c.Sound].next(s.Pick, len(s.Files), sc.seed, uint64(c.Sound), cue, a.Repetition)
	a.Gain = pcm.Decibels(s.Gain.in(hash(sc.seed, cue, a.Repetition, uint64(drawGain))))
	a.Pitch = pcm.Semitones(s.Pitch.in(hash(sc.seed, cue, a.Repetition, uint64(drawPitch))))
}

// Chance is a hash, so that what a start draws depends on nothing but the seed
// of the sheet, the index of its cue, its repetition and what is drawn. Each of
// the four words is added to the state, which is then scrambled by the finaliser
// of splitmix64; the result has 64 even bits on every machine.

// draw names what is drawn.
type draw uint64

const (
	drawPick draw = iota + 1
	drawGain
	drawPitch
	drawOrder // of a cycle: the order of a shuffle
)

const golden = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio

func hash(words ...uint64) uint64 {
	state := uint64(0)
	for _, w := range words {
		state = scramble(state + golden + w)
	}
	return state
}

func scramble(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// below returns an even number of 0..n-1.
func below(h uint64, n int) int {
	hi, _ := bits.Mul64(h, uint64(n))
	return int(hi)
}

// in returns an even value of a range.
func (r Range) in(h uint64) float64 {
	if r.From == r.To {
		return r.From
	}
	part := float64(float64(h>>11) * 0x1p-53)
	return r.From + float64((r.To-r.From)*part)
}

// picker is how far a sound has come with its files, in the order in which they
// are asked for.
type picker struct {
	asked int
	order []int // of a shuffle: the cycle that is under way
}

// next returns which of n files the next start of a sound takes.
func (p *picker) next(pick Pick, n int, seed, sound, cue, repetition uint64) int {
	if n == 1 {
		return 0
	}
	turn := p.asked % n
	switch pick {
	case PickRound:
		p.asked = (p.asked + 1) % n
		return turn
	case PickRandom:
		return below(hash(seed, cue, repetition, uint64(drawPick)), n)
	}
	if turn == 0 {
		p.shuffle(n, seed, sound, uint64(p.asked/n))
	}
	p.asked++
	return p.order[turn]
}

// shuffle makes the order of a cycle, which does not begin as the one before
// has ended.
func (p *picker) shuffle(n int, seed, sound, cycle uint64) {
	last := -1
	if p.order != nil {
		last = p.order[n-1]
	} else {
		p.order = make([]int, n)
	}
	for i := range n {
		h := hash(seed, sound, cycle, uint64(i), uint64(drawOrder))
		j := below(h, i+1)
		p.order[i] = p.order[j]
		p.order[j] = i
	}
	if p.order[0] == last {
		j := 1 + below(hash(seed, sound, cycle, uint64(n), uint64(drawOrder)), n-1)
		p.order[0], p.order[j] = p.order[j], p.order[0]
	}
}

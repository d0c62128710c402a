package cue

import "math/bits"

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

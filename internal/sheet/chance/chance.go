// Package chance makes deterministic random choices for cue sheets and banks. They depend only on a seed, a
// place and a count.
//
// A choice is a hash. Each input word is added to a state, which is then scrambled by the finaliser of
// splitmix64. The result has 64 uniform bits and is equal on every machine.
package chance

import (
	"math/bits"
	"slices"

	"voicepool/bank/rules"
)

// Key identifies the quantity that is drawn.
type Key uint64

const (
	Pick Key = iota + 1
	Gain
	Pitch
	shuffleOrder // the order of a shuffle cycle
	Every        // the time to the next repetition
	Occurs       // whether a repetition acts
)

// Draw is the input of the random choices of one start.
type Draw struct {
	Seed   uint64
	Stream uint64 // position of a cue in its sheet, or hash of a name
	Count  uint64 // number of earlier draws at the place
}

// bits returns 64 random bits that depend on d and k only.
func (d *Draw) bits(k Key) uint64 { return hash(d.Seed, d.Stream, d.Count, uint64(k)) }

// In returns a value uniformly distributed in the range r, r.From included. It depends on d, k and r only: equal
// arguments give equal values.
func (d *Draw) In(r rules.Range, k Key) float64 {
	if r.From == r.To {
		return r.From
	}
	part := float64(float64(d.bits(k)>>11) * 0x1p-53)
	return r.From + float64((r.To-r.From)*part)
}

// Between returns a uniformly distributed integer from low to high, both inclusive and at least 0. It depends on
// the arguments and d only.
func (d *Draw) Between(low, high int64, k Key) int64 {
	hi, _ := bits.Mul64(d.bits(k), uint64(high-low)+1)
	return low + int64(hi)
}

// Happens returns true with the probability share, 0..1. The result depends on the arguments and d only.
func (d *Draw) Happens(share float64, k Key) bool { return float64(d.bits(k)>>11)*0x1p-53 < share }

// Layer returns the Draw.Stream for the layer with the index layer of a sound whose own Draw.Stream is stream.
func Layer(stream uint64, layer int) uint64 { return hash(stream, uint64(layer)) }

// Name returns the Draw.Stream for a sound called name: a hash of the name.
func Name(name string) uint64 {
	stream := uint64(0)
	for i := range len(name) {
		stream = scramble(stream + golden + uint64(name[i]))
	}
	return stream
}

const golden = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio

// hash returns a hash of the words in their order.
func hash(words ...uint64) uint64 {
	state := uint64(0)
	for _, w := range words {
		state = scramble(state + golden + w)
	}
	return state
}

// scramble returns a hash of x: the output function of SplitMix64.
func scramble(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// scaleTo maps h, a hash, to an integer in 0..n-1, which is uniformly distributed if h is. n must be at least 1.
func scaleTo(h uint64, n int) int {
	hi, _ := bits.Mul64(h, uint64(n))
	return int(hi)
}

// Picker is the state of the file choices of a sound. The zero value is the beginning. One goroutine at a time.
type Picker struct {
	count  int
	order  []int // current cycle of a shuffle
	cycles int   // number of cycles made
}

// Next returns the index, from 0, of the next file of a sound with n files, chosen as pick selects, and advances p.
// Every call must have the same n. The number sound identifies the sound in shuffles; d is the input of a random
// choice.
func (p *Picker) Next(pick rules.Pick, n int, sound uint64, d Draw) int {
	position, cycle := p.count%n, p.count/n
	p.count++
	switch {
	case n == 1 || pick == rules.PickRound:
		return position
	case pick == rules.PickRandom:
		return scaleTo(d.bits(Pick), n)
	}
	for p.cycles <= cycle {
		p.shuffle(n, d.Seed, sound, uint64(p.cycles))
		p.cycles++
	}
	return p.order[position]
}

// Clone returns a copy that is independent of p.
func (p *Picker) Clone() *Picker {
	return &Picker{count: p.count, order: slices.Clone(p.order), cycles: p.cycles}
}

// Undo takes back the last Next, for a rejected start: the next Next with equal arguments returns the same index. It
// may be called several times in a row, but not more often than Next.
func (p *Picker) Undo() {
	p.count--
	if n := len(p.order); n > 0 && p.count/n+1 < p.cycles { // order belongs to a later cycle
		p.cycles = 0
	}
}

// shuffle sets p.order to a random order of n files, at least 2, for a cycle. The order depends on the arguments and
// the previous order; its first file differs from the last file of the previous cycle.
func (p *Picker) shuffle(n int, seed, sound, cycle uint64) {
	last := -1
	if p.order == nil {
		p.order = make([]int, n)
	} else if cycle > 0 {
		last = p.order[n-1]
	}
	for i := range n {
		h := hash(seed, sound, cycle, uint64(i), uint64(shuffleOrder))
		j := scaleTo(h, i+1)
		p.order[i] = p.order[j]
		p.order[j] = i
	}
	if p.order[0] == last {
		j := 1 + scaleTo(hash(seed, sound, cycle, uint64(n), uint64(shuffleOrder)), n-1)
		p.order[0], p.order[j] = p.order[j], p.order[0]
	}
}

package publish

import (
	"math"
	"sync/atomic"

	"voicepool/internal/release"
)

// StateWord holds the state of a start and the index of its voice in one word, so that one store publishes both. The
// zero value has state 0 and no index.
type StateWord[S ~uint8] struct{ word atomic.Uint64 }

// StateValue is a value of a StateWord. From the lowest bit: the index plus 1, a counter of index changes, which makes
// values with the same index different, and the state.
type StateValue[S ~uint8] uint64

const stateShift = 56 // shift of the state

// Load returns the state and the index as of the same moment. Two equal values mean that the index has not changed in
// between.
func (w *StateWord[S]) Load() StateValue[S] { return StateValue[S](w.word.Load()) }

// State returns the state.
func (w *StateWord[S]) State() S { return w.Load().State() }

// Index returns the index of the voice, or -1.
func (w *StateWord[S]) Index() int { return w.Load().Index() }

// State returns the state.
func (v StateValue[S]) State() S { return S(v >> stateShift) }

// Index returns the index of the voice, or -1.
func (v StateValue[S]) Index() int { return int(uint32(v)) - 1 }

// SetState changes the state and keeps the index and the counter of index changes. Only one goroutine may write at a
// time.
func (w *StateWord[S]) SetState(state S) {
	release.Uint64(&w.word, w.word.Load()<<(64-stateShift)>>(64-stateShift)|uint64(state)<<stateShift)
}

// Set changes the state and the index of the voice in one store; an index of -1 means no index. It also increases the
// counter of index changes, so that the value differs from earlier values. Only one goroutine may write at a time.
func (w *StateWord[S]) Set(state S, index int) {
	changes := (w.word.Load()>>32 + 1) << 32 << (64 - stateShift) >> (64 - stateShift)
	release.Uint64(&w.word, uint64(state)<<stateShift|changes|uint64(uint32(index+1)))
}

// FloatPair holds two numbers in one word. The zero value holds zeros.
type FloatPair struct{ word atomic.Uint64 }

// Store stores x and y in a single write, so that a reader never sees a change of x without the change of y. It does
// not write if both have the same bits as before. Only one goroutine may write at a time.
func (p *FloatPair) Store(x, y float32) {
	if word := uint64(math.Float32bits(x))<<32 | uint64(math.Float32bits(y)); p.word.Load() != word {
		release.Uint64(&p.word, word)
	}
}

// First returns x of the last Store.
func (p *FloatPair) First() float32 { return math.Float32frombits(uint32(p.word.Load() >> 32)) }

// Second returns y of the last Store.
func (p *FloatPair) Second() float32 { return math.Float32frombits(uint32(p.word.Load())) }

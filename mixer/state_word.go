package mixer

import (
	"math"
	"sync/atomic"

	"voicepool/internal/release"
)

// stateWord holds the state and the index of a start in one atomic word, because atomic stores are
// expensive. Both sides use it.
type stateWord struct{ word atomic.Uint64 }

// stateValue is a value of a stateWord. From the lowest bit: the index plus 1, a counter of index changes,
// the state.
type stateValue uint64

const (
	indexChange = 1 << 32 // increment of the counter
	stateShift  = 56      // shift of the state
)

// load returns the present value, state and index together.
func (s *stateWord) load() stateValue { return stateValue(s.word.Load()) }

// state returns the state of the start.
func (s *stateWord) state() State { return s.load().state() }

// index returns the index of the voice, or -1 without one.
func (s *stateWord) index() int { return s.load().index() }

// state returns the state of the start.
func (s stateValue) state() State { return State(s >> stateShift) }

// index returns the index of the voice, or -1.
func (s stateValue) index() int { return int(uint32(s)) - 1 }

// setState changes the state and keeps the index. Only one goroutine may write at a time.
func (s *stateWord) setState(state State) {
	release.Uint64(&s.word, uint64(s.load())<<(64-stateShift)>>(64-stateShift)|uint64(state)<<stateShift)
}

// publishIndex changes the state and the index (-1: no index), and counts the change. Only one goroutine may write at
// a time.
func (s *stateWord) publishIndex(state State, index int) {
	changes := (uint64(s.load())>>32 + 1) << 32 << (64 - stateShift) >> (64 - stateShift)
	release.Uint64(&s.word, uint64(state)<<stateShift|changes|uint64(uint32(index+1)))
}

// floatPair holds two float32 in an atomic word.
type floatPair struct{ word atomic.Uint64 }

// store stores x and y together, if they have changed. Only one goroutine may write.
func (p *floatPair) store(x, y float32) {
	if word := pack32(math.Float32bits(x), math.Float32bits(y)); p.word.Load() != word {
		release.Uint64(&p.word, word)
	}
}

// storeFrames stores a number of frames, if it has changed.
func storeFrames(word *atomic.Int64, frames int64) {
	if word.Load() != frames {
		release.Int64(word, frames)
	}
}

// first returns x of the last store; 0 before it.
func (p *floatPair) first() float32 { return math.Float32frombits(high32(p.word.Load())) }

// second returns y of the last store; 0 before it.
func (p *floatPair) second() float32 { return math.Float32frombits(uint32(p.word.Load())) }

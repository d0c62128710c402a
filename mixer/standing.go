package mixer

import (
	"math"
	"sync/atomic"

	"voicepool/internal/release"
)

// standing holds the state and the index of a start in one atomic word, because atomic stores are
// expensive. Both sides use it.
type standing struct{ word atomic.Uint64 }

// stand is a value of a standing. From the lowest bit: the index plus 1, a counter of index changes, the
// state.
type stand uint64

const (
	standSeat  = 1 << 32 // increment of the counter
	standState = 56      // shift of the state
)

func (s *standing) now() stand   { return stand(s.word.Load()) }
func (s *standing) state() State { return s.now().state() }
func (s *standing) index() int   { return s.now().index() }

// state returns the state of the start.
func (s stand) state() State { return State(s >> standState) }

// index returns the index of the voice, or -1.
func (s stand) index() int { return int(uint32(s)) - 1 }

// set changes the state and keeps the index.
func (s *standing) set(state State) {
	release.Uint64(&s.word, uint64(s.now())<<(64-standState)>>(64-standState)|uint64(state)<<standState)
}

// seat changes the state and the index; -1: no index.
func (s *standing) seat(state State, index int) {
	seats := (uint64(s.now())>>32 + 1) << 32 << (64 - standState) >> (64 - standState)
	release.Uint64(&s.word, uint64(state)<<standState|seats|uint64(uint32(index+1)))
}

// pair32 holds two float32 in an atomic word.
type pair32 struct{ word atomic.Uint64 }

// show stores x and y, if they have changed.
func (p *pair32) show(x, y float32) {
	if word := pack32(math.Float32bits(x), math.Float32bits(y)); p.word.Load() != word {
		release.Uint64(&p.word, word)
	}
}

// showFrames stores a number of frames, if it has changed.
func showFrames(word *atomic.Int64, frames int64) {
	if word.Load() != frames {
		release.Int64(word, frames)
	}
}

func (p *pair32) first() float32  { return math.Float32frombits(high32(p.word.Load())) }
func (p *pair32) second() float32 { return math.Float32frombits(uint32(p.word.Load())) }

package mixer

import (
	"math"
	"sync/atomic"

	"voicepool/internal/release"
)

// standing is the state of a start and where it plays, in one word, since each atomic store
// costs the audio side as much as ten others. Both sides'.
type standing struct{ word atomic.Uint64 }

// stand is what a standing says at once: from below the index, from 1; how often that has
// changed; the state.
type stand uint64

const (
	standSeat  = 1 << 32 // one change
	standState = 56
)

func (s *standing) now() stand   { return stand(s.word.Load()) }
func (s *standing) state() State { return s.now().state() }
func (s *standing) index() int   { return s.now().index() }

// state returns what has become of the start.
func (s stand) state() State { return State(s >> standState) }

// index returns where it plays; -1: nowhere.
func (s stand) index() int { return int(uint32(s)) - 1 }

// set gives the start a state where it is.
func (s *standing) set(state State) {
	release.Uint64(&s.word, uint64(s.now())<<(64-standState)>>(64-standState)|uint64(state)<<standState)
}

// seat gives the start a state and an index; -1: none.
func (s *standing) seat(state State, index int) {
	seats := (uint64(s.now())>>32 + 1) << 32 << (64 - standState) >> (64 - standState)
	release.Uint64(&s.word, uint64(state)<<standState|seats|uint64(uint32(index+1)))
}

// pair32 is a word of two float32.
type pair32 struct{ word atomic.Uint64 }

// show has the word say x and y. A store costs more than a look.
func (p *pair32) show(x, y float32) {
	if word := two(math.Float32bits(x), math.Float32bits(y)); p.word.Load() != word {
		release.Uint64(&p.word, word)
	}
}

// showFrames has a word say so many frames: where a voice has not been heard, it often does already.
func showFrames(word *atomic.Int64, frames int64) {
	if word.Load() != frames {
		release.Int64(word, frames)
	}
}

func (p *pair32) first() float32  { return math.Float32frombits(first(p.word.Load())) }
func (p *pair32) second() float32 { return math.Float32frombits(uint32(p.word.Load())) }

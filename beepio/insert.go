package beepio

import (
	"fmt"
	"math"

	"github.com/gopxl/beep/v2"

	"voicepool/mixer"
	"voicepool/pcm"
)

// Insert is a chain of beep's effects as the effect of a bus, or of the whole mix:
//
//	room, err := beepio.NewInsert(func(s beep.Streamer) beep.Streamer {
//		return &effects.Volume{Streamer: effects.Mono(s), Base: 2, Volume: -1}
//	})
//	m, err := mixer.New(mixer.Config{Buses: []mixer.BusConfig{{Name: "room", Insert: room}}})
//
// The chain is called for 512 frames at a time, as beep's own mixer does, whatever the
// lengths of the mixer's blocks are. So it gives the same bits for all of them, and the
// bus is late by Delay. A chain that panics, or gives NaN or Inf, is taken out by the mixer.
type Insert struct {
	chain  beep.Streamer
	source source
	in     [block][2]float64
	out    [block][2]float64
	at     int // how much of in is there, and of out is given
	ahead  int // how far the chain reads ahead
}

var _ mixer.Insert = (*Insert)(nil)

const (
	mostAhead = 4 * block // how far a chain may read ahead, in frames
	trial     = 256       // how many blocks of silence a chain is tried with
)

const (
	resampler = ", as a resampler does; give the sounds a Speed"
	slower    = "it takes fewer frames than it gives" + resampler
)

// source is what the chain of an Insert reads.
type source struct {
	frames  [mostAhead + 2*block][2]float64
	n       int // of them
	missing int // how many have been asked for and were not there: silence
	unread  int // how many blocks have come since the chain has read any
	dropped int // how often frames were given up that nobody reads, as of a beep.Ctrl that is paused
}

// Stream gives what there is, and silence where that is not enough.
func (s *source) Stream(samples [][2]float64) (n int, ok bool) {
	k := copy(samples, s.frames[:s.n])
	s.n = copy(s.frames[:], s.frames[k:s.n])
	clear(samples[k:])
	s.missing += len(samples) - k
	s.unread = 0
	return len(samples), true
}

// Err returns nil.
func (s *source) Err() error { return nil }

// NewInsert returns an Insert. chain wraps the sound of the bus in effects and returns the
// outermost. It is called twice: the first chain is tried with 1.4 s of silence and dropped.
// Control side. The error wraps ErrStreamer where chain panics, gives what is no sound,
// comes to an end, or takes more or fewer frames than it gives, as a resampler does.
//
// Process allocates nothing but what the effects do. Of beep's own, Equalizer and Doppler
// allocate at each call. Effects must not be changed while the bus plays, unless they lock
// what they read: use Bus.SetInsert with another chain.
func NewInsert(chain func(beep.Streamer) beep.Streamer) (i *Insert, err error) {
	defer func() {
		if p := recover(); p != nil {
			i, err = nil, fmt.Errorf("%w: the insert: %v", ErrStreamer, p)
		}
	}()
	tried := newInsert(chain)
	for range trial {
		tried.run()
		for _, x := range tried.out {
			if y := x[0] - x[1]; math.IsNaN(y) || math.IsInf(y, 0) {
				panic("it makes NaN or Inf of silence")
			}
		}
		if tried.source.missing > mostAhead {
			panic("it takes more frames than it gives" + resampler)
		}
	}
	if s := &tried.source; s.dropped > 0 && s.unread < trial {
		panic(slower)
	}
	i = newInsert(chain)
	i.ahead = tried.source.missing
	i.source.n = i.ahead
	return i, nil
}

func newInsert(chain func(beep.Streamer) beep.Streamer) *Insert {
	i := &Insert{}
	if i.chain = chain(&i.source); i.chain == nil {
		panic("there is no chain")
	}
	return i
}

// Delay returns by how many frames the chain is late: 512, and what it reads ahead.
func (i *Insert) Delay() int { return block + i.ahead }

// Process takes a block through the chain. Audio side.
func (i *Insert) Process(frames []pcm.Frame) {
	for n := range frames {
		f, x := &frames[n], i.out[i.at]
		i.in[i.at] = [2]float64{float64(f[0]), float64(f[1])}
		*f = pcm.Frame{float32(x[0]), float32(x[1])}
		if i.at++; i.at == block {
			i.run()
			if i.at = 0; i.source.missing > 0 {
				panic("it takes more frames than it gives")
			}
		}
	}
}

// run takes what has come in through the chain.
func (i *Insert) run() {
	s := &i.source
	if s.unread++; s.unread > mostAhead/block && s.n > i.ahead {
		s.n, s.dropped = copy(s.frames[:], s.frames[s.n-i.ahead:s.n]), s.dropped+1
	}
	s.n += copy(s.frames[s.n:], i.in[:])
	n, ok := i.chain.Stream(i.out[:])
	switch {
	case n != block || !ok:
		panic("it comes to an end, or gives fewer frames than it is asked for")
	case s.n > mostAhead+block:
		panic(slower)
	}
}

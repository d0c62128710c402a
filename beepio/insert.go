package beepio

import (
	"fmt"
	"math"

	"github.com/gopxl/beep/v2"

	"voicepool/mixer"
	"voicepool/pcm"
)

// Insert uses a chain of beep's effects as the effect of a bus, or of the whole mix:
//
//	room, err := beepio.NewInsert(func(s beep.Streamer) beep.Streamer {
//		return &effects.Volume{Streamer: effects.Mono(s), Base: 2, Volume: -1}
//	})
//	m, err := mixer.New(mixer.Config{Buses: []mixer.BusConfig{{Name: "room", Insert: room}}})
//
// The chain always processes 512 frames at a time, as under beep's own mixer. So its output does not depend
// on the block size of the mixer, and the bus is delayed by Delay frames. If a chain panics, or outputs NaN
// or Inf, the mixer removes it.
type Insert struct {
	chain  beep.Streamer
	source source
	in     [block][2]float64
	out    [block][2]float64
	at     int // frames in in, and frames consumed from out
	ahead  int // frames that the chain reads ahead
}

var _ mixer.Insert = (*Insert)(nil)

const (
	mostAhead = 4 * block // maximum read-ahead of a chain, in frames
	trial     = 256       // blocks of silence in a trial run
)

const (
	resampler = ", as a resampler does; give the sounds a Speed"
	slower    = "it takes fewer frames than it gives" + resampler
)

// source is the beep.Streamer that the chain of an Insert reads.
type source struct {
	frames  [mostAhead + 2*block][2]float64
	n       int // number of valid frames
	missing int // frames that the chain requested beyond n and received as silence
	unread  int // blocks since the chain last read
	dropped int // number of times that unread frames were dropped, for instance with a paused beep.Ctrl
}

// Stream delivers the available frames, then silence, and counts the silent frames as missing. It always fills
// samples.
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

// NewInsert returns an Insert. chain wraps the streamer of the bus in effects and returns the outermost
// effect. It is called twice: the first chain processes 131,072 frames of silence as a trial and is
// discarded. NewInsert allocates; call it outside of the audio callback. The error wraps ErrStreamer if
// chain panics, outputs NaN or Inf, ends, or reads more or fewer frames than it outputs, as a resampler
// does.
//
// Insert.Process itself does not allocate, but effects may: of beep's effects, Equalizer and Doppler
// allocate at each call. To change settings while the bus plays, pass a new chain to Bus.SetInsert, because
// beep's effects do not lock their fields.
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

// newInsert returns an Insert whose chain is the result of chain for its source. It makes no trial run.
func newInsert(chain func(beep.Streamer) beep.Streamer) *Insert {
	i := &Insert{}
	if i.chain = chain(&i.source); i.chain == nil {
		panic("there is no chain")
	}
	return i
}

// Delay returns the delay of the chain in frames: 512, plus the number of frames that the chain reads in
// advance.
func (i *Insert) Delay() int { return block + i.ahead }

// Process runs a block through the chain. Only the mixer calls it.
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

// run sends a block of collected input through the chain, into i.out. It panics if the chain ends or reads fewer
// frames than it outputs; the mixer then removes the insert.
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

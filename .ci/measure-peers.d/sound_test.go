package peers

import (
	"fmt"

	"github.com/gopxl/beep/v2"
)

// sound is shared by many voices: its samples and its buffer.
type sound struct {
	samples [][2]float64 // as they are streamed
	buffer  *beep.Buffer // nil: streamed from samples
}

// sounds returns 16 sounds of two seconds of quiet noise, the same as in voicepool's benchmark and the other
// engines.
func sounds(channels int, ready bool) []*sound {
	all := make([]*sound, 16)
	x := uint32(1)
	next := func() float64 {
		x = x*1664525 + 1013904223
		return float64(int32(x)) / (1 << 31) / 64
	}
	for i := range all {
		s := &sound{samples: make([][2]float64, frames)}
		for j := range s.samples {
			left := next()
			right := left
			if channels == 2 {
				right = next()
			}
			s.samples[j] = [2]float64{left, right}
		}
		if !ready {
			s.buffer = beep.NewBuffer(beep.Format{SampleRate: rate, NumChannels: channels, Precision: 2})
			s.buffer.Append(&memory{samples: s.samples})
			s.samples = make([][2]float64, frames)
			s.buffer.Streamer(0, frames).Stream(s.samples)
		}
		all[i] = s
	}
	return all
}

func (s *sound) streamer() beep.StreamSeeker {
	if s.buffer != nil {
		return s.buffer.Streamer(0, s.buffer.Len())
	}
	return &memory{samples: s.samples}
}

// memory streams decoded samples.
type memory struct {
	samples [][2]float64
	at      int
}

func (r *memory) Stream(samples [][2]float64) (int, bool) {
	n := copy(samples, r.samples[r.at:])
	r.at += n
	return n, n > 0
}

func (r *memory) Err() error    { return nil }
func (r *memory) Len() int      { return len(r.samples) }
func (r *memory) Position() int { return r.at }

func (r *memory) Seek(p int) error {
	if p < 0 || p > len(r.samples) {
		return fmt.Errorf("frame %d is not in 0..%d", p, len(r.samples))
	}
	r.at = p
	return nil
}

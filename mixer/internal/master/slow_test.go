package master

import (
	"math/rand/v2"
	"slices"
	"testing"

	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// slowLimiter is the limiter by its definition: it measures each place, frame by frame, without shortcuts.
type slowLimiter struct {
	*Limiter
	frames []pcm.Frame // the whole input, after as many silent frames as the taps reach
	lows   []low
	held   int64
	values []int64 // each value of held
	once   []int64 // running sums of values
}

func newSlowLimiter(rate int) *slowLimiter {
	l := NewLimiter(rate)
	s := &slowLimiter{Limiter: l, frames: make([]pcm.Frame, l.past+dsp.EighthTaps), held: unity}
	for range l.past {
		s.values = append(s.values, unity)
		s.once = append(s.once, int64(len(l.gains.inner.values))*unity)
	}
	return s
}

// next takes an input frame and returns the output frame.
func (s *slowLimiter) next(x pcm.Frame) pcm.Frame {
	s.frames = append(s.frames, x)
	n := len(s.frames)
	peak := [1]float64{float64(dsp.Peak(s.frames[n-1:]))}
	if s.between {
		const after = (dsp.EighthTaps - dsp.QuarterTaps) / 2
		dsp.TruePeaks(peak[:], s.frames[n-after-dsp.QuarterTaps:n-after])
	}
	need := int64(unity)
	if peak[0] > s.eightfoldLevel {
		if least := int64(s.target / peak[0] * limiterSuspect * unity); s.between && 8*least < 9*s.held {
			peak[0] = max(peak[0], dsp.FinePeak(s.frames[n-dsp.EighthTaps:]))
		}
		if peak[0] > s.ceiling {
			need = int64(s.target / peak[0] * unity)
		}
	}
	g := s.gain(need)
	late := s.frames[n-1-s.ahead]
	return pcm.Frame{float32(late[0] * g), float32(late[1] * g)}
}

func (s *slowLimiter) gain(need int64) float32 {
	v := &s.gains
	at := int64(len(s.frames))
	s.lows = append(s.lows, low{at, need})
	if len(s.lows) > int(v.hold)+1 {
		s.lows = s.lows[1:]
	}
	s.held = min(s.held+(unity-s.held)*v.release>>32+1, unity)
	for _, l := range s.lows {
		s.held = min(s.held, l.gain)
	}
	s.values = append(s.values, s.held)
	s.once = append(s.once, sum(s.values[len(s.values)-len(v.inner.values):]))
	return float32(float64(sum(s.once[len(s.once)-len(v.outer.values):])) / float64(v.full))
}

func sum(values []int64) (all int64) {
	for _, x := range values {
		all += x
	}
	return all
}

// TestLimiterBits compares the limiter with its definition, to the bit.
func TestLimiterBits(t *testing.T) {
	for _, rate := range []int{1000, 8000, 48000} {
		for _, kind := range loud {
			r := rand.New(rand.NewPCG(5, 5))
			in := slices.Concat(kind.make(r, 500), noise(r, 300, 0.3), make([]pcm.Frame, 200), noise(r, 300, 0.52), kind.make(r, 300))
			slow, fast := newSlowLimiter(rate), NewLimiter(rate)
			for at := 0; at < len(in); {
				got := slices.Clone(in[at:min(len(in), at+1+r.IntN(200))])
				fast.Limit(got)
				for i, x := range got {
					if want := slow.next(in[at+i]); x != want {
						t.Fatalf("%s at %d Hz: frame %d is %v, want %v by the definition", kind.name, rate, at+i, x, want)
					}
				}
				at += len(got)
			}
		}
	}
}

package eq

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"voicepool/internal/longtest"
	"voicepool/pcm"
)

// script holds timed values for an equaliser and the frame of a reset.
type script struct {
	frames []int64
	values []*Values
	reset  int64
}

// newScript returns random moves at multiples of 32: of single values, of all values, and of types.
func newScript(r *rand.Rand, n int) *script {
	s := &script{frames: []int64{0}, values: []*Values{drawn(r)}, reset: int64(r.IntN(2*n) / rampInterval * rampInterval)}
	for at := rampInterval; at < n; at += rampInterval * (1 + r.IntN(2)*r.IntN(40)) {
		v := *s.values[len(s.values)-1]
		other, i := drawn(r), r.IntN(Bands)
		switch r.IntN(6) {
		case 0:
			v = *other
		case 1:
			v.N = other.N
		case 2:
			v.Bands[i] = other.Bands[i]
		case 3:
			v.Bands[i].Gain = 0
		default:
			v.Bands[i].Freq, v.Bands[i].Gain = other.Bands[i].Freq, other.Bands[i].Gain
		}
		s.frames, s.values = append(s.frames, int64(at)), append(s.values, &v)
	}
	return s
}

// run processes x by the script, in blocks of the given length. While values move, no block crosses a multiple
// of 32.
func (s *script) run(rate int, x []pcm.Frame, length int) *Equaliser {
	e, next, begin := New(rate), 0, int64(1<<20)
	for frame := begin; len(x) > 0; {
		if next < len(s.frames) && s.frames[next] == frame-begin {
			if next == 0 {
				e.Jump(s.values[0])
			} else {
				e.Move(s.values[next])
			}
			next++
		}
		if frame-begin == s.reset {
			e.Reset()
		}
		n := min(length, len(x))
		if e.moving || frame-begin < s.reset {
			n = min(n, rampInterval-int(frame%rampInterval))
		}
		if next < len(s.frames) {
			n = min(n, int(s.frames[next]-(frame-begin)))
		}
		e.Process(x[:n], frame)
		x, frame = x[n:], frame+int64(n)
	}
	return e
}

// TestBlocks checks that block lengths do not change the bits.
func TestBlocks(t *testing.T) {
	for seed := range uint64(longtest.Amount(24, 60)) {
		r := rand.New(rand.NewPCG(5, seed))
		const n = 12000
		s, rate := newScript(r, 9000), rates[r.IntN(len(rates))]
		in := uniform(r.Float32, n)
		clear(in[r.IntN(n):])
		var want []pcm.Frame
		for _, length := range []int{4096, 480, 64, 7, 1} {
			got := slices.Clone(in)
			s.run(rate, got, length)
			if want == nil {
				want = got
			}
			for i := range want {
				if bits(got[i]) != bits(want[i]) {
					t.Fatalf("seed %d, blocks of %d: frame %d is %v, want %v", seed, length, i, got[i], want[i])
				}
			}
		}
	}
}

func bits(f pcm.Frame) [2]uint32 { return [2]uint32{math.Float32bits(f[0]), math.Float32bits(f[1])} }

// TestFlat checks that no bit changes without bands, with bands without a type and with gains of 0, also after
// a move to these values.
func TestFlat(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	in := append(uniform(r.Float32, 1000), pcm.Frame{float32(math.Copysign(0, -1)), 1e-40}, pcm.Frame{1e30, -1e-30})
	flat := []Band{{}, {Peak, 20, 0, 18}, {LowShelf, 90, 0, 0.1}, {HighShelf, 20000, 0, 3}, {None, 1000, 24, 1}}
	for _, rate := range rates {
		for seed := range uint64(20) {
			e, _ := with(rate, flat...)
			if seed > 0 {
				e.Jump(drawn(rand.New(rand.NewPCG(6, seed))))
				e.Process(uniform(r.Float32, 320), 0)
				v := &Values{N: len(flat)}
				copy(v.Bands[:], flat)
				e.Move(v)
				e.Process(uniform(r.Float32, rate/50+3*rampInterval), 320)
				if e.beginRamps(1); e.activeEnd > 0 || !e.Idle() {
					t.Fatalf("%d Hz, seed %d: it goes on working", rate, seed)
				}
			}
			out := slices.Clone(in)
			e.Process(out, 0)
			for i := range in {
				if bits(in[i]) != bits(out[i]) {
					t.Fatalf("%d Hz, seed %d: frame %d is %v, was %v", rate, seed, i, out[i], in[i])
				}
			}
		}
	}
}

// TestIdle checks that some time after a sound the equaliser is idle and gives exact zeros. States and samples
// are never denormal, with silence and with a DC offset.
func TestIdle(t *testing.T) {
	for seed := range uint64(longtest.Amount(20, 60)) {
		r := rand.New(rand.NewPCG(7, seed))
		rate := rates[r.IntN(5)]
		v := drawn(r)
		for i := range v.Bands {
			v.Bands[i].Freq = max(v.Bands[i].Freq, 100)
		}
		e := New(rate)
		e.Jump(v)
		if !e.Idle() {
			t.Errorf("seed %d: it is not idle from the start", seed)
		}
		frame, tiny := int64(0), 0
		through := func(x []pcm.Frame) {
			for len(x) > 0 {
				e.Process(x[:1], frame)
				tiny += denormal(float64(x[0][0]), 0x1p-126)
				for i := range e.bands {
					tiny += denormal(e.bands[i].filter.State[0][0], 0x1p-1022) + denormal(e.bands[i].filter.State[1][0], 0x1p-1022)
				}
				x, frame = x[1:], frame+1
			}
		}
		offset := make([]pcm.Frame, longtest.Amount(6000, 20000))
		for i := range offset {
			offset[i] = pcm.Frame{0.3, 1e-3}
		}
		through(uniform(r.Float32, 1000))
		through(offset)
		n := 0
		for x := make([]pcm.Frame, maxRun); !e.Idle(); n += maxRun {
			clear(x)
			if through(x); n > 20*int(Tail(v, rate))+200*maxRun {
				t.Fatalf("seed %d, %d Hz, %+v: not idle after %d frames", seed, rate, v, n)
			}
		}
		x := make([]pcm.Frame, 100)
		through(x)
		if !slices.Equal(x, make([]pcm.Frame, 100)) || !e.Idle() {
			t.Errorf("seed %d: it makes a sound of silence", seed)
		}
		if tiny > 0 {
			t.Errorf("seed %d, %d Hz, %+v: %d denormal numbers", seed, rate, v, tiny)
		}
	}
}

func denormal(x, least float64) int {
	if x != 0 && math.Abs(x) < least {
		return 1
	}
	return 0
}

// TestReset checks that after Reset an equaliser behaves like a new one with the same values.
func TestReset(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(8, seed))
		s, rate := newScript(r, 3000), rates[r.IntN(len(rates))]
		s.reset = -1
		e := s.run(rate, uniform(r.Float32, 3000/rampInterval*rampInterval), 480)
		e.Reset()
		if !e.Idle() {
			t.Errorf("seed %d: it is not idle", seed)
		}
		f := New(rate)
		f.Jump(s.values[len(s.values)-1])
		x := uniform(r.Float32, 1000)
		y := slices.Clone(x)
		e.Process(x, 64)
		f.Process(y, 64)
		if !slices.Equal(x, y) {
			t.Errorf("seed %d: it remembers", seed)
		}
	}
}

// TestBounded checks two bounds. With constant values the output is at most the sum of the magnitudes of the
// impulse response. While values move by random steps, n frames give at most 60 sqrt(4,600 n) of the input's
// peak. A million frames at full scale give less than the 1e15 at which a Processor resets.
//
// For the filter's energy s1² + s2² grows by at most g/k x² a frame, which is at most 64 x 72, also for any
// mean of such filters. The output is at most 60 times a state.
func TestBounded(t *testing.T) {
	for seed := range uint64(longtest.Amount(30, 60)) {
		r := rand.New(rand.NewPCG(9, seed))
		rate, v := rates[r.IntN(5)], drawn(r)
		for i := range v.Bands {
			v.Bands[i].Freq = max(v.Bands[i].Freq, 60)
		}
		e := New(rate)
		e.Jump(v)
		bound := 0.0
		for _, h := range e.impulse(1e-9) {
			bound += math.Abs(h)
		}
		x := uniform(r.Float32, 20000)
		for i := range x {
			x[i] = pcm.Frame{float32(1e6 * math.Copysign(1, float64(x[i][0]))), 1e6 * x[i][1]}
		}
		e.Reset()
		e.Process(x, 0)
		for i, y := range x {
			if m := max(math.Abs(float64(y[0])), math.Abs(float64(y[1]))); !(m <= 1.0001e6*bound) {
				t.Fatalf("seed %d, %+v: frame %d is %v, the bound is %v", seed, v, i, y, 1e6*bound)
			}
		}
	}
	for seed := range uint64(longtest.Amount(20, 40)) {
		r := rand.New(rand.NewPCG(10, seed))
		const n = 30000
		s, x, bound := newScript(r, n), uniform(r.Float32, n), 1e15
		if seed%2 == 0 {
			bound = 60 * math.Sqrt(4600*n)
			for _, v := range s.values {
				v.N = min(v.N, 1)
			}
		}
		s.reset = -1
		s.run(rates[r.IntN(len(rates))], x, 480)
		for i, y := range x {
			if m := max(math.Abs(float64(y[0])), math.Abs(float64(y[1]))); !(m < bound) {
				t.Fatalf("seed %d: frame %d is %v", seed, i, y)
			}
		}
	}
}

func TestDoesNotAllocate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	e, x, frame, v := New(48000), uniform(r.Float32, 480), int64(0), drawn(r)
	w := drawn(r)
	if n := testing.AllocsPerRun(100, func() {
		e.Move(v)
		v, w = w, v
		e.Process(x, frame)
		frame += 480
		clear(x)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

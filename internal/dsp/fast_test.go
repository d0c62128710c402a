package dsp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"voicepool/internal/longtest"
	"voicepool/pcm"
)

// framesOf returns the same memory as frames.
func framesOf(src []float32) []pcm.Frame {
	if len(src) < 2 {
		return nil
	}
	return unsafe.Slice((*pcm.Frame)(unsafe.Pointer(&src[0])), len(src)/2)
}

func (s *subject) pitched() bool { return s.after > 0 }

// run holds the arguments of one call of a kernel.
type run struct {
	n     int   // frames
	pos   int64 // from the first readable frame
	step  int64
	slack int // frames of src behind the readable part
	at    int // offset of dst in the memory
	g     Ramp
	kind  int // of samples
	seed  uint64
}

// table is the memory of comparisons, between guard pages, and its contents.
type table struct {
	dst     []pcm.Frame
	wide    []float32
	compact []int16
	samples [3][]float32 // typical samples, difficult samples, and a mix
	words   [2][]int16
}

const many = 1 << 17 // samples of each kind

func newTable(t testing.TB) *table {
	m := &table{dst: fenced[pcm.Frame](t, 1024), wide: fenced[float32](t, many), compact: fenced[int16](t, many)}
	r := rand.New(rand.NewPCG(9, 10))
	hard := []float32{0, float32(math.Copysign(0, -1)), math.SmallestNonzeroFloat32, -0x1p-130, 1, -1, 8, -8, 1e30, -3e37, 0x1p-126}
	for range 2 * many {
		x, y := r.Float32()*2-1, hard[r.IntN(len(hard))]
		m.samples[0], m.samples[1] = append(m.samples[0], x), append(m.samples[1], y)
		if r.IntN(4) > 0 {
			y = x
		}
		m.samples[2] = append(m.samples[2], y)
		m.words[0] = append(m.words[0], int16(r.Uint32()))
		m.words[1] = append(m.words[1], []int16{math.MinInt16, math.MaxInt16, 0, -1, 1000}[r.IntN(5)])
	}
	return m
}

// size returns the number of frames of src that a run may read.
func (s *subject) size(c run) int {
	return s.before + int((c.pos+int64(max(c.n-1, 0))*c.step)>>32) + 1 + s.after
}

// compare runs a kernel in Go and with every instruction set, and reports differences. The source lies at the
// upper guard page and then at the lower one.
func (m *table) compare(t *testing.T, s *subject, wide bool, c run) {
	t.Helper()
	defer func(old instructions) { level = old }(level)
	if !s.pitched() {
		c.pos, c.step = c.pos&^(One-1), One
	}
	size := s.channels * (s.size(c) + c.slack)
	pos := c.pos + int64(s.before)<<32
	var want []pcm.Frame
	for _, l := range sets() {
		for _, low := range []bool{false, true} {
			if l == generic && low {
				continue
			}
			from := c.at
			if !low {
				from = len(m.dst) - c.n - c.at
			}
			room := m.dst[max(from-20, 0):min(from+c.n+20, len(m.dst))]
			for i := range room {
				room[i] = pcm.Frame{7, -7}
			}
			dst := m.dst[from : from+c.n]
			copy(dst, framesOf(m.samples[c.kind][many-c.seed%4096*2:]))
			level = l
			if wide {
				src := m.wide[len(m.wide)-size:]
				if low {
					src = m.wide[:size]
				}
				copy(src, m.samples[c.kind][c.seed%many:])
				s.wide(dst, src, pos, c.step, c.g)
			} else {
				src := m.compact[len(m.compact)-size:]
				if low {
					src = m.compact[:size]
				}
				copy(src, m.words[min(c.kind, 1)][c.seed%many:])
				s.compact(dst, src, pos, c.step, c.g)
			}
			for i, x := range room {
				if at := i + max(from-20, 0); (at < from || at >= from+c.n) && x != (pcm.Frame{7, -7}) {
					t.Fatalf("%s (%v): writes frame %d of %d: %+v", s.name, l, at-from, c.n, c)
				}
			}
			if l == generic {
				want = slices.Clone(dst)
				continue
			}
			for i := range dst {
				for ch := range 2 {
					a, b := dst[i][ch], want[i][ch]
					if math.Float32bits(a) != math.Float32bits(b) && (a == a || b == b) {
						t.Fatalf("%s (%v): channel %d of frame %d is %v (%#x), Go gives %v (%#x): %+v",
							s.name, l, ch, i, a, math.Float32bits(a), b, math.Float32bits(b), c)
					}
				}
			}
		}
	}
}

// steps are the tested pitches: slow, usual, at the limits of kernels and beyond them.
var steps = []int64{
	0, 1, One / 16, One/3 + 1, One - 1, One, One + 1, One * 11 / 10, One * 3 / 2, One * 155 / 100, 2*One - 1, 2 * One, 2*One + 1,
	One * 37 / 10, 8*One - 1, 8 * One, 16 * One, 16*One + 12345,
}

// ramps returns constant and moving gains that start early or late.
func ramps(r *rand.Rand, i int) Ramp {
	g := Ramp{Left: r.Float32(), Right: r.Float32()*2 - 1, Start: r.IntN(100)}
	switch i % 8 {
	case 1, 2, 3:
		g.LeftSlope, g.RightSlope = (r.Float32()-0.5)/50, (r.Float32()-0.5)/50
	case 4:
		g.LeftSlope = r.Float32() / 1000
	case 5:
		g.Left, g.LeftSlope, g.RightSlope = float32(math.Copysign(0, -1)), float32(math.Copysign(0, -1)), 0
	case 6:
		g.RightSlope, g.Start = 1e-7, 1<<24-r.IntN(200)
	case 7:
		g.Left, g.LeftSlope, g.Right, g.Start = 1e-30, 1e-9, 1e30, 1<<30+1
	}
	return g
}

// TestSameBits checks that a kernel gives the bits of plain Go with every instruction set and touches only
// permitted memory. It covers all lengths up to 130 and longer ones, alignments up to 16, pitches, gains and
// samples.
func TestSameBits(t *testing.T) {
	m, r, next := newTable(t), rand.New(rand.NewPCG(7, 8)), longtest.Every(3)
	lengths := []int{480, 481, 512, 777, 960}
	for n := range 131 {
		lengths = append(lengths, n)
	}
	for i := range subjects {
		s := &subjects[i]
		for _, wide := range []bool{true, false} {
			if !wide && s.compact == nil {
				continue
			}
			for _, n := range lengths {
				for offset := range 17 {
					if !next() {
						continue
					}
					c := run{n: n, at: offset, kind: r.IntN(3), seed: r.Uint64(), g: ramps(r, r.IntN(8))}
					c.pos = int64(offset)<<32 + fraction(r)
					switch r.IntN(4) {
					case 0, 1:
						c.step = steps[r.IntN(len(steps))]
					case 2:
						c.step = r.Int64N(4 * One)
					case 3:
						c.step = r.Int64N(4)*One + fraction(r)
					}
					if r.IntN(2) == 0 {
						c.slack = r.IntN(60)
					}
					m.compare(t, s, wide, c)
				}
			}
		}
	}
}

// fraction returns a fraction of a frame, often one at the edge of a carry.
func fraction(r *rand.Rand) int64 {
	return [...]int64{0, 1, One / 2, One - 1, r.Int64N(One)}[r.IntN(5)]
}

// TestFarSteps tests steps beyond the range of kernels, up to the highest pitch.
func TestFarSteps(t *testing.T) {
	m := newTable(t)
	for i := range subjects {
		if s := &subjects[i]; s.pitched() {
			for _, step := range []int64{255*One + 17, 256 * One, 300 * One} {
				m.compare(t, s, true, run{n: 130, pos: 5 << 31, step: step, seed: 3, g: Ramp{Left: 1, Right: 1}})
			}
		}
	}
}

// TestOutside checks that a source that is too short causes a Go panic instead of an out-of-bounds read.
func TestOutside(t *testing.T) {
	src := fenced[float32](t, 4096)
	for i := range subjects {
		s := &subjects[i]
		if !s.pitched() {
			continue
		}
		for _, pos := range []int64{int64(s.before)<<32 - 1, int64(len(src)/s.channels-s.after-63) << 32, -1 << 62, math.MaxInt64 - 5} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s at %d of %d frames does not panic", s.name, pos>>32, len(src)/s.channels)
					}
				}()
				s.wide(make([]pcm.Frame, 64), src, pos, One, Ramp{Left: 1})
			}()
		}
	}
}

// TestAhead checks that prefetched memory may end early or be unmapped.
func TestAhead(t *testing.T) {
	m := newTable(t)
	src := fenced[float32](t, 4096)
	for _, ahead := range []uintptr{uintptr(unsafe.Pointer(&src[0])), uintptr(unsafe.Pointer(&src[len(src)-1])), 1, ^uintptr(0)} {
		for i := range subjects {
			s := &subjects[i]
			for _, wide := range []bool{true, s.compact == nil} {
				m.compare(t, s, wide, run{n: 77, pos: 5 << 32, step: One, seed: 3, g: Ramp{Left: 1, Right: 1, Prefetch: ahead}})
			}
		}
	}
}

func FuzzSameBits(f *testing.F) {
	f.Add(uint8(0), true, uint16(64), uint64(1)<<31, uint64(One), uint8(0), uint8(0), uint8(0), uint64(1), float32(0.5), float32(-0.5), float32(0.001), float32(0), uint32(3))
	f.Add(uint8(2), true, uint16(130), uint64(5)<<33, uint64(2*One-1), uint8(9), uint8(3), uint8(1), uint64(2), float32(1), float32(0), float32(0), float32(0), uint32(1)<<24)
	f.Add(uint8(5), false, uint16(33), uint64(77), uint64(One/7), uint8(40), uint8(1), uint8(2), uint64(3), float32(1e-20), float32(1e9), float32(1), float32(-1), uint32(0))
	f.Add(uint8(6), true, uint16(512), uint64(One-1), uint64(One*3/2), uint8(1), uint8(5), uint8(0), uint64(4), float32(0.1), float32(0.2), float32(0), float32(1e-4), uint32(63))
	for kernel := range subjects { // at whole frames, with moving gains
		f.Add(uint8(kernel), false, uint16(130), uint64(3)<<32, uint64(One*11/10), uint8(0), uint8(1), uint8(0), uint64(5), float32(0.5), float32(-0.5), float32(0.001), float32(-0.002), uint32(3))
	}
	m := newTable(f)
	f.Fuzz(func(t *testing.T, kernel uint8, wide bool, n uint16, pos, step uint64, slack, at, kind uint8, seed uint64, left, right, leftSlope, rightSlope float32, start uint32) {
		s := &subjects[int(kernel)%len(subjects)]
		m.compare(t, s, wide || s.compact == nil, run{
			n: int(n % 700), pos: int64(pos % (64 * One)), step: int64(step % (60 * One)), slack: int(slack), at: int(at % 32), kind: int(kind % 3), seed: seed,
			g: Ramp{Left: left, Right: right, LeftSlope: leftSlope, RightSlope: rightSlope, Start: int(start)},
		})
	})
}

// sets returns the instruction sets that this machine has.
func sets() []instructions {
	if detect() == neon {
		return []instructions{generic, neon}
	}
	var out []instructions
	for l := generic; l <= detect(); l++ {
		out = append(out, l)
	}
	return out
}

func TestKernel(t *testing.T) {
	if got := Kernel(); got != fmt.Sprint(detect()) {
		t.Errorf("Kernel() = %q, this machine has %v", got, detect())
	}
}

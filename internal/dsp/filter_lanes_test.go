package dsp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// banked is the test data of one lane.
type banked struct {
	line   CoefficientRamp
	states SVFStates
	src    []float32
	apart  bool // source and destination differ
}

// drawLane returns a filter that is stable or arbitrary.
func drawLane(r *rand.Rand, n int) banked {
	number := func() float32 {
		if r.IntN(50) == 0 {
			return math.Float32frombits(r.Uint32()) // including infinite, NaN and denormal numbers
		}
		return float32(math.Ldexp(r.Float64()*2-1, -r.IntN(12)))
	}
	poles := func() SVFCoefficients {
		return SVFCoefficients{number(), number(), number(), number(), number(), number()}
	}
	b := banked{CoefficientRamp{poles(), poles(), r.IntN(32), 1 / float32(1+r.IntN(32))}, SVFStates{number(), number()}, make([]float32, n), r.IntN(2) == 0}
	for i := range b.src {
		b.src[i] = number()
	}
	return b
}

// laneBuffers is memory next to inaccessible pages.
type laneBuffers [2][MaxLanes][]float32

func newLaneBuffers(t testing.TB) (m laneBuffers) {
	for i := range m {
		for lane := range m[i] {
			m[i][lane] = fenced[float32](t, 1024)
		}
	}
	return m
}

// check compares a set of lanes with single lanes: n frames in several parts.
func (m *laneBuffers) check(t *testing.T, r *rand.Rand, lanes, n int, high, moving bool) {
	t.Helper()
	var b FilterLanes
	all, dst, src := make([]banked, lanes), make([][]float32, lanes), make([][]float32, lanes)
	cut := r.IntN(2) == 0
	size := (n + LaneBlock - 1) &^ (LaneBlock - 1)
	if cut {
		size += LaneBlock - 1 // the last call may begin at any frame
	}
	for i := range all {
		all[i] = drawLane(r, n)
		dst[i] = m[0][i][len(m[0][i])-size:]
		if src[i] = dst[i]; all[i].apart {
			src[i] = m[1][i][len(m[1][i])-size:]
		}
		copy(src[i], all[i].src)
	}
	for from := 0; from < n || from == 0; {
		k := n - from
		if cut && k > 1 && r.IntN(2) == 0 {
			k = 1 + r.IntN(k-1)
		}
		for i := range all {
			l, s := all[i].line, all[i].states
			if from > 0 {
				s = b.States(i)
			}
			l.At += from
			if moving {
				b.SetRamp(i, &l, s)
			} else {
				b.SetConstant(i, &l.From, s)
			}
			b.SetBuffers(i, dst[i][from:], src[i][from:])
		}
		b.Filter(lanes, k, high, moving)
		if from += k; k == 0 {
			break
		}
	}
	for i := range all {
		l := &all[i]
		switch {
		case moving:
			l.line.Filter(l.src, l.src, high, &l.states)
		case high:
			l.line.From.HighPass(l.src, l.src, &l.states)
		default:
			l.line.From.LowPass(l.src, l.src, &l.states)
		}
		same := func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) || x != x && y != y }
		for j, want := range l.src {
			if got := dst[i][j]; !same(got, want) {
				t.Fatalf("%d frames, %d lanes, high %v, moving %v: frame %d of lane %d is %v, want %v", n, lanes, high, moving, j, i, got, want)
			}
		}
		if got := b.States(i); n > 0 && (!same(got.Band, l.states.Band) || !same(got.Low, l.states.Low)) {
			t.Fatalf("%d frames, %d lanes, high %v, moving %v: lane %d ends at %v, want %v", n, lanes, high, moving, i, got, l.states)
		}
	}
}

// TestFilterLanesBits checks that a set of any size gives the bits of single lanes.
func TestFilterLanesBits(t *testing.T) {
	defer func(old instructions) { level = old }(level)
	m, r := newLaneBuffers(t), rand.New(rand.NewPCG(5, 6))
	for _, level = range sets() {
		for _, n := range []int{0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 255, 256, 257} {
			for lanes := 1; lanes <= MaxLanes; lanes++ {
				for kind := range 4 {
					m.check(t, r, lanes, n, kind&1 != 0, kind&2 != 0)
				}
			}
		}
	}
}

// FuzzFilterLanes is TestFilterLanesBits with fuzzed parameters.
func FuzzFilterLanes(f *testing.F) {
	f.Add(uint64(1), uint8(16), uint16(256), uint8(0))
	f.Add(uint64(2), uint8(3), uint16(37), uint8(3))
	m, sets := newLaneBuffers(f), sets()
	defer func(old instructions) { level = old }(level)
	f.Fuzz(func(t *testing.T, seed uint64, lanes uint8, n uint16, kind uint8) {
		for _, level = range sets {
			m.check(t, rand.New(rand.NewPCG(seed, 1)), 1+int(lanes)%MaxLanes, int(n)%900, kind&1 != 0, kind&2 != 0)
		}
	})
}

// BenchmarkFilterLanes reports the cost per voice and frame.
func BenchmarkFilterLanes(b *testing.B) {
	defer func(old instructions) { level = old }(level)
	for _, level = range sets() {
		for kind, name := range []string{"low", "high", "low-moves", "high-moves"} {
			for _, lanes := range []int{1, 2, 8, 16} {
				b.Run(fmt.Sprintf("%v/%s/%d", level, name, lanes), func(b *testing.B) {
					var bank FilterLanes
					for i := range lanes {
						row := make([]float32, 256)
						for j := range row {
							row[j] = float32(j%7) / 10
						}
						l := CoefficientRamp{SVFCoefficients{0.8, 0.2, 0.1, 0.9, 0.3, 1}, SVFCoefficients{}, 0, 1. / 32}
						bank.SetRamp(i, &l, SVFStates{})
						bank.SetBuffers(i, make([]float32, 256), row)
					}
					for b.Loop() {
						bank.Filter(lanes, 256, kind&1 != 0, kind&2 != 0)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/256/float64(lanes), "ns/frame")
				})
			}
		}
	}
}

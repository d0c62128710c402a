package dsp

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"voicepool/internal/longtest"
	"voicepool/pcm"
)

// networkBuffers is the memory of comparisons: rings between guard pages, and the arguments of the functions.
type networkBuffers struct {
	ring           []float32
	places         [FDNLines]int32
	to             [FDNLines]int32
	allpassIndices [2][4]int32
	tapIndices     [8]int32
	gains          [8]float32

	part, step [FDNLines]int32
	rows       LineRuns
	absorption Absorption
	in, first  [2]LineRun
	output     FDNOutput
	n          int
}

// draw fills the memory with random data. Positions are often at the ends of the ring.
func (m *networkBuffers) draw(r *rand.Rand) {
	sample := func() float32 {
		switch r.IntN(40) {
		case 0:
			return float32(math.Copysign(0, r.Float64()-0.5))
		case 1:
			return math.Float32frombits(r.Uint32() &^ (1 << 30)) // including denormals
		case 2:
			return [...]float32{1e30, -1e30, float32(math.Inf(1)), float32(math.NaN()), 1e-10, 1e-9}[r.IntN(6)]
		}
		return float32(math.Ldexp(r.Float64()*2-1, -r.IntN(30)))
	}
	fill := func(rows ...[]float32) {
		for _, x := range rows {
			for i := range x {
				x[i] = sample()
			}
		}
	}
	fill(m.ring, m.gains[:], m.in[0][:], m.in[1][:], m.first[0][:], m.first[1][:])
	for i := range m.rows {
		fill(m.rows[i][:])
	}
	for i := range m.output {
		fill(m.output[i][:])
	}
	for i := range m.absorption.Factors {
		fill(m.absorption.Factors[i][:])
	}
	for i := range m.absorption.States {
		fill(m.absorption.States[i][:])
	}
	last := len(m.ring) - FDNReach
	place := func() int32 { return []int32{0, int32(last), int32(r.IntN(last + 1))}[r.IntN(3)] }
	for i := range m.tapIndices {
		m.tapIndices[i] = place()
		if m.tapIndices[i] == int32(last) {
			m.tapIndices[i] += int32(r.IntN(4)) // to the last sample
		}
	}
	for i := range m.places {
		m.places[i] = place()
		m.part[i], m.step[i] = int32(r.IntN(FDNUnit)), int32(r.IntN(400)-200)
	}
	for i, slot := range r.Perm(FDNLines) { // they do not overlap
		size := len(m.ring) / FDNLines
		m.to[i] = int32(slot*size) + []int32{0, int32(size - FDNRun), int32(r.IntN(size - FDNRun + 1))}[r.IntN(3)]
	}
	for i := range m.allpassIndices[0] {
		m.allpassIndices[0][i], m.allpassIndices[1][i] = place(), place()
	}
	m.n = 1 + r.IntN(FDNRun)
}

// TestFeedbackNetworkBits checks that the reverb kernels give the bits of plain Go with every instruction set, at both
// ends of the rings and for all run lengths.
func TestFeedbackNetworkBits(t *testing.T) {
	m := &networkBuffers{ring: fenced[float32](t, 4096)}
	for seed := range uint64(longtest.Amount(600, 3000)) {
		m.compare(t, seed)
	}
}

func (m *networkBuffers) compare(t *testing.T, seed uint64) {
	t.Helper()
	defer func(old instructions) { level = old }(level)
	m.draw(rand.New(rand.NewPCG(11, seed)))
	start, ring := *m, slices.Clone(m.ring)
	var want, got []float32
	for _, l := range sets() {
		level = l
		*m, got = start, got[:0]
		copy(m.ring, ring)
		take := func(rows ...[]float32) {
			for _, x := range rows {
				got = append(got, x...)
			}
		}
		var echo LineRun
		SumTaps(&echo, m.ring, &m.tapIndices, &m.gains)
		take(echo[:])
		var rows LineRuns
		ReadLines(&rows, m.ring, &m.places, &m.part, &m.step)
		for i := range rows {
			take(rows[i][:])
		}
		m.absorption.Filter(&m.rows, m.n)
		for i := range m.rows {
			take(m.rows[i][:])
		}
		for i := range m.absorption.States {
			take(m.absorption.States[i][:])
		}
		m.absorption.FlushTiny(1e-3)
		for i := range m.absorption.States {
			take(m.absorption.States[i][:])
		}
		Allpasses(&m.in[0], m.ring, &m.allpassIndices[0], &m.allpassIndices[1])
		take(m.in[0][:], m.ring)
		var out [FDNRun]pcm.Frame
		var peaks LineRun
		Scatter(&out, &peaks, &m.rows, &m.in, &m.first, &m.output, m.ring, &m.to)
		for _, f := range out {
			take(f[:])
		}
		take(peaks[:], m.ring)
		if want == nil {
			want, got = got, make([]float32, 0, len(got))
			continue
		}
		for i, x := range got {
			if math.Float32bits(x) != math.Float32bits(want[i]) && (x == x || want[i] == want[i]) {
				t.Fatalf("%v, seed %d: number %d is %v (%#x), Go gives %v (%#x)", l, seed, i, x, math.Float32bits(x), want[i], math.Float32bits(want[i]))
			}
		}
	}
}

// TestFeedbackNetworkFrame checks that a frame filtered alone equals the same frame in a run.
func TestFeedbackNetworkFrame(t *testing.T) {
	m := &networkBuffers{ring: make([]float32, 1024)}
	for seed := range uint64(200) {
		m.draw(rand.New(rand.NewPCG(12, seed)))
		rows, absorption := m.rows, m.absorption
		m.absorption.Filter(&m.rows, m.n)
		for i := range m.n {
			absorption.FilterFrame(&rows, i)
		}
		for i := range rows {
			for j, x := range rows[i] {
				if y := m.rows[i][j]; math.Float32bits(x) != math.Float32bits(y) && (x == x || y == y) {
					t.Fatalf("seed %d: frame %d of line %d is %v, in a run of %d it is %v", seed, j, i, x, m.n, y)
				}
			}
		}
	}
}

// TestFeedbackNetworkOutside checks that positions outside a ring cause a Go panic instead of an out-of-bounds read.
func TestFeedbackNetworkOutside(t *testing.T) {
	m := &networkBuffers{ring: fenced[float32](t, 1024)}
	for _, bad := range []int32{-1, int32(len(m.ring)) - FDNRun + 1, math.MaxInt32, math.MinInt32} {
		for name, f := range map[string]func(i int){
			"SumTaps": func(i int) { m.tapIndices[i%8] = bad; SumTaps(&m.in[0], m.ring, &m.tapIndices, &m.gains) },
			"Allpasses": func(i int) {
				m.allpassIndices[i%2][i/2%4] = bad
				Allpasses(&m.in[0], m.ring, &m.allpassIndices[0], &m.allpassIndices[1])
			},
			"ReadLines": func(i int) { m.places[i] = bad; ReadLines(&m.rows, m.ring, &m.places, &m.part, &m.step) },
			"Scatter": func(i int) {
				m.to[i] = bad
				Scatter(&[FDNRun]pcm.Frame{}, &m.in[0], &m.rows, &m.in, &m.first, &m.output, m.ring, &m.to)
			},
		} {
			for i := range FDNLines {
				m.draw(rand.New(rand.NewPCG(13, 1)))
				func() {
					defer func() {
						if recover() == nil {
							t.Errorf("%s: place %d of %d does not panic", name, i, bad)
						}
					}()
					f(i)
				}()
			}
		}
	}
}

func FuzzFeedbackNetworkBits(f *testing.F) {
	m := &networkBuffers{ring: fenced[float32](f, 4096)}
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { m.compare(t, seed) })
}

package delay

import (
	"math"
	"math/rand/v2"

	"voicepool/pcm"
)

// model is the documented delay, one frame at a time with its whole history, in float64 and with the math
// package.
type model struct {
	rate         int
	past         [][2]float64 // the input of the delay line
	loud         int          // the end of its last audible part
	lowPassState [2]float64
	v            Values
	from         [3]float64     // feedback, low-pass coefficient and ping-pong at the start of the last move
	lines        [3][33]float64 // the values at the last frames

	time, next, wanted, faded int
}

func (m *model) jump(v Values) {
	m.v = v
	m.from = m.numbers()
	for i, x := range m.from {
		for k := range m.lines[i] {
			m.lines[i][k] = x
		}
	}
	m.time = int(math.Round(v.Time * float64(m.rate)))
	m.next, m.wanted = m.time, m.time
}

func (m *model) move(v Values) {
	m.from, m.v = m.numbers(), v
	m.wanted = int(math.Round(v.Time * float64(m.rate)))
}

func (m *model) numbers() [3]float64 {
	return [3]float64{m.v.Feedback, m.coefficient(m.v.LowPass), m.v.PingPong}
}

func (m *model) coefficient(cutoff float64) float64 {
	if cutoff == 0 || cutoff >= 0.49*float64(m.rate) {
		return 0
	}
	b := 2 - math.Cos(2*math.Pi*cutoff/float64(m.rate))
	return b - math.Sqrt(b*b-1)
}

func (m *model) back(n int) [2]float64 {
	if n > len(m.past) {
		return [2]float64{}
	}
	return m.past[len(m.past)-n]
}

// step returns the output for the next frame of input.
func (m *model) step(x pcm.Frame) [2]float64 {
	var now [3]float64 // the means over the lines
	for i, to := range m.numbers() {
		copy(m.lines[i][:], m.lines[i][1:])
		m.lines[i][32] = m.from[i] + (to-m.from[i])*float64(len(m.past)%32+1)/32
		for k := range 32 {
			now[i] += (m.lines[i][k] + m.lines[i][k+1]) / 64
		}
	}
	if len(m.past)%32 == 0 && m.next == m.time {
		m.next, m.faded = m.wanted, 0
	}
	out := m.back(m.time)
	if m.next != m.time {
		m.faded++
		length := int(math.Floor(0.02*float64(m.rate)/32)+1) * 32
		b := 0.5 - 0.5*math.Cos(math.Pi*float64(m.faded)/float64(length))
		for side, y := range m.back(m.next) {
			out[side] += (y - out[side]) * b
		}
		if m.faded == length {
			m.time = m.next
		}
	}
	feedback, keep, cross := now[0], now[1], now[2]
	for side := range m.lowPassState {
		m.lowPassState[side] = keep*m.lowPassState[side] + (1-keep)*out[side]
	}
	l, r := float64(x[0]), float64(x[1])
	in := [2]float64{
		l + cross*(r-l)/2 + feedback*(m.lowPassState[0]+cross*(m.lowPassState[1]-m.lowPassState[0])),
		r - cross*r + feedback*(m.lowPassState[1]+cross*(m.lowPassState[0]-m.lowPassState[1])),
	}
	if m.past = append(m.past, in); math.Abs(in[0]) >= 1e-10 || math.Abs(in[1]) >= 1e-10 {
		m.loud = len(m.past)
	}
	if n := len(m.past); n%32 == 0 && n-(m.loud+31)/32*32 >= max(m.time, m.next) {
		clear(m.past) // clear the history
		m.lowPassState = [2]float64{}
	}
	return out
}

var rates = []int{8000, 11025, 22050, 44100, 48000, 96000, 192000}

func decibels(factor float64) float64 { return 20 * math.Log10(factor) }

// drawn returns random values in their ranges, often at their ends.
func drawn(r *rand.Rand, longest float64) *Values {
	between := func(low, high float64) float64 {
		switch r.IntN(5) {
		case 0:
			return low
		case 1:
			return high
		}
		return low + (high-low)*r.Float64()
	}
	v := &Values{
		Time:     math.Exp(between(math.Log(0.001), math.Log(longest))),
		Feedback: between(0, 0.95), LowPass: math.Exp(between(math.Log(20), math.Log(20000))), PingPong: between(0, 1),
	}
	if r.IntN(3) == 0 {
		v.LowPass = 0
	}
	return v
}

// material returns noise, tones, impulses and silence, at levels that jump.
func material(r *rand.Rand, n int, top float64) []pcm.Frame {
	out := make([]pcm.Frame, n)
	kind, level, tone, side := 0, 0.0, 0.0, 0.0
	for i := range out {
		if i == 0 || r.IntN(500) == 0 {
			kind, level, tone, side = r.IntN(4), top*math.Pow(10, -4*r.Float64()), r.Float64(), r.Float64()
		}
		x := 0.0
		switch kind {
		case 0:
			x = level * (2*r.Float64() - 1)
		case 1:
			x = level * math.Sin(tone*float64(i))
		case 2:
			if r.IntN(50) == 0 {
				x = level
			}
		}
		out[i] = pcm.Frame{float32(x), float32(x * side)}
	}
	return out
}

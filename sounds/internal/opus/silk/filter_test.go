package silk

import (
	"math"
	"math/rand/v2"
	"testing"

	"voicepool/sounds/internal/opus/entropy"
)

// model implements sections 4.2.7.8.6 and 4.2.7.9 of RFC 6716 in floats over the whole signal: the excitation,
// the long-term prediction filter and the LPC filter.
type model struct {
	out, lpc []float64 // over all frames so far; full scale is 1
}

// offsetsQ23 holds the quantization offsets by signal type and offset type.
var offsetsQ23 = [3][2]float64{passive: {25, 60}, unvoiced: {25, 60}, voiced: {8, 25}}

// frame appends one frame.
func (m *model) frame(c *channel, p *control) {
	x, n, order := &c.indices, 5*c.rate, c.book.order
	seed, res := uint32(x.seed), make([]float64, len(m.out)+c.length())
	begin := len(m.out)
	before := func(list []float64, i int, a *[16]int16) (sum float64) {
		for k := range order {
			if i-k-1 >= 0 {
				sum += list[i-k-1] * float64(a[k]) / 4096
			}
		}
		return sum
	}
	for s := range c.subframes {
		a, g, j := &p.filters[s/2], float64(p.gains[s])/65536, begin+s*n
		if x.signal == voiced {
			end, scale := begin, float64(p.scale)/16384
			if s >= 2 && x.interpolation < 4 {
				end, scale = begin+2*n, 1
			}
			for i := max(j-p.lags[s]-2, 0); i < j; i++ {
				if i < end {
					res[i] = scale / g * min(max(m.out[i]-before(m.out, i, a), -1), 1)
				} else {
					res[i] = (m.lpc[i] - before(m.lpc, i, a)) / g
				}
			}
		}
		for i := j; i < j+n; i++ {
			raw := float64(c.pulses[i-begin])
			seed = 196314165*seed + 907633515
			e := raw * 256
			if raw != 0 {
				e -= math.Copysign(20, raw)
			}
			if e += offsetsQ23[x.signal][x.offset]; seed>>31 == 1 {
				e = -e
			}
			seed += uint32(c.pulses[i-begin])
			res[i] = e / (1 << 23)
			if x.signal == voiced {
				for k, b := range p.ltp[s] {
					if at := i - p.lags[s] + 2 - k; at >= 0 {
						res[i] += res[at] * float64(b) / 16384
					}
				}
			}
			y := g*res[i] + before(m.lpc, i, a)
			m.lpc, m.out = append(m.lpc, y), append(m.out, min(max(y, -1), 1))
		}
	}
}

// TestSynthesis compares successive frames of all rates, lengths and signal types with the model.
func TestSynthesis(t *testing.T) {
	for seed := range uint64(240) {
		r := rand.New(rand.NewPCG(seed, 7))
		c, m := &channel{}, &model{}
		c.reset()
		c.setRate(8+4*int(seed%3), []int{2, 4}[seed/3%2])
		var out [maxLength]int16
		worst, loud := 0.0, 0.0
		for range 6 {
			x, p := &c.indices, &control{}
			x.signal, x.offset, x.seed, x.interpolation = r.IntN(3), r.IntN(2), int32(r.IntN(4)), r.IntN(5)
			for half := range p.filters {
				var index [17]int
				index[0] = r.IntN(32)
				for k := range c.book.order {
					index[k+1] = r.IntN(3) - 1
				}
				lines := c.book.lines(&index)
				p.filters[half] = filter(lines[:c.book.order])
			}
			if c.subframes == 2 || x.interpolation == 4 {
				x.interpolation, p.filters[0] = 4, p.filters[1]
			}
			lag := 2*c.rate + r.IntN(16*c.rate+1)
			for s := range c.subframes {
				p.gains[s] = exponential(int32(2400 + r.IntN(500)))
				p.lags[s] = min(max(lag+r.IntN(19)-9, 2*c.rate), 18*c.rate)
				if i := r.IntN(3); x.signal == voiced {
					for k, b := range ltpFilters[i][r.IntN(len(ltpFilters[i]))] {
						p.ltp[s][k] = int16(b) << 7
					}
				}
			}
			p.scale = scales[r.IntN(3)]
			for i := range c.length() {
				c.pulses[i] = int32(r.IntN(5) - 2)
			}
			part := out[:c.length()]
			c.synthesize(part, p)
			m.frame(c, p)
			n, memory := len(part), 20*c.rate
			copy(c.past[:], c.past[n:memory])
			copy(c.past[memory-n:], part)
			for i, y := range part {
				want := 32768 * m.out[len(m.out)-n+i]
				worst, loud = max(worst, math.Abs(float64(y)-want)), max(loud, math.Abs(want))
			}
		}
		if loud < 300 || !(worst < 5+loud/100) {
			t.Fatalf("seed %d, %d kHz, %d subframes: differs by %.1f, the loudest sample is %.0f",
				seed, c.rate, c.subframes, worst, loud)
		}
	}
}

// TestPredictors compares the decoded weights with section 4.2.7.1.
func TestPredictors(t *testing.T) {
	levels := [16]int32{
		-13732, -10050, -8266, -7526, -6500, -5000, -2950, -820, 820, 2950, 5000, 6500, 7526, 8266, 10050, 13732,
	}
	r := rand.New(rand.NewPCG(8, 8))
	seen := map[[2]int32]bool{}
	for range 20000 {
		data := make([]byte, 8)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		var d, e entropy.Decoder
		d.Reset(data)
		e.Reset(data)
		n := e.Symbol(stereoJoint, 8)
		var w [2]int32
		for i, high := range []int{n / 5, n % 5} {
			third, fifth := e.Symbol([]byte{171, 85, 0}, 8), e.Symbol([]byte{205, 154, 102, 51, 0}, 8)
			at := third + 3*high
			w[i] = levels[at] + (levels[at+1]-levels[at])*6554>>16*int32(2*fifth+1)
		}
		w[0] -= w[1]
		if got := readPredictors(&d); got != w || d.BitsUsed() != e.BitsUsed() {
			t.Fatalf("%v: %v, want %v", data, got, w)
		}
		seen[w] = true
	}
	if len(seen) < 1000 {
		t.Errorf("only %d pairs of weights", len(seen))
	}
}

// TestWeave checks left and right against section 4.2.8, one sample late, while the weights change over 8 ms.
func TestWeave(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 9))
		rate, n := 8+4*int(seed%3), 0
		n = rate * []int{10, 20}[seed/3%2]
		d := New(2)
		d.coded, d.channel[0].rate = 2, rate
		var mid, side []float64
		var old [2]float64
		for frame := range 4 {
			var p [2]int32
			for i := range p {
				p[i] = int32(r.IntN(20000) - 10000)
			}
			if frame == 0 {
				mid, side = []float64{0, 0}, []float64{0, 0}
			}
			for i := range n {
				for c := range 2 {
					d.frame[c][2+i] = int16(r.IntN(60000) - 30000)
				}
				mid, side = append(mid, float64(d.frame[0][2+i])), append(side, float64(d.frame[1][2+i]))
			}
			d.toLeftRight(p, n)
			for i := range n {
				j := len(mid) - n + i // index of the newest sample; the output is one sample behind
				part := min(float64(i+1)/float64(8*rate), 1)
				w0 := (old[0] + (float64(p[0])-old[0])*part) / 8192
				w1 := (old[1] + (float64(p[1])-old[1])*part) / 8192
				smooth := (mid[j-2] + 2*mid[j-1] + mid[j]) / 4
				// The side is clipped before it is added.
				s := min(max(side[j-1]+w0*smooth+w1*mid[j-1], -32768), 32767)
				for c, want := range []float64{mid[j-1] + s, mid[j-1] - s} {
					want = min(max(want, -32768), 32767)
					got, rough := float64(d.frame[c][1+i]), 3.0
					if i < 8*rate { // a weight moves in steps of 1/8192 and by a fraction of 1/65536
						rough += (float64(i+1)*0.5 + 30) / 8192 * (math.Abs(smooth) + math.Abs(mid[j-1]))
					}
					if math.Abs(got-want) > rough {
						t.Fatalf("seed %d, frame %d: sample %d of channel %d is %v, want %v", seed, frame, i, c, got, want)
					}
				}
			}
			old = [2]float64{float64(p[0]), float64(p[1])}
		}
	}
}

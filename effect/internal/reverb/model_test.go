package reverb

import (
	"maps"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"voicepool/internal/longtest"
	"voicepool/pcm"
)

// biquad is a filter of Bristow-Johnson's cookbook, in direct form.
type biquad struct{ b0, b1, b2, a1, a2, x1, x2, y1, y2 float64 }

func (f *biquad) next(x float64) float64 {
	y := f.b0*x + f.b1*f.x1 + f.b2*f.x2 - f.a1*f.y1 - f.a2*f.y2
	f.x2, f.x1, f.y2, f.y1 = f.x1, x, f.y1, y
	return y
}

// cookbookShelf returns a shelving filter with a gain in dB and a Q of 0.7071.
func cookbookShelf(high bool, hertz, gain float64, rate int) *biquad {
	a, w := math.Pow(10, gain/40), 2*math.Pi*min(hertz/float64(rate), 0.49)
	alpha, c, sign := math.Sin(w)/math.Sqrt2, math.Cos(w), 1.0
	if high {
		sign = -1
	}
	root := 2 * math.Sqrt(a) * alpha
	b0, b1, b2 := a*((a+1)-sign*(a-1)*c+root), sign*2*a*((a-1)-sign*(a+1)*c), a*((a+1)-sign*(a-1)*c-root)
	a0, a1, a2 := (a+1)+sign*(a-1)*c+root, -sign*2*((a-1)+sign*(a+1)*c), (a+1)+sign*(a-1)*c-root
	return &biquad{b0: b0 / a0, b1: b1 / a0, b2: b2 / a0, a1: a1 / a0, a2: a2 / a0}
}

// model is the room in float64, with plain loops over the whole input. It takes its delay lengths from the
// tested reverb, because they are free choices.
type model struct {
	in        [][2]float64
	allpasses [2][]wallModel
	line      [lineCount][]float64
	shelves   [lineCount][2]*biquad
	gain      [lineCount]float64
	power     float64 // of the reflections
}

type wallModel struct {
	length int
	inside []float64
}

func newModel(v *Values, rate int, p *delays) *model {
	m := &model{}
	for _, r := range reflectionsLeft {
		m.power += r.gain * r.gain
	}
	for c, millis := range [2][4]float64{allpassLeft, allpassRight} {
		for _, ms := range millis {
			m.allpasses[c] = append(m.allpasses[c], wallModel{length: prime(max(int(ms/1000*float64(rate)), 2))})
		}
	}
	for i := range lineCount {
		seconds := float64(p[i]) / float64(rate)
		mid := -60 * seconds / v.Time
		m.gain[i] = math.Pow(10, mid/20)
		m.shelves[i] = [2]*biquad{
			cookbookShelf(false, 200, -60*seconds/(v.Time*v.Low)-mid, rate), cookbookShelf(true, 5000, -60*seconds/(v.Time*v.High)-mid, rate),
		}
	}
	return m
}

func at(x []float64, i int) float64 {
	if i < 0 {
		return 0
	}
	return x[i]
}

// next returns the output of the lines and the early reflections for a frame, before their gains.
func (m *model) next(x [2]float64, p *delays) (late, early [2]float64) {
	n := len(m.in)
	m.in = append(m.in, x)
	back := func(frames int32, c int) float64 {
		if i := n - int(frames); i >= 0 {
			return m.in[i][c]
		}
		return 0
	}
	power := math.Sqrt(m.power)
	for i := range reflectionsLeft {
		l, r := 0, 1
		if reflectionsLeft[i].crosses {
			l = 1
		}
		if reflectionsRight[i].crosses {
			r = 0
		}
		early[0] += back(p[lineCount+1+i], l) * reflectionsLeft[i].gain / power
		early[1] += back(p[lineCount+1+len(reflectionsLeft)+i], r) * reflectionsRight[i].gain / power
	}
	var in [2]float64
	for c := range in {
		in[c] = back(p[lineCount], c)
		for i := range m.allpasses[c] {
			w := &m.allpasses[c][i]
			behind := at(w.inside, len(w.inside)-w.length)
			inside := in[c] - allpassGain*behind
			w.inside = append(w.inside, inside)
			in[c] = behind + allpassGain*inside
		}
	}
	var y [lineCount]float64
	for i := range y {
		y[i] = m.gain[i] * m.shelves[i][1].next(m.shelves[i][0].next(at(m.line[i], n-int(p[i]))))
	}
	for i := range lineCount {
		sum := 0.0
		for j := range lineCount {
			if bits.OnesCount(uint(i&j))&1 == 0 {
				sum += y[j] / 4
			} else {
				sum -= y[j] / 4
			}
		}
		switch i {
		case tapLeft:
			late[0] = sum
		case tapRight:
			late[1] = sum
		}
		come := in[i&1]
		if negated>>i&1 != 0 {
			come = -come
		}
		m.line[i] = append(m.line[i], sum+come)
	}
	return late, early
}

// TestAgainstModel compares a room without modulation with the model, within the precision of float32.
func TestAgainstModel(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for n := range longtest.Amount(5, 12) {
		rate := []int{8000, 44100, 48000, 96000}[n%4]
		v := Values{
			Time: 0.1 * math.Pow(200, r.Float64()), Low: 0.25 * math.Pow(10, r.Float64()), High: 0.1 * math.Pow(15, r.Float64()), Predelay: r.Float64() / 4,
			Size: 0.2 * math.Pow(10, r.Float64()), Early: 72*r.Float64() - 60, Width: 1,
		}
		x := New(rate)
		x.Jump(&v)
		p := x.delaysOf(&v)
		m := newModel(&v, rate, &p)
		in := make([]pcm.Frame, rate)
		for i := range in {
			if i < rate/4 {
				in[i] = pcm.Frame{float32(r.Float64() - 0.5), float32(r.Float64() - 0.5)}
			}
		}
		out := slices.Clone(in)
		x.Process(out, 0)
		worst, loudest := 0.0, 0.0
		for i := range in {
			late, early := m.next([2]float64{float64(in[i][0]), float64(in[i][1])}, &p)
			for c := range late {
				want := late[c]*x.ramp.Now()[0] + early[c]*x.ramp.Now()[1]
				worst, loudest = max(worst, math.Abs(want-float64(out[i][c]))), max(loudest, math.Abs(want))
			}
		}
		if worst > 1e-5*max(loudest, 1) {
			t.Errorf("at %d Hz, %+v: %.2g off, of %.2g", rate, v, worst, loudest)
		}
	}
}

// TestClicks moves each value over its whole range within 10 ms. It may add less than -60 dBFS above 2 kHz to a
// steady 200 Hz sine.
func TestClicks(t *testing.T) {
	for _, rate := range []int{8000, 48000, 96000} {
		moves := map[string]func(v *Values, x float64){
			"time":       func(v *Values, x float64) { v.Time = 0.1 * math.Pow(200, x) },
			"low":        func(v *Values, x float64) { v.Low = 0.25 * math.Pow(10, x) },
			"high":       func(v *Values, x float64) { v.High = 0.1 * math.Pow(15, x) },
			"predelay":   func(v *Values, x float64) { v.Predelay = 0.25 * x },
			"size":       func(v *Values, x float64) { v.Size = 0.2 * math.Pow(10, x) },
			"early":      func(v *Values, x float64) { v.Early = -60 + 72*x },
			"width":      func(v *Values, x float64) { v.Width = x },
			"modulation": func(v *Values, x float64) { v.Modulation = x },
		}
		for i, name := range slices.Sorted(maps.Keys(moves)) {
			if rate > 48000 && i%4 > 0 && !longtest.Enabled() {
				continue
			}
			ends, length := moves[name], rate*longtest.Amount(15, 20)/10
			v := defaults()
			v.Modulation = 0
			ends(&v, 0)
			x := New(rate)
			x.Jump(&v)
			block, frames := make([]pcm.Frame, 32), make([]float64, 0, length)
			moved := 0
			for from := 0; from < length; from += 32 {
				if begin := rate / 32 * 32; from >= begin {
					if share := float64(from-begin) / (0.01 * float64(rate)); share < 1.1 {
						ends(&v, 0.5-0.5*math.Cos(math.Pi*min(share, 1)))
						moved++
					}
					x.Move(&v)
				}
				for i := range block {
					s := float32(math.Sin(2 * math.Pi * 200 * float64(from+i) / float64(rate)))
					block[i] = pcm.Frame{s, s}
				}
				x.Process(block, int64(from))
				for _, f := range block {
					frames = append(frames, float64(f[0]))
				}
			}
			// An eight-pole high-pass at 2 kHz.
			w := 2 * math.Pi * 2000 / float64(rate)
			for _, q := range []float64{0.5098, 0.6013, 0.9000, 2.5629} {
				alpha, c := math.Sin(w)/(2*q), math.Cos(w)
				f := biquad{b0: (1 + c) / 2 / (1 + alpha), b1: -(1 + c) / (1 + alpha), b2: (1 + c) / 2 / (1 + alpha), a1: -2 * c / (1 + alpha), a2: (1 - alpha) / (1 + alpha)}
				for i := range frames {
					frames[i] = f.next(frames[i])
				}
			}
			most := 0.0
			for _, y := range frames[rate*9/10:] {
				most = max(most, math.Abs(y))
			}
			db := 20 * math.Log10(most)
			t.Logf("at %d Hz, %s: %.1f dBFS", rate, name, db)
			if db > -60 || moved == 0 {
				t.Errorf("at %d Hz, %s: the move is heard by %.1f dBFS", rate, name, db)
			}
		}
	}
}

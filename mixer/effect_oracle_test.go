package mixer_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"voicepool/effect"
	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// The oracles of this file compute the formulas of docs/effects.md and of the effect packages: one frame
// at a time, in float64 and with package math. Each test renders random values, fades and block lengths.

// automated is a parameter of an effect with a fade.
type automated struct {
	name            string
	log             bool
	off             float64 // the value that stands for 0; 0: the parameter cannot be off
	from, to        float64
	begin, duration int64
}

// at returns the value at a frame, interpolated linearly, or linearly in its logarithm.
func (a *automated) at(frame int64) float64 {
	from, to := a.from, a.to
	if a.off > 0 && from == 0 {
		from = a.off
	}
	if a.off > 0 && to == 0 {
		to = a.off
	}
	share := min(max(float64(frame-a.begin)/float64(max(a.duration, 1)), 0), 1)
	switch {
	case share == 1 || a.from == a.to:
		return a.to
	case a.log:
		return math.Exp(math.Log(from) + share*(math.Log(to)-math.Log(from)))
	}
	return from + share*(to-from)
}

// set begins a fade.
func (a *automated) set(frame int64, to float64, duration int64) {
	a.from, a.to, a.begin, a.duration = a.at(frame), to, frame, duration
}

// spline smooths a value that is updated every 32 frames: the mean of the last 32 frames of the linear
// interpolation.
type spline struct {
	from, to float64
	line     [33]float64
}

// newSpline returns a spline whose past values are all x.
func newSpline(x float64) spline {
	s := spline{from: x, to: x}
	for i := range s.line {
		s.line[i] = x
	}
	return s
}

func (s *spline) set(x float64) { s.from, s.to = s.to, x }

// next returns the value at a frame.
func (s *spline) next(frame int64) (mean float64) {
	copy(s.line[:], s.line[1:])
	s.line[32] = s.from + (s.to-s.from)*float64(frame%32+1)/32
	for i := range 32 {
		mean += (s.line[i] + s.line[i+1]) / 64
	}
	return mean
}

// oracle is an effect in float64.
type oracle interface {
	set(value func(name string) float64)                  // at multiples of 32 frames
	step(frame int64, x, key [2]float64) (out [2]float64) // one frame
}

// oracleRun is a bus with one effect in a mixer, and the same effect in float64.
type oracleRun struct {
	rate    int
	mixer   *mixer.Mixer
	bus     mixer.Bus
	kind    string
	values  map[string]*automated
	moves   map[int64]func()
	in, key []pcm.Frame
}

// newOracleRun plays random material on a bus with an effect. If keyed, the effect has another bus as its
// key.
func newOracleRun(t *testing.T, r *rand.Rand, kind string, values effect.Values, keyed bool, frames int) *oracleRun {
	t.Helper()
	o := &oracleRun{rate: []int{8000, 44100, 48000, 96000}[r.IntN(4)], kind: kind, values: map[string]*automated{}, moves: map[int64]func(){}}
	e := newEffect(t, kind, values)
	if keyed {
		e.Key = "key"
	}
	o.mixer = newMixer(t, mixer.Config{Rate: o.rate, NoLimiter: true, Buses: []mixer.BusConfig{{Name: "key"}, {Name: "a", Effects: []effect.Effect{e}}}})
	o.bus = busOf(t, o.mixer, "a")
	for i := range e.Kind().Len() {
		p := e.Kind().Param(i)
		a := &automated{name: e.Kind().Path(i), log: p.Log, from: e.Value(i), to: e.Value(i)}
		if p.Off {
			a.off = 0.49 * float64(o.rate)
		}
		o.values[a.name] = a
	}
	o.in = o.play(t, r, "a", frames)
	if o.key = o.in; keyed {
		o.key = o.play(t, r, "key", frames)
	}
	return o
}

// play plays noise, tones, impulses and silence, at levels that jump, and returns the frames.
func (o *oracleRun) play(t *testing.T, r *rand.Rand, bus string, frames int) []pcm.Frame {
	t.Helper()
	out := make([]pcm.Frame, frames)
	samples := make([]float32, 0, 2*frames)
	kind, level, tone, side := 0, 0.0, 0.0, 0.0
	for i := range out {
		if i == 0 || r.IntN(1500) == 0 {
			kind, level, tone, side = r.IntN(4), math.Pow(10, -3*r.Float64()), r.Float64(), r.Float64()
		}
		x := 0.0
		switch {
		case kind == 0:
			x = level * (2*r.Float64() - 1)
		case kind == 1 || kind == 2:
			x = level * math.Sin(tone*float64(kind)*float64(i))
		case r.IntN(50) == 0:
			x = level
		}
		out[i] = pcm.Frame{float32(x), float32(x * side)}
		samples = append(samples, out[i][0], out[i][1])
	}
	s := sound(t, sounds.Samples{Name: bus, Rate: o.rate, Channels: 2, Data: samples})
	play(t, o.mixer.Engine().At(0), s, mixer.Options{Bus: busOf(t, o.mixer, bus)})
	return out
}

// move fades a parameter from a frame on.
func (o *oracleRun) move(t *testing.T, frame int64, name string, to float64, over time.Duration) {
	t.Helper()
	must(t, o.mixer.Engine().At(frame).SetEffect(o.bus, o.kind, effect.Values{name: to}, over))
	last := o.moves[frame]
	o.moves[frame] = func() {
		if last != nil {
			last()
		}
		o.values[name].set(frame, to, max(pcm.Frames(over, o.rate), int64(o.rate)/100))
	}
}

// worst renders the mixer in random blocks. It returns the largest difference from the oracle, in dB
// relative to the peak of the output, from a frame on.
func (o *oracleRun) worst(t *testing.T, r *rand.Rand, want oracle, from int, subtract []pcm.Frame) float64 {
	t.Helper()
	got := make([]pcm.Frame, 0, len(o.in))
	for len(got) < len(o.in) {
		n := min(1+r.IntN([]int{8, 100, 3000}[r.IntN(3)]), len(o.in)-len(got))
		o.mixer.Render(got[len(got) : len(got)+n])
		got = got[:len(got)+n]
	}
	value := func(frame int64) func(string) float64 {
		return func(name string) float64 {
			v := o.values[name]
			if v == nil {
				t.Fatalf("no value %q", name)
			}
			return v.at(frame)
		}
	}
	mix := o.values["mix"]
	now := 1.0
	if mix != nil {
		now = mix.at(0)
	}
	off, peak := 0.0, 0.0
	next := now
	for i := range got {
		frame := int64(i)
		if m := o.moves[frame]; m != nil {
			m()
		}
		if frame%32 == 0 {
			want.set(value(frame + 32))
			if now = next; mix != nil {
				next = mix.at(frame + 32)
			}
		}
		x := [2]float64{float64(o.in[i][0]), float64(o.in[i][1])}
		y := want.step(frame, x, [2]float64{float64(o.key[i][0]), float64(o.key[i][1])})
		wet := now + (next-now)*float64(frame%32)/32
		for c := range y {
			y[c] = y[c]*wet + x[c]*(1-wet)
			if subtract != nil {
				y[c] += float64(subtract[i][c])
			}
			peak = max(peak, math.Abs(y[c]))
			if e := math.Abs(float64(got[i][c]) - y[c]); i >= from && e > off {
				off = e
			}
		}
	}
	return 20 * math.Log10(max(off, 1e-15)/max(peak, 1e-9))
}

// between returns a random number in a range, often one of its ends.
func between(r *rand.Rand, low, high float64) float64 {
	switch r.IntN(6) {
	case 0:
		return low
	case 1:
		return high
	}
	return low + (high-low)*r.Float64()
}

// logBetween returns a random number in a range, uniform in its logarithm.
func logBetween(r *rand.Rand, low, high float64) float64 {
	return min(max(math.Exp(between(r, math.Log(low), math.Log(high))), low), high)
}

// compressorOracle implements equations 4, 7 and 17 of Giannoulis, Massberg and Reiss. The second stage
// falls with the attack or a sixteenth of the release, and the first stage's release is shorter by that
// time.
type compressorOracle struct {
	rate         float64
	acts         []spline // threshold, knee, slope, the three detector shares, the makeup factor
	peak, smooth float64  // dB
}

func (c *compressorOracle) set(v func(string) float64) {
	fall := min(v("attack"), v("release")/16)
	share := func(time float64) float64 { return 1 - math.Exp(-1/(time*c.rate)) }
	now := []float64{v("threshold"), v("knee"), 1 - 1/v("ratio"), share(v("release") - fall), share(v("attack")), share(fall), math.Pow(10, v("makeup")/20)}
	for i, x := range now {
		if len(c.acts) <= i {
			c.acts = append(c.acts, newSpline(x))
		}
		c.acts[i].set(x)
	}
}

// step returns the compressed frame of x, with the gain that follows the level of key.
func (c *compressorOracle) step(frame int64, x, key [2]float64) [2]float64 {
	var v [7]float64
	for i := range v {
		v[i] = c.acts[i].next(frame)
	}
	threshold, knee, slope := v[0], v[1], v[2]
	over := 20*math.Log10(max(math.Abs(key[0]), math.Abs(key[1]), 1e-30)) - threshold
	asked := 0.0
	switch {
	case 2*over < -knee:
	case 2*math.Abs(over) <= knee && knee > 0:
		asked = slope * (over + knee/2) * (over + knee/2) / (2 * knee)
	default:
		asked = slope * max(over, 0)
	}
	c.peak = max(asked, c.peak+(asked-c.peak)*v[3])
	if c.peak > c.smooth {
		c.smooth += (c.peak - c.smooth) * v[4]
	} else {
		c.smooth += (c.peak - c.smooth) * v[5]
	}
	gain := v[6] * math.Pow(10, -c.smooth/20)
	return [2]float64{x[0] * gain, x[1] * gain}
}

// TestCompressorAgainstFormulas compares a compressor with the paper, with moving parameters. The static
// curve uses a logarithm in float32 that is right to 3e-5 octaves, which is -93 dB of a sample.
func TestCompressorAgainstFormulas(t *testing.T) {
	worst := math.Inf(-1)
	for seed := range uint64(longtest.Amount(20, 40)) {
		r := rand.New(rand.NewPCG(1, seed))
		draw := map[string]func() float64{
			"threshold": func() float64 { return between(r, -60, 0) }, "ratio": func() float64 { return logBetween(r, 1, 100) },
			"attack": func() float64 { return logBetween(r, 0.0001, 0.5) }, "release": func() float64 { return logBetween(r, 0.005, 5) },
			"knee": func() float64 { return between(r, 0, 24) }, "makeup": func() float64 { return between(r, -24, 24) },
		}
		names := []string{"threshold", "ratio", "attack", "release", "knee", "makeup"}
		values := effect.Values{}
		for _, name := range names {
			values[name] = draw[name]()
		}
		keyed := seed%2 == 1
		o := newOracleRun(t, r, "compressor", values, keyed, 12000)
		for frame := r.Int64N(2000); frame < 12000; frame += 1 + r.Int64N(3000) {
			name := names[r.IntN(len(names))]
			o.move(t, frame, name, draw[name](), time.Duration(r.IntN(60))*time.Millisecond)
		}
		var add []pcm.Frame
		if keyed {
			add = o.key
		}
		off := o.worst(t, r, &compressorOracle{rate: float64(o.rate)}, 0, add)
		if worst = max(worst, off); off > -93 {
			t.Errorf("seed %d, %d Hz, %v: %.1f dB off", seed, o.rate, values, off)
		}
	}
	t.Logf("at most %.1f dB", worst)
}

// delayOracle is the delay line of docs/effects.md: an echo at an exact frame, a one-pole low-pass in the
// loop, alternating echoes, and a raised-cosine crossfade of 20 ms between times. A line is empty after
// as much silence as its time.
type delayOracle struct {
	rate                      float64
	acts                      []spline // feedback, low-pass coefficient, ping-pong
	past                      [][2]float64
	low                       [2]float64
	time, next, wanted, faded int
	loud                      int // frames up to the last one that is not silent
}

func (d *delayOracle) set(v func(string) float64) {
	keep := 0.0
	if cutoff := v("lowpass"); cutoff > 0 && cutoff < 0.49*d.rate {
		b := 2 - math.Cos(2*math.Pi*cutoff/d.rate)
		keep = b - math.Sqrt(b*b-1)
	}
	for i, x := range []float64{v("feedback"), keep, v("pingpong")} {
		if len(d.acts) <= i {
			d.acts = append(d.acts, newSpline(x))
		}
		d.acts[i].set(x)
	}
	d.wanted = int(math.Round(v("time") * d.rate))
	if d.time == 0 {
		d.time, d.next = d.wanted, d.wanted
	}
}

// back returns the frame n frames ago; silence before the beginning.
func (d *delayOracle) back(n int) (y [2]float64) {
	if n <= len(d.past) {
		y = d.past[len(d.past)-n]
	}
	return y
}

// step returns the delayed frame of x, with feedback.
func (d *delayOracle) step(frame int64, x, _ [2]float64) [2]float64 {
	feedback, keep, cross := d.acts[0].next(frame), d.acts[1].next(frame), d.acts[2].next(frame)
	if frame%32 == 0 && d.next == d.time {
		d.next, d.faded = d.wanted, 0
	}
	out := d.back(d.time)
	if d.next != d.time {
		d.faded++
		length := int(math.Floor(0.02*d.rate/32)+1) * 32
		share := 0.5 - 0.5*math.Cos(math.Pi*float64(d.faded)/float64(length))
		for c, y := range d.back(d.next) {
			out[c] += (y - out[c]) * share
		}
		if d.faded == length {
			d.time = d.next
		}
	}
	for c := range d.low {
		d.low[c] = keep*d.low[c] + (1-keep)*out[c]
	}
	in := [2]float64{
		x[0] + cross*(x[1]-x[0])/2 + feedback*(d.low[0]+cross*(d.low[1]-d.low[0])),
		x[1] - cross*x[1] + feedback*(d.low[1]+cross*(d.low[0]-d.low[1])),
	}
	if d.past = append(d.past, in); max(math.Abs(in[0]), math.Abs(in[1])) >= 1e-10 {
		d.loud = len(d.past)
	}
	if n := len(d.past); n%32 == 0 && n-(d.loud+31)/32*32 >= max(d.time, d.next) {
		clear(d.past)
		d.low = [2]float64{}
	}
	return out
}

// TestDelayAgainstFormulas compares a delay with the documented loop, with moving parameters. The line
// holds float32 samples: each pass rounds by at most -150 dB, and a feedback of 0.95 adds 20 passes, or
// 26 dB.
func TestDelayAgainstFormulas(t *testing.T) {
	worst := math.Inf(-1)
	for seed := range uint64(longtest.Amount(20, 40)) {
		r := rand.New(rand.NewPCG(2, seed))
		draw := map[string]func() float64{
			"time": func() float64 { return logBetween(r, 0.001, 0.2) }, "feedback": func() float64 { return between(r, 0, 0.95) },
			"lowpass": func() float64 {
				if r.IntN(3) == 0 {
					return 0
				}
				return logBetween(r, 20, 20000)
			},
			"pingpong": func() float64 { return float64(r.IntN(2)) }, "mix": func() float64 { return between(r, 0, 1) },
		}
		names := []string{"time", "feedback", "lowpass", "pingpong", "mix"}
		values := effect.Values{}
		for _, name := range names {
			values[name] = draw[name]()
		}
		o := newOracleRun(t, r, "delay", values, false, 24000)
		for frame := r.Int64N(4000); frame < 24000; frame += 1 + r.Int64N(6000) {
			name := names[r.IntN(len(names))]
			o.move(t, frame, name, draw[name](), time.Duration(r.IntN(60))*time.Millisecond)
		}
		off := o.worst(t, r, &delayOracle{rate: float64(o.rate)}, 0, nil)
		if worst = max(worst, off); off > -120 {
			t.Errorf("seed %d, %d Hz, %v: %.1f dB off", seed, o.rate, values, off)
		}
	}
	t.Logf("at most %.1f dB", worst)
}

// eqOracle is a cascade of the biquads of Bristow-Johnson's cookbook, for constant parameters.
type eqOracle struct {
	rate   float64
	bands  int
	b, a   [8][3]float64
	x, y   [8][2][2]float64 // by band and channel: the last inputs and outputs
	frozen bool             // the parameters have been set
}

func (q *eqOracle) set(v func(string) float64) {
	if q.frozen {
		return
	}
	q.frozen = true
	for i := range q.bands {
		name := func(of string) float64 { return v(fmt.Sprintf("bands.%d.%s", i+1, of)) }
		w := 2 * math.Pi * min(name("freq"), 0.49*q.rate) / q.rate
		a, alpha, cos := math.Pow(10, name("gain")/40), math.Sin(w)/(2*name("q")), math.Cos(w)
		s := 2 * math.Sqrt(a) * alpha
		switch name("type") {
		case effect.LowShelf:
			q.b[i] = [3]float64{a * (a + 1 - (a-1)*cos + s), 2 * a * (a - 1 - (a+1)*cos), a * (a + 1 - (a-1)*cos - s)}
			q.a[i] = [3]float64{a + 1 + (a-1)*cos + s, -2 * (a - 1 + (a+1)*cos), a + 1 + (a-1)*cos - s}
		case effect.Peak:
			q.b[i] = [3]float64{1 + alpha*a, -2 * cos, 1 - alpha*a}
			q.a[i] = [3]float64{1 + alpha/a, -2 * cos, 1 - alpha/a}
		case effect.HighShelf:
			q.b[i] = [3]float64{a * (a + 1 + (a-1)*cos + s), -2 * a * (a - 1 + (a+1)*cos), a * (a + 1 + (a-1)*cos - s)}
			q.a[i] = [3]float64{a + 1 - (a-1)*cos + s, 2 * (a - 1 - (a+1)*cos), a + 1 - (a-1)*cos - s}
		case effect.LowPass:
			c := 2 * math.Sin(w/2) * math.Sin(w/2)
			q.b[i], q.a[i] = [3]float64{c / 2, c, c / 2}, [3]float64{1 + alpha, -2 * cos, 1 - alpha}
		case effect.HighPass:
			q.b[i], q.a[i] = [3]float64{(1 + cos) / 2, -(1 + cos), (1 + cos) / 2}, [3]float64{1 + alpha, -2 * cos, 1 - alpha}
		case effect.Notch:
			q.b[i], q.a[i] = [3]float64{1, -2 * cos, 1}, [3]float64{1 + alpha, -2 * cos, 1 - alpha}
		default:
			q.b[i], q.a[i] = [3]float64{1, 0, 0}, [3]float64{1, 0, 0}
		}
	}
}

// step returns x after all bands, as biquads in direct form.
func (q *eqOracle) step(_ int64, x, _ [2]float64) [2]float64 {
	for i := range q.bands {
		b, a := &q.b[i], &q.a[i]
		for c := range x {
			in, out := &q.x[i][c], &q.y[i][c]
			y := (b[0]*x[c] + b[1]*in[0] + b[2]*in[1] - a[1]*out[0] - a[2]*out[1]) / a[0]
			*in, *out = [2]float64{x[c], in[0]}, [2]float64{y, out[0]}
			x[c] = y
		}
	}
	return x
}

// eqValues draws bands.
func eqValues(r *rand.Rand, bands int, kinds []float64) effect.Values {
	values := effect.Values{}
	for i := range bands {
		values[fmt.Sprintf("bands.%d.type", i+1)] = kinds[r.IntN(len(kinds))]
		values[fmt.Sprintf("bands.%d.freq", i+1)] = logBetween(r, 60, 20000)
		values[fmt.Sprintf("bands.%d.gain", i+1)] = between(r, -24, 24)
		values[fmt.Sprintf("bands.%d.q", i+1)] = logBetween(r, 0.1, 18)
	}
	return values
}

// TestEqualiserAgainstFormulas compares an equalizer with the cookbook's cascade in float64. Only its
// output is rounded, to float32, which is -150 dB.
func TestEqualiserAgainstFormulas(t *testing.T) {
	worst := math.Inf(-1)
	for seed := range uint64(longtest.Amount(20, 40)) {
		r := rand.New(rand.NewPCG(3, seed))
		bands := 1 + r.IntN(8)
		values := eqValues(r, bands, []float64{effect.Flat, effect.LowShelf, effect.Peak, effect.HighShelf, effect.LowPass, effect.HighPass, effect.Notch})
		o := newOracleRun(t, r, "eq", values, false, 12000)
		off := o.worst(t, r, &eqOracle{rate: float64(o.rate), bands: bands}, 0, nil)
		if worst = max(worst, off); off > -140 {
			t.Errorf("seed %d, %d Hz, %v: %.1f dB off", seed, o.rate, values, off)
		}
	}
	t.Logf("at most %.1f dB", worst)
}

// movingEq is the cascade with moving parameters: Zavalishin's filters with tan(pi freq/rate), the
// damping and the gain of each frame, 16 frames late like the mean of 32 frames.
type movingEq struct {
	eqOracle
	values [8][4]*automated // frequency, q, gain and type of each band
	s      [8][2][2]float64
}

// step returns x after all bands, as state-variable filters whose parameters fade.
func (q *movingEq) step(frame int64, x, _ [2]float64) [2]float64 {
	for i := range q.bands {
		v := &q.values[i]
		g, k, a := math.Tan(math.Pi*min(v[0].at(frame-15)/q.rate, 0.49)), 1/v[1].at(frame-15), math.Pow(10, v[2].at(frame-15)/40)
		m0, m1, m2 := 1.0, 0.0, 0.0
		switch v[3].to {
		case effect.LowShelf:
			g /= math.Sqrt(a)
			m1, m2 = k*(a-1), a*a-1
		case effect.Peak:
			k /= a
			m1 = k * (a*a - 1)
		case effect.HighShelf:
			g *= math.Sqrt(a)
			m0, m1, m2 = a*a, k*(1-a)*a, 1-a*a
		case effect.LowPass:
			m0, m2 = 0, 1
		case effect.HighPass:
			m1, m2 = -k, -1
		case effect.Notch:
			m1 = -k
		}
		for c := range x {
			s := &q.s[i][c]
			middle := (s[0] + g*(x[c]-s[1])) / (1 + g*(g+k))
			low := s[1] + g*middle
			s[0], s[1] = 2*middle-s[0], 2*low-s[1]
			x[c] = m0*x[c] + m1*middle + m2*low
		}
	}
	return x
}

// TestMovingEqualiserAgainstFormulas fades frequencies, gains and q for 0.2 s or longer and compares with
// the filter that has the exact values of each frame. The coefficients move in lines of 32 frames. At 8
// kHz, where the difference is largest, such a line is 2 % of a fade.
func TestMovingEqualiserAgainstFormulas(t *testing.T) {
	worst := math.Inf(-1)
	for seed := range uint64(longtest.Amount(12, 20)) {
		r := rand.New(rand.NewPCG(4, seed))
		bands := 1 + r.IntN(2)
		values := eqValues(r, bands, []float64{effect.LowShelf, effect.Peak, effect.HighShelf, effect.LowPass, effect.HighPass, effect.Notch})
		o := newOracleRun(t, r, "eq", values, false, 24000)
		for i := range bands {
			name := func(of string) string { return fmt.Sprintf("bands.%d.%s", i+1, of) }
			o.move(t, r.Int64N(4000), name("freq"), logBetween(r, 60, 20000), time.Duration(200+r.IntN(100))*time.Millisecond)
			o.move(t, r.Int64N(4000), name("gain"), between(r, -24, 24), time.Duration(200+r.IntN(100))*time.Millisecond)
			o.move(t, r.Int64N(4000), name("q"), logBetween(r, 0.1, 18), time.Duration(200+r.IntN(100))*time.Millisecond)
		}
		want := &movingEq{eqOracle: eqOracle{rate: float64(o.rate), bands: bands, frozen: true}}
		for i := range bands {
			for j, of := range []string{"freq", "q", "gain", "type"} {
				want.values[i][j] = o.values[fmt.Sprintf("bands.%d.%s", i+1, of)]
			}
		}
		off := o.worst(t, r, want, 0, nil)
		if worst = max(worst, off); off > -30 {
			t.Errorf("seed %d, %d Hz, %v: %.1f dB off", seed, o.rate, values, off)
		}
	}
	t.Logf("at most %.1f dB", worst)
}

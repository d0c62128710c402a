package zimtohrli

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"voicepool/internal/cputime"
	"voicepool/pcm"
	"voicepool/sounds"
)

// near fails if numbers differ from the wanted ones by more than a relative tolerance. The original computes in float32.
func near(t *testing.T, name string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", name, len(got), len(want))
	}
	for i, x := range got {
		if !(math.Abs(x-want[i]) <= tolerance*math.Abs(want[i])+1e-5*tolerance) {
			t.Errorf("%s, value %d: %v, want %v", name, i, x, want[i])
			return
		}
	}
}

// TestIntermediate compares values inside the metric with values from the original program: constants, the response to
// an impulse, and pair 067. The folder testdata of package metric describes the program.
func TestIntermediate(t *testing.T) {
	data, err := os.ReadFile("testdata/intermediate.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Constants struct {
			Center    []float64          `json:"center_hz"`
			Leak      []float64          `json:"leak_per_sample"`
			Gain      []float64          `json:"gain"`
			FrontEnd  []float64          `json:"impulse_front_end"`
			Impulse   []float64          `json:"impulse_spectrogram_frame0"`
			Silence   []float64          `json:"silence_spectrogram_frame"`
			Weight    map[string]float64 `json:"downsample_weight"`
			Bandwidth []float64          `json:"bandwidth_hz"`
		}
		Pair struct {
			Steps   int       `json:"num_steps"`
			Step    int       `json:"frame"`
			A       []float64 `json:"spec_ref"`
			B       []float64 `json:"spec_test"`
			LastA   []float64 `json:"spec_ref_last_frame"`
			MaxA    float64   `json:"max_ref"`
			MaxB    float64   `json:"max_test"`
			ScaleA  float64   `json:"rescale_ref"`
			ScaleB  float64   `json:"rescale_test"`
			Matches int       `json:"dtw_len"`
			Uneven  [][2]int  `json:"dtw_path_first_offdiagonal"`
			At      int       `json:"path_index"`
			MeanA   []float64 `json:"nsim_mean_ref"`
			MeanB   []float64 `json:"nsim_mean_test"`
			VarA    []float64 `json:"nsim_var_ref"`
			VarB    []float64 `json:"nsim_var_test"`
			Cov     []float64 `json:"nsim_cov"`
		} `json:"pair067"`
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	f := newFilterbank()
	c := &want.Constants
	for k := range bands {
		gain := f.tables[k][0].re * math.Sqrt(f.tables[k][0].leak) * math.Sqrt(energyScale/563)
		near(t, "center, leak and gain", []float64{centers[k+1], math.Sqrt(f.tables[k][0].leak), gain}, []float64{c.Center[k], c.Leak[k], c.Gain[k]}, 1e-4)
	}
	x := make([]float64, 1000)
	spectra := make([]spectrum, 2)
	f.analyze(spectra, x)
	near(t, "silence", spectra[0][:], c.Silence, 1e-6)
	x = make([]float64, 563)
	x[40] = 1
	f.analyze(spectra[:1], x)
	for i, want := range map[int]float64{0: c.Weight["0"], 100: c.Weight["100"], 281: c.Weight["281"], 400: c.Weight["400"], 562: c.Weight["562"]} {
		near(t, "weight", []float64{f.window[i]}, []float64{want}, 1e-6)
	}
	x = make([]float64, 1126)
	x[40] = 1
	f.analyze(spectra, x)
	near(t, "impulse", spectra[0][:], c.Impulse, 1e-5)

	p := &want.Pair
	reference, test := preEcho()
	m := NewMeter(1)
	m.Add(mono(reference.Data), mono(test.Data))
	n := stepsOf(len(reference.Data))
	if n != p.Steps {
		t.Fatalf("%d steps, want %d", n, p.Steps)
	}
	a, b := make([]spectrum, n), make([]spectrum, n)
	f.analyze(a, m.channels[0].signals[0][:m.frames])
	f.analyze(b, m.channels[0].signals[1][:m.frames])
	near(t, "reference", a[p.Step][:], p.A, 1e-5)
	near(t, "test", b[p.Step][:], p.B, 1e-5)
	near(t, "last step", a[n-1][:], p.LastA, 1e-5)
	before := []float64{loudest(a), loudest(b)}
	near(t, "loudest", before, []float64{p.MaxA, p.MaxB}, 1e-5)
	rescale(a, b)
	near(t, "rescaling", []float64{loudest(a) / before[0], loudest(b) / before[1]}, []float64{p.ScaleA, p.ScaleB}, 1e-6)

	path := align(nil, a, b, &m.costs)
	uneven := [][2]int{}
	var s similarity
	for i, at := range path {
		if at.a != at.b {
			uneven = append(uneven, [2]int{at.a, at.b})
		}
		if s.next(&a[at.a], &b[at.b]); i == p.At {
			near(t, "mean of the reference", s.means.a[:], p.MeanA, 1e-4)
			near(t, "mean of the test", s.means.b[:], p.MeanB, 1e-4)
			near(t, "variance of the reference", s.means.varA[:], p.VarA, 1e-3)
			near(t, "variance of the test", s.means.varB[:], p.VarB, 1e-3)
			near(t, "covariance", s.means.cov[:], p.Cov, 1e-3)
		}
	}
	if len(path) != p.Matches || !slices.Equal(uneven, p.Uneven) {
		t.Errorf("%d matches, %v of them uneven, want %d and %v", len(path), uneven, p.Matches, p.Uneven)
	}
}

// mono returns frames with samples on the left.
func mono(samples []float32) []pcm.Frame {
	frames := make([]pcm.Frame, len(samples))
	for i, x := range samples {
		frames[i][0] = x
	}
	return frames
}

// TestFilterbank compares spectra with filters that run frame by frame in complex numbers.
func TestFilterbank(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 32, 33, 60, 564, 565, 2000, 3000} {
		x := make([]float64, n)
		for i := range x {
			x[i] = r.NormFloat64() / 10
		}
		got, want := make([]spectrum, stepsOf(n)), make([]spectrum, stepsOf(n))
		newFilterbank().analyze(got, x)
		hop, positions := n/len(want), n-taps
		signal := make([]float64, max(positions, 0))
		var y, sum float64
		for i := range signal {
			var a, b float64
			for j := range taps {
				a += resonated[j] * x[i+j]
				b += direct[j] * x[i+j]
			}
			y = resonatorDecay*y + resonatorSpring*sum + a
			sum += y
			signal[i] = y + b
		}
		extra := baseNoise
		for k := range bands {
			bandwidth := math.Sqrt(centers[k+2]*centers[k+1]) - math.Sqrt(centers[k]*centers[k+1])
			leak := math.Pow(baseLeak, bandwidth*leakBandwidth)
			gain := math.Sqrt(energyScale/float64(hop)) * math.Pow(1-leak, 3) * centers[k+1] / bandwidth
			var s0, s1, s2 complex128
			energies := make([]float64, len(want)+1)
			for i, v := range signal {
				w := complex(leak, 0)
				s0, s1, s2 = w*s0, w*s1, w*s2
				s1 += s0
				s2 += s1
				sin, cos := math.Sincos(2 * math.Pi * centers[k+1] / Rate * float64(i))
				s0 += complex(gain*v*cos, -gain*v*sin)
				e := real(s2)*real(s2) + imag(s2)*imag(s2)
				step := i / hop
				if step >= len(want) {
					break
				}
				weight := 1 / (1 + math.Exp(stepSlope*(2/float64(hop)*(float64(i%hop)+0.5)-1)))
				if step == len(want)-1 {
					weight = 1
				}
				energies[step] += weight * e
				energies[step+1] += (1 - weight) * e
			}
			for i := range want {
				if positions > 0 {
					want[i][k] = math.Log(energies[i]+extra) * loudnessFactors[k]
				}
			}
			extra += noiseSlopes[k/4]
		}
		for i := range want {
			near(t, "loudness", got[i][:], want[i][:], 1e-6)
		}
	}
}

// TestAlign compares paths with paths through a complete matrix of costs.
func TestAlign(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		a, b := randomSpectra(r, 1+r.IntN(14)), randomSpectra(r, 1+r.IntN(14))
		costs := make([][]float64, len(a))
		for i := range costs {
			costs[i] = slices.Repeat([]float64{math.MaxFloat64}, len(b))
		}
		costs[0][0] = 0
		for i := 1; i < len(a); i++ {
			for j := 1; j < len(b); j++ {
				square := 0.0
				for k := range bands {
					square += (a[i][k] - b[j][k]) * (a[i][k] - b[j][k])
				}
				cost := math.Pow(square, costExponent)
				costs[i][j] = min(costs[i-1][j-1]+syncWeight*cost, costs[i-1][j]+cost, costs[i][j-1]+cost)
			}
		}
		at := match{}
		want := []match{at}
		for at.a+1 < len(a) && at.b+1 < len(b) {
			next := []match{{at.a + 1, at.b + 1}, {at.a + 1, at.b}, {at.a, at.b + 1}}
			at = slices.MinFunc(next, func(x, y match) int { return compare(costs[x.a][x.b], costs[y.a][y.b]) })
			want = append(want, at)
		}
		got := align(nil, a, b, &[2][]float64{make([]float64, 20), make([]float64, 20)})
		if !slices.Equal(got, want) {
			t.Fatalf("path %v, want %v", got, want)
		}
	}
}

func compare(x, y float64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// randomSpectra returns n spectra that change slowly.
func randomSpectra(r *rand.Rand, n int) []spectrum {
	s := make([]spectrum, n)
	for i := range s {
		if i > 0 && r.IntN(3) > 0 {
			s[i] = s[i-1]
		}
		for k := range bands {
			s[i][k] += r.Float64() * 20
		}
	}
	return s
}

// TestSimilarity compares similarities with sums over each window.
func TestSimilarity(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	a, b := randomSpectra(r, 20), randomSpectra(r, 20)
	copy(b[:5], a) // similar at first
	mean := func(i, k int, at func(i, k int) float64) float64 {
		sum := 0.0
		for i2 := max(i-windowSteps+1, 0); i2 <= i; i2++ {
			for k2 := max(k-windowBands+1, 0); k2 <= k; k2++ {
				sum += at(i2, k2)
			}
		}
		return sum / (windowSteps * windowBands)
	}
	table := func(at func(i, k int) float64) func(i, k int) float64 {
		var values [20]spectrum
		for i := range values {
			for k := range bands {
				values[i][k] = mean(i, k, at)
			}
		}
		return func(i, k int) float64 { return values[i][k] }
	}
	meanA := table(func(i, k int) float64 { return a[i][k] })
	meanB := table(func(i, k int) float64 { return b[i][k] })
	fromA := func(i, k int) float64 { return a[i][k] - meanA(i, k) }
	fromB := func(i, k int) float64 { return b[i][k] - meanB(i, k) }
	varA := table(func(i, k int) float64 { return fromA(i, k) * fromA(i, k) })
	varB := table(func(i, k int) float64 { return fromB(i, k) * fromB(i, k) })
	cov := table(func(i, k int) float64 { return fromA(i, k) * fromB(i, k) })
	var s similarity
	for i := range a {
		want := 0.0
		for k := range bands {
			intensity := (2*math.Sqrt(meanA(i, k)*meanB(i, k)) + intensityFloor) / (meanA(i, k) + meanB(i, k) + intensityFloor)
			structure := (cov(i, k) + structureFloor) / (math.Sqrt(varA(i, k)*varB(i, k)) + structureFloor)
			want += math.Pow(intensity, intensityExponent) * math.Pow(max(structure, leastStructure), structureExponent)
		}
		if got := s.next(&a[i], &b[i]); math.Abs(got-want) > 1e-9 || i < 5 && got != bands {
			t.Errorf("match %d: similarity %v, want %v", i, got, want)
		}
	}
}

// TestDistanceBits compares distances with stored bits. They are the same on every machine.
func TestDistanceBits(t *testing.T) {
	reference, test := preEcho()
	part := func(s sounds.Samples, from int) []float32 { return s.Data[from:][:12000] }
	m := newMeter(2, 5000, 2500)
	a, b := mono(part(reference, 44000)), mono(part(test, 44000))
	for i := range a {
		a[i][1], b[i][1] = part(reference, 92000)[i], part(test, 92000)[i]
	}
	m.Add(a, b)
	d := m.Distance()
	got := []uint64{math.Float64bits(m.channels[0].sum), math.Float64bits(m.channels[1].sum), math.Float64bits(d), math.Float64bits(MOS(d))}
	if want := []uint64{0x40412692809bc9c2, 0x402cd717113b59d8, 0x3f61f62775941586, 0x40124e2dbab8933e}; !slices.Equal(got, want) {
		t.Errorf("bits %#x, want %#x: distance %v", got, want, d)
	}
}

// TestSilence checks that signals without a difference, or without a step, have the distance 0.
func TestSilence(t *testing.T) {
	for _, n := range []int{0, 33, 34, 600} {
		silent := sounds.Samples{Rate: Rate, Channels: 2, Data: make([]float32, 2*n)}
		loud := sounds.Samples{Rate: Rate, Channels: 2, Data: slices.Repeat([]float32{1, -0.5, -1, 0.25}, n/2)}
		loud.Data = append(loud.Data, make([]float32, 2*n-len(loud.Data))...)
		for _, pair := range [][2]sounds.Samples{{silent, silent}, {loud, loud}, {loud, silent}} {
			d, err := Distance(pair[0], pair[1])
			same := n <= 33 || pair[0].Data[0] == pair[1].Data[0]
			if err != nil || same && d != 0 || !same && !(d > 0 && d <= 1) {
				t.Errorf("%d frames: distance %v, %v", n, d, err)
			}
			if d == 0 && MOS(d) != 5 {
				t.Errorf("MOS of no difference is %v, want 5", MOS(d))
			}
		}
	}
}

// TestWindows checks that the distance of long signals is the mean of the distances of their windows, that the length
// of blocks does not matter, and that channels are combined.
func TestWindows(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	const window, least = 4000, 2000
	for _, c := range []struct {
		frames  int
		lengths []int
	}{{5999, []int{5999}}, {6000, []int{4000, 2000}}, {9999, []int{4000, 5999}}, {10001, []int{4000, 4000, 2001}}} {
		frames := [2][]pcm.Frame{}
		for i := range frames {
			for range c.frames {
				frames[i] = append(frames[i], pcm.Frame{r.Float32() - 0.5, float32(i)*(r.Float32()-0.5) + 0.1})
			}
		}
		m := newMeter(2, window, least)
		for from := 0; from < c.frames; {
			n := min(c.frames-from, r.IntN(1500))
			m.Add(frames[0][from:from+n], frames[1][from:from+n])
			from += n
		}
		var sums [2]float64
		from := 0
		for _, n := range c.lengths {
			for channel := range sums {
				one := newMeter(1, 100000, 0)
				var parts [2][]pcm.Frame
				for i := range parts {
					for _, f := range frames[i][from : from+n] {
						parts[i] = append(parts[i], pcm.Frame{f[channel]})
					}
				}
				one.Add(parts[0], parts[1])
				sums[channel] += one.Distance() * float64(n) / float64(c.frames)
			}
			from += n
		}
		want := math.Sqrt((sums[0]*sums[0] + sums[1]*sums[1]) / 2)
		if got := m.Distance(); math.Abs(got-want) > 1e-12 || got != m.Distance() || sums[0] == sums[1] {
			t.Errorf("%d frames: distance %v, want %v; channels %v", c.frames, got, want, sums)
		}
	}
}

// TestErrors checks that errors name the values of both signals.
func TestErrors(t *testing.T) {
	good := func() sounds.Samples { return sounds.Samples{Rate: Rate, Channels: 2, Data: make([]float32, 2000)} }
	nan := float32(math.NaN())
	for want, change := range map[string]func(reference, test *sounds.Samples){
		"zimtohrli: the reference has a rate of 48000 Hz, the test 44100 Hz, want 48000 Hz for both": func(_, b *sounds.Samples) { b.Rate = 44100 },
		"zimtohrli: the signals have a rate of 44100 Hz, want 48000 Hz":                              func(a, b *sounds.Samples) { a.Rate, b.Rate = 44100, 44100 },
		"zimtohrli: the reference has 1 channels, the test 2, want the same number":                  func(a, _ *sounds.Samples) { a.Channels = 1 },
		"zimtohrli: the signals have 3 channels, want 1 or 2":                                        func(a, b *sounds.Samples) { a.Channels, b.Channels = 3, 3 },
		"zimtohrli: the reference has 1000 frames, the test 999, want the same number":               func(_, b *sounds.Samples) { b.Data = b.Data[:1998] },
		"zimtohrli: the reference has 2000 samples, the test 2001, want whole frames of 2 channels":  func(_, b *sounds.Samples) { b.Data = make([]float32, 2001) },
		"zimtohrli: frame 7 of the test is NaN, want -65536 to 65536":                                func(_, b *sounds.Samples) { b.Data[15] = nan },
		"zimtohrli: frame 999 of the reference is 1e+06, want -65536 to 65536":                       func(a, _ *sounds.Samples) { a.Data[1998] = 1e6 },
	} {
		a, b := good(), good()
		change(&a, &b)
		if _, err := Distance(a, b); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	for want, call := range map[string]func(){
		"zimtohrli: 0 channels, want 1 or 2":                                           func() { NewMeter(0) },
		"zimtohrli: 3 frames of the reference and 2 of the test, want the same number": func() { newMeter(1, 100, 0).Add(make([]pcm.Frame, 3), make([]pcm.Frame, 2)) },
	} {
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.HasPrefix(got, want) {
					t.Errorf("panic %q, want %q", got, want)
				}
			}()
			call()
		}()
	}
}

// TestSilenceIsFast checks that the states of the filters become zero in silence, because tiny numbers are slow.
func TestSilenceIsFast(t *testing.T) {
	f := newFilterbank()
	x := make([]float64, 60000)
	x[100] = 1
	f.analyze(make([]spectrum, stepsOf(len(x))), x)
	if f.states != [bands]integrators{} || f.resonance != 0 || f.spring != 0 {
		t.Errorf("states %v, resonator %v, %v, want 0", f.states, f.resonance, f.spring)
	}
}

// TestAllocations checks that a Meter keeps at most 30 MB, and does not allocate after it has been made.
func TestAllocations(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	NewMeter(2)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 30e6 {
		t.Errorf("a meter takes %d bytes, want at most 30 MB", n)
	}
	m := newMeter(2, 2000, 1000)
	x, y := make([]pcm.Frame, 2500), slices.Repeat([]pcm.Frame{{0.5, 0.25}, {}}, 1250)
	if n := testing.AllocsPerRun(3, func() { m.Add(x, y); m.Distance() }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

// BenchmarkDistance reports how many seconds of one channel, of both signals together, a second of processor time
// compares, in windows of 10 s.
func BenchmarkDistance(b *testing.B) {
	r := rand.New(rand.NewPCG(9, 10))
	x, y := make([]pcm.Frame, windowFrames), make([]pcm.Frame, windowFrames)
	for i := range x {
		x[i][0] = r.Float32() - 0.5
		y[i][0] = x[i][0] + (r.Float32()-0.5)/10
	}
	m := NewMeter(1)
	m.Add(x[:leastFrames], y[:leastFrames])
	b.ReportAllocs()
	var d time.Duration
	for b.Loop() {
		d += cputime.Of(func() { m.Add(x, y) })
	}
	b.ReportMetric(float64(b.N)*windowFrames/Rate/d.Seconds(), "s/CPU-s")
}

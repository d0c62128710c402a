package mixer_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// modelBusFilter is one filter of a bus in float64: its cutoff moves linearly in its logarithm.
type modelBusFilter struct {
	high     bool
	from, to float64 // binary logarithms of cutoffs
	depths   [2]float64
	start    int
	frames   int
	fade     [2]int // the fade of the depth
	fresh    bool
	states   [2][2]float64
}

// setCutoff moves the cutoff; hz 0 is off.
func (f *modelBusFilter) setCutoff(frame, frames, rate int, hz float64) {
	open := 0.49 * float64(rate)
	if f.high {
		open = 20
	}
	at, depth := f.at(frame), f.depth(frame)
	if depth == 0 {
		at = math.Log2(open)
		f.states, f.fresh = [2][2]float64{}, !f.high
	}
	f.from, f.to, f.start, f.frames, f.depths = at, math.Log2(hz), frame, frames, [2]float64{depth, 1}
	fade := min(frames, (rate+199)/200)
	f.fade = [2]int{frame, frame + fade}
	if hz == 0 {
		f.to, f.depths[1], f.fade = math.Log2(open), 0, [2]int{frame + frames - fade, frame + frames}
	}
}

// fadeProgress returns the progress of a fade at a frame, 0..1.
func fadeProgress(frame, from, to int) float64 {
	if frame >= to {
		return 1
	}
	return max(float64(frame-from)/float64(to-from), 0)
}

// at returns the binary logarithm of the cutoff at frame.
func (f *modelBusFilter) at(frame int) float64 {
	return f.from + (f.to-f.from)*fadeProgress(frame, f.start, f.start+f.frames)
}

// depth returns the progress of the fade between the input and the filtered signal at frame; 0 is the input, 1 the
// filtered signal.
func (f *modelBusFilter) depth(frame int) float64 {
	return f.depths[0] + (f.depths[1]-f.depths[0])*fadeProgress(frame, f.fade[0], f.fade[1])
}

// weights returns the weights of the states and the input at a frame, see take.
func (f *modelBusFilter) weights(frame, rate int) [6]float64 {
	g := math.Tan(math.Pi * min(math.Exp2(f.at(frame))/float64(rate), 0.49))
	a := 1 / (1 + g*(g+math.Sqrt2))
	return [6]float64{2*a - 1, 2 * g * a, 2 * g * g * a, a, a * (g + math.Sqrt2), 0.5 - 0.5*math.Cos(math.Pi*f.depth(frame))}
}

// take filters a frame. The weights are interpolated linearly between every 32nd frame, starting at the
// last set.
func (f *modelBusFilter) take(x [2]float64, frame, rate, set int) [2]float64 {
	from, to := max(frame/32*32, set), (frame/32+1)*32
	w, next := f.weights(from, rate), f.weights(to, rate)
	for i := range w {
		w[i] += (next[i] - w[i]) * float64(frame-from) / float64(to-from)
	}
	if f.depth(from) == 0 && f.depth(to) == 0 {
		return x
	}
	for c := range x {
		s := &f.states[c]
		if f.fresh {
			s[1] = x[c]
		}
		e, band, low := x[c]-s[1], s[0], s[1]
		s[0], s[1] = w[0]*band+w[1]*e, low+w[1]*band+w[2]*e
		y := (low + s[1]) / 2
		if f.high {
			y = w[3]*e - w[4]*band
		}
		x[c] += w[5] * (y - x[c])
	}
	f.fresh = false
	return x
}

// TestBusFilterModel compares a tree of buses with moving cutoffs with a model in float64. A bus is
// filtered before its gain, and before both kinds of sends.
func TestBusFilterModel(t *testing.T) {
	const rate, n = 48000, 24000
	type bus struct {
		parent    int
		gain      float64
		high, low modelBusFilter
		set       int // the frame of the last set of a cutoff
	}
	for seed := range uint64(longtest.Amount(4, 12)) {
		r := rand.New(rand.NewPCG(seed, 9))
		db := []pcm.Decibels{0, -6, -3, -9, 0}
		m := newMixer(t, mixer.Config{Rate: rate, NoLimiter: true, Buses: []mixer.BusConfig{
			{Name: "a", Gain: db[1]}, {Name: "b", Parent: "a", Gain: db[2], Sends: []mixer.Send{{To: "d"}}},
			{Name: "c", Parent: "a", Gain: db[3], Sends: []mixer.Send{{To: "d", Pre: true}}}, {Name: "d", Gain: db[4]},
		}})
		buses := make([]bus, 5)
		for i := range buses {
			b := &buses[i]
			b.parent, b.gain = []int{-1, 0, 1, 1, 0}[i], math.Pow(10, float64(db[i])/20)
			b.high.high = true
		}
		names, all := []string{"master", "a", "b", "c", "d"}, make([]sounds.Samples, 5)
		for i := range all {
			all[i] = noise(r, rate, 2, n)
			loaded, err := sounds.NewSound(all[i])
			must(t, err)
			play(t, m.Engine().At(0), loaded, mixer.Options{Bus: busOf(t, m, names[i]), Gain: -12})
		}
		type move struct {
			frame, bus, frames int
			high               bool
			hz                 float64
		}
		var moves []move
		for range 20 {
			hz := 30 * math.Exp2(r.Float64()*9)
			if r.IntN(3) == 0 {
				hz = 0
			}
			moves = append(moves, move{1 + r.IntN(n-1), r.IntN(5), 240 + r.IntN(6000), r.IntN(2) == 0, hz})
		}
		slices.SortStableFunc(moves, func(a, b move) int { return a.frame - b.frame })
		for _, v := range moves {
			c := mixer.Change{Fields: mixer.FieldLowPass, Filters: mixer.Filters{LowPass: v.hz}}
			if v.high {
				c = mixer.Change{Fields: mixer.FieldHighPass, Filters: mixer.Filters{HighPass: v.hz}}
			}
			must(t, m.Engine().At(int64(v.frame)).Set(mixer.TargetBus(busOf(t, m, names[v.bus])), c, pcm.Duration(int64(v.frames), rate)))
		}
		got := inBlocks(m, n, 64)
		worst, at := 0.0, 0
		for frame := range n {
			for len(moves) > 0 && moves[0].frame == frame {
				v := moves[0]
				f := &buses[v.bus].low
				if v.high {
					f = &buses[v.bus].high
				}
				if moves = moves[1:]; v.hz != 0 || f.depth(frame) != 0 || f.depths[1] != 0 {
					f.setCutoff(frame, v.frames, rate, v.hz)
					buses[v.bus].set = frame
				}
			}
			var sums [5][2]float64
			for i := range sums {
				for c := range 2 {
					sums[i][c] = math.Pow(10, -12./20) * float64(all[i].Data[2*frame+c])
				}
			}
			for _, i := range []int{2, 3, 1, 4, 0} {
				b := &buses[i]
				sums[i] = b.low.take(b.high.take(sums[i], frame, rate, b.set), frame, rate, b.set)
				for c := range 2 {
					pre := sums[i][c]
					sums[i][c] *= b.gain
					if b.parent >= 0 {
						sums[b.parent][c] += sums[i][c]
					}
					switch i {
					case 2:
						sums[4][c] += sums[i][c]
					case 3:
						sums[4][c] += pre
					}
				}
			}
			for c := range 2 {
				if off := math.Abs(float64(got[frame][c]) - sums[0][c]); off > worst {
					worst, at = off, frame
				}
			}
		}
		if worst > 5e-4 {
			t.Errorf("seed %d: frame %d is %.5f off", seed, at, worst)
		}
		t.Logf("seed %d: at most %.6f off", seed, worst)
	}
}

package voice_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
	"voicepool/internal/longtest"
	"voicepool/internal/move"
	"voicepool/internal/passfilter"
	"voicepool/internal/property"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/voice"
)

// filtered starts a voice with a low-pass and a high-pass.
func filtered(s *sounds.Sound, o voice.Options, cutoffs [2]float64, frame int64) (v voice.Voice) {
	v.Start(s, o, frame)
	v.AttachFilter(frame, new(voice.Filter), passfilter.Values{cutoffs[0], cutoffs[1]})
	return v
}

// lowOrHigh returns the low-pass and the high-pass cutoff of a voice with only one filter: a high-pass at hz if high
// is true, otherwise a low-pass.
func lowOrHigh(hz float64, high bool) [2]float64 {
	if high {
		return [2]float64{0, hz}
	}
	return [2]float64{hz, 0}
}

// butterworth returns the response of the analogue two-pole filter after frequency warping by the bilinear
// transform. Frequencies are fractions of the rate.
func butterworth(high bool, cutoff, frequency float64) float64 {
	s := complex(0, math.Tan(math.Pi*frequency)/math.Tan(math.Pi*min(cutoff, 0.49)))
	h := 1 / (s*s + math.Sqrt2*s + 1)
	if high {
		h *= s * s
	}
	return 20 * math.Log10(cmplx.Abs(h))
}

// TestFilterResponse compares impulse responses with the analytic response. The tolerance is 0.01 dB, or 134
// dB under full scale, the resolution of the output samples.
func TestFilterResponse(t *testing.T) {
	worst := 0.0
	for _, rate := range []int{8000, 22050, 48000, 96000, 192000} {
		for _, hz := range []float64{20, 50, 300, 2000, 9000, 20000} {
			for _, high := range []bool{false, true} {
				frames := max(int(20*float64(rate)/hz), 4000)
				data := make([]float32, frames)
				data[0] = 1
				v := filtered(newSound(t, sounds.Samples{Rate: rate, Channels: 1, Data: data}), voice.Options{Pan: -1}, lowOrHigh(hz, high), 0)
				out := mix(&v, frames, 0)
				for _, share := range []float64{0.0001, 0.001, 0.005, 0.02, 0.1, 0.2, 0.3, 0.4, 0.45} {
					want := butterworth(high, hz/float64(rate), share)
					sum, turn, at := 0i, cmplx.Rect(1, -2*math.Pi*share), complex(1, 0)
					for _, x := range out {
						sum += complex(float64(x[0]), 0) * at
						at *= turn
					}
					got := 20 * math.Log10(cmplx.Abs(sum))
					if math.Abs(math.Pow(10, got/20)-math.Pow(10, want/20)) < 2e-7 {
						continue
					}
					if worst = max(worst, math.Abs(got-want)); math.Abs(got-want) > 0.01 {
						t.Errorf("%d Hz: cutoff %v, high %v at %v of the rate: %.4f dB, want %.4f", rate, hz, high, share, got, want)
					}
				}
			}
		}
	}
	t.Logf("at most %.5f dB off", worst)
}

// modelFilter is a filter in float64 by Zavalishin's equations.
type modelFilter struct{ s1, s2 float64 }

// take filters one sample x with the tangent g of the cutoff, and returns the low-pass and the high-pass output.
func (m *modelFilter) take(x, g float64) (low, high float64) {
	high = (x - (math.Sqrt2+g)*m.s1 - m.s2) / (1 + math.Sqrt2*g + g*g)
	band := g*high + m.s1
	low = g*band + m.s2
	m.s1, m.s2 = g*high+band, g*band+low
	return low, high
}

// TestFilterModel compares a voice with constant cutoffs with a model of both filters.
func TestFilterModel(t *testing.T) {
	for _, channels := range []int{1, 2} {
		for _, compact := range []bool{false, true} {
			r := rand.New(rand.NewPCG(1, 2))
			data := make([]float32, 5000*channels)
			for i := range data {
				data[i] = float32(r.IntN(1<<16)-1<<15) * 0x1p-15
			}
			s, err := sounds.NewSound(sounds.Samples{Rate: 48000, Channels: channels, Data: data, Compact: compact})
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range [][2]float64{{400, 0}, {0, 900}, {3000, 30}, {20, 20000}, {20000, 20}} {
				v := filtered(s, voice.Options{}, c, 77)
				out := mix(&v, 5000, 77)
				left, right := v.Gains(0)
				var low, high [2]modelFilter
				for i, got := range out {
					for side, gain := range []float64{left, right} {
						x := float64(data[i*channels+side%channels])
						if c[1] > 0 {
							_, x = high[side].take(x, math.Tan(math.Pi*c[1]/48000))
						}
						if c[0] > 0 {
							x, _ = low[side].take(x, math.Tan(math.Pi*c[0]/48000))
						}
						if math.Abs(float64(got[side])-gain*x) > 4e-6 {
							t.Fatalf("%d channels, cutoffs %v: frame %d is %v, want %v", channels, c, i, got[side], gain*x)
						}
					}
				}
			}
		}
	}
}

// filterCutoffs are the cutoffs in Hz that tests draw from.
var filterCutoffs = []float64{0, 0, 20, 150, 1000, 8000, 20000}

// TestFilterBlocks checks that a voice with moving cutoffs gives the same bits in blocks of any length. They
// also equal the bits of a voice that checks its state before each frame.
func TestFilterBlocks(t *testing.T) {
	defer longtest.Checks(60)()
	all := steadySounds(t)
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(all).Draw(t, "sound")
		cutoff := rapid.SampledFrom(filterCutoffs)
		o := voice.Options{
			Loop: rapid.Bool().Draw(t, "loop"), Pan: -0.3, Speed: rapid.SampledFrom([]float64{1, 1, 0.7, 1.9}).Draw(t, "speed"),
			FadeIn: rapid.SampledFrom([]int64{0, 200}).Draw(t, "fade"),
		}
		cutoffs := [2]float64{cutoff.Draw(t, "low"), cutoff.Draw(t, "high")}
		spread := rapid.SampledFrom([]float64{-1, 0.5, 1}).Draw(t, "spread")
		var v voice.Voice
		var slow slowly
		var places [2]move.Spatial
		for i, v := range []*voice.Voice{&v, &slow.Voice} {
			if spread >= 0 {
				places[i].Set(move.SpatialValues{Gain: 0.5, Pan: 0.2}, spread)
				o.Space = &places[i]
			}
			*v = filtered(s, o, cutoffs, 5)
		}
		both := func(do func(v *voice.Voice)) { do(&v); do(&slow.Voice) }
		frame := int64(5)
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			frames := rapid.SampledFrom([]int64{0, 1, 240, 777, 5000}).Draw(t, "frames")
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0, 1:
				hz := cutoff.Draw(t, "to")
				both(func(v *voice.Voice) { v.SetFilter(property.LowPass, frame, hz, frames) })
			case 2, 3:
				hz := cutoff.Draw(t, "to")
				both(func(v *voice.Voice) { v.SetFilter(property.HighPass, frame, hz, frames) })
			case 4:
				both(func(v *voice.Voice) { v.SetGain(frame, -9, frames, sounds.InDecibels) })
			case 5:
				to := rapid.Int64Range(0, s.Frames()).Draw(t, "seek")
				both(func(v *voice.Voice) { v.SeekTo(frame, to, 240, nil) })
			case 6:
				frame += 1000 // a pause
				both(func(v *voice.Voice) { v.FadeBackIn(frame, 240) })
			case 7:
				n := rapid.Int64Range(1, 999).Draw(t, "skip")
				if n, m := v.Skip(n, frame), slow.Skip(n, frame); n != m {
					t.Fatalf("frame %d: skips %d, want %d", frame, n, m)
				}
				frame += n
			}
			n := rapid.SampledFrom([]int{1, 7, 64, 480, 2000}).Draw(t, "n")
			got, want := make([]pcm.Frame, n), make([]pcm.Frame, n)
			given := v.Mix(got, frame)
			if m := slow.mix(want, frame); m != given {
				t.Fatalf("frame %d: gives %d, want %d", frame, given, m)
			}
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("frame %d: %v, want %v", frame+int64(i), got[i], want[i])
				}
			}
			frame += int64(n)
		}
	})
}

// TestFilterOff checks that a filter that is off, or was turned off, changes no bit.
func TestFilterOff(t *testing.T) {
	for i, s := range steadySounds(t) {
		o := voice.Options{Loop: true, Speed: 1.1, Gain: -3}
		var plain voice.Voice
		plain.Start(s, o, 0)
		off, closed := filtered(s, o, [2]float64{}, 0), filtered(s, o, [2]float64{500, 100}, 0)
		closed.SetFilter(property.LowPass, 0, 0, 300)
		closed.SetFilter(property.HighPass, 100, 0, 0)
		for frame := int64(0); frame < 4000; frame += 500 {
			want := mix(&plain, 500, frame)
			if got := mix(&off, 500, frame); !slices.Equal(got, want) {
				t.Fatalf("sound %d, frame %d: a filter that is off changes bits", i, frame)
			}
			if got := mix(&closed, 500, frame); slices.Equal(got, want) != (frame >= 500) && len(want) > 0 {
				t.Fatalf("sound %d, frame %d: same bits %v", i, frame, frame < 500)
			}
		}
		if own := closed.Moves().Filters[0]; own.Hz(4000) != 0 || own.Target() != 0 {
			t.Errorf("a low-pass that is off says %v, %v", own.Hz(4000), own.Target())
		}
	}
}

// filterStep returns the largest step in dB in addition to a 200 Hz tone. It uses the fourth difference, as
// the click measurement of the mixer's tests does.
func filterStep(out []pcm.Frame, from int) float64 {
	largest := 0.0
	for i := max(from, 4); i < len(out); i++ {
		x := func(back int) float64 { return float64(out[i-back][0]) }
		largest = max(largest, math.Abs(x(0)-4*x(1)+6*x(2)-4*x(3)+x(4))/16)
	}
	return 20 * math.Log10(largest)
}

// TestFilterClicks checks that cutoff moves of 5 ms or more add no step to a full-scale 200 Hz tone, at any
// phase. Moves turn filters on or off, cross the tone, act on both filters, or interrupt each other.
func TestFilterClicks(t *testing.T) {
	worst, next := map[int]float64{}, longtest.Every(17)
	for _, rate := range []int{32000, 48000, 96000} {
		data := make([]float32, rate/2)
		for i := range data {
			data[i] = float32(math.Sin(2 * math.Pi * 200 * float64(i) / float64(rate)))
		}
		s := newSound(t, sounds.Samples{Rate: rate, Channels: 1, Data: data})
		worst[rate] = math.Inf(-1)
		for _, from := range filterCutoffs[1:] {
			for _, to := range filterCutoffs[1:] {
				for _, over := range []int64{int64(rate) / 200, int64(rate) / 20} {
					for phase := int64(0); phase < 8; phase++ {
						for _, which := range []int{1, 2, 3, 5} {
							if !next() {
								continue
							}
							var first [2]float64
							if which&1 != 0 {
								first[0] = from
							}
							if which&2 != 0 {
								first[1] = from
							}
							at := int64(rate)/5 + phase*int64(rate)/1601
							v := filtered(s, voice.Options{}, first, 0)
							out := mix(&v, int(at), 0)
							set := func(frame int64, hz float64) {
								if which&1 != 0 {
									v.SetFilter(property.LowPass, frame, hz, over)
								}
								if which&2 != 0 {
									v.SetFilter(property.HighPass, frame, hz, over)
								}
							}
							set(at, to)
							if which == 5 {
								out = append(out, mix(&v, int(over/3), at)...)
								set(at+over/3, from)
							}
							out = append(out, mix(&v, rate/2-rate/10-len(out), int64(len(out)))...)
							got := filterStep(out, int(at)-20)
							if worst[rate] = max(worst[rate], got); got > -60 {
								t.Errorf("%d Hz: %v to %v over %d frames, case %d, phase %d: %.1f dB", rate, from, to, over, which, phase, got)
							}
						}
					}
				}
			}
		}
	}
	t.Logf("at most, by rates: %v dB", worst)
}

// TestFilterSplit checks that a copy of a voice continues with the filter state, which the voice keeps
// unchanged.
func TestFilterSplit(t *testing.T) {
	for i, s := range steadySounds(t) {
		start := func() (v voice.Voice) {
			v = filtered(s, voice.Options{Loop: true}, [2]float64{300, 50}, 0)
			v.SetFilter(property.LowPass, 0, 4000, 700)
			mix(&v, 500, 0)
			return v
		}
		one, other := start(), start()
		var f voice.Filter
		tail := one
		tail.BeginTail(&f, nil, 0, 480)
		got, want := mix(&tail, 480, 500), mix(&other, 480, 500)
		if !slices.Equal(got, want) || !slices.Equal(mix(&one, 480, 500), want) {
			t.Errorf("sound %d: a copy and its voice do not go on alike", i)
		}
	}
}

// TestFilterEnds checks that filter states decay to exact silence without denormal numbers.
func TestFilterEnds(t *testing.T) {
	data := make([]float32, 400000)
	for i := range 1000 {
		data[i] = float32(i%7) / 7
	}
	s := newSound(t, sounds.Samples{Rate: 8000, Channels: 1, Data: data})
	for _, hz := range []float64{20, 400, 20000} {
		for _, high := range []bool{false, true} {
			v := filtered(s, voice.Options{}, lowOrHigh(hz, high), 0)
			out := mix(&v, 390000, 0)
			for i, x := range out[40000:] {
				if x != (pcm.Frame{}) {
					t.Fatalf("%v Hz, high %v: frame %d is %v", hz, high, i+40000, x)
				}
			}
		}
	}
}

// TestFilterAllocates checks that moving and mixing a filter does not allocate.
func TestFilterAllocates(t *testing.T) {
	for i, s := range steadySounds(t) {
		v := filtered(s, voice.Options{Loop: true}, [2]float64{300, 0}, 0)
		dst, frame := make([]pcm.Frame, 500), int64(500)
		var f voice.Filter
		v.Mix(dst, 0)
		if n := testing.AllocsPerRun(20, func() {
			v.SetFilter(property.LowPass, frame, float64(frame), 700)
			v.SetFilter(property.HighPass, frame, 90, 100)
			tail := v
			tail.BeginTail(&f, nil, 0, 480)
			tail.Mix(dst, frame)
			v.Mix(dst, frame)
			frame += 500
		}); n > 0 {
			t.Errorf("sound %d: %v allocations", i, n)
		}
	}
}

// BenchmarkFilter measures one voice, per frame.
func BenchmarkFilter(b *testing.B) {
	for _, channels := range []int{1, 2} {
		s := tone(b, channels, 48000, [2]int64{0, 48000})
		for _, c := range []struct {
			name      string
			low, high float64
			moves     bool
		}{{name: "off"}, {name: "low", low: 900}, {name: "high", high: 90}, {name: "both", low: 900, high: 90}, {name: "moving", low: 900, moves: true}} {
			b.Run(fmt.Sprint(c.name, channels), func(b *testing.B) {
				v := filtered(s, voice.Options{Loop: true}, [2]float64{c.low, c.high}, 0)
				dst, frame := make([]pcm.Frame, 480), int64(0)
				for b.Loop() {
					if c.moves {
						v.SetFilter(property.LowPass, frame, 500, 1<<20)
					}
					v.Mix(dst, frame)
					frame += 480
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(frame), "ns/frame")
			})
		}
	}
}

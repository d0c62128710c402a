package voice_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
	"voicepool/internal/longtest"
	"voicepool/internal/property"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/voice"
)

// TestSpatialLowPassNow checks that a position's low-pass sounds like the voice's own. The lower of the two
// cutoffs is effective, and the voice reports it.
func TestSpatialLowPassNow(t *testing.T) {
	for i, s := range steadySounds(t) {
		o := voice.Options{Loop: true, Speed: 1.1}
		for _, c := range []struct{ own, place, acts float64 }{{0, 700, 700}, {9000, 700, 700}, {700, 9000, 700}, {700, 0, 700}, {0, 0, 0}} {
			v, want := filtered(s, o, [2]float64{c.own, 50}, 0), filtered(s, o, [2]float64{c.acts, 50}, 0)
			v.SetSpatialLowPass(0, c.place, 0)
			if is, goes := v.ActingLowPass(0); math.Abs(is-c.acts) > 1e-9*c.acts || math.Abs(goes-c.acts) > 1e-9*c.acts {
				t.Errorf("%+v: says %v, %v", c, is, goes)
			}
			for frame := int64(0); frame < 3000; frame += 500 {
				if !slices.Equal(mix(&v, 500, frame), mix(&want, 500, frame)) {
					t.Fatalf("sound %d, %+v: not the bits of %v Hz at %d", i, c, c.acts, frame)
				}
			}
		}
	}
}

// TestSpatialLowPassTarget checks that removing the position's low-pass leaves the voice's own. With both off
// no bit changes.
func TestSpatialLowPassTarget(t *testing.T) {
	for i, s := range steadySounds(t) {
		o := voice.Options{Loop: true}
		v, want := filtered(s, o, [2]float64{2000, 0}, 0), filtered(s, o, [2]float64{2000, 0}, 0)
		v.SetSpatialLowPass(0, 300, 0)
		mix(&v, 1000, 0)
		mix(&want, 1000, 0)
		v.SetSpatialLowPass(1000, 0, 960)
		if is, goes := v.ActingLowPass(1000); math.Abs(is-300) > 1e-6 || math.Abs(goes-2000) > 1e-6 {
			t.Errorf("it is at %v and goes to %v, want 300 and 2000", is, goes)
		}
		mix(&v, 4000, 1000)
		mix(&want, 4000, 1000)
		got, all := mix(&v, 500, 5000), mix(&want, 500, 5000)
		for j := range got {
			if math.Abs(float64(got[j][0]-all[j][0])) > 1e-6 {
				t.Fatalf("sound %d: frame %d is %v, want %v", i, j, got[j], all[j])
			}
		}
		v.SetFilter(property.LowPass, 5500, 0, 960)
		var plain voice.Voice
		plain.Start(s, o, 0)
		mix(&plain, 9000, 0)
		mix(&v, 3500, 5500)
		if !slices.Equal(mix(&v, 500, 9000), mix(&plain, 500, 9000)) {
			t.Errorf("sound %d: a filter that has become off changes bits", i)
		}
		if is, goes := v.ActingLowPass(9500); is != 0 || goes != 0 {
			t.Errorf("it says %v, %v, want off", is, goes)
		}
	}
}

// TestSpatialLowPassBlocks checks that moving cutoffs of a voice and its position give the same bits in
// blocks of any length.
func TestSpatialLowPassBlocks(t *testing.T) {
	defer longtest.Checks(60)()
	all := steadySounds(t)
	rapid.Check(t, func(t *rapid.T) {
		s, cutoff := rapid.SampledFrom(all).Draw(t, "sound"), rapid.SampledFrom(filterCutoffs)
		o := voice.Options{Loop: true, Speed: rapid.SampledFrom([]float64{1, 0.7}).Draw(t, "speed")}
		var v voice.Voice
		var slow slowly
		cutoffs := [2]float64{cutoff.Draw(t, "low"), cutoff.Draw(t, "high")}
		v, slow.Voice = filtered(s, o, cutoffs, 5), filtered(s, o, cutoffs, 5)
		frame := int64(5)
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			hz, frames := cutoff.Draw(t, "to"), rapid.SampledFrom([]int64{0, 1, 240, 960}).Draw(t, "frames")
			place := rapid.Bool().Draw(t, "place")
			for _, v := range []*voice.Voice{&v, &slow.Voice} {
				if place {
					v.SetSpatialLowPass(frame, hz, frames)
				} else {
					v.SetFilter(property.LowPass, frame, hz, frames)
				}
			}
			n := rapid.SampledFrom([]int{1, 7, 64, 480, 2000}).Draw(t, "n")
			got, want := make([]pcm.Frame, n), make([]pcm.Frame, n)
			v.Mix(got, frame)
			slow.mix(want, frame)
			if !slices.Equal(got, want) {
				t.Fatalf("frame %d and %d more: other bits", frame, n)
			}
			frame += int64(n)
		}
	})
}

// TestSpatialLowPassModel compares moves of both low-passes with a float64 model that computes the cutoff at
// each frame.
func TestSpatialLowPassModel(t *testing.T) {
	const rate, frames = 48000, 20000
	r := rand.New(rand.NewPCG(7, 8))
	data := make([]float32, frames)
	for i := range data {
		data[i] = float32(r.Float64()*2 - 1)
	}
	s := newSound(t, sounds.Samples{Rate: rate, Channels: 1, Data: data})
	type move struct{ from, to, start, frames float64 } // of the logarithm
	at := func(m *move, frame int) float64 {
		return m.from + (m.to-m.from)*min(max((float64(frame)-m.start)/m.frames, 0), 1)
	}
	worst := 0.0
	for range 20 {
		cutoffs := [2]float64{300 * math.Exp2(5*r.Float64()), 300 * math.Exp2(5*r.Float64())}
		v := filtered(s, voice.Options{Pan: -1}, [2]float64{cutoffs[0], 0}, 0)
		v.SetSpatialLowPass(0, cutoffs[1], 0)
		moves := [2]move{}
		for i := range moves {
			moves[i] = move{math.Log2(cutoffs[i]), math.Log2(cutoffs[i]), 0, 1}
		}
		var model modelFilter
		for frame := 0; frame < frames; frame += 1000 {
			i, to, over := r.IntN(2), 300*math.Exp2(5*r.Float64()), int64(4800+r.IntN(3000))
			moves[i] = move{at(&moves[i], frame), math.Log2(to), float64(frame), float64(over)}
			if i == 0 {
				v.SetFilter(property.LowPass, int64(frame), to, over)
			} else {
				v.SetSpatialLowPass(int64(frame), to, over)
			}
			for j, got := range mix(&v, 1000, int64(frame)) {
				hz := math.Exp2(min(at(&moves[0], frame+j), at(&moves[1], frame+j)))
				want, _ := model.take(float64(data[frame+j]), math.Tan(math.Pi*hz/rate))
				worst = max(worst, math.Abs(float64(got[0])-want))
			}
		}
	}
	t.Logf("at most %.1e away", worst)
	if worst > 4e-3 {
		t.Errorf("%.2e away from the model", worst)
	}
}

package voice_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"voicepool/internal/move"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/voice"
)

// TestSpaceRampGrid checks that the piecewise linear ramp of a position stays within 2^-15 of the exact curve.
func TestSpaceRampGrid(t *testing.T) {
	const rate, glide = 48000, 960
	data := make([]float32, rate)
	for i := range data {
		data[i] = 1
	}
	s, err := sounds.NewSound(sounds.Samples{Rate: rate, Channels: 1, Data: data})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	worst := 0.0
	for range 300 {
		size := math.Ldexp(1, -r.IntN(10))
		place := func() move.SpatialValues {
			return move.SpatialValues{Gain: 0.5 + float64(size*(r.Float64()-0.5)), Pan: float64(size * (2*r.Float64() - 1)), Pitch: pcm.Semitones(size * r.Float64())}
		}
		var space move.Spatial
		var v voice.Voice
		space.Set(place(), 0)
		v.Start(s, voice.Options{Space: &space, Loop: true}, 0)
		v.Mix(make([]pcm.Frame, 100), 0)
		space.Ramp(100, place(), glide)
		v.Replan(100)
		out := make([]pcm.Frame, glide+50)
		v.Mix(out, 100)
		for i, f := range out {
			left, right := v.Gains(100 + int64(i))
			worst = max(worst, math.Abs(float64(f[0])-left), math.Abs(float64(f[1])-right))
		}
	}
	t.Logf("at most %.1e away", worst)
	if worst > 0x1p-15 {
		t.Errorf("%.2e away, want %.2e", worst, 0x1p-15)
	}
}

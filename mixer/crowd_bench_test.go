package mixer_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
)

// BenchmarkStartsInCrowd renders blocks of 10 ms with 100 starts, at one frame or each at its own, with
// 32 real and 15,000 virtual loops. The starts are one-shots of 50 to 100 ms. Full: no further voice can
// become virtual.
func BenchmarkStartsInCrowd(b *testing.B) {
	const rate, block, starts, crowd = 48000, 480, 100, 15000
	for _, policy := range []mixer.Overflow{mixer.StealQuietest, mixer.StealMasked} {
		for _, c := range []struct {
			name  string
			apart int64
			space int
		}{{"together", 0, 2000}, {"apart", 4, 2000}, {"apart/full", 4, 0}} {
			b.Run(fmt.Sprint(policy, "/", c.name), func(b *testing.B) {
				r := rand.New(rand.NewPCG(1, 2))
				loops, shots := noises(b, r, 40, 3*rate), noises(b, r, 10, rate/10)
				m := newMixer(b, mixer.Config{Rate: rate, Voices: 32, Virtual: 256 + c.space, Commands: 4 * (crowd + c.space), Overflow: policy, NoLimiter: true})
				frames := make([]pcm.Frame, block)
				for i := range crowd {
					play(b, m.Engine().At(mixer.Now), loops[i%len(loops)], mixer.Options{Loop: true, Gain: pcm.Decibels(-50 * r.Float64()), Speed: 0.5 + r.Float64()})
					if i%100 == 99 {
						m.Render(frames)
					}
				}
				b.ReportAllocs()
				for b.Loop() {
					b.StopTimer()
					for i := range int64(starts) {
						play(b, m.Engine().At(m.Now()+c.apart*i), shots[i%int64(len(shots))], mixer.Options{Gain: pcm.Decibels(-50 * r.Float64())})
					}
					b.StartTimer()
					m.Render(frames)
				}
				b.ReportMetric(float64(m.Stats().Virtual), "virtual")
			})
		}
	}
}

// noises returns prepared sounds of noise with n/2 to n frames.
func noises(b testing.TB, r *rand.Rand, count, n int) (all []*sounds.Sound) {
	for range count {
		samples := make([]float32, n/2+r.IntN(n/2))
		for i := range samples {
			samples[i] = float32(0.5*r.Float64() - 0.25)
		}
		s, err := library.Prepare(&library.Clip{Name: "noise", Rate: 48000, Channels: 1, Samples: samples}, library.Options{Rate: 48000, Masking: true})
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

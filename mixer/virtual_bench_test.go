package mixer_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
)

// BenchmarkVirtual renders a second with 32 slots for up to 288 voices: 300 starts of decaying noise,
// each 0.2 to 3 s long and 0 to 36 dB quieter.
func BenchmarkVirtual(b *testing.B) {
	const rate, block = 48000, 480
	r := rand.New(rand.NewPCG(1, 2))
	var all []*sounds.Sound
	for range 40 {
		samples := make([]float32, rate/5+r.IntN(rate*14/5))
		for i := range samples {
			samples[i] = float32(0.5*r.Float64()-0.25) * float32(math.Exp(-4*float64(i)/float64(len(samples))))
		}
		s, err := library.Prepare(&library.Clip{Name: "noise", Rate: rate, Channels: 1, Samples: samples}, library.Options{Rate: rate})
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, s)
	}
	m := newMixer(b, mixer.Config{Rate: rate, Voices: 32, Virtual: 256, NoLimiter: true})
	frames := make([]pcm.Frame, block)
	b.ReportAllocs()
	for b.Loop() {
		for range rate / block {
			for range 3 {
				play(b, m.Engine().At(mixer.Now), all[r.IntN(len(all))], mixer.Options{Gain: pcm.Decibels(-36 * r.Float64())})
			}
			m.Render(frames)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "x-realtime")
}

// BenchmarkStartVirtual measures a start in a full pool with the maximum number of virtual loops: 32
// starts of loops in a block of 64 frames, at one frame or each at its own.
func BenchmarkStartVirtual(b *testing.B) {
	sounds := noiseSounds(b, 4, 1)
	for _, unheard := range []int{1, 256, 1024} {
		for name, apart := range map[string]int64{"together": 0, "apart": 2} {
			b.Run(fmt.Sprint(unheard, "/", name), func(b *testing.B) {
				c := mixer.Config{Voices: 32, Commands: 4096, NoLimiter: true}
				mixer.LimitEndless(&c, unheard)
				m := newMixer(b, c)
				block := make([]pcm.Frame, 64)
				for i := range 32 + unheard {
					play(b, m.Engine().At(mixer.Now), sounds[i%4], mixer.Options{
						Loop: true, Gain: pcm.Decibels(-i % 60), Speed: 1 + float64(i%7)/10,
					})
					m.Render(block[:1])
				}
				m.Render(block)
				b.ReportAllocs()
				for b.Loop() {
					for i := range int64(32) {
						play(b, m.Engine().At(m.Now()+apart*i), sounds[0], mixer.Options{Loop: true, Gain: pcm.Decibels(-i)})
					}
					m.Render(block)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/32, "ns/start")
			})
		}
	}
}

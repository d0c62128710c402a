package mixer_test

import (
	"fmt"
	"testing"

	"voicepool/mixer"
	"voicepool/pcm"
)

// BenchmarkStartUnheard is a start in a full pool while so many loops are unheard, all that
// there may be: 32 starts of loops in a block of 64 frames, at one frame, or each at its own.
func BenchmarkStartUnheard(b *testing.B) {
	sounds := noiseSounds(b, 4, 1)
	for _, unheard := range []int{1, 256, 1024} {
		for name, apart := range map[string]int64{"together": 0, "apart": 2} {
			b.Run(fmt.Sprint(unheard, "/", name), func(b *testing.B) {
				c := mixer.Config{Voices: 32, Commands: 4096, NoLimiter: true}
				mixer.LimitEndless(&c, unheard)
				m := newMixer(b, c)
				block := make([]pcm.Frame, 64)
				for i := range 32 + unheard {
					play(b, m.At(mixer.Now), sounds[i%4], mixer.Options{
						Loop: true, Gain: pcm.Decibels(-i % 60), Speed: 1 + float64(i%7)/10,
					})
					m.Render(block[:1])
				}
				m.Render(block)
				b.ReportAllocs()
				for b.Loop() {
					for i := range int64(32) {
						play(b, m.At(m.Now()+apart*i), sounds[0], mixer.Options{Loop: true, Gain: pcm.Decibels(-i)})
					}
					m.Render(block)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/32, "ns/start")
			})
		}
	}
}

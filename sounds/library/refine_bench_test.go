package library

import (
	"fmt"
	"testing"

	"voicepool/sounds"
)

// BenchmarkRefine reports the speed of making mip levels as a multiple of real time.
func BenchmarkRefine(b *testing.B) {
	for _, channels := range []int{1, 2} {
		for _, level := range []int{0, 1, 2, 3, 4, 6} {
			b.Run(fmt.Sprintf("channels=%d/level=%d", channels, level), func(b *testing.B) {
				data := make([]float32, 48000*channels)
				x := uint32(1)
				for i := range data {
					x = x*1664525 + 1013904223
					data[i] = float32(int32(x)) / (1 << 32)
				}
				s, err := sounds.NewSound(sounds.Samples{Rate: 48000, Channels: channels, Data: data})
				if err != nil {
					b.Fatal(err)
				}
				frames := int64(48000)
				for range level {
					frames = frames * 2 / 3
				}
				Refine(s, level, false, 0, 1)
				for b.Loop() {
					Refine(s, level, false, 0, frames)
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "x_real_time")
			})
		}
	}
}

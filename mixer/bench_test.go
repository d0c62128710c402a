package mixer_test

import (
	"fmt"
	"testing"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// noiseSounds returns n shared sounds of two seconds at 48 kHz.
func noiseSounds(b testing.TB, n, channels int) []*sounds.Sound {
	var out []*sounds.Sound
	x := uint32(1)
	for range n {
		data := make([]float32, 96000*channels)
		for i := range data {
			x = x*1664525 + 1013904223
			data[i] = float32(int32(x)) / (1 << 31) / 64
		}
		out = append(out, sound(b, sounds.Samples{Rate: 48000, Channels: channels, Data: data}))
	}
	return out
}

// BenchmarkStartSteal measures a start on the audio side that steals a voice, including the victim's
// tail: among voices without filters, among voices with filters, and with Config.IgnoreFilters.
func BenchmarkStartSteal(b *testing.B) {
	sounds := noiseSounds(b, 4, 1)
	for _, n := range []int{32, 256, 1024, 4096} {
		for _, c := range []struct {
			name    string
			lowPass float64
			blind   bool
		}{{"", 0, false}, {"/filtered", 1000, false}, {"/blind", 1000, true}} {
			b.Run(fmt.Sprint(n, c.name), func(b *testing.B) {
				m := newMixer(b, mixer.Config{Voices: n, Commands: 8192, IgnoreFilters: c.blind})
				block := make([]pcm.Frame, 64)
				o := mixer.Options{Loop: true, EngineOptions: mixer.EngineOptions{WhenFull: mixer.WhenFullEnd}, Filters: mixer.Filters{LowPass: c.lowPass}}
				for i := range n {
					o.Gain = pcm.Decibels(-i % 60)
					play(b, m.Engine().At(mixer.Now), sounds[i%4], o)
				}
				m.Render(block)
				o.Gain = 0
				for b.Loop() {
					for range 16 {
						play(b, m.Engine().At(mixer.Now), sounds[0], o)
					}
					m.Render(nil)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/16, "ns/start")
			})
		}
	}
}

func BenchmarkPlay(b *testing.B) {
	s := noiseSounds(b, 1, 1)[0]
	for _, commands := range []int{1 << 12, 1 << 16} {
		b.Run(fmt.Sprint(commands), func(b *testing.B) {
			m := newMixer(b, mixer.Config{Voices: 32, Commands: commands})
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				if _, err := m.Play(s, mixer.Options{}); err != nil {
					b.Fatal(err)
				}
				if i++; i == commands/2 {
					b.StopTimer()
					m.Render(nil)
					m.StopAll(0)
					m.Render(nil)
					i = 0
					b.StartTimer()
				}
			}
		})
	}
}

// BenchmarkBlock renders a block of 64 frames with steady voices.
func BenchmarkBlock(b *testing.B) {
	sounds := noiseSounds(b, 4, 1)
	for _, n := range []int{32, 256, 1024} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			m := newMixer(b, mixer.Config{Voices: n, Commands: 8192})
			block := make([]pcm.Frame, 64)
			for i := range n {
				play(b, m.Engine().At(mixer.Now), sounds[i%4], mixer.Options{Loop: true, Gain: pcm.Decibels(-i % 60)})
			}
			m.Render(block)
			for b.Loop() {
				m.Render(block)
			}
		})
	}
}

func BenchmarkSilence(b *testing.B) {
	m := newMixer(b, mixer.Config{})
	block := make([]pcm.Frame, 512)
	for b.Loop() {
		m.Render(block)
	}
}

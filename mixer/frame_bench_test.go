package mixer_test

import (
	"testing"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/space"
)

// BenchmarkFrame200 measures the control side for a game frame with 200 voices that change gain, pan,
// pitch and place, ten times between two blocks. It reports the fastest first frame, which sends
// commands, and the fastest of the others.
func BenchmarkFrame200(b *testing.B) {
	s := noiseSounds(b, 1, 1)[0]
	for name, fade := range map[string]time.Duration{"set": 0, "fade": 30 * time.Millisecond} {
		b.Run(name, func(b *testing.B) {
			m := newMixer(b, mixer.Config{Voices: 200, Buses: []mixer.BusConfig{{Name: "sfx"}}})
			handles, spots := make([]mixer.Handle, 200), make([]space.Spot, 200)
			for i := range handles {
				handles[i] = play(b, m.Engine().At(mixer.Now), s, mixer.Options{Loop: true, Emitter: at(1, 2, 3), EngineOptions: mixer.EngineOptions{Quality: sounds.Cubic}})
			}
			block := make([]pcm.Frame, 64)
			m.Render(block)
			bus := busOf(b, m, "sfx")
			b.ReportAllocs()
			n, first, later := 0, time.Hour, time.Hour
			for b.Loop() {
				n++
				begin := time.Now()
				for i, h := range handles {
					var err error
					if fade > 0 {
						err = h.Fade(pcm.Decibels(-n%20), fade)
					} else {
						err = h.SetGain(pcm.Decibels(-n % 20))
					}
					if err != nil || h.SetPan(float64(n%3)-1) != nil || h.SetPitch(pcm.Semitones(n%5)) != nil {
						b.Fatal(err)
					}
					spots[i].Position[0] = float64((n + i) % 40)
				}
				must(b, bus.Fade(pcm.Decibels(-n%7), fade))
				must(b, m.SetPositions(handles, spots))
				if spent := time.Since(begin); n%10 == 1 {
					first = min(first, spent)
				} else {
					later = min(later, spent)
				}
				if n%10 == 0 {
					m.Render(block)
				}
			}
			b.ReportMetric(float64(first.Nanoseconds())/1000, "us/first-frame")
			b.ReportMetric(float64(later.Nanoseconds())/1000, "us/later-frame")
		})
	}
}

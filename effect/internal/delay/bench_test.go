package delay

import (
	"math/rand/v2"
	"testing"

	"voicepool/pcm"
)

func BenchmarkDelay(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	noise := make([]pcm.Frame, 512)
	for i := range noise {
		noise[i] = pcm.Frame{r.Float32()*2 - 1, r.Float32()*2 - 1}
	}
	for _, s := range []struct {
		name  string
		v     Values
		in    []pcm.Frame
		moves bool
	}{
		{"plain", Values{Time: 0.35, Feedback: 0.5}, noise, false},
		{"low-pass", Values{Time: 0.35, Feedback: 0.5, LowPass: 3000}, noise, false},
		{"ping-pong", Values{Time: 0.35, Feedback: 0.5, LowPass: 3000, PingPong: 1}, noise, false},
		{"short", Values{Time: 0.001, Feedback: 0.5, LowPass: 3000}, noise, false},
		{"moving", Values{Time: 0.35, Feedback: 0.5, LowPass: 3000}, noise, true},
		{"silence", Values{Time: 0.35, Feedback: 0.5}, make([]pcm.Frame, 512), false},
	} {
		b.Run(s.name, func(b *testing.B) {
			d, block, frame := New(48000, 4), make([]pcm.Frame, 512), int64(0)
			v := s.v
			d.Jump(&v)
			for b.Loop() {
				copy(block, s.in)
				if !s.moves {
					d.Process(block, frame)
					frame += 512
					continue
				}
				for at := 0; at < 512; at += 32 {
					v.Feedback = 0.3 + float64(at)/1000
					v.Time = 0.3 + float64(at)/10000
					d.Move(&v)
					d.Process(block[at:at+32], frame)
					frame += 32
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/512, "ns/frame")
		})
	}
}

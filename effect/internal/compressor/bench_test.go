package compressor

import (
	"math"
	"math/rand/v2"
	"testing"

	"voicepool/pcm"
)

func BenchmarkCompressor(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	noise := make([]pcm.Frame, 8192)
	sine := make([]pcm.Frame, 8192)
	for i := range noise {
		noise[i] = pcm.Frame{r.Float32()*2 - 1, r.Float32()*2 - 1}
		y := float32(math.Sin(2 * math.Pi * 60 * float64(i) / 8192))
		sine[i] = pcm.Frame{y, y}
	}
	soft := make([]pcm.Frame, 8192)
	for i := range soft {
		soft[i] = pcm.Frame{noise[i][0] / 100, noise[i][1] / 100}
	}
	for _, s := range []struct {
		name  string
		in    []pcm.Frame
		moves bool
	}{{"noise", noise, false}, {"sine", sine, false}, {"slow attack", noise, false}, {"below the knee", soft, false}, {"silence", make([]pcm.Frame, 8192), false}, {"moving", noise, true}} {
		b.Run(s.name, func(b *testing.B) {
			c, block, frame := New(48000), make([]pcm.Frame, 8192), int64(0)
			v := defaults()
			if s.name == "slow attack" {
				v.Attack = 0.05
				c.Jump(&v)
			}
			for b.Loop() {
				copy(block, s.in)
				if !s.moves {
					c.Process(block, nil, frame)
					frame += 8192
					continue
				}
				for at := 0; at < 8192; at += 32 {
					v.Threshold = -30 + float64(at)/1000
					c.Move(&v)
					c.Process(block[at:at+32], nil, frame)
					frame += 32
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/8192, "ns/frame")
		})
	}
}

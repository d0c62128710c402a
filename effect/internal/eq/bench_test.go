package eq

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"voicepool/pcm"
)

// peaks returns n active bands.
func peaks(n int) *Values {
	v := &Values{N: n}
	for i := range n {
		v.Bands[i] = Band{Type: Peak, Freq: 100 * float64(1+i*i*2), Gain: 3 - float64(i), Q: 1}
	}
	return v
}

func BenchmarkEqualiser(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	in := make([]pcm.Frame, 512)
	for i := range in {
		in[i] = pcm.Frame{r.Float32()*2 - 1, r.Float32()*2 - 1}
	}
	for _, moves := range []bool{false, true} {
		for _, n := range []int{0, 1, 2, 3, 4, 8} {
			b.Run(fmt.Sprintf("bands=%d/moves=%v", n, moves), func(b *testing.B) {
				e, block, frame := New(48000), make([]pcm.Frame, 512), int64(0)
				v := peaks(n)
				e.Jump(v)
				for b.Loop() {
					copy(block, in)
					for at := 0; moves && at < 512; at += rampInterval {
						for i := range n {
							v.Bands[i].Gain = 1 + float64(at)/100
						}
						e.Move(v)
						e.Process(block[at:at+rampInterval], frame)
						frame += rampInterval
					}
					if !moves {
						e.Process(block, frame)
						frame += 512
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/512, "ns/frame")
			})
		}
	}
}

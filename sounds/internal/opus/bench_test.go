package opus

import "testing"

// BenchmarkDecode reports the decoding speed of each mode as a multiple of real time.
func BenchmarkDecode(b *testing.B) {
	for _, name := range []string{"speech-1", "hybrid-2", "music-20-2", "best", "6"} {
		b.Run(name, func(b *testing.B) {
			first, list := packets(b, "../../library/testdata/formats/opus-"+name+".opus")
			c, _, err := opened(first)
			if err != nil {
				b.Fatal(err)
			}
			buf, frames := make([]float32, 0, 8*maxFrames), 0
			for b.Loop() {
				for _, p := range list {
					out, err := c.Decode(buf, p)
					if err != nil {
						b.Fatal(err)
					}
					frames += len(out) / len(c.mapping)
				}
			}
			b.ReportMetric(float64(frames)/rate/b.Elapsed().Seconds(), "x")
		})
	}
}

package sounds_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"voicepool/sounds"
)

// BenchmarkDecode tells how many times faster than real time a file is decoded.
func BenchmarkDecode(b *testing.B) {
	for _, name := range []string{"wav-pipe-ffmpeg.wav", "flac-best.flac", "vorbis-best.ogg", "mp3-320.mp3"} {
		b.Run(filepath.Ext(name)[1:], func(b *testing.B) {
			data, err := os.ReadFile(filepath.Join("testdata/formats", name))
			if err != nil {
				b.Fatal(err)
			}
			seconds := 0.0
			for b.Loop() {
				c, err := sounds.Decode(context.Background(), name, bytes.NewReader(data), sounds.Limits{})
				if err != nil {
					b.Fatal(err)
				}
				seconds += float64(c.Frames()) / float64(c.Rate)
			}
			b.ReportMetric(seconds/b.Elapsed().Seconds(), "x-realtime")
		})
	}
}

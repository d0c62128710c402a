package library

import (
	"bytes"
	"context"
	"testing"
)

// BenchmarkDecode reports decoding speed as a multiple of real time.
func BenchmarkDecode(b *testing.B) {
	for _, x := range []struct {
		name string
		data []byte
	}{
		{name: "wav", data: formatFile(b, "wav-pipe-ffmpeg.wav")},
		{name: "ima-adpcm", data: longADPCM(0x11, 2, 2048, 8, 2041)},
		{name: "ms-adpcm", data: longADPCM(2, 2, 2048, 14, 2036)},
		{name: "aiff", data: longAIFF(260000)},
		{name: "flac", data: formatFile(b, "flac-best.flac")},
		{name: "oggflac", data: inOgg(mustRead(b, "../embedded/theme.flac"), 1)},
		{name: "vorbis", data: formatFile(b, "vorbis-best.ogg")},
		{name: "opus", data: formatFile(b, "opus-best.opus")},
		{name: "mp3", data: formatFile(b, "mp3-320.mp3")},
	} {
		b.Run(x.name, func(b *testing.B) {
			seconds := 0.0
			for b.Loop() {
				c, err := Decode(context.Background(), x.name, bytes.NewReader(x.data), Limits{})
				if err != nil {
					b.Fatal(err)
				}
				seconds += float64(c.Frames()) / float64(c.Rate)
			}
			b.ReportMetric(seconds/b.Elapsed().Seconds(), "x-realtime")
		})
	}
}

package oracles

import (
	"bytes"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/gopxl/beep/v2"
	"github.com/gopxl/beep/v2/flac"
	"github.com/gopxl/beep/v2/mp3"
	"github.com/gopxl/beep/v2/vorbis"
	"github.com/gopxl/beep/v2/wav"

	"voicepool/beepio"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// TestDecodersOfBeep reads the output of beep's decoders as a clip and as a stream. It must equal the sound of
// our own decoder, except for the resolution of 16 bits and the delay of an MP3.
func TestDecodersOfBeep(t *testing.T) {
	closer := func(data []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(data)) }
	seeking := func(data []byte) io.ReadCloser { return struct{ io.ReadSeekCloser }{nopCloser{bytes.NewReader(data)}} }
	for _, c := range []struct {
		file   string
		decode func(data []byte) (beep.StreamSeekCloser, beep.Format, error)
		off    float64
	}{
		{file: "flac-16-2.flac", off: 2e-4, decode: func(data []byte) (beep.StreamSeekCloser, beep.Format, error) {
			return flac.Decode(bytes.NewReader(data))
		}},
		{file: "wav-s16le-2.wav", off: 2e-4, decode: func(data []byte) (beep.StreamSeekCloser, beep.Format, error) {
			return wav.Decode(bytes.NewReader(data))
		}},
		{file: "vorbis-44100-2.ogg", off: 1e-3, decode: func(data []byte) (beep.StreamSeekCloser, beep.Format, error) {
			return vorbis.Decode(seeking(data))
		}},
		{file: "mp3-44100-2-cbr.mp3", off: 1e-3, decode: func(data []byte) (beep.StreamSeekCloser, beep.Format, error) {
			return mp3.Decode(closer(data))
		}},
	} {
		data, err := os.ReadFile(filepath.Join("../../sounds/library/testdata/formats", c.file))
		if err != nil {
			t.Fatal(err)
		}
		ours, err := library.Decode(t.Context(), c.file, bytes.NewReader(data), library.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		open := func() (beep.StreamSeekCloser, beep.SampleRate) {
			s, format, err := c.decode(data)
			if err != nil {
				t.Fatalf("%s: %v", c.file, err)
			}
			return s, format.SampleRate
		}
		s, rate := open()
		clip, err := beepio.Read(c.file, s, rate, 10*int(rate))
		if err != nil || clip.Rate != ours.Rate {
			t.Fatalf("%s: %v, %d Hz, want %d", c.file, err, clip.Rate, ours.Rate)
		}
		if got, want := clip.Frames(), ours.Frames(); got < want || got > want+4000 {
			t.Errorf("%s: %d frames, ours %d", c.file, got, want)
		}
		best := math.Inf(1)
		for late := 0; late <= max(0, int(clip.Frames()-ours.Frames())); late++ {
			best = min(best, difference(clip, ours, late))
		}
		if best > c.off {
			t.Errorf("%s: it is %.2g away from ours, want %.2g", c.file, best, c.off)
		}
		// The stream must equal the clip.
		s, rate = open()
		from := beepio.Stream(c.file, s, rate)
		r, err := from.Open()
		if err != nil {
			t.Fatalf("%s: %v", c.file, err)
		}
		block := make([]pcm.Frame, 1000)
		for at := 0; at < int(clip.Frames()); {
			n, err := r.Read(block)
			if err != nil {
				t.Fatalf("%s: after %d frames: %v", c.file, at, err)
			}
			for i, f := range block[:n] {
				if f != (pcm.Frame{clip.Samples[2*(at+i)], clip.Samples[2*(at+i)+1]}) {
					t.Fatalf("%s: frame %d of the stream is %v", c.file, at+i, f)
				}
			}
			at += n
		}
	}
}

// difference returns the root mean square of the difference between the left channels.
func difference(clip, ours *library.Clip, late int) float64 {
	sum := 0.0
	for i := range int(ours.Frames()) {
		d := float64(clip.Samples[2*(i+late)]) - float64(ours.Samples[ours.Channels*i])
		sum += d * d
	}
	return math.Sqrt(sum / float64(ours.Frames()))
}

type nopCloser struct{ io.ReadSeeker }

func (nopCloser) Close() error { return nil }

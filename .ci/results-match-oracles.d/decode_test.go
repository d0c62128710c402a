package oracles

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/gopxl/beep/v2"
	beepwav "github.com/gopxl/beep/v2/wav"
	gomp3 "github.com/hajimehoshi/go-mp3"
	"github.com/jfreymuth/oggvorbis"
	"github.com/mewkiz/flac"

	"voicepool/sounds/library"
)

// seconds is the length of the sound that BenchmarkDecoders decodes.
const seconds = 30

// program returns a music-like WAV file, stereo at 44.1 kHz: decaying tones with harmonics, noise, and pauses.
func program() []byte {
	const rate = 44100
	r := rand.New(rand.NewPCG(1, 2))
	data := []byte("RIFF\xff\xff\xff\x7fWAVEfmt \x10\x00\x00\x00\x01\x00\x02\x00\x44\xac\x00\x00\x10\xb1\x02\x00\x04\x00\x10\x00data")
	data = binary.LittleEndian.AppendUint32(data, seconds*rate*4)
	for i := range seconds * rate {
		t := float64(i) / rate
		note := math.Mod(t, 0.7)
		noise := 0.05 * (2*r.Float64() - 1) * math.Exp(-6*math.Mod(t, 0.35))
		for ch := range 2 {
			x := noise + 0.002*(2*r.Float64()-1)
			for h := 1.0; h < 9; h++ {
				x += 0.2 / h * math.Exp(-(2+h)*note) * math.Sin(2*math.Pi*h*(110+55*math.Floor(math.Mod(t/0.7, 7)))*t+float64(ch)*h)
			}
			data = binary.LittleEndian.AppendUint16(data, uint16(int16(16000*x)))
		}
	}
	return data
}

// processorTime returns the CPU time of this process, or of its ended children.
func processorTime(b *testing.B, who int) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// libraries decode a whole file to the library's own sample format.
var libraries = map[string]func(data []byte) error{
	"wav": func(data []byte) error {
		s, format, err := beepwav.Decode(bytes.NewReader(data))
		if err != nil {
			return err
		}
		beep.NewBuffer(format).Append(s) // keeps the decoded samples, like all others
		return s.Err()
	},
	"flac": func(data []byte) error {
		s, err := flac.New(bytes.NewReader(data))
		if err != nil {
			return err
		}
		for {
			if _, err := s.ParseNext(); err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
		}
	},
	"ogg": func(data []byte) error {
		_, _, err := oggvorbis.ReadAll(bytes.NewReader(data))
		return err
	},
	"mp3": func(data []byte) error {
		d, err := gomp3.NewDecoder(bytes.NewReader(data))
		if err == nil {
			_, err = io.Copy(io.Discard, d)
		}
		return err
	},
}

// BenchmarkDecoders decodes a file in each format with package library, with the fastest library in Go, and with
// ffmpeg on one thread, by turns. It reports the best speed of each relative to real time, by CPU time. ffmpeg
// decodes the file twenty times, so that its start matters little.
//
//	go test -bench Decoders -benchtime 7x
func BenchmarkDecoders(b *testing.B) {
	if _, err := exec.LookPath("ffmpeg"); err != nil { // so that lists of benchmarks need no ffmpeg; .ci/codecs-match-other-decoders installs it
		b.Skip("needs ffmpeg, to which it compares")
	}
	folder := b.TempDir()
	source := filepath.Join(folder, "source.wav")
	if err := os.WriteFile(source, program(), 0o600); err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct{ ending, codec string }{{"wav", "pcm_s16le"}, {"flac", "flac"}, {"ogg", "libvorbis"}, {"mp3", "libmp3lame"}} {
		b.Run(c.ending, func(b *testing.B) {
			file := filepath.Join(folder, "x."+c.ending)
			if out, err := exec.Command("ffmpeg", "-y", "-v", "error", "-i", source, "-c:a", c.codec, "-b:a", "192k", file).CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, out)
			}
			data, err := os.ReadFile(file)
			if err != nil {
				b.Fatal(err)
			}
			const turns = 20
			best := map[string]time.Duration{}
			measure := func(name string, who int, work func() error) {
				runtime.GC()
				begin := processorTime(b, who)
				if err := work(); err != nil {
					b.Fatalf("%s: %v", name, err)
				}
				took := processorTime(b, who) - begin
				if least, ok := best[name]; !ok || took < least {
					best[name] = took
				}
			}
			for b.Loop() {
				measure("voicepool", syscall.RUSAGE_SELF, func() error {
					_, err := library.Decode(b.Context(), file, bytes.NewReader(data), library.Limits{})
					return err
				})
				measure("library", syscall.RUSAGE_SELF, func() error { return libraries[c.ending](data) })
				measure("ffmpeg", syscall.RUSAGE_CHILDREN, func() error {
					return exec.Command("ffmpeg", "-nostdin", "-v", "quiet", "-threads", "1", "-stream_loop", fmt.Sprint(turns-1), "-i", file, "-f", "null", "-").Run()
				})
			}
			for name, took := range best {
				length := float64(seconds)
				if name == "ffmpeg" {
					length *= turns
				}
				b.ReportMetric(length/took.Seconds(), name+"-x-realtime")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

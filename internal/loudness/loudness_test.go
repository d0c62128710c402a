package loudness_test

import (
	"encoding/binary"
	"flag"
	"math"
	"os"
	"path/filepath"
	"testing"

	"voicepool/internal/loudness"
	"voicepool/pcm"
)

// dump writes the signals as WAV files for measuring with another program. The expected values are ffmpeg's, by
//
//	ffmpeg -i NAME.wav -af ebur128=peak=true -f null -
var dump = flag.String("dump", "", "a folder to write the signals to")

// signal is a sound by formula with the values that ffmpeg measures.
type signal struct {
	name           string
	rate, channels int
	seconds        float64
	at             func(t float64, ch int, noise func() float64) float64
	lufs           float64
	peak           float64 // dBFS
	noisy          bool
}

func sine(f, t float64) float64 { return pcm.SinPi(2 * f * t) }

// every returns the phase of t in a period, 0..1.
func every(period, t float64) float64 { return t/period - math.Floor(t/period) }

var signals = []signal{
	{
		name: "tone", rate: 48000, channels: 1, seconds: 1,
		at:   func(t float64, _ int, _ func() float64) float64 { return 0.1 * sine(997, t) },
		lufs: -23.1, peak: -20.0,
	},
	{
		name: "tone-stereo", rate: 48000, channels: 2, seconds: 1,
		at:   func(t float64, _ int, _ func() float64) float64 { return 0.1 * sine(997, t) },
		lufs: -20.0, peak: -20.0,
	},
	{
		name: "tone-44", rate: 44100, channels: 1, seconds: 1,
		at:   func(t float64, _ int, _ func() float64) float64 { return 0.5 * sine(440, t) },
		lufs: -9.8, peak: -6.0,
	},
	{
		name: "bass-44", rate: 44100, channels: 2, seconds: 1,
		at:   func(t float64, ch int, _ func() float64) float64 { return 0.4 * sine(60+20*float64(ch), t) },
		lufs: -11.0, peak: -8.0,
	},
	{
		name: "treble-22", rate: 22050, channels: 1, seconds: 1,
		at:   func(t float64, _ int, _ func() float64) float64 { return 0.3 * sine(6000, t) },
		lufs: -10.1, peak: -10.5,
	},
	{
		name: "noise-48", rate: 48000, channels: 1, seconds: 1,
		at:   func(_ float64, _ int, noise func() float64) float64 { return 0.4 * noise() },
		lufs: -9.6, peak: -2.8, noisy: true,
	},
	{
		name: "noise-44", rate: 44100, channels: 2, seconds: 1,
		at:   func(_ float64, _ int, noise func() float64) float64 { return 0.2 * noise() },
		lufs: -12.7, peak: -8.7, noisy: true,
	},
	{
		name: "noise-8", rate: 8000, channels: 1, seconds: 1,
		at:   func(_ float64, _ int, noise func() float64) float64 { return 0.2 * noise() },
		lufs: -16.6, peak: -9.1, noisy: true,
	},
	{
		name: "noise-16", rate: 16000, channels: 2, seconds: 1,
		at:   func(_ float64, _ int, noise func() float64) float64 { return 0.3 * noise() },
		lufs: -9.5, peak: -5.1, noisy: true,
	},
	{
		name: "noise-96", rate: 96000, channels: 2, seconds: 1,
		at:   func(_ float64, _ int, noise func() float64) float64 { return 0.3 * noise() },
		lufs: -9.1, peak: -5.1, noisy: true,
	},
	{
		name: "noise-192", rate: 192000, channels: 1, seconds: 1,
		at:   func(_ float64, _ int, noise func() float64) float64 { return 0.3 * noise() },
		lufs: -12.0, peak: -10.5, noisy: true,
	},
	{
		name: "between", rate: 44100, channels: 1, seconds: 1,
		at:   func(t float64, _ int, _ func() float64) float64 { return 0.5 * pcm.SinPi(22050*t+0.25) },
		lufs: -5.7, peak: -6.0,
	},
	{
		name: "between-48", rate: 48000, channels: 2, seconds: 1,
		at:   func(t float64, _ int, _ func() float64) float64 { return 0.7 * pcm.SinPi(32000*t+0.3333) },
		lufs: 0.2, peak: -3.1,
	},
	{name: "relative-gate", rate: 48000, channels: 1, seconds: 6, at: func(t float64, _ int, _ func() float64) float64 {
		if every(2, t) < 0.5 {
			return 0.3 * sine(440, t)
		}
		return 0.02 * sine(440, t)
	}, lufs: -15.2, peak: -10.5},
	{name: "absolute-gate", rate: 48000, channels: 2, seconds: 6, at: func(t float64, _ int, _ func() float64) float64 {
		if every(3, t) < 0.4 {
			return 0.01 * sine(800, t)
		}
		return 0.0001 * sine(800, t)
	}, lufs: -41.2, peak: -40.0},
	{name: "steps", rate: 32000, channels: 2, seconds: 3, at: func(t float64, ch int, noise func() float64) float64 {
		return (0.05 + 0.4*every(2.5, t)) * (0.5*sine(300+float64(ch)*70, t) + 0.5*noise())
	}, lufs: -14.0, peak: -4.6, noisy: true},
	{name: "bursts", rate: 44100, channels: 1, seconds: 3, at: func(t float64, _ int, noise func() float64) float64 {
		e := 1 - every(0.9, t)
		return 0.8 * e * e * e * e * noise()
	}, lufs: -11.5, peak: 1.3, noisy: true},
	{
		name: "tremolo", rate: 48000, channels: 1, seconds: 2,
		at:   func(t float64, _ int, _ func() float64) float64 { return 0.4 * sine(150, t) * sine(0.7, t) },
		lufs: -14.9, peak: -8.0,
	},
	{name: "beats", rate: 11025, channels: 2, seconds: 3, at: func(t float64, ch int, _ func() float64) float64 {
		return 0.25*sine(500, t) + 0.25*sine(503+float64(ch), t)
	}, lufs: -9.6, peak: -6.0},
	{
		name: "loud", rate: 48000, channels: 2, seconds: 1,
		at:   func(t float64, ch int, _ func() float64) float64 { return 0.99 * sine(1000+500*float64(ch), t) },
		lufs: 0.6, peak: -0.1,
	},
	{
		name: "left-only", rate: 48000, channels: 2, seconds: 1,
		at:   func(t float64, ch int, noise func() float64) float64 { return 0.5 * noise() * float64(1-ch) },
		lufs: -7.7, peak: -0.7, noisy: true,
	},
}

// samples returns the signal in 16 bits, as in the files.
func (s signal) samples() []float32 {
	state := uint32(12345)
	noise := func() float64 {
		state = state*1664525 + 1013904223
		return float64(int32(state)) / (1 << 31)
	}
	out := make([]float32, int(float64(s.rate)*s.seconds)*s.channels)
	for i := range out {
		at := float64(i/s.channels) / float64(s.rate)
		edge := min(at, s.seconds-at, 0.02) / 0.02 // programs disagree on the ringing of hard edges
		x := s.at(at, i%s.channels, noise) * edge
		out[i] = float32(math.Floor(x*32768+0.5)) / 32768
	}
	return out
}

func (s signal) wav() []byte {
	x := s.samples()
	b := []byte("RIFF\xff\xff\xff\xffWAVEfmt \x10\x00\x00\x00\x01\x00")
	b = binary.LittleEndian.AppendUint16(b, uint16(s.channels))
	b = binary.LittleEndian.AppendUint32(b, uint32(s.rate))
	b = binary.LittleEndian.AppendUint32(b, uint32(s.rate*s.channels*2))
	b = binary.LittleEndian.AppendUint16(b, uint16(s.channels*2))
	b = append(b, "\x10\x00data\xff\xff\xff\xff"...)
	for _, x := range x {
		b = binary.LittleEndian.AppendUint16(b, uint16(int16(x*32768)))
	}
	return b
}

func ones(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 1
	}
	return w
}

func TestAgainstFFmpeg(t *testing.T) {
	for _, s := range signals {
		t.Run(s.name, func(t *testing.T) {
			if *dump != "" {
				if err := os.WriteFile(filepath.Join(*dump, s.name+".wav"), s.wav(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			m, p := loudness.NewMeter(s.rate, ones(s.channels)), loudness.NewPeakMeter(s.rate, s.channels)
			x := s.samples()
			m.Write(x)
			p.Write(x)
			if got := float64(m.Integrated()); math.Abs(got-s.lufs) > 0.1 {
				t.Errorf("%.2f LUFS, ffmpeg says %.1f", got, s.lufs)
			}
			// EBU Tech 3341 allows +0.2 and -0.4 dB. White noise is the worst case because the last hertz below
			// the Nyquist frequency matter.
			limit := 0.15
			if s.noisy {
				limit = 0.35
			}
			if got := float64(pcm.FromLinear(p.TruePeak())); math.Abs(got-s.peak) > limit {
				t.Errorf("a true peak of %.2f dB, ffmpeg says %.1f", got, s.peak)
			}
		})
	}
}

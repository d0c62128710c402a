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

// dump writes the signals as WAV files, for somebody who wants to measure them
// with another program: the figures below are ffmpeg's, by
//
//	ffmpeg -i NAME.wav -af ebur128=peak=true -f null -
var dump = flag.String("dump", "", "a folder to write the signals to")

// signal is a sound made by a formula, and what ffmpeg says of it.
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

// every returns where t stands in a period, 0..1.
func every(period, t float64) float64 { return t/period - math.Floor(t/period) }

var signals = []signal{
	{"tone", 48000, 1, 1, func(t float64, _ int, _ func() float64) float64 { return 0.1 * sine(997, t) }, -23.1, -20.0, false},
	{"tone-stereo", 48000, 2, 1, func(t float64, _ int, _ func() float64) float64 { return 0.1 * sine(997, t) }, -20.0, -20.0, false},
	{"tone-44", 44100, 1, 1, func(t float64, _ int, _ func() float64) float64 { return 0.5 * sine(440, t) }, -9.8, -6.0, false},
	{"bass-44", 44100, 2, 1, func(t float64, ch int, _ func() float64) float64 { return 0.4 * sine(60+20*float64(ch), t) }, -11.0, -8.0, false},
	{"treble-22", 22050, 1, 1, func(t float64, _ int, _ func() float64) float64 { return 0.3 * sine(6000, t) }, -10.1, -10.5, false},
	{"noise-48", 48000, 1, 1, func(_ float64, _ int, noise func() float64) float64 { return 0.4 * noise() }, -9.6, -2.8, true},
	{"noise-44", 44100, 2, 1, func(_ float64, _ int, noise func() float64) float64 { return 0.2 * noise() }, -12.7, -8.7, true},
	{"noise-8", 8000, 1, 1, func(_ float64, _ int, noise func() float64) float64 { return 0.2 * noise() }, -16.6, -9.1, true},
	{"noise-16", 16000, 2, 1, func(_ float64, _ int, noise func() float64) float64 { return 0.3 * noise() }, -9.5, -5.1, true},
	{"noise-96", 96000, 2, 1, func(_ float64, _ int, noise func() float64) float64 { return 0.3 * noise() }, -9.1, -5.1, true},
	{"noise-192", 192000, 1, 1, func(_ float64, _ int, noise func() float64) float64 { return 0.3 * noise() }, -12.0, -10.5, true},
	{"between", 44100, 1, 1, func(t float64, _ int, _ func() float64) float64 { return 0.5 * pcm.SinPi(22050*t+0.25) }, -5.7, -6.0, false},
	{"between-48", 48000, 2, 1, func(t float64, _ int, _ func() float64) float64 { return 0.7 * pcm.SinPi(32000*t+0.3333) }, 0.2, -3.1, false},
	{"relative-gate", 48000, 1, 6, func(t float64, _ int, _ func() float64) float64 {
		if every(2, t) < 0.5 {
			return 0.3 * sine(440, t)
		}
		return 0.02 * sine(440, t)
	}, -15.2, -10.5, false},
	{"absolute-gate", 48000, 2, 6, func(t float64, _ int, _ func() float64) float64 {
		if every(3, t) < 0.4 {
			return 0.01 * sine(800, t)
		}
		return 0.0001 * sine(800, t)
	}, -41.2, -40.0, false},
	{"steps", 32000, 2, 3, func(t float64, ch int, noise func() float64) float64 {
		return (0.05 + 0.4*every(2.5, t)) * (0.5*sine(300+float64(ch)*70, t) + 0.5*noise())
	}, -14.0, -4.6, true},
	{"bursts", 44100, 1, 3, func(t float64, _ int, noise func() float64) float64 {
		e := 1 - every(0.9, t)
		return 0.8 * e * e * e * e * noise()
	}, -11.5, 1.3, true},
	{"tremolo", 48000, 1, 2, func(t float64, _ int, _ func() float64) float64 { return 0.4 * sine(150, t) * sine(0.7, t) }, -14.9, -8.0, false},
	{"beats", 11025, 2, 3, func(t float64, ch int, _ func() float64) float64 {
		return 0.25*sine(500, t) + 0.25*sine(503+float64(ch), t)
	}, -9.6, -6.0, false},
	{"loud", 48000, 2, 1, func(t float64, ch int, _ func() float64) float64 { return 0.99 * sine(1000+500*float64(ch), t) }, 0.6, -0.1, false},
	{"left-only", 48000, 2, 1, func(t float64, ch int, noise func() float64) float64 { return 0.5 * noise() * float64(1-ch) }, -7.7, -0.7, true},
}

// samples makes the signal in 16 bits, as the files have it.
func (s signal) samples() []float32 {
	state := uint32(12345)
	noise := func() float64 {
		state = state*1664525 + 1013904223
		return float64(int32(state)) / (1 << 31)
	}
	out := make([]float32, int(float64(s.rate)*s.seconds)*s.channels)
	for i := range out {
		at := float64(i/s.channels) / float64(s.rate)
		edge := min(at, s.seconds-at, 0.02) / 0.02 // what begins hard rings in ways that no two programs agree on
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
			// EBU Tech 3341 allows +0.2 and -0.4 dB. White noise is the worst there is: all depends on the last
			// hertz below the Nyquist frequency.
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

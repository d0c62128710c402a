package library

import (
	"flag"
	"fmt"
	"math"
	"sync"
	"testing"

	"voicepool/internal/fourier"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/voice"
)

// The whole measurement of docs/resampling.md, of 3,500 tones, is made by
//
//	go test ./sounds -run TestBest -best -v
var wholeBest = flag.Bool("best", false, "measure the quality best with every tone and pitch")

const bestFrames = 1 << 12 // that are analysed

// analysis holds the window and the tables that all spectra use.
var analysis = sync.OnceValue(func() (a struct {
	fft    *fourier.Transform
	window []float64
}) {
	a.fft, a.window = fourier.New(bestFrames), make([]float64, bestFrames)
	for i := range a.window {
		r := 2*(float64(i)+0.5)/bestFrames - 1
		a.window[i] = bessel(25*math.Sqrt(1-r*r)) / bessel(25)
	}
	return a
})

// played returns n frames, from frame skip on, of a voice that plays a mono sound at the speed in o. It
// prepares the required mip levels first and undoes the pan law.
func played(s *sounds.Sound, o voice.Options, skip, n int) []float64 {
	s.Refine(sounds.LevelOf(pcm.FromRatio(o.Speed)), o.Loop)
	var v voice.Voice
	v.Start(s, o, 0)
	v.Skip(int64(skip), 0)
	dst := make([]pcm.Frame, n)
	v.Mix(dst, int64(skip))
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(dst[i][0])
		out[i] *= math.Sqrt2 // a pan in the middle
	}
	return out
}

// tone returns frames of a sine at half of full scale.
func tone(t *testing.T, hz float64, frames int) *sounds.Sound {
	t.Helper()
	data := make([]float32, frames)
	for i := range data {
		data[i] = float32(0.5 * math.Sin(2*math.Pi*hz*float64(i)/48000))
	}
	s, err := sounds.NewSound(sounds.Samples{Rate: 48000, Channels: 1, Data: data, Refine: Refine})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// analysed returns three levels in dB relative to a tone of hz at half of full scale: the tone itself, the sum
// of the rest of the spectrum, and the largest other component below 18 kHz. Every component above 24 kHz
// counts as distortion.
func analysed(y []float64, hz float64) (level, rest, worst float64) {
	a := analysis()
	c := make([]complex128, bestFrames)
	for i := range c {
		c[i] = complex(a.window[i]*y[i], 0)
	}
	total, largest, norm, peak := 0.0, 0.0, 0.0, 0.0
	for _, w := range a.window {
		norm += w * w
		peak += w
	}
	norm *= bestFrames / 16. // relative to a tone at half of full scale
	peak *= 0.25             // of its line
	const width = 48000. / bestFrames
	a.fft.Apply(c)
	p := make([]float64, bestFrames/2+1)
	for i, c := range c[:len(p)] {
		p[i] = real(c)*real(c) + imag(c)*imag(c)
	}
	for i := range p {
		if math.Abs(float64(i)*width-hz) <= lobe*width {
			total += p[i]
			continue
		}
		rest += p[i]
		if float64(i)*width < 18000 {
			largest = max(largest, p[i])
		}
	}
	return 10 * math.Log10(total/norm), 10 * math.Log10(rest/norm), 20 * math.Log10(math.Sqrt(largest)/peak)
}

// TestBest measures the distortion of voices at uneven pitches with sines and compares it with
// docs/resampling.md.
func TestBest(t *testing.T) {
	pitches := []float64{0.2531, 0.7071, 1.1013, 1.4983, 1.6997, 2.9003, 4.8989, 13.0711}
	tones := []float64{151, 997, 5003, 9973, 13009, 16987, 18013, 19037, 21011, 23503}
	if *wholeBest {
		pitches = []float64{0.2531, 0.3337, 0.4441, 0.5923, 0.7071, 0.8419, 0.9431, 0.9973, 1.0023, 1.0595, 1.1013, 1.2599, 1.3483, 1.4983, 1.6997, 2.1189, 2.3784, 2.9003, 3.7751, 4.8989, 6.3103, 13.0711}
		tones = nil
		for hz := 150.; hz < 24000; hz += 150 {
			tones = append(tones, hz+hz/4703)
		}
	}
	for _, pitch := range pitches {
		worstImage, flat := -200., 0.
		noise := map[int]float64{}
		for _, hz := range tones {
			s := tone(t, hz, int(pitch*(bestFrames+4096))+2000)
			level, rest, worst := analysed(played(s, voice.Options{Speed: pitch}, 2048, bestFrames), hz*pitch)
			worstImage = max(worstImage, worst)
			if edge := 17000 * min(1, pitch); hz*pitch <= edge*1.001 && hz*pitch > 200 {
				flat = max(flat, math.Abs(level))
			}
			for _, khz := range []int{1, 5, 10} {
				if math.Abs(hz-float64(1000*khz)) < 80 && hz*pitch < 17000 {
					noise[khz] = rest
				}
			}
		}
		line := fmt.Sprintf("pitch %.4f: images and aliases %.1f dB, flat within %.3f dB, THD+N", pitch, worstImage, flat)
		limit := -100.
		if pitch <= 1.5 {
			limit = -110
		}
		for _, khz := range []int{1, 5, 10} {
			rest, ok := noise[khz]
			if !ok {
				continue
			}
			line += fmt.Sprintf(" %d kHz %.1f", khz, rest)
			if rest > limit {
				t.Errorf("pitch %v: THD+N of %d kHz is %.1f dB, want %v", pitch, khz, rest, limit)
			}
		}
		t.Log(line)
		if worstImage > -88 {
			t.Errorf("pitch %v: images and aliases of %.1f dB, want -88", pitch, worstImage)
		}
		if flat > 0.1 {
			t.Errorf("pitch %v: not flat by %.3f dB", pitch, flat)
		}
	}
}

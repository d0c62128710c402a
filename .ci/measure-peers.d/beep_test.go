package peers

import (
	"fmt"
	"math"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/gopxl/beep/v2"
)

const (
	rate      = 48000
	blockSize = 512
	frames    = 2 * rate // of a sound
)

// testCase is a way to mix. Quality 0 does not resample.
type testCase struct {
	name     string
	channels int
	quality  int
}

var cases = []testCase{
	{"mono", 1, 0}, {"mono-linear", 1, 1}, {"mono-cubic", 1, 2}, {"mono-good", 1, 4}, {"mono-best", 1, 8}, {"stereo", 2, 0},
}

// gopxl measures the mixer of github.com/gopxl/beep/v2 like `voicepool bench`. beep keeps sounds in memory as a
// Buffer, which decodes samples at each use. With ready, a streamer of this package copies decoded samples
// instead: the fastest way to use beep.
func gopxl(ready bool) measurement {
	return func(b *testing.B, voices int) report {
		version, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "github.com/gopxl/beep/v2").Output()
		if err != nil {
			b.Fatal(err)
		}
		r := report{Version: strings.TrimSpace(string(version))}
		for _, c := range cases {
			r.Rows = append(r.Rows, c.measure(b, sounds(c.channels, ready), voices))
		}
		return r
	}
}

// measure returns the median of the runs. It fails the benchmark if the mix is wrong.
func (c testCase) measure(b *testing.B, all []*sound, n int) row {
	var m beep.Mixer
	for i := range n {
		m.Add(c.voice(b, all, i))
	}
	block := make([][2]float64, blockSize)
	m.Stream(block) // beep's resampler skips the first samples
	m.Stream(block)
	c.check(b, all, n, block)
	var took []float64
	b.Run(fmt.Sprintf("beep/%s/%d", c.name, n), func(b *testing.B) {
		for b.Loop() {
			m.Stream(block)
		}
		ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / blockSize / float64(n)
		b.ReportMetric(ns, "ns/voice-frame")
		took = append(took, ns)
	})
	if m.Len() != n {
		b.Fatalf("%s: %d of %d voices play", c.name, m.Len(), n)
	}
	slices.Sort(took)
	r := row{Case: c.name, Ns: took[len(took)/2]}
	if c.quality > 0 {
		r.With = fmt.Sprintf("Resample(%d) %.0f dB", c.quality, c.impurity(b, 10000))
	}
	return r
}

// loop repeats a streamer endlessly.
func loop(b *testing.B, from beep.StreamSeeker) beep.Streamer {
	s, err := beep.Loop2(from)
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// impurity plays a sine at the speed of the case. It returns the power of everything but the transposed sine,
// in dB relative to the whole output.
func (c testCase) impurity(b *testing.B, hertz float64) float64 {
	sine := make([][2]float64, frames)
	for i := range sine {
		sine[i][0] = math.Sin(2 * math.Pi * hertz * float64(i) / rate)
	}
	r := beep.ResampleRatio(c.quality, speed, loop(b, &memory{samples: sine}))
	block := make([][2]float64, blockSize)
	r.Stream(block)
	r.Stream(block)
	w := 2 * math.Pi * hertz * speed / rate
	var cc, ss, cs, yc, ys, yy float64
	for i, f := range block {
		sin, cos := math.Sincos(w * float64(i))
		y := f[0]
		cc, ss, cs = cc+cos*cos, ss+sin*sin, cs+cos*sin
		yc, ys, yy = yc+y*cos, ys+y*sin, yy+y*y
	}
	det := cc*ss - cs*cs
	p, q := (yc*ss-ys*cs)/det, (ys*cc-yc*cs)/det
	return 10 * math.Log10((yy-p*yc-q*ys)/yy)
}

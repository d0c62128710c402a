package library

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

var spectrumFile = flag.String("spectrum", "", "an SVG file to draw the resampler's spectrum into")

// chord holds the frequencies of the test signal, sines of -18 dB each at 44.1 kHz.
var chord = []float64{440, 1000, 3000, 6000, 10000, 14000, 18000, 20000}

// TestSpectrum converts a chord from 44.1 to 48 kHz with this package and with linear interpolation. It
// compares the distortion. The picture in docs/sounds.md is made by
//
//	go test ./sounds -run TestSpectrum -spectrum "$PWD/docs/resampler.svg"
func TestSpectrum(t *testing.T) {
	const n = 1 << 14
	x := make([]float32, n+4096)
	for _, f := range chord {
		for i := range x {
			x[i] += float32(math.Pow(10, -18./20) * math.Sin(2*math.Pi*f*float64(i)/44100))
		}
	}
	ours, _, err := resample(context.Background(), &filterCache{}, x, 1, 44100, 48000, nil, &workBuffers{})
	if err != nil {
		t.Fatal(err)
	}
	line := make([]float32, len(ours))
	for i := range line[:len(line)-2] {
		at := float64(i) * 44100 / 48000
		k, f := int(at), float32(at-math.Floor(at))
		line[i] = x[k] + float32(f*(x[k+1]-x[k]))
	}
	var spectra [2][]float64
	for i, y := range [2][]float32{line, ours} {
		middle := make([]float64, n)
		for j := range middle {
			middle[j] = float64(y[2048+j])
		}
		spectra[i] = spectrum(middle)
	}
	const width = 48000. / n
	for i, want := range [2][2]float64{{-20, -10}, {-160, -120}} {
		worst := 0.0
	bins:
		for j, p := range spectra[i] {
			for _, f := range chord {
				if math.Abs(float64(j)*width-f) <= (lobe+2)*width {
					continue bins
				}
			}
			worst = max(worst, p)
		}
		db := 10*math.Log10(worst) + 18
		t.Logf("%s: the worst that is none of the tones is %.1f dB below them", [2]string{"straight lines", "this package"}[i], -db)
		if db < want[0] || db > want[1] {
			t.Errorf("the worst is %.1f dB, want %v..%v", db, want[0], want[1])
		}
	}
	if *spectrumFile != "" {
		if err := os.WriteFile(*spectrumFile, []byte(drawSpectra(spectra, width)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// drawSpectra draws both spectra, one above the other, from 0 to -180 dB.
func drawSpectra(spectra [2][]float64, width float64) string {
	const w, h, left, top, gap = 900, 220, 56, 34, 64
	var s strings.Builder
	loudest := 10 * math.Log10(slices.Max(spectra[1])) // a sine's power is spread over several bins
	fmt.Fprintf(&s, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", left+w+20, top+2*h+gap+36)
	fmt.Fprintf(&s, `<rect width="100%%" height="100%%" fill="#fff"/>`+"\n")
	for i, p := range spectra {
		y0 := top + i*(h+gap)
		title := [2]string{"44.1 to 48 kHz by straight lines", "44.1 to 48 kHz by voicepool"}[i]
		fmt.Fprintf(&s, `<text x="%d" y="%d" font-size="14">%s: eight sines of -18 dB</text>`+"\n", left, y0-10, title)
		for db := 0; db <= 180; db += 30 {
			y := y0 + db*h/180
			fmt.Fprintf(&s, `<path d="M%d %dH%d" stroke="#ddd"/><text x="%d" y="%d" text-anchor="end">%d dB</text>`+"\n", left, y, left+w, left-6, y+4, -db)
		}
		for khz := 0; khz <= 24; khz += 4 {
			x := left + khz*w/24
			fmt.Fprintf(&s, `<path d="M%d %dV%d" stroke="#ddd"/><text x="%d" y="%d" text-anchor="middle">%d kHz</text>`+"\n", x, y0, y0+h, x, y0+h+16, khz)
		}
		s.WriteString(`<path fill="none" stroke="` + [2]string{"#c0392b", "#1f6fb2"}[i] + `" d="M`)
		for x := range w {
			from, to := int(float64(x)*24000/w/width), int(float64(x+1)*24000/w/width)
			peak := 0.0
			for _, q := range p[from:max(to, from+1)] {
				peak = max(peak, q)
			}
			db := max(10*math.Log10(peak)-loudest-18, -180)
			fmt.Fprintf(&s, "%d %.1fL", left+x, float64(y0)-db*h/180)
		}
		fmt.Fprintf(&s, "%d %d\"/>\n", left+w, y0+h)
	}
	s.WriteString("</svg>\n")
	return s.String()
}

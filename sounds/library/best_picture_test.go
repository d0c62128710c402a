package library

import (
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"voicepool/sounds"
	"voicepool/voice"
)

var bestFile = flag.String("picture", "", "an SVG file to draw the spectra of the qualities into")

// TestBestPicture plays eight sines a semitone and a bit higher, with every quality and with a windowed sinc of
// 16 taps. It compares the distortion of each. The picture in docs/resampling.md is made by
//
//	go test ./sounds -run TestBestPicture -picture "$PWD/docs/best.svg"
func TestBestPicture(t *testing.T) {
	const n, pitch, skip = 1 << 13, 1.1013, 3000
	tones := []float64{1000, 3000, 6000, 9000, 12000, 15000, 18000, 21000}
	data := make([]float32, 2*n+skip)
	for _, hz := range tones {
		for i := range data {
			data[i] += float32(math.Pow(10, -18./20) * math.Sin(2*math.Pi*hz*float64(i)/48000))
		}
	}
	s, err := sounds.NewSound(sounds.Samples{Rate: 48000, Channels: 1, Data: data, Refine: Refine})
	if err != nil {
		t.Fatal(err)
	}
	sinc := make([]float64, n)
	for i := range sinc {
		at := (float64(i) + skip) * pitch
		k, f := int(at), at-math.Floor(at)
		for tap := -7; tap <= 8; tap++ {
			x := float64(tap) - f
			r := x / 8
			if r*r >= 1 {
				continue
			}
			h := bessel(8*math.Sqrt(1-r*r)) / bessel(8)
			if x != 0 {
				h *= math.Sin(math.Pi*x) / (math.Pi * x)
			}
			sinc[i] += h * float64(data[k+tap])
		}
	}
	var pictures []pictured
	for _, c := range []struct {
		title  string
		played []float64
		at, to float64 // range of the worst distortion below 18 kHz, in dB relative to a tone
	}{
		{
			title:  "linear",
			played: played(s, voice.Options{Speed: pitch, Quality: sounds.Linear}, skip, n),
			at:     -20, to: -1,
		},
		{
			title:  "cubic",
			played: played(s, voice.Options{Speed: pitch, Quality: sounds.Cubic}, skip, n),
			at:     -30, to: -5,
		},
		{title: "a windowed sinc, 16 taps", played: sinc, at: -70, to: -25},
		{title: "best, 8 taps", played: played(s, voice.Options{Speed: pitch}, skip, n), at: -125, to: -88},
	} {
		p := spectrum(c.played)
		const width = 48000. / n
		worst := 0.0
	bins:
		for i, x := range p[:int(18000/width)] {
			for _, hz := range tones {
				if math.Abs(float64(i)*width-hz*pitch) <= (lobe+2)*width {
					continue bins
				}
			}
			worst = max(worst, x)
		}
		db := 10 * math.Log10(worst/slices.Max(p))
		t.Logf("%s: the worst below 18 kHz that is none of the tones is %.1f dB below them", c.title, -db)
		if db < c.at || db > c.to {
			t.Errorf("%s: the worst is %.1f dB, want %v..%v", c.title, db, c.at, c.to)
		}
		pictures = append(pictures, pictured{fmt.Sprintf("%s: %.0f dB", c.title, db), p})
	}
	if *bestFile != "" {
		if err := os.WriteFile(*bestFile, []byte(drawBest(pictures, 48000./n)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

type pictured struct {
	title string
	p     []float64
}

// drawBest draws spectra in two columns, from 0 to -150 dB.
func drawBest(pictures []pictured, width float64) string {
	const w, h, left, top, gap, down = 450, 180, 56, 34, 70, 64
	var s strings.Builder
	loudest := 10 * math.Log10(slices.Max(pictures[len(pictures)-1].p))
	fmt.Fprintf(&s, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", left+2*w+gap+20, top+2*h+down+36)
	fmt.Fprintf(&s, `<rect width="100%%" height="100%%" fill="#fff"/>`+"\n")
	for i, pic := range pictures {
		x0, y0 := left+i%2*(w+gap), top+i/2*(h+down)
		fmt.Fprintf(&s, `<text x="%d" y="%d" font-size="14">%s</text>`+"\n", x0, y0-10, pic.title)
		for db := 0; db <= 150; db += 30 {
			y := y0 + db*h/150
			fmt.Fprintf(&s, `<path d="M%d %dH%d" stroke="#ddd"/><text x="%d" y="%d" text-anchor="end">%d dB</text>`+"\n", x0, y, x0+w, x0-6, y+4, -db)
		}
		for khz := 0; khz <= 24; khz += 4 {
			x := x0 + khz*w/24
			fmt.Fprintf(&s, `<path d="M%d %dV%d" stroke="#ddd"/><text x="%d" y="%d" text-anchor="middle">%d kHz</text>`+"\n", x, y0, y0+h, x, y0+h+16, khz)
		}
		s.WriteString(`<path fill="none" stroke="` + []string{"#c0392b", "#c0392b", "#7f6a1f", "#1f6fb2"}[i] + `" d="M`)
		for x := range w {
			from, to := int(float64(x)*24000/w/width), int(float64(x+1)*24000/w/width)
			peak := 0.0
			for _, q := range pic.p[from:max(to, from+1)] {
				peak = max(peak, q)
			}
			db := min(max(10*math.Log10(peak)-loudest, -150), 0)
			fmt.Fprintf(&s, "%d %.1fL", x0+x, float64(y0)-db*h/150)
		}
		fmt.Fprintf(&s, "%d %d\"/>\n", x0+w, y0+h)
	}
	s.WriteString("</svg>\n")
	return s.String()
}

package pictures

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"voicepool/cmd/internal/view/figurestyle"
	"voicepool/internal/fourier"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

const (
	columns = 160 // of the spectrogram
	rows    = 60  // a sixth of an octave each, starting at 20 Hz
	shown   = 4   // seconds
)

// powers returns the power of white noise in the mixer's output, by column and row. With closes, a
// low-pass starts at 16 kHz, closes and opens again.
func powers(t *testing.T, closes bool) (all [columns][rows]float64) {
	t.Helper()
	const size = 1 << 13
	plan := fourier.New(size)
	var window [size]float64
	for i := range window {
		window[i] = 0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/size)
	}
	for seed := range uint64(4) { // averaging avoids places with almost no noise
		r := rand.New(rand.NewPCG(seed, 1))
		data := make([]float32, (shown+1)*rate)
		for i := range data {
			data[i] = r.Float32() - 0.5
		}
		s, err := sounds.NewSound(sounds.Samples{Rate: rate, Channels: 1, Data: data})
		if err != nil {
			t.Fatal(err)
		}
		m, err := mixer.New(mixer.Config{Rate: rate, NoLimiter: true})
		if err != nil {
			t.Fatal(err)
		}
		o := mixer.Options{}
		if closes {
			o.LowPass = 16000
		}
		h, err := m.Play(s, o)
		if err != nil {
			t.Fatal(err)
		}
		if closes {
			for _, move := range []struct {
				at   int64
				to   float64
				over time.Duration
			}{{rate / 2, 200, 2 * time.Second}, {rate * 7 / 2, 0, 0}} {
				if err := m.Engine().At(move.at).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldLowPass, Filters: mixer.Filters{LowPass: move.to}}, move.over); err != nil {
					t.Fatal(err)
				}
			}
		}
		out := make([]pcm.Frame, (shown+1)*rate)
		m.Render(out)
		x := make([]complex128, size)
		for column := range columns {
			middle := (2*column + 1) * shown * rate / (2 * columns)
			for i := range x {
				x[i] = 0
				if at := middle - size/2 + i; at >= 0 {
					x[i] = complex(window[i]*float64(out[at][0]), 0)
				}
			}
			plan.Apply(x)
			for row := range rows {
				from, to := edge(row)*size/rate, edge(row+1)*size/rate
				for k := int(from + 0.5); k < max(int(to+0.5), int(from+0.5)+1); k++ {
					all[column][row] += real(x[k])*real(x[k]) + imag(x[k])*imag(x[k])
				}
			}
		}
	}
	return all
}

// edge returns the lower edge of a row in Hz.
func edge(row int) float64 { return 20 * math.Pow(2, float64(row)/6) }

// heat returns the color of a level from -60 to 0 dB: from the background through blue, red and
// yellow to almost white.
func heat(db float64) color.RGBA {
	stops := []color.RGBA{figurestyle.Background, {0x2b, 0x1c, 0x5c, 255}, {0x7b, 0x23, 0x82, 255}, {0xd0, 0x41, 0x6b, 255}, {0xfb, 0x8d, 0x4a, 255}, {0xfc, 0xee, 0xb0, 255}}
	at := min(max((db+60)/60, 0), 1) * float64(len(stops)-1)
	i := min(int(at), len(stops)-2)
	f := at - float64(i)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a)*(1-f) + float64(b)*f)) }
	a, b := stops[i], stops[i+1]
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}

// TestLowPass draws white noise through the low-pass of a voice that closes, and then opens at
// once.
func TestLowPass(t *testing.T) {
	const left, top, cell, tall = 64, 34, 5, 5
	const w, h = columns * cell, rows * tall
	whole, through := powers(t, false), powers(t, true)
	level := func(column, row int) float64 { return 10 * math.Log10(through[column][row]/whole[column][row]) }
	at := func(seconds, hertz float64) float64 {
		return level(int(seconds*columns/shown), int(math.Log2(hertz/20)*6))
	}
	for _, c := range []struct{ seconds, hertz, from, to float64 }{
		{0.3, 1000, -1, 1}, {3.2, 100, -2, 1}, {3.2, 800, -27, -21}, {3.2, 3200, -51, -45}, {1.5, 6400, -26, -14}, {3.9, 6400, -1, 1},
	} {
		if got := at(c.seconds, c.hertz); got < c.from || got > c.to {
			t.Errorf("after %v s, %v Hz are at %.1f dB, want %v to %v", c.seconds, c.hertz, got, c.from, c.to)
		}
	}
	img := image.NewRGBA(image.Rect(0, 0, left+w+92, top+h+34))
	draw.Draw(img, img.Bounds(), image.NewUniform(figurestyle.Background), image.Point{}, draw.Src)
	figurestyle.Write(img, left, 20, "White noise through a voice's low-pass: it closes from 16 kHz to 200 Hz in 2 s, and is off from 3.5 s on", figurestyle.Text)
	fill := func(x, y, w, h int, c color.Color) {
		draw.Draw(img, image.Rect(x, y, x+w, y+h), image.NewUniform(c), image.Point{}, draw.Src)
	}
	for column := range columns {
		for row := range rows {
			db := math.Round(level(column, row)/2) * 2 // few colors make a small file
			fill(left+column*cell, top+h-(row+1)*tall, cell, tall, heat(db))
		}
	}
	for _, tick := range []struct {
		hertz float64
		name  string
	}{{20, "20 Hz"}, {50, "50"}, {100, "100"}, {200, "200"}, {500, "500"}, {1000, "1k"}, {2000, "2k"}, {5000, "5k"}, {10000, "10k"}, {20000, "20 kHz"}} {
		y := top + h - int(math.Round(math.Log2(tick.hertz/20)*6*tall))
		fill(left-5, y, 5, 1, figurestyle.Text)
		figurestyle.Write(img, left-9-figurestyle.TextWidth(tick.name), y+figurestyle.Height/2, tick.name, figurestyle.Text)
	}
	for half := range 2*shown + 1 {
		x, name := left+half*w/(2*shown), fmt.Sprintf("%g s", float64(half)/2)
		fill(x, top+h, 1, 5, figurestyle.Text)
		figurestyle.Write(img, x-figurestyle.TextWidth(name)/2, top+h+20, name, figurestyle.Text)
	}
	for y := range h { // the legend of the colors
		fill(left+w+20, top+y, 16, 1, heat(math.Round(float64(-y)*60/h/2)*2))
	}
	for db := 0; db <= 60; db += 10 {
		y := top + db*h/60
		fill(left+w+36, y, 5, 1, figurestyle.Text)
		figurestyle.Write(img, left+w+45, y+figurestyle.Height/2, fmt.Sprintf("%d dB", -db), figurestyle.Text)
	}
	var file bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&file, img); err != nil {
		t.Fatal(err)
	}
	check(t, "lowpass.png", file.Bytes())
}

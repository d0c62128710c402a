package scenetest

import (
	"context"
	"errors"
	"io"
	"math"
	"testing"

	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/pcm"
)

// rendered renders a sheet.
func rendered(t *testing.T, file string) (mix []pcm.Frame, rate float64) {
	t.Helper()
	sheet, err := cue.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	p, err := play.NewPlayer(context.Background(), sheet, libraryFor(sheet), play.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for block := make([]pcm.Frame, 4096); ; {
		n, err := p.Read(block)
		mix = append(mix, block[:n]...)
		if errors.Is(err, io.EOF) {
			return mix, float64(sheet.Rate)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// levelOf returns the level in dB below 300 Hz, or above 2 kHz, with two cascaded two-pole filters.
func levelOf(piece []pcm.Frame, rate float64, high bool) float64 {
	corner, sum := 300.0, 0.0
	if high {
		corner = 2000
	}
	keep := math.Exp(-2 * math.Pi * corner / rate)
	var low [4]float64
	for _, f := range piece {
		x := float64(f[0])
		for i := range low {
			low[i] = keep*low[i] + (1-keep)*x
			if x -= low[i]; !high {
				x = low[i]
			}
		}
		sum += x * x
	}
	return 10 * math.Log10(sum/float64(len(piece)))
}

// TestUnderwater checks the sound of examples/underwater.yaml. Below the water the treble is muffled and the
// bass is kept; in the hall the treble returns, and the last sound decays in the time of the reverb.
func TestUnderwater(t *testing.T) {
	mix, rate := rendered(t, "examples/underwater.yaml")
	level := func(from, to float64, high bool) float64 {
		return levelOf(mix[int(from*rate):int(to*rate)], rate, high)
	}
	for _, high := range []bool{false, true} {
		above, below, hall := level(1, 7.5, high), level(9, 15.5, high), level(17, 23, high)
		t.Logf("high %v: above %.1f, below the water %.1f, in the hall %.1f dB", high, above, below, hall)
		switch lost := above - below; {
		case high && (lost < 25 || math.Abs(above-hall) > 4):
			t.Errorf("the heights: above %.1f, below the water %.1f, in the hall %.1f dB", above, below, hall)
		case !high && (lost > 3 || math.Abs(above-hall) > 4):
			t.Errorf("the depths: above %.1f, below the water %.1f, in the hall %.1f dB", above, below, hall)
		}
	}
	decay := 60 * 1.2 / (level(23.9, 24.3, false) - level(25.1, 25.5, false))
	t.Logf("the depths of the hall decay in %.2f s", decay)
	if math.Abs(decay/(3.5*1.1)-1) > 0.15 {
		t.Errorf("the depths of the hall decay in %.2f s, want 3.85", decay)
	}
}

// TestWall checks the sound of examples/wall.yaml. A wall lowers the bass by its gain and removes nearly all
// treble; a pillar does less. At 200 m the sound is 34 dB softer than at 4 m, with some reverb and without
// treble.
func TestWall(t *testing.T) {
	mix, rate := rendered(t, "examples/wall.yaml")
	lost := func(from, to float64) (low, high float64) {
		at := func(from, to float64, high bool) float64 {
			return levelOf(mix[int(from*rate):int(to*rate)], rate, high)
		}
		return at(1, 4, false) - at(from, to, false), at(1, 4, true) - at(from, to, true)
	}
	for _, c := range []struct {
		name                string
		from, to, low, high float64 // dB
	}{{"behind the wall", 6.5, 8, 24, 45}, {"behind the pillar", 9, 12, 12, 18}, {"two hundred metres away", 14, 16, 33, 38}} {
		low, high := lost(c.from, c.to)
		t.Logf("%s: the depths %.1f, the heights %.1f dB softer", c.name, low, high)
		if math.Abs(low-c.low) > 2 || math.Abs(high-c.high) > 3 {
			t.Errorf("%s the depths are %.1f and the heights %.1f dB softer, want %v and %v", c.name, low, high, c.low, c.high)
		}
	}
}

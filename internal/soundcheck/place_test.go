package soundcheck

import (
	"math"
	"testing"

	"voicepool/pcm"
)

// Placed is the position of a piece in a mix.
type Placed struct {
	Lag      int     // delay in frames
	Level    float64 // level relative to the piece in dB
	Residual float64 // power of the mix without the piece, relative to the piece, in dB
}

// maxLag is the search range of Place to either side, in frames.
const maxLag = 64

// Place searches for piece in mix around the frame at by the largest correlation of both channels. It returns
// ErrNotFound if the piece is silent or exceeds the mix.
func Place(mix, piece []pcm.Frame, at int) (Placed, error) {
	energy := dot(piece, piece, 0)
	if energy == 0 {
		return Placed{}, ErrNotFound
	}
	best, found := math.Inf(-1), Placed{}
	for lag := -maxLag; lag <= maxLag; lag++ {
		if at+lag < 0 || at+lag+len(piece) > len(mix)+maxLag {
			continue
		}
		if c := dot(mix, piece, at+lag); c > best {
			best, found.Lag = c, lag
		}
	}
	if best <= 0 {
		return Placed{}, ErrNotFound
	}
	factor := best / energy
	found.Level = 20 * math.Log10(factor)
	left := 0.0
	for i, p := range piece {
		if j := at + found.Lag + i; j >= 0 && j < len(mix) {
			for c := range p {
				d := float64(mix[j][c]) - factor*float64(p[c])
				left += d * d
			}
		}
	}
	found.Residual = 10 * math.Log10(left/(factor*factor*energy))
	return found, nil
}

func dot(mix, piece []pcm.Frame, at int) float64 {
	sum := 0.0
	for i, p := range piece {
		if j := at + i; j >= 0 && j < len(mix) {
			sum += float64(mix[j][0])*float64(p[0]) + float64(mix[j][1])*float64(p[1])
		}
	}
	return sum
}
func TestPlace(t *testing.T) {
	piece := make([]pcm.Frame, 3000)
	NewNoise(3000).Render(piece)
	mix := make([]pcm.Frame, 10000)
	for i, p := range piece {
		mix[4007+i] = pcm.Frame{p[0] / 2, p[1] / 2}
	}
	got, err := Place(mix, piece, 4000)
	if err != nil || got.Lag != 7 || math.Abs(got.Level+6.0206) > 1e-3 || got.Residual > -100 {
		t.Errorf("%+v, %v", got, err)
	}
	mix[5000][0] += 5
	if got, err = Place(mix, piece, 4000); err != nil || got.Residual < -10 {
		t.Errorf("with something else in it: %+v, %v", got, err)
	}
	if _, err := Place(mix, make([]pcm.Frame, 10), 4000); err != ErrNotFound {
		t.Errorf("silence: %v", err)
	}
	if _, err := Place(mix, piece, 9000); err != ErrNotFound {
		t.Errorf("beyond the end: %v", err)
	}
}

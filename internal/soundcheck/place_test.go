package soundcheck_test

import (
	"math"
	"testing"

	"voicepool/internal/soundcheck"
	"voicepool/pcm"
)

func TestPlace(t *testing.T) {
	piece := make([]pcm.Frame, 3000)
	soundcheck.NewNoise(3000).Render(piece)
	mix := make([]pcm.Frame, 10000)
	for i, p := range piece {
		mix[4007+i] = pcm.Frame{p[0] / 2, p[1] / 2}
	}
	got, err := soundcheck.Place(mix, piece, 4000)
	if err != nil || got.Lag != 7 || math.Abs(got.Level+6.0206) > 1e-3 || got.Residual > -100 {
		t.Errorf("%+v, %v", got, err)
	}
	mix[5000][0] += 5
	if got, err = soundcheck.Place(mix, piece, 4000); err != nil || got.Residual < -10 {
		t.Errorf("with something else in it: %+v, %v", got, err)
	}
	if _, err := soundcheck.Place(mix, make([]pcm.Frame, 10), 4000); err != soundcheck.ErrNotFound {
		t.Errorf("silence: %v", err)
	}
	if _, err := soundcheck.Place(mix, piece, 9000); err != soundcheck.ErrNotFound {
		t.Errorf("beyond the end: %v", err)
	}
}

package sounds_test

import (
	"errors"
	"math"
	"testing"

	"voicepool/sounds"
)

// TestNewSoundRefuses checks that invalid samples give ErrSound and that denormals become 0.
func TestNewSoundRefuses(t *testing.T) {
	nan := float32(math.NaN())
	for _, s := range []sounds.Samples{
		{Rate: 48000, Channels: 0}, {Rate: 48000, Channels: 3, Data: make([]float32, 3)}, {Channels: 1}, {Rate: 768001, Channels: 1},
		{Rate: 8, Channels: 2, Data: make([]float32, 3)}, {Rate: 8, Channels: 1, Data: []float32{0, nan}},
		{Rate: 8, Channels: 1, Data: []float32{float32(math.Inf(1))}}, {Rate: 8, Channels: 1, Data: []float32{-65537}},
		{Rate: 8, Channels: 1, Data: make([]float32, 4), Loop: [2]int64{2, 2}}, {Rate: 8, Channels: 1, Data: make([]float32, 4), Loop: [2]int64{-1, 2}},
		{Rate: 8, Channels: 1, Data: make([]float32, 4), Loop: [2]int64{1, 5}}, {Rate: 8, Channels: 1, Data: make([]float32, 4), Loop: [2]int64{3, 1}},
	} {
		if _, err := sounds.NewSound(s); !errors.Is(err, sounds.ErrSound) {
			t.Errorf("%+v gives %v", s, err)
		}
	}
	s, err := sounds.NewSound(sounds.Samples{Rate: 48000, Channels: 1, Data: []float32{1e-40, -1e-40, 1}})
	if err != nil {
		t.Fatal(err)
	}
	if d := s.Samples(); d[0] != 0 || d[1] != 0 || d[2] != 1 {
		t.Errorf("denormals become %v", d)
	}
}

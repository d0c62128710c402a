package sounds_test

import (
	"testing"

	"voicepool/sounds"
)

// TestEnvelope checks the loudness index at the borders of hops, beyond both ends, and without a table.
func TestEnvelope(t *testing.T) {
	e := sounds.Envelope{Hop: 10, Once: []float32{3, 2, 1}, Loop: []float32{5, 5, 5}}
	for _, c := range []struct {
		frame  int64
		looped bool
		want   float64
	}{
		{want: 3},
		{frame: 9, want: 3},
		{frame: 10, want: 2},
		{frame: 29, want: 1},
		{frame: 30},
		{frame: -1, want: 3},
		{frame: 25, looped: true, want: 5},
	} {
		if got := e.At(c.frame, c.looped); got != c.want {
			t.Errorf("At(%d, %v) = %v, want %v", c.frame, c.looped, got, c.want)
		}
	}
	none := sounds.Envelope{}
	if got := none.At(5, false); got != 0.01 {
		t.Errorf("without an index the level is %v, want 0.01", got)
	}
}

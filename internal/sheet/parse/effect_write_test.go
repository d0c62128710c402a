package parse

import (
	"testing"

	"voicepool/effect"
)

// TestWriteEffects checks that an active band is written with its freq, which a sheet requires, even if it is
// the default.
func TestWriteEffects(t *testing.T) {
	e, err := effect.New("eq", effect.Values{"bands.2.type": effect.Peak, "bands.2.gain": 3})
	if err != nil {
		t.Fatal(err)
	}
	const want = "[{eq: {bands: [{}, {type: peak, freq: 1000, gain: 3}]}}]"
	if got := WriteEffects([]effect.Effect{e}); got != want {
		t.Errorf("it is written %s, want %s", got, want)
	}
}

package audiotest

import (
	"testing"

	"voicepool/pcm"
)

// wide is a source with several outputs.
type wide int

func (w wide) Outputs() int         { return int(w) }
func (wide) Render(dst []pcm.Frame) { clear(dst) }

// TestStereo checks that several outputs are an error.
func TestStereo(t *testing.T) {
	if err := requireStereo(wide(1)); err != nil {
		t.Error(err)
	}
	const want = "the mixer has 4 outputs, want 1: fold them (Config.Fold)"
	if err := requireStereo(wide(4)); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

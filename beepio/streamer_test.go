package beepio

import (
	"errors"
	"testing"

	"voicepool/device"
	"voicepool/pcm"
)

// wide is a source with several outputs.
type wide struct{ outputs int }

func (w wide) Outputs() int         { return w.outputs }
func (wide) Render(dst []pcm.Frame) { clear(dst) }

// TestStreamerOfSeveralOutputs checks that more than one output is an error, because beep has two channels.
// Stream then returns no samples.
func TestStreamerOfSeveralOutputs(t *testing.T) {
	samples := make([][2]float64, 100)
	s := newStreamer(wide{4}, 48000)
	if n, ok := s.Stream(samples); n != 0 || ok || !errors.Is(s.Err(), device.ErrOutputs) {
		t.Errorf("four outputs: %d samples, %t, %v", n, ok, s.Err())
	}
	s = newStreamer(wide{1}, 48000)
	if n, ok := s.Stream(samples); n != 100 || !ok || s.Err() != nil {
		t.Errorf("one output: %d samples, %t, %v", n, ok, s.Err())
	}
}

package audiotest

import (
	"fmt"
	"testing"

	"voicepool/pcm"
)

// fatal is a test that keeps what ends it.
type fatal struct {
	testing.TB
	said string
}

func (f *fatal) Helper()                        {}
func (f *fatal) Fatalf(format string, v ...any) { f.said = fmt.Sprintf(format, v...) }

// wide is a source of several outputs.
type wide int

func (w wide) Outputs() int         { return int(w) }
func (wide) Render(dst []pcm.Frame) { clear(dst) }

// TestStereo: what is heard here is stereo, so several outputs end the test.
func TestStereo(t *testing.T) {
	for outputs, want := range map[wide]string{
		1: "", 4: "audiotest: the mixer has 4 outputs, want 1: fold them (Config.Fold)",
	} {
		f := &fatal{}
		if stereo(f, outputs); f.said != want {
			t.Errorf("%d outputs: %q, want %q", outputs, f.said, want)
		}
	}
}

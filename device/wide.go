package device

import (
	"errors"
	"fmt"
)

// MaxOutputs is how many outputs a source can have.
const MaxOutputs = 16

// ErrOutputs is wrapped by the error of a Start whose source has more or fewer outputs than the
// device plays; it changes nothing. So no output is ever dropped, doubled or guessed.
var ErrOutputs = errors.New("device: another number of outputs")

// Wide is a source with several outputs, each of them a stereo pair with a clock in common.
// A device that is opened for as many outputs plays them on 2 x Outputs channels.
//
// Render of a source with n outputs fills interleaved frames: dst[i*n+k] is frame i of output
// k, and len(dst) is a multiple of n. All else that counts frames counts frames of one output.
type Wide interface {
	Source

	// Outputs returns how many outputs Render fills, 1..MaxOutputs. It is always the same.
	Outputs() int
}

// OutputsOf returns how many outputs a source has: 1 unless it is Wide.
func OutputsOf(src Source) int {
	if w, ok := src.(Wide); ok {
		return w.Outputs()
	}
	return 1
}

// CheckOutputs is Check for a device that plays so many outputs, on two channels each. A source
// with more or fewer gets an error that wraps ErrOutputs.
func CheckOutputs(src Source, rate, outputs int) error {
	if src == nil {
		return ErrNoSource
	}
	if r, ok := src.(Rated); ok && r.Rate() != rate {
		return fmt.Errorf("%w: the source renders %d frames per second, the device plays %d; "+
			"open the device at %d, or make the source at %d", ErrRate, r.Rate(), rate, r.Rate(), rate)
	}
	if n := OutputsOf(src); n != outputs {
		return &outputsError{has: n, plays: outputs}
	}
	return nil
}

// outputsError says that a source has another number of outputs than a device plays.
type outputsError struct{ has, plays int }

func (e *outputsError) Error() string {
	kind, remedy := "more", ", or fold them into one (Config.Fold, --fold)"
	if e.has < e.plays {
		kind, remedy = "fewer", ""
	}
	outputs := "outputs"
	if e.has == 1 {
		outputs = "output"
	}
	return fmt.Sprintf("device: %s outputs than channels: the source has %d %s (%d channels), the device plays %d channels; "+
		"open the device for %d %s (Config.Outputs)%s", kind, e.has, outputs, 2*e.has, 2*e.plays, e.has, outputs, remedy)
}

func (e *outputsError) Unwrap() error { return ErrOutputs }

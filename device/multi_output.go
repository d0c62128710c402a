package device

import (
	"errors"
	"fmt"
)

// MaxOutputs is the maximum number of outputs of a source.
const MaxOutputs = 16

// ErrOutputs is wrapped by the error of Start if the source has more or fewer outputs than the device. Start
// may then be called with another source.
var ErrOutputs = errors.New("device: another number of outputs")

// MultiOutput is a source with several outputs: stereo pairs with a common clock. A device with the same number of
// outputs plays them on 2 x Outputs channels.
//
// Render of a source with n outputs fills interleaved frames: dst[i*n+k] is frame i of output k, and len(dst)
// is a multiple of n. Everywhere else, numbers of frames refer to one output.
type MultiOutput interface {
	Source

	// Outputs returns the number of outputs that Render fills, 1..MaxOutputs. It is constant.
	Outputs() int
}

// OutputsOf returns the number of stereo outputs of src: 1 unless it is a MultiOutput.
func OutputsOf(src Source) int {
	if w, ok := src.(MultiOutput); ok {
		return w.Outputs()
	}
	return 1
}

// CheckOutputs is Check for a device with several outputs, on two channels each. If the source has more or
// fewer outputs, the error wraps ErrOutputs.
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

// outputsError reports that a source has another number of outputs than a device.
type outputsError struct{ has, plays int }

// Error returns the numbers of outputs of the source and of the device, with a remedy if the source has more.
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

// Unwrap returns ErrOutputs.
func (e *outputsError) Unwrap() error { return ErrOutputs }

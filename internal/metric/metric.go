// Package metric feeds two signals to the perceptual metrics, which are the packages below it.
package metric

import (
	"fmt"

	"voicepool/pcm"
	"voicepool/sounds"
)

// Rate is the rate of the signals in Hz. The metrics are defined for this rate only.
const Rate = 48000

// largest is the largest magnitude of a sample.
const largest = 65536

// Meter compares a test signal with a reference. The signals are at Rate.
type Meter interface {
	// Add compares the next frames of both signals, which are equally many. A meter for mono signals reads the left
	// channel.
	Add(reference, test []pcm.Frame)
}

// Feed adds whole signals to m, in blocks, without a copy of the signals. m must have been made for their channels.
//
// The signals must have the rate Rate, the same number of channels and frames, and finite samples from -65536 to
// 65536. Otherwise the error names the values of both.
func Feed(m Meter, reference, test sounds.Samples) error {
	if err := check(reference, test); err != nil {
		return err
	}
	channels := reference.Channels
	n := len(reference.Data) / channels
	var blocks [2][1024]pcm.Frame
	for from := 0; from < n; from += len(blocks[0]) {
		to := min(from+len(blocks[0]), n)
		for s, data := range [2][]float32{reference.Data, test.Data} {
			for i, x := range data[from*channels : to*channels] {
				if !(x >= -largest && x <= largest) {
					name := [2]string{"reference", "test"}[s]
					return fmt.Errorf("frame %d of the %s is %v, want %d to %d", from+i/channels, name, x, -largest, largest)
				}
				blocks[s][i/channels][i%channels] = x
			}
		}
		m.Add(blocks[0][:to-from], blocks[1][:to-from])
	}
	return nil
}

// check returns an error if the signals cannot be compared.
func check(reference, test sounds.Samples) error {
	switch {
	case reference.Rate != test.Rate:
		return fmt.Errorf("the reference has a rate of %d Hz, the test %d Hz, want %d Hz for both", reference.Rate, test.Rate, Rate)
	case reference.Rate != Rate:
		return fmt.Errorf("the signals have a rate of %d Hz, want %d Hz", reference.Rate, Rate)
	case reference.Channels != test.Channels:
		return fmt.Errorf("the reference has %d channels, the test %d, want the same number", reference.Channels, test.Channels)
	case reference.Channels < 1 || reference.Channels > 2:
		return fmt.Errorf("the signals have %d channels, want 1 or 2", reference.Channels)
	case len(reference.Data)%reference.Channels+len(test.Data)%test.Channels != 0:
		return fmt.Errorf("the reference has %d samples, the test %d, want whole frames of %d channels", len(reference.Data), len(test.Data), test.Channels)
	case len(reference.Data) != len(test.Data):
		return fmt.Errorf("the reference has %d frames, the test %d, want the same number", len(reference.Data)/reference.Channels, len(test.Data)/test.Channels)
	}
	return nil
}

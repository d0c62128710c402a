package auto

import (
	"fmt"
	"strings"

	"voicepool/device"
)

// lacksChannels reports whether d has too few channels for the outputs of c: c has several outputs and d plays only
// one.
func (c *Config) lacksChannels(d *driver) bool { return c.Outputs > 1 && !d.multiOutput }

// splitByChannels separates the drivers that can play all outputs of c from the names of those with too few channels.
func (c *Config) splitByChannels(drivers []*driver) (enough []*driver, skipped []string) {
	for _, d := range drivers {
		if c.lacksChannels(d) {
			skipped = append(skipped, d.name)
		} else {
			enough = append(enough, d)
		}
	}
	return enough, skipped
}

// tooFewChannelsError is the error if drivers were skipped because they play two channels.
type tooFewChannelsError struct {
	names   []string
	outputs int
	err     error // of the drivers that were tried; nil: all were skipped
}

// Error returns the names of the drivers that were not tried, the reason and a remedy, after the error of the drivers
// that were tried.
func (e *tooFewChannelsError) Error() string {
	tried := ""
	if e.err != nil {
		tried = Reason(e.err) + "; "
	}
	return fmt.Sprintf("auto: %s%s is not tried: it plays 2 channels, %d outputs need %d; fold them into one for it (--fold)",
		tried, strings.Join(e.names, ", "), e.outputs, 2*e.outputs)
}

// Unwrap returns the error of the drivers that were tried, or device.ErrOutputs if all were skipped.
func (e *tooFewChannelsError) Unwrap() error {
	if e.err == nil {
		return device.ErrOutputs
	}
	return e.err
}

package room

import (
	"cmp"

	"voicepool/mixer"
)

// Cutoffs are filter cutoffs of a bus that were set by hand, in Hz; 0: off; nil: not set.
type Cutoffs struct {
	LowPass  *float64 `json:"lowpass,omitempty"`
	HighPass *float64 `json:"highpass,omitempty"`
}

// cutoffs returns the mixer change that sets the cutoffs of f, in Hz. A nil cutoff is not in Fields of the result, so
// without cutoffs Fields is 0.
func (f *BusChange) cutoffs() (c mixer.Change) {
	if f.LowPass != nil {
		c.Fields, c.LowPass = c.Fields|mixer.FieldLowPass, *f.LowPass
	}
	if f.HighPass != nil {
		c.Fields, c.HighPass = c.Fields|mixer.FieldHighPass, *f.HighPass
	}
	return c
}

// recordCutoffs records the cutoffs of f as set by hand on the bus called bus. A cutoff that is nil in f keeps the
// recorded value. The caller holds d.mutex.
func (d *manualBuses) recordCutoffs(bus string, f *BusChange) {
	was := d.cutoffs[bus]
	d.cutoffs[bus] = Cutoffs{cmp.Or(f.LowPass, was.LowPass), cmp.Or(f.HighPass, was.HighPass)}
}

// cutoffsOf returns the cutoffs that were set by hand on the bus called bus, in Hz. A cutoff that was not set, also of
// an unknown bus, is nil.
func (d *manualBuses) cutoffsOf(bus string) Cutoffs {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.cutoffs[bus]
}

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

// cutoffs returns a mixer change that sets the filter cutoffs of f, in Hz. A nil cutoff is left out of the Fields of
// the result. If both are nil, Fields is 0.
func (f *BusChange) cutoffs() (c mixer.Change) {
	if f.LowPass != nil {
		c.Fields, c.LowPass = c.Fields|mixer.FieldLowPass, *f.LowPass
	}
	if f.HighPass != nil {
		c.Fields, c.HighPass = c.Fields|mixer.FieldHighPass, *f.HighPass
	}
	return c
}

// recordCutoffs stores the cutoffs of f as set by hand on the bus called bus, for snapshots. It does not change the
// mixer. If a cutoff in f is nil, the stored value stays. The caller holds d.mutex.
func (d *manualBuses) recordCutoffs(bus string, f *BusChange) {
	was := d.cutoffs[bus]
	d.cutoffs[bus] = Cutoffs{cmp.Or(f.LowPass, was.LowPass), cmp.Or(f.HighPass, was.HighPass)}
}

// cutoffsOf returns the filter cutoffs that were set by hand on the bus called bus, in Hz. A cutoff that was not set is
// nil; for an unknown bus both are nil.
func (d *manualBuses) cutoffsOf(bus string) Cutoffs {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.cutoffs[bus]
}

package room

import (
	"cmp"

	"voicepool/mixer"
)

// Cutoffs are those of the filters of a bus, in Hz, as they were moved by hand; 0: off, nil: they were not.
type Cutoffs struct {
	LowPass  *float64 `json:"lowpass,omitempty"`
	HighPass *float64 `json:"highpass,omitempty"`
}

// cutoffs returns the change of those that the fader moves.
func (f *Fader) cutoffs() (c mixer.Change) {
	if f.LowPass != nil {
		c.Fields, c.LowPass = c.Fields|mixer.FieldLowPass, *f.LowPass
	}
	if f.HighPass != nil {
		c.Fields, c.HighPass = c.Fields|mixer.FieldHighPass, *f.HighPass
	}
	return c
}

// moveCutoffs notes what people have moved.
func (d *desk) moveCutoffs(bus string, f *Fader) {
	was := d.cutoffs[bus]
	d.cutoffs[bus] = Cutoffs{cmp.Or(f.LowPass, was.LowPass), cmp.Or(f.HighPass, was.HighPass)}
}

// cutoffsOf returns what was moved by hand.
func (d *desk) cutoffsOf(bus string) Cutoffs {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.cutoffs[bus]
}

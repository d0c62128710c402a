package busmix

import "voicepool/internal/move"

// Duck lowers the gain of a bus while voices on another bus are loud. The zero value is off.
type Duck struct {
	rules     *DuckRules // nil: off
	down      bool       // the bus is lowered, or moves there
	releaseAt int64      // the frame of the release, if no trigger comes before; never: unknown
	move      move.Move  // decibels
}

// DuckRules holds the trigger, the depth and the times of a duck. It must not be changed. The control side creates it.
type DuckRules struct {
	Trigger               int     // the index of the other bus
	Above                 float32 // the audibility of a voice there that triggers the duck, a power
	By                    float64 // decibels
	Attack, Hold, Release int64   // frames
}

// Rules returns the rules of the duck; nil if it is off.
func (d *Duck) Rules() *DuckRules { return d.rules }

// Change replaces the rules of the duck at the given frame of the mix; nil turns the duck off. If the bus is lowered at
// that frame, its gain moves to the new depth. If rules is nil, the gain moves back to 0 dB instead.
func (d *Duck) Change(rules *DuckRules, frame int64) {
	old := d.rules
	d.rules, d.releaseAt = rules, never
	switch {
	case !d.down:
	case rules == nil:
		d.down = false
		d.move.Ramp(frame, 0, old.Release)
	default:
		d.move.Ramp(frame, -rules.By, rules.Attack)
	}
}

// Update decides whether the duck lowers its bus from the given frame of the mix on. loud reports whether a voice on
// the trigger bus is loud enough. If no voice is loud enough any longer, the bus will rise again after the hold time.
// The duck must have rules.
func (d *Duck) Update(loud bool, frame int64) {
	switch r := d.rules; {
	case loud && !d.down:
		d.down, d.releaseAt = true, never
		d.move.Ramp(frame, -r.By, r.Attack)
	case loud:
		d.releaseAt = never
	case d.down && d.releaseAt == never:
		d.releaseAt = frame + r.Hold
	}
}

// Lowers reports whether the duck lowers its bus and the release is not scheduled yet. Update or HoldFrom schedules the
// release later.
func (d *Duck) Lowers() bool { return d.down && d.releaseAt == never }

// HoldFrom schedules the release of the duck for the end of the hold time. The hold time begins at the given frame of
// the mix, because the last voice that triggers the duck ends there. The duck must have rules.
func (d *Duck) HoldFrom(frame int64) { d.releaseAt = frame + d.rules.Hold }

// releaseAfter returns after how many of the n frames from the given frame of the mix on the gain of the duck begins to
// return to 0 dB; n if it does not begin within them. It does not start the release, see release.
func (d *Duck) releaseAfter(frame, n int64) int64 {
	if !d.down {
		return n
	}
	return min(d.releaseAt-frame, n)
}

// release makes the gain of the duck return to 0 dB, from the given frame of the mix on, within the release time. The
// duck must have rules.
func (d *Duck) release(frame int64) {
	d.down, d.releaseAt = false, never
	d.move.Ramp(frame, 0, d.rules.Release)
}

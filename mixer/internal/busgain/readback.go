// Package busgain remembers the gains of buses as calls have set them, so that a mixer can return the gain that a
// caller has just set, also for a later frame, before the audio side has executed it.
//
// Everything belongs to the control side of the mixer, under its mutex.
package busgain

import (
	"cmp"
	"slices"

	"voicepool/pcm"
)

// Batch is a set of commands that act together when the batch is fired.
type Batch interface {
	// Base returns the frame of the mix when the batch was fired. While it has not fired, fired is false.
	Base() (frame int64, fired bool)
}

// Gain is a gain that is set at a frame of the mix or, with a Batch, at an offset from its firing.
type Gain struct {
	Batch Batch // may be nil
	Frame int64
	Bus   uint16
	Gain  pcm.Decibels
}

// Readback holds the gains of all buses, including gains for later frames and batches.
type Readback struct {
	current      []pcm.Decibels // by bus
	setAt        []int64        // by bus: the frame of the last gain
	scheduled    []Gain         // in the order of the calls
	maxScheduled int            // the maximum length of scheduled
	due          []Gain         // scratch space of applyDue
	lookahead    int64          // see horizon; frames
}

// New returns the gains of buses as they are at first. It keeps the slice gains, by bus, and at most maxScheduled gains
// for later frames. A gain for a frame within lookahead frames counts as set.
func New(gains []pcm.Decibels, maxScheduled int, lookahead int64) Readback {
	return Readback{current: gains, setAt: make([]int64, len(gains)), maxScheduled: maxScheduled, lookahead: lookahead}
}

// at returns the frame of the mix where the gain is set. While the gain belongs to a batch that has not fired, known
// is false, and the frame has no meaning.
func (g *Gain) at() (frame int64, known bool) {
	if g.Batch == nil {
		return g.Frame, true
	}
	base, fired := g.Batch.Base()
	return base + g.Frame, fired
}

// Record records that a call sets the gain l. The parameter next is the frame where a command without a frame takes
// effect. A gain for a frame up to the lookahead after next counts as set at once. Other gains, and gains of a batch,
// are scheduled. If too many are scheduled, the oldest one is dropped.
func (r *Readback) Record(l Gain, next int64) {
	r.applyDue(next)
	if l.Batch == nil && l.Frame <= r.horizon(next) {
		r.apply(&l)
		return
	}
	if len(r.scheduled) >= r.maxScheduled { // the oldest entry belongs to a batch that was dropped
		r.scheduled = slices.Delete(r.scheduled, 0, 1)
	}
	r.scheduled = append(r.scheduled, l)
}

// Gain returns the gain of the bus with the given index that was set last. next is as in Record.
func (r *Readback) Gain(bus uint16, next int64) pcm.Decibels {
	r.applyDue(next)
	return r.current[bus]
}

// apply makes l the current gain of its bus, unless a gain for a later frame was applied before. l.Frame must be a
// frame of the mix.
func (r *Readback) apply(l *Gain) {
	if l.Frame >= r.setAt[l.Bus] {
		r.current[l.Bus], r.setAt[l.Bus] = l.Gain, l.Frame
	}
}

// horizon returns the last frame whose gains already count as set. It lies r.lookahead frames after next, which is as
// in Record. Callers plan a few milliseconds ahead, and they expect to read back the gain that they have set.
func (r *Readback) horizon(next int64) int64 { return next + r.lookahead }

// applyDue applies the scheduled gains that count as set, in the order of their frames, and removes them from the list.
// Gains of batches that have not fired stay.
func (r *Readback) applyDue(next int64) {
	if len(r.scheduled) == 0 {
		return
	}
	due := r.due[:0]
	r.scheduled = slices.DeleteFunc(r.scheduled, func(l Gain) bool {
		frame, known := l.at()
		if !known || frame > r.horizon(next) {
			return false
		}
		l.Frame = frame
		due = append(due, l)
		return true
	})
	slices.SortStableFunc(due, func(a, b Gain) int { return cmp.Compare(a.Frame, b.Frame) })
	for i := range due {
		r.apply(&due[i])
	}
	clear(due) // releases batches
	r.due = due
}

// Cancel removes the gains of the batch b that are scheduled but do not count as set, because the batch is dropped.
// next is as in Record.
func (r *Readback) Cancel(b Batch, next int64) {
	r.applyDue(next)
	r.scheduled = slices.DeleteFunc(r.scheduled, func(l Gain) bool { return l.Batch == b })
}

// Package pitchrange tracks which pitches a start of a mixer may reach, and which mip levels of its sound it may then
// read: band-limited versions for higher pitches. The levels are computed before the voice needs them.
//
// The package belongs to the control side of the mixer, under its mutex. Pitches are in semitones. A frame is a frame
// of the mix, and the parameter now is the first frame that is not mixed.
package pitchrange

import (
	"math"

	"voicepool/internal/hearing"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/space"
	"voicepool/voice"
)

// Span is the range of one component of a pitch: its final value, and its range during a fade. The zero value is a
// pitch of 0 that never changes.
type Span struct {
	target          float64 // the final value
	targetAt        int64   // the frame of the set to that value
	lowest, highest float64 // the range before until
	until           int64
}

// Constant returns the span of a pitch of x that never changes.
func Constant(x float64) Span { return Span{target: x, lowest: x, highest: x} }

// FadeTo records in s that the pitch fades to the value to. at is the frame where the fade is set, and until is a frame
// where it has ended. Before until, the range of s covers the earlier range and to. Afterwards the pitch is to. But if
// an earlier call set another value at a frame after at, that value stays the final one.
func (s *Span) FadeTo(to float64, now, at, until int64) {
	least, most := s.Bounds(now)
	s.lowest, s.highest, s.until = min(least, to), max(most, to), max(s.until, until)
	if at >= s.targetAt { // otherwise the earlier call applies later
		s.target, s.targetAt = to, at
	}
}

// widen extends the range of s, without an end in time, by the range of other. It has no effect if no fade of other is
// under way.
func (s *Span) widen(other *Span, now int64) {
	if now >= other.until { // a value at rest is not taken over
		return
	}
	least, most := s.Bounds(now)
	from, to := other.Bounds(now)
	s.lowest, s.highest, s.until = min(least, from), max(most, to), math.MaxInt64
}

// Bounds returns the lowest and the highest pitch that s may have at the frame now or later. After the end of all fades
// both are the final value.
func (s *Span) Bounds(now int64) (least, most float64) {
	if now < s.until {
		return s.lowest, s.highest
	}
	return s.target, s.target
}

// Range is the range of pitches that a start may reach. The zero value is a start without any pitch.
type Range struct {
	Pitch, Speed Span
	MayLeaveLoop bool // it may leave its loop

	dopplerLow, dopplerHigh Span // the limits of its Doppler shift
	velocity                space.Vector
}

// New returns the range that follows from the options o of a start alone: its pitch, its speed and whether it may leave
// its loop.
func New(o *voice.Options) Range {
	r := Range{Pitch: Constant(float64(o.Pitch)), MayLeaveLoop: o.Rounds != 0}
	if o.Speed != 0 && o.Speed != 1 {
		r.Speed = Constant(float64(pcm.FromRatio(o.Speed)))
	}
	return r
}

// StartVelocity sets the velocity of a start that has a position in space, and with it the limits of its Doppler shift.
// ear belongs to the listener.
func (r *Range) StartVelocity(velocity space.Vector, ear *hearing.Ear) {
	r.velocity = velocity
	below, above := ear.Shifts(&velocity)
	r.dopplerLow, r.dopplerHigh = Constant(float64(below)), Constant(float64(above))
}

// SetVelocity records velocity as the new velocity of a start in space, and reports whether its Doppler shift changes.
// ear belongs to the listener. at and until are as in Span.FadeTo.
func (r *Range) SetVelocity(velocity space.Vector, ear *hearing.Ear, now, at, until int64) bool {
	r.velocity = velocity
	low, high := ear.Shifts(&velocity)
	below, above := float64(low), float64(high)
	if below == r.dopplerLow.target && above == r.dopplerHigh.target {
		return false
	}
	r.dopplerLow.FadeTo(below, now, at, until)
	r.dopplerHigh.FadeTo(above, now, at, until)
	return true
}

// Velocity returns the velocity of the start.
func (r *Range) Velocity() space.Vector { return r.velocity }

// Widen extends r, the range of a successor, by the fades of its predecessor that are under way, because the successor
// may take them over.
func (r *Range) Widen(predecessor *Range, now int64) {
	r.Pitch.widen(&predecessor.Pitch, now)
	r.Speed.widen(&predecessor.Speed, now)
}

// Total is the range of a sum of pitches.
type Total struct {
	least, most float64
	now         int64
}

// Total returns the sum of base and of the pitch and the speed of the start, as of the frame now. The caller adds the
// pitches of the buses that the start passes, and then calls Levels.
func (r *Range) Total(base float64, now int64) Total {
	t := Total{base, base, now}
	t.Add(&r.Pitch)
	t.Add(&r.Speed)
	return t
}

// Add adds the pitch s to the sum.
func (t *Total) Add(s *Span) { t.add(s, s) }

// add adds a pitch to the sum. Only its range is known: it is at least the lowest pitch of low, and at most the highest
// pitch of high.
func (t *Total) add(low, high *Span) {
	from, _ := low.Bounds(t.now)
	_, to := high.Bounds(t.now)
	t.least, t.most = t.least+from, t.most+to
}

// Levels returns the lowest and the highest mip level that the start may read, or -1 twice if it reads only the
// original sound. t is the sum of all pitches but the Doppler shift. If moves is true, the pitch counts as moving.
func (r *Range) Levels(t Total, moves bool) (low, high int) {
	t.add(&r.dopplerLow, &r.dopplerHigh)
	switch {
	case t.least != t.most || moves: // a moving pitch reads at least the first mip level
		return max(sounds.LevelOf(pcm.Semitones(t.least)), 0), max(sounds.LevelOf(pcm.Semitones(t.most)), 0)
	case t.least != 0:
		level := sounds.LevelOf(pcm.Semitones(t.least))
		return level, level
	}
	return -1, -1
}

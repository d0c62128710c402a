package mixer

import (
	"cmp"
	"slices"

	"voicepool/pcm"
	"voicepool/voice"
)

// duck is the state of the duck of a bus.
type duck struct {
	rules *ducking // nil: off
	down  bool
	upAt  int64      // the frame of the release, if no trigger comes before; never: unknown
	move  voice.Move // decibels
}

// ducking is a Duck in frames. The control side creates it, and it is immutable.
type ducking struct {
	when                  int     // index of the other bus
	above                 float32 // a power
	by                    float64
	attack, hold, release int64
}

// newDucking converts a Duck for the audio side; nil for the zero Duck.
func (s *shared) newDucking(d *Duck) *ducking {
	if d.By == 0 {
		return nil
	}
	above := cmp.Or(d.Above, DuckAbove).Linear()
	return &ducking{
		when: s.tree.find(d.When), above: float32(above * above), by: float64(d.By), hold: pcm.Frames(d.Hold, s.rate),
		attack:  max(pcm.Frames(d.Attack, s.rate), s.smooth), // at least 5 ms against clicks
		release: max(pcm.Frames(d.Release, s.rate), s.smooth),
	}
}

// change replaces the rules of a duck. A lowered bus moves to the new depth, or releases.
func (d *duck) change(rules *ducking, now int64) {
	old := d.rules
	d.rules, d.upAt = rules, never
	switch {
	case !d.down:
	case rules == nil:
		d.down = false
		d.move.Ramp(now, 0, old.release)
	default:
		d.move.Ramp(now, -rules.by, rules.attack)
	}
}

// turn lowers the bus if a voice of the other bus is loud enough, and schedules the release if it no
// longer is. The scores that it compares are refreshed on the grid.
func (d *duck) turn(a *audio) {
	r := d.rules
	if r == nil {
		return
	}
	switch loud := a.buses[r.when].playing > 0 && slices.ContainsFunc(a.real(), func(v realVoice) bool { return a.hears(r, v.index, v.slot) }); {
	case loud && !d.down:
		d.down, d.upAt = true, never
		d.move.Ramp(a.now, -r.by, r.attack)
	case loud:
		d.upAt = never
	case d.down && d.upAt == never:
		d.upAt = a.now + r.hold
	}
}

// turnsUp returns after how many of the next n frames the bus releases, or n. Voices that end inside
// these frames may cause the release. No voice starts inside them.
func (d *duck) turnsUp(a *audio, n int64) int64 {
	if !d.down {
		return n
	}
	if d.upAt == never {
		if last, silent := a.lastEnd(d.rules, a.now+n); silent {
			d.upAt = last + d.rules.hold
		}
	}
	return min(d.upAt-a.now, n)
}

// up starts the release at a frame.
func (d *duck) up(frame int64) {
	d.down, d.upAt = false, never
	d.move.Ramp(frame, 0, d.rules.release)
}

// hears reports whether a voice triggers a duck.
func (a *audio) hears(d *ducking, i int, s *slot) bool {
	return i < a.base && a.scores.remaining[i] >= d.above && s.paused == 0 && a.tree.below(int(s.bus), d.when)
}

// lastEnd reports whether all triggering voices end before a frame, and returns the frame of the last
// end. endFinishedVoices has not removed these voices yet.
func (a *audio) lastEnd(d *ducking, before int64) (frame int64, silent bool) {
	if len(a.endings) == 0 {
		return a.now, false
	}
	left, last := 0, a.now
	for _, v := range a.real() {
		if a.hears(d, v.index, v.slot) {
			left++
		}
	}
	for _, e := range a.endings {
		frame := a.now + int64(e.after)
		if i := int(e.slot); !e.dry && frame < before && a.hears(d, i, a.mutable(i)) {
			left--
			last = max(last, frame)
		}
	}
	return last, left == 0
}

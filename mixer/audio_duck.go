package mixer

import (
	"cmp"
	"slices"

	"voicepool/pcm"
	"voicepool/voice"
)

// duck is the state of the duck of a bus.
type duck struct {
	rules     *duckRules // nil: off
	down      bool       // the bus is lowered, or moves there
	releaseAt int64      // the frame of the release, if no trigger comes before; never: unknown
	move      voice.Move // decibels
}

// duckRules is a Duck in frames. The control side creates it, and it is immutable.
type duckRules struct {
	trigger               int     // index of the other bus
	above                 float32 // a power
	by                    float64
	attack, hold, release int64
}

// newDuckRules converts d for the audio side: times become frames, and the level Above becomes a power. The result is
// nil if d.By is 0, as in the zero Duck. An Above of 0 becomes DuckAbove. Attack and release last at least 5 ms, to
// avoid clicks. d must be valid.
func (s *shared) newDuckRules(d *Duck) *duckRules {
	if d.By == 0 {
		return nil
	}
	above := cmp.Or(d.Above, DuckAbove).Linear()
	return &duckRules{
		trigger: s.tree.find(d.When), above: float32(above * above), by: float64(d.By), hold: pcm.Frames(d.Hold, s.rate),
		attack:  max(pcm.Frames(d.Attack, s.rate), s.smooth), // at least 5 ms against clicks
		release: max(pcm.Frames(d.Release, s.rate), s.smooth),
	}
}

// change replaces the rules of the duck at the frame now of the mix; nil turns the duck off. If the bus is lowered at
// that frame, its gain moves to the new depth. If rules is nil, the gain moves back to 0 dB instead.
func (d *duck) change(rules *duckRules, now int64) {
	old := d.rules
	d.rules, d.releaseAt = rules, never
	switch {
	case !d.down:
	case rules == nil:
		d.down = false
		d.move.Ramp(now, 0, old.release)
	default:
		d.move.Ramp(now, -rules.by, rules.attack)
	}
}

// update decides whether the duck lowers its bus from the present frame on. It lowers the bus if a voice on the
// trigger bus is loud enough. If no voice is loud enough any longer, the bus will rise again after the hold time:
// update sets d.releaseAt. The loudness of voices is known only from their last scores, which may be 20 ms old.
// Without rules update has no effect.
func (d *duck) update(a *audio) {
	r := d.rules
	if r == nil {
		return
	}
	switch loud := a.buses[r.trigger].playing > 0 && slices.ContainsFunc(a.real(), func(v realVoice) bool { return a.triggers(r, v.index, v.slot) }); {
	case loud && !d.down:
		d.down, d.releaseAt = true, never
		d.move.Ramp(a.now, -r.by, r.attack)
	case loud:
		d.releaseAt = never
	case d.down && d.releaseAt == never:
		d.releaseAt = a.now + r.hold
	}
}

// releaseAfter returns after how many of the next n frames the gain of the duck begins to return to 0 dB; n if it does
// not begin within them. If all voices that trigger the duck end within these frames, it schedules this release first.
// It does not start the release, see release. No voice may start within these frames.
func (d *duck) releaseAfter(a *audio, n int64) int64 {
	if !d.down {
		return n
	}
	if d.releaseAt == never {
		if last, silent := a.lastTriggerEnd(d.rules, a.now+n); silent {
			d.releaseAt = last + d.rules.hold
		}
	}
	return min(d.releaseAt-a.now, n)
}

// release makes the gain of the duck return to 0 dB, from the given frame of the mix on, within the release time. The
// duck must have rules.
func (d *duck) release(frame int64) {
	d.down, d.releaseAt = false, never
	d.move.Ramp(frame, 0, d.rules.release)
}

// triggers reports whether the voice s at index i triggers a duck with the rules d. Such a voice is on the trigger bus
// or below it, is neither virtual nor paused, and is loud enough.
func (a *audio) triggers(d *duckRules, i int, s *slot) bool {
	return i < a.base && a.scores.Remaining(i) >= d.above && s.paused == 0 && a.tree.below(int(s.bus), d.trigger)
}

// lastTriggerEnd reports in silent whether all voices that trigger a duck with the rules d end before the frame end.
// If so, the result frame is the frame where the last of them ends; otherwise it has no meaning. Both are frames of
// the mix. It reads a.endings, the voices that end within the frames just mixed. It must be called before
// endFinishedVoices, which removes these voices.
func (a *audio) lastTriggerEnd(d *duckRules, end int64) (frame int64, silent bool) {
	if len(a.endings) == 0 {
		return a.now, false
	}
	left, last := 0, a.now
	for _, v := range a.real() {
		if a.triggers(d, v.index, v.slot) {
			left++
		}
	}
	for _, e := range a.endings {
		frame := a.now + int64(e.offset)
		if i := int(e.slot); !e.dry && frame < end && a.triggers(d, i, a.mutable(i)) {
			left--
			last = max(last, frame)
		}
	}
	return last, left == 0
}

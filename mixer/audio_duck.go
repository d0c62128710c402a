package mixer

import (
	"cmp"
	"slices"

	"voicepool/pcm"
	"voicepool/voice"
)

// duck is how a bus gives way to another.
type duck struct {
	rules *ducking // nil: it does not
	down  bool
	upAt  int64      // where it lets go, if nothing comes in between; never: not known yet
	move  voice.Move // decibels
}

// ducking is a Duck in frames. The control side makes it, and nobody changes it.
type ducking struct {
	when                  int     // index of the other bus
	above                 float32 // an audibility
	by                    float64
	attack, hold, release int64
}

// newDucking returns what the audio side needs of a Duck; nil for one that does nothing.
func (s *shared) newDucking(d *Duck) *ducking {
	if d.By == 0 {
		return nil
	}
	above := cmp.Or(d.Above, DuckAbove).Linear()
	return &ducking{
		when: s.tree.find(d.When), above: float32(above * above), by: float64(d.By), hold: pcm.Frames(d.Hold, s.rate),
		attack:  max(pcm.Frames(d.Attack, s.rate), s.smooth), // nothing is ever cut hard
		release: max(pcm.Frames(d.Release, s.rate), s.smooth),
	}
}

// change gives a duck other rules. One that is down goes to its new depth from where it
// is, or lets go; what it waits for is asked anew.
func (d *duck) change(rules *ducking, now int64) {
	old := d.rules
	d.rules, d.upAt = rules, never
	switch {
	case !d.down:
	case rules == nil:
		d.down = false
		d.move.Turn(now, 0, old.release)
	default:
		d.move.Turn(now, -rules.by, rules.attack)
	}
}

// turn lowers the bus when what it gives way to is loud enough, and settles when it lets
// go when that has fallen silent by a command, or by itself: scores are fresh on the grid.
func (d *duck) turn(a *audio) {
	r := d.rules
	if r == nil {
		return
	}
	switch loud := a.buses[r.when].playing > 0 && slices.ContainsFunc(a.real(), func(v seat) bool { return a.hears(r, v.index, v.slot) }); {
	case loud && !d.down:
		d.down, d.upAt = true, never
		d.move.Turn(a.now, -r.by, r.attack)
	case loud:
		d.upAt = never
	case d.down && d.upAt == never:
		d.upAt = a.now + r.hold
	}
}

// turnsUp returns where in the next n frames the bus lets go, or n. Voices that
// end inside these frames may cause it there; nothing starts inside.
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

func (d *duck) up(frame int64) {
	d.down, d.upAt = false, never
	d.move.Turn(frame, 0, d.rules.release)
}

// hears reports whether a bus gives way to a voice.
func (a *audio) hears(d *ducking, i int, s *slot) bool {
	return i < a.base && a.scores.whole[i] >= d.above && s.paused == 0 && a.tree.below(int(s.bus), d.when)
}

// lastEnd returns the frame at which the last of the voices to which a bus gives way came to
// its end, if all of them have before a frame: reap has not counted them out yet.
func (a *audio) lastEnd(d *ducking, before int64) (frame int64, silent bool) {
	if len(a.ends) == 0 {
		return a.now, false
	}
	left, last := 0, a.now
	for _, v := range a.real() {
		if a.hears(d, v.index, v.slot) {
			left++
		}
	}
	for _, e := range a.ends {
		frame := a.now + int64(e.after)
		if i := int(e.slot); !e.dry && frame < before && a.hears(d, i, a.at(i)) {
			left--
			last = max(last, frame)
		}
	}
	return last, left == 0
}

package mixer

import (
	"voicepool/pcm"
	"voicepool/voice"
)

// duck is how a bus gives way to another.
type duck struct {
	when                  int // index of that bus
	by                    float64
	attack, hold, release int64
	down                  bool
	upAt                  int64      // where it lets go, if nothing comes in between; never: not known yet
	move                  voice.Move // decibels
}

func newDuck(d *Duck, a *audio) duck {
	if *d == (Duck{}) {
		return duck{}
	}
	return duck{
		when: a.tree.find(d.When), by: float64(d.By), upAt: never, hold: pcm.Frames(d.Hold, a.rate),
		attack:  max(pcm.Frames(d.Attack, a.rate), a.smooth), // nothing is ever cut hard
		release: max(pcm.Frames(d.Release, a.rate), a.smooth),
	}
}

// turn lowers the bus when what it gives way to sounds, and settles when it lets
// go when that has fallen silent by a command.
func (d *duck) turn(a *audio) {
	if d.by == 0 {
		return
	}
	active := a.buses[d.when].active > 0
	switch {
	case active && !d.down:
		d.down = true
		d.move.Turn(a.now, -d.by, d.attack)
		d.upAt = never
	case active:
		d.upAt = never
	case d.down && d.upAt == never:
		d.upAt = a.now + d.hold
	}
}

// turnsUp returns where in the next n frames the bus lets go, or n. Voices that
// end inside these frames may cause it there; nothing starts inside.
func (d *duck) turnsUp(a *audio, n int64) int64 {
	if !d.down {
		return n
	}
	if d.upAt == never {
		if last, silent := a.lastEnd(d.when, a.now+n); silent {
			d.upAt = last + d.hold
		}
	}
	return min(d.upAt-a.now, n)
}

func (d *duck) up(frame int64) {
	d.down, d.upAt = false, never
	d.move.Turn(frame, 0, d.release)
}

// lastEnd returns the frame at which the last of the sounding voices of a bus
// came to its end, if all of them have before a frame: reap has not counted them
// out yet.
func (a *audio) lastEnd(index int, before int64) (frame int64, silent bool) {
	n, last := 0, a.now
	for _, e := range a.ends {
		if a.tree.below(int(a.at(e.slot).bus), index) && !e.dry && e.frame < before {
			n++
			last = max(last, e.frame)
		}
	}
	b := &a.buses[index]
	return last, b.active > 0 && n == b.active
}

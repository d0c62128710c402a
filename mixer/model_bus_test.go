package mixer_test

import (
	"math"

	"voicepool/voice"
)

// modelBus is a sub-mix of the model.
type modelBus struct {
	parent        int
	limit         int
	paused        bool
	muted, soloed bool
	gain, pan     glide
	pitch, mute   glide
	direct        glide
	duck          modelDuck
	score         pair // the factors that count in scores, of the last refresh
	quiet, opened bool // of the last refresh: muted, soloed here or above
	tailsEnd      int64
	sum           pair
	bound         float64
}

type modelDuck struct {
	when                  int
	by                    float64
	attack, hold, release int64
	down                  bool
	upAt                  int64 // -1: not known
	move                  glide
}

// below reports whether bus i is bus j or below it.
func (x *model) below(i, j int) bool {
	for ; i >= 0; i = x.buses[i].parent {
		if i == j {
			return true
		}
	}
	return false
}

// playing and active count the voices on a bus and below it.
func (x *model) playing(bus int) (n int) {
	for _, v := range x.slots {
		if v != nil && x.below(v.play.bus, bus) {
			n++
		}
	}
	return n
}

func (x *model) active(bus int) (n int) {
	for _, v := range x.slots {
		if v != nil && !v.paused() && x.below(v.play.bus, bus) {
			n++
		}
	}
	return n
}

// held reports whether a bus or one above it is paused.
func (x *model) held(bus int) bool {
	for ; bus >= 0; bus = x.buses[bus].parent {
		if x.buses[bus].paused {
			return true
		}
	}
	return false
}

// refresh works out what the buses bring to scores.
func (x *model) refresh() {
	for i := range x.buses {
		b := &x.buses[i]
		b.score, b.quiet, b.opened = pair{1, 1}, false, false
		for j := i; j >= 0; j = x.buses[j].parent {
			c := &x.buses[j]
			g := max(c.gain.gain(x.now), factor(c.gain.to))
			b.score = b.score.times(wider(voice.Balance, &c.pan, x.now)).times(pair{g, g})
			b.quiet = b.quiet || c.muted
			b.opened = b.opened || c.soloed
		}
	}
}

// face silences the voices of buses that are not soloed while others are.
func (x *model) face(over int64) {
	some := false
	for i := range x.buses {
		some = some || x.buses[i].soloed
	}
	for i := range x.buses {
		b := &x.buses[i]
		to := 1.0
		if some && !b.opened {
			to = 0
		}
		if b.direct.to == to {
			continue
		}
		frames := over
		if x.sounding(i) {
			frames = max(over, x.smooth)
		}
		b.direct.turn(x.now, to, frames)
	}
}

// pitchOf is the pitch that the buses give to a voice.
func (x *model) pitchOf(bus int) glide {
	sum := glide{start: x.now}
	for ; bus >= 0; bus = x.buses[bus].parent {
		p := &x.buses[bus].pitch
		sum.from += p.at(x.now)
		sum.to += p.to
		sum.frames = max(sum.frames, p.end()-x.now)
	}
	return sum
}

// heard reports whether anything comes through a bus.
func (x *model) heard(bus int) bool {
	for i := range x.buses {
		if x.below(i, bus) && x.sounding(i) {
			return true
		}
	}
	return false
}

// sounding reports whether anything comes from voices of a bus itself.
func (x *model) sounding(bus int) bool {
	for _, v := range x.slots {
		if v != nil && v.sounded && !v.paused() && v.play.bus == bus {
			return true
		}
	}
	return x.buses[bus].tailsEnd > x.now
}

// turnDucks lowers buses, and lets them go.
func (x *model) turnDucks() {
	for i := range x.buses {
		d := &x.buses[i].duck
		if d.by == 0 {
			continue
		}
		active := x.active(d.when) > 0
		switch {
		case active && !d.down:
			d.down, d.upAt = true, -1
			d.move.turn(x.now, -d.by, d.attack)
		case active:
			d.upAt = -1
		case d.down && d.upAt < 0:
			d.upAt = x.now + d.hold
		}
	}
}

func (x *model) releaseDucks() {
	for i := range x.buses {
		d := &x.buses[i].duck
		if !d.down {
			continue
		}
		if d.upAt < 0 && x.active(d.when) == 0 {
			d.upAt = x.now + d.hold
		}
		if d.upAt == x.now {
			d.down, d.upAt = false, -1
			d.move.turn(x.now, 0, d.release)
		}
	}
}

func (b *modelBus) factors(f int64) pair {
	g := b.gain.gain(f) * b.mute.at(f) * math.Pow(10, b.duck.move.at(f)/20)
	return balance(b.pan.at(f)).times(pair{g, g})
}

// at returns the factors of frame f, on a straight line from the last place of
// the grid, or where a move began or ended, to the next; and their bound.
func (b *modelBus) at(f int64) (pair, float64) {
	g, end, last := int64(64), int64(0), int64(0)
	for _, m := range []*glide{&b.gain, &b.pan, &b.mute, &b.duck.move} {
		last = max(last, m.start)
		if e := m.end(); e > f {
			if end == 0 || e < end {
				end = e
			}
			g = min(g, grid(m.frames))
		} else {
			last = max(last, e)
		}
	}
	if end == 0 {
		p := b.factors(f)
		return p, max(p[0], p[1])
	}
	from, to := max(f/g*g, last), min((f/g+1)*g, end)
	return between(b.factors(from), b.factors(to), f, from, to)
}

// directAt is the same of the factor that soloing brings.
func (b *modelBus) directAt(f int64) float64 {
	m := &b.direct
	if f >= m.end() {
		return m.to
	}
	g := grid(m.frames)
	from, to := max(f/g*g, m.start), min((f/g+1)*g, m.end())
	x, y := m.at(from), m.at(to)
	p, _ := between(pair{x}, pair{y}, f, from, to)
	return p[0]
}

func between(a, b pair, f, from, to int64) (pair, float64) {
	x := float64(f-from) / float64(to-from)
	return pair{a[0] + (b[0]-a[0])*x, a[1] + (b[1]-a[1])*x}, max(a[0], a[1], b[0], b[1])
}

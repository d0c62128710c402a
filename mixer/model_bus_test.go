package mixer_test

import (
	"math"

	"voicepool/internal/panning"
)

// modelBus is a bus of the model.
type modelBus struct {
	parent        int
	limit         int
	paused        bool
	muted, soloed bool
	gain, pan     modelRamp
	pitch, mute   modelRamp
	volume        modelRamp // a linear factor
	direct        modelRamp
	duck          modelDuck
	score         pair // the factors in scores, as of the last refresh
	quiet         bool // as of the last refresh: muted here or above
	tailsEnd      int64
	sum           modelFrame
	curve, facing busCurve // of its factors, and of direct
}

type modelDuck struct {
	when                  int
	above                 float64 // an audibility
	by                    float64
	attack, hold, release int64
	down                  bool
	upAt                  int64 // -1: unknown
	move                  modelRamp
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

// playing counts the voices on a bus and below it.
func (x *model) playing(bus int) (n int) {
	for _, v := range x.slots {
		if v != nil && x.below(v.play.bus, bus) {
			n++
		}
	}
	return n
}

// loud counts the voices that trigger a duck.
func (x *model) loud(d *modelDuck) (n int) {
	for _, v := range x.slots {
		if v != nil && !v.paused() && x.below(v.play.bus, d.when) && v.score.heard >= float32(d.above) { // scores are float32
			n++
		}
	}
	return n
}

// held reports whether a bus or a bus above it is paused.
func (x *model) held(bus int) bool {
	for ; bus >= 0; bus = x.buses[bus].parent {
		if x.buses[bus].paused {
			return true
		}
	}
	return false
}

// refresh computes the factors of buses in scores.
func (x *model) refresh() {
	for i := range x.buses {
		b := &x.buses[i]
		b.score, b.quiet = pair{1, 1}, false
		for j := i; j >= 0; j = x.buses[j].parent {
			c := &x.buses[j]
			g := max(c.gain.gain(x.now), factor(c.gain.to)) * max(c.volume.at(x.now), c.volume.to)
			b.score = b.score.times(louderPan(panning.Balance, &c.pan, x.now)).times(pair{g, g})
			b.quiet = b.quiet || c.muted
		}
	}
}

// passesSolo reports whether the voices of a bus are heard: without a solo, or on a soloed bus or below it.
func (x *model) passesSolo(bus int) bool {
	some := false
	for i := range x.buses {
		if x.buses[i].soloed {
			if some = true; x.below(bus, i) {
				return true
			}
		}
	}
	return !some
}

// applySolo fades the voices of buses after a change of solos.
func (x *model) applySolo(over int64) {
	for i := range x.buses {
		b, to := &x.buses[i], oneIf(x.passesSolo(i))
		if b.direct.to == to {
			continue
		}
		frames := over
		if x.sounding(i) {
			frames = max(over, x.smooth)
		}
		b.direct.ramp(x.now, to, frames)
	}
}

// pitchOf returns the sum of the pitches of a bus and the buses above it.
func (x *model) pitchOf(bus int) modelRamp {
	sum := modelRamp{start: x.now}
	for ; bus >= 0; bus = x.buses[bus].parent {
		p := &x.buses[bus].pitch
		sum.from += p.at(x.now)
		sum.to += p.to
		sum.frames = max(sum.frames, p.end()-x.now)
	}
	return sum
}

// heard reports whether a bus has output.
func (x *model) heard(bus int) bool {
	for i := range x.buses {
		if x.below(i, bus) && x.sounding(i) {
			return true
		}
	}
	return false
}

// sounding reports whether a bus has sound of its own voices.
func (x *model) sounding(bus int) bool {
	for _, v := range x.slots {
		if v != nil && v.sounded && !v.paused() && v.play.bus == bus {
			return true
		}
	}
	return x.buses[bus].tailsEnd > x.now
}

// moveDucks lowers and releases buses.
func (x *model) moveDucks() {
	for i := range x.buses {
		d := &x.buses[i].duck
		if d.by == 0 {
			continue
		}
		active := x.loud(d) > 0
		switch {
		case active && !d.down:
			d.down, d.upAt = true, -1
			d.move.ramp(x.now, -d.by, d.attack)
		case active:
			d.upAt = -1
		case d.down && d.upAt < 0:
			d.upAt = x.now + d.hold
		}
	}
}

// releaseDucks starts the releases that are due at the present frame. For ducks without a trigger it schedules the
// release.
func (x *model) releaseDucks() {
	for i := range x.buses {
		d := &x.buses[i].duck
		if !d.down {
			continue
		}
		if d.upAt < 0 && x.loud(d) == 0 {
			d.upAt = x.now + d.hold
		}
		if d.upAt == x.now {
			d.down, d.upAt = false, -1
			d.move.ramp(x.now, 0, d.release)
		}
	}
}

// factors returns the exact left and right factors of the bus at frame f.
func (b *modelBus) factors(f int64) pair {
	g := b.gain.gain(f) * b.mute.at(f) * b.volume.at(f) * math.Pow(10, b.duck.move.at(f)/20)
	return balance(b.pan.at(f)).times(pair{g, g})
}

// busCurve is a piece of the factors of a bus, with the fades that they depend on.
type busCurve struct {
	moves [5]modelRamp
	piece curvePiece
}

// at returns the exact factors of frame f, the maximum deviation of a line, and their bound.
func (b *modelBus) at(f int64) (g, bent, most pair) {
	return b.curve.at(f, [5]modelRamp{b.gain, b.pan, b.mute, b.volume, b.duck.move}, b.factors)
}

// directAt is at for the factor of solos.
func (b *modelBus) directAt(f int64) (g, bent, most pair) {
	return b.facing.at(f, [5]modelRamp{b.direct}, func(f int64) pair { x := b.direct.at(f); return pair{x, x} })
}

// at returns the exact factors of frame f, the maximum deviation of a line, and their bound. moves are the fades
// behind factors; at a change of moves a new line begins.
func (c *busCurve) at(f int64, moves [5]modelRamp, factors func(int64) pair) (g, bent, most pair) {
	if moves != c.moves || c.piece.until == 0 || f >= c.piece.until {
		last, end, length := int64(0), int64(math.MaxInt64), int64(longest)
		for _, m := range moves {
			if m.end() > f {
				end, length, last = min(end, m.end()), min(length, maxPiece(m.frames)), max(last, m.start)
			} else {
				last = max(last, m.end())
			}
		}
		c.moves, c.piece = moves, newCurvePiece(factors, f, last, end, length)
	}
	g, bent = c.piece.at(f)
	return g, bent, c.piece.most
}

package mixer

import (
	"math/bits"
	"slices"

	"voicepool/internal/dsp"
	"voicepool/mixer/internal/master"
	"voicepool/pcm"
	"voicepool/voice"
)

// bus is a sub-mix on the audio side. Each block sums its voices, its tails, and the outputs of the buses
// below it. The sum passes through the effects, the insert, the filter and the gains.
type bus struct {
	limit   int
	playing int // voices on it and below it
	paused  bool
	held    bool // it or a bus above it is paused
	muted   bool
	soloed  bool
	faced   bool // it or a bus above it is soloed
	quiet   bool // it or a bus above it is muted

	gain   voice.Move // decibels
	pan    voice.Move
	pitch  voice.Move // semitones, added to its voices
	mute   voice.Move // a factor
	direct voice.Move // a factor of its own voices: 0 while other buses are soloed

	reach         stereo // the factors that count in scores, down to the master bus of its output
	most          stereo // the upper bound of the factors including fades of mutes, without direct
	scoresChanged bool   // reach or the response has changed since the scores were refreshed

	duck    duck
	filter  voice.Filter // after the effects and the insert
	rack    rack
	rings   int64 // the maximum tail of its filter in frames
	ringing int64 // the maximum tail of all effects from here on, in frames
	// closedAt is the last frame at which a gain after this bus opened or closed. rangUntil is the end of
	// the tail of sound from before that frame.
	closedAt, rangUntil int64
	sends               []send
	fed                 bool          // another bus or a voice sends to it, or has sent to it
	past                bool          // sends were added to pasts in this stretch
	gave                bool          // it had output in this block
	given               []pcm.Frame   // its last output, for sends and keys of other buses; nil if unused
	insert              *insert       // may be nil
	next                *insert       // replaces insert after the crossfade under way
	meter               *master.Meter // may be nil; the meter of the master comes after the limiter

	sums
}

// tailsRing returns the length of a tail ring: a power of two that holds a hop and a tail.
func tailsRing(hop, tail int64) int64 { return int64(1) << bits.Len64(uint64(hop+tail-1)) }

// newBuses creates the buses from their descriptions.
func newBuses(described []BusConfig, a *audio) []bus {
	buses := make([]bus, len(described))
	for i, d := range described {
		b := &buses[i]
		*b = bus{
			limit: d.Voices, muted: d.Mute, soloed: d.Solo,
			gain: voice.Constant(float64(d.Gain)), pan: voice.Constant(d.Pan), pitch: voice.Constant(float64(d.Pitch)), mute: voice.Constant(1 - boolFloat(d.Mute)),
			direct: voice.Constant(1), duck: duck{rules: a.newDucking(&d.Duck), upAt: never},
			sums: newSums(a.hop, tailsRing(a.hop, a.tail)),
		}
		b.filter.Start(a.rate, d.LowPass, d.HighPass)
		b.rings = b.filter.Tail(0)
		if d.Insert != nil {
			b.insert = newInsert(d.Insert, a.hop)
		}
		b.rack, b.sends = a.newRack(d.Effects, a.rate), a.newSends(d.Sends)
		if len(b.sends) > 0 {
			b.given = make([]pcm.Frame, a.hop)
		}
		if a.meters != nil && i > 0 && (a.fold || a.tree[i].above >= 0) {
			b.meter = a.meters[i]
		}
	}
	for i := range buses {
		for j := range buses[i].sends {
			buses[buses[i].sends[j].bus].fed = true
		}
		for _, k := range buses[i].rack.keys {
			if k >= 0 && buses[k].given == nil {
				buses[k].given = make([]pcm.Frame, a.hop)
			}
		}
	}
	return buses
}

// count adds playing to the number of voices of a bus and of all buses above it.
func (a *audio) count(bus uint16, playing int) {
	for i := int(bus); i >= 0; i = a.tree[i].parent {
		a.buses[i].playing += playing
	}
}

// refresh updates the state that scores and pauses use, from the master down. Each fade counts with the
// larger of its current and target value. Ducks do not count, because ducked voices would be stolen and
// restored again and again.
func (a *audio) refresh() {
	for _, i := range a.down {
		b := &a.buses[i]
		was := b.reach
		gain := b.gain.MaxGain(a.now)
		b.reach = newStereo(voice.LouderPan(voice.Stereo, &b.pan, a.now)).times(equalStereo(gain))
		b.most = newStereo(voice.LargerPan(voice.Stereo, &b.pan, a.now)).times(equalStereo(float64(gain * max(b.mute.At(a.now), b.mute.To))))
		b.held, b.quiet, b.faced = b.paused, b.muted, b.soloed
		if i > 0 {
			above := &a.buses[a.tree[i].parent]
			b.held = b.held || above.held
			b.faced = b.faced || above.faced
			if a.tree[i].above >= 0 {
				b.reach, b.most = b.reach.times(above.reach), b.most.times(above.most)
				b.quiet = b.quiet || above.quiet
			}
		}
		b.scoresChanged = b.scoresChanged || b.reach != was
	}
	a.refreshBusResponses()
}

// face fades the own voices of each bus in or out after a change of solos.
func (a *audio) face(over int64) {
	some := false
	for i := range a.buses {
		some = some || a.buses[i].soloed
	}
	for i := range a.buses {
		b := &a.buses[i]
		if to := 1 - boolFloat(some && !b.faced); b.direct.To != to {
			b.direct.Ramp(a.now, to, a.smoothed(a.heard(i, true), over))
		}
	}
}

// pitches reports whether a bus or a bus above it has a pitch other than 0, or fades from one.
func (a *audio) pitches(bus uint16) bool {
	for i := int(bus); i >= 0; i = a.tree[i].parent {
		if p := &a.buses[i].pitch; p.From != 0 || p.To != 0 {
			return true
		}
	}
	return false
}

// pitchOf returns the sum of the pitches of a bus and the buses above it.
func (a *audio) pitchOf(bus uint16) voice.Move {
	sum := voice.Move{Start: a.now}
	for i := int(bus); i >= 0; i = a.tree[i].parent {
		p := &a.buses[i].pitch
		sum.From += p.At(a.now)
		sum.To += p.To
		sum.Frames = max(sum.Frames, p.End()-a.now)
	}
	return sum
}

// setBus sets properties of a bus, and updates the pitch and the scores of its voices.
func (a *audio) setBus(index int, c *command) {
	b := &a.buses[index]
	over := a.smoothed(a.heard(index, false), c.over)
	a.measureAt(a.now)
	was, opened := b.ringing, b.opens(a.now)
	for fields := c.change.Fields; fields != 0; fields &= fields - 1 {
		f := fields.first()
		b.set(f, c.change.get(f), a.now, over, c.change.Shape)
	}
	if c.change.Fields&cutoffFields != 0 {
		a.refilter(index)
	}
	if end := max(b.gain.End(), b.mute.End()); opened != b.opens(end) {
		a.ringPast(index, end, was)
	}
	a.refresh()
	solo := c.change.Fields&FieldSolo != 0
	if solo {
		a.face(c.over)
	}
	for i, place := a.nextInOrder(0); i >= 0; i, place = a.nextInOrder(place) {
		below := a.tree.through(int(a.voiceTable.at(i).bus), index)
		if below && c.change.Fields&FieldPitch != 0 {
			s := a.mutable(i)
			s.voice.SetBusPitch(a.now, a.pitchOf(s.bus))
		}
		if below || solo {
			a.rescore(i)
		}
	}
}

// heard reports whether a bus may have output, or with own whether its own voices and tails do. Effects,
// inserts and received sends count as output.
func (a *audio) heard(index int, own bool) bool {
	on := func(bus int) bool { return bus == index || !own && a.tree.through(bus, index) }
	for i := range a.buses {
		if b := &a.buses[i]; on(i) && (b.tailsEnd > a.now || !own && (b.insert != nil || len(b.rack.all) > 0 || b.fed || b.filter.HasTail())) {
			return true
		}
	}
	return slices.ContainsFunc(a.real(), func(v realVoice) bool {
		s := v.slot
		return s.sounded && s.paused == 0 && on(int(s.bus))
	})
}

// lend makes the master bus of an output mix directly into the output, if it is the only bus there and
// leaves the sum unchanged. A separate buffer would miss the cache when many mixers take turns.
func (a *audio) lend(o *output) {
	if o.root < 0 {
		return
	}
	b := &a.buses[o.root]
	if b.lent = a.stems == nil && b.passes(a.now); b.lent {
		b.mixed, b.own = o.into, b.mixed
	}
}

// passes reports whether a bus passes its sum unchanged from a frame on.
func (b *bus) passes(frame int64) bool {
	return b.insert == nil && !b.filter.Active() && len(b.rack.all) == 0 && b.given == nil && b.meter == nil && b.duck.rules == nil && b.gain.SettledAt(0, frame) && b.pan.SettledAt(0, frame) &&
		b.mute.SettledAt(1, frame) && b.direct.SettledAt(1, frame) && b.duck.move.SettledAt(0, frame)
}

// mixBuses mixes all buses down to their outputs.
func (a *audio) mixBuses(n int64) {
	for i := range a.buses {
		b := &a.buses[i]
		b.takeTails(a.now, n)
		b.face(&b.sums, a.now, n)
		if b.past {
			dsp.Sum(b.block(n), (*a.pasts[i].Load())[:n])
			b.past = false
		}
	}
	if a.stems != nil {
		a.beginStems(n)
	}
	for _, i := range a.up {
		b := &a.buses[i]
		a.effects(i, n)
		a.insert(i, n)
		a.filter(i, n)
		turn := b.duck.turnsUp(a, n)
		if b.gave = b.used; !b.used {
			if turn < n {
				b.duck.up(a.now + turn)
			}
			if b.meter != nil {
				b.meter.Skip(n)
			}
			clear(b.given[:min(n, int64(len(b.given)))])
			if b.lent {
				b.lent, b.mixed = false, b.own
			}
			continue
		}
		b.used = false
		if b.lent {
			b.lent, b.mixed = false, b.own
			a.end(i).silent = false
			continue
		}
		var sum []pcm.Frame
		if above := a.tree[i].above; above >= 0 {
			sum = a.buses[above].block(n)
		} else {
			o := a.end(i)
			sum, o.silent = o.into, false
		}
		out := sum
		if alone := b.alone(a); alone != nil {
			out = alone[:n]
			clear(out)
		}
		b.apply(out[:turn], b.mixed[:turn], a.now)
		if a.stems != nil {
			a.applyStems(i, 0, turn, n)
		}
		if turn < n {
			b.duck.up(a.now + turn)
			b.apply(out[turn:], b.mixed[turn:n], a.now+turn)
			if a.stems != nil {
				a.applyStems(i, turn, n, n)
			}
		}
		if b.alone(a) != nil {
			if b.meter != nil {
				b.meter.Feed(out)
			}
			dsp.Sum(sum, out)
			a.sendOn(i, b.mixed, out, n)
		}
	}
}

// alone returns the buffer for the output of the bus if it is needed separately, or nil.
func (b *bus) alone(a *audio) []pcm.Frame {
	switch {
	case b.given != nil:
		return b.given
	case b.meter != nil:
		return a.metered
	}
	return nil
}

// face applies the fade of solos to the own voices of a bus.
func (b *bus) face(own *sums, frame, n int64) {
	if own.used && (b.direct.To != 1 || b.direct.End() > frame) {
		scale(own.mixed[:n], &b.direct, frame)
	}
}

// apply adds src to dst with the gains of the bus.
func (b *bus) apply(dst, src []pcm.Frame, frame int64) {
	for len(dst) > 0 {
		from, to := line(frame, &b.gain, &b.pan, &b.mute, &b.duck.move)
		n := min(int64(len(dst)), to-frame)
		left, right := b.factors(from)
		ramp := dsp.Ramp{Left: float32(left), Right: float32(right), Start: int(frame - from)}
		if to != never {
			toLeft, toRight := b.factors(to)
			ramp.LeftSlope = float32((toLeft - left) / float64(to-from))
			ramp.RightSlope = float32((toRight - right) / float64(to-from))
		}
		dsp.Frames(dst[:n], src[:n], ramp)
		dst, src = dst[n:], src[n:]
		frame += n
	}
}

// line returns the ends of the linear segment around a frame. Segments end on the grid that voices use,
// and at the ends of fades, so they do not depend on blocks. Without a fade, to is never.
func line(frame int64, moves ...*voice.Move) (from, to int64) {
	grid, end, last := int64(64), int64(never), int64(0)
	for _, m := range moves {
		last = max(last, m.Start)
		if e := m.End(); e > frame {
			grid, end = min(grid, m.Grid()), min(end, e)
		} else {
			last = max(last, e)
		}
	}
	if end == never {
		return frame, never
	}
	return max(frame/grid*grid, last), min((frame/grid+1)*grid, end)
}

// factors returns the left and right factors at a frame.
func (b *bus) factors(frame int64) (left, right float64) {
	left, right = voice.Balance(b.pan.At(frame))
	g := float64(b.gain.Gain(frame) * b.mute.At(frame))
	g = float64(g * pcm.Decibels(b.duck.move.At(frame)).Linear())
	return float64(left * g), float64(right * g)
}

// scale multiplies a block by a fading factor.
func scale(block []pcm.Frame, m *voice.Move, frame int64) {
	for len(block) > 0 {
		from, to := line(frame, m)
		n := min(int64(len(block)), to-frame)
		a := m.At(from)
		slope := (m.At(to) - a) / float64(to-from)
		for i := range block[:n] {
			g := float32(a + float64(slope*float64(frame-from+int64(i))))
			block[i][0] = float32(block[i][0] * g)
			block[i][1] = float32(block[i][1] * g)
		}
		block = block[n:]
		frame += n
	}
}

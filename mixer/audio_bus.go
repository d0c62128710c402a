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
	limit        int
	playing      int // voices on it and below it
	paused       bool
	pausedByTree bool // it or a bus above it is paused
	muted        bool
	soloed       bool
	hasSolo      bool // it or a bus above it is soloed
	quiet        bool // it or a bus above it is muted

	gain     voice.Move // decibels
	pan      voice.Move
	pitch    voice.Move // semitones, added to its voices
	mute     voice.Move // a factor
	soloFade voice.Move // a factor of its own voices: 0 while other buses are soloed

	gains         stereo // the factors that count in scores, down to the master bus of its output
	maxGains      stereo // the upper bound of the factors including fades of mutes, without soloFade
	scoresChanged bool   // gains or the response have changed since the scores were refreshed

	duck       duck
	filter     voice.Filter // after the effects and the insert
	rack       effectRack
	filterTail int64 // the maximum tail of its filter in frames
	tail       int64 // the maximum tail of all effects from here on, in frames
	// closedAt is the last frame at which a gain after this bus opened or closed. tailUntil is the end of the
	// tail of sound from before that frame.
	closedAt, tailUntil int64
	sends               []send
	receivesSends       bool          // another bus or a voice sends to it, or has sent to it
	hasBypass           bool          // sends were added to soloBypass in this stretch
	hadOutput           bool          // it had output in this block
	lastOutput          []pcm.Frame   // its last output, for sends and keys of other buses; nil if unused
	insert              *insert       // may be nil
	next                *insert       // replaces insert after the crossfade under way
	meter               *master.Meter // may be nil; the meter of the master comes after the limiter

	busBuffers
}

// tailRingLen returns the length in frames of the ring buffer of a bus, which holds tails: the last few milliseconds
// of stolen voices. The length is the smallest power of two that holds hop frames and tail frames together.
func tailRingLen(hop, tail int64) int64 { return int64(1) << bits.Len64(uint64(hop+tail-1)) }

// newBuses creates the buses of the audio side a from described, in the same order. This includes their filters,
// effects, inserts, ducks, sends and buffers. described must be valid. The tree, the rate and the meters of a must be
// set.
func newBuses(described []BusConfig, a *audio) []bus {
	buses := make([]bus, len(described))
	for i, d := range described {
		b := &buses[i]
		*b = bus{
			limit: d.Voices, muted: d.Mute, soloed: d.Solo,
			gain: voice.Constant(float64(d.Gain)), pan: voice.Constant(d.Pan), pitch: voice.Constant(float64(d.Pitch)), mute: voice.Constant(1 - boolFloat(d.Mute)),
			soloFade: voice.Constant(1), duck: duck{rules: a.newDuckRules(&d.Duck), releaseAt: never},
			busBuffers: newBusBuffers(a.hop, tailRingLen(a.hop, a.tail)),
		}
		b.filter.Start(a.rate, d.LowPass, d.HighPass)
		b.filterTail = b.filter.Tail(0)
		if d.Insert != nil {
			b.insert = newInsert(d.Insert, a.hop)
		}
		b.rack, b.sends = a.newRack(d.Effects, a.rate), a.newSends(d.Sends)
		if len(b.sends) > 0 {
			b.lastOutput = make([]pcm.Frame, a.hop)
		}
		if a.meters != nil && i > 0 && (a.downmix || a.tree[i].above >= 0) {
			b.meter = a.meters[i]
		}
	}
	for i := range buses {
		for j := range buses[i].sends {
			buses[buses[i].sends[j].bus].receivesSends = true
		}
		for _, k := range buses[i].rack.keys {
			if k >= 0 && buses[k].lastOutput == nil {
				buses[k].lastOutput = make([]pcm.Frame, a.hop)
			}
		}
	}
	return buses
}

// addPlaying adds the parameter playing, 1 or -1, to the number of voices of a.buses[bus] and of all its parents up to
// the master.
func (a *audio) addPlaying(bus uint16, playing int) {
	for i := int(bus); i >= 0; i = a.tree[i].parent {
		a.buses[i].playing += playing
	}
}

// refreshBuses recomputes, for the present frame, the state of all buses that scores and pauses use. It computes the
// gains down to the output, the filter responses, and whether a bus or a parent is muted, soloed or paused. The mute of
// the master counts only for buses on the first output. If the gains of a bus have changed, its scoresChanged is set,
// and its voices will get new scores. Each fade counts with the larger of its current and target value. Ducks do not
// count, because ducked voices would be stolen and restored again and again.
func (a *audio) refreshBuses() {
	for _, i := range a.parentsFirst {
		b := &a.buses[i]
		was := b.gains
		gain := b.gain.MaxGain(a.now)
		b.gains = newStereo(voice.LouderPan(voice.Stereo, &b.pan, a.now)).times(equalStereo(gain))
		b.maxGains = newStereo(voice.LargerPan(voice.Stereo, &b.pan, a.now)).times(equalStereo(float64(gain * max(b.mute.At(a.now), b.mute.To))))
		b.pausedByTree, b.quiet, b.hasSolo = b.paused, b.muted, b.soloed
		if i > 0 {
			above := &a.buses[a.tree[i].parent]
			b.pausedByTree = b.pausedByTree || above.pausedByTree
			b.hasSolo = b.hasSolo || above.hasSolo
			if a.tree[i].above >= 0 {
				b.gains, b.maxGains = b.gains.times(above.gains), b.maxGains.times(above.maxGains)
				b.quiet = b.quiet || above.quiet
			}
		}
		b.scoresChanged = b.scoresChanged || b.gains != was
	}
	a.refreshBusResponses()
}

// fadeSolos fades the voices of each bus in or out after a change of solos. If any bus is soloed, only voices on
// soloed buses and on buses below them stay audible. The fades are linear and last fadeFrames frames. If the bus has
// audible voices, they last at least 5 ms. refreshBuses must have been called since the change.
func (a *audio) fadeSolos(fadeFrames int64) {
	some := false
	for i := range a.buses {
		some = some || a.buses[i].soloed
	}
	for i := range a.buses {
		b := &a.buses[i]
		if to := 1 - boolFloat(some && !b.hasSolo); b.soloFade.To != to {
			b.soloFade.Ramp(a.now, to, a.smoothed(a.mayHaveOutput(i, true), fadeFrames))
		}
	}
}

// hasPitch reports whether the pitch of a.buses[bus], or of any of its parents up to the master, is not 0 semitones. It
// is also true if the last change of such a pitch began at another value than 0, even if the fade to 0 is over.
func (a *audio) hasPitch(bus uint16) bool {
	for i := int(bus); i >= 0; i = a.tree[i].parent {
		if p := &a.buses[i].pitch; p.From != 0 || p.To != 0 {
			return true
		}
	}
	return false
}

// pitchOf returns the sum of the pitches of a.buses[bus] and of its parents, in semitones. The sum is one move: it
// begins at the present frame and ends with the last fade of these pitches.
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

// setBus applies c, a cmdSet, to a.buses[index]: each property in c.change fades to its new value within c.fadeFrames
// frames. If the bus may have output, the fade lasts at least 5 ms. setBus also updates the tails and the state of all
// buses. Voices on the bus and below it get the new pitch and new scores. After a change of solo, all voices get new
// scores.
func (a *audio) setBus(index int, c *command) {
	b := &a.buses[index]
	over := a.smoothed(a.mayHaveOutput(index, false), c.fadeFrames)
	a.computeTailsAt(a.now)
	was, opened := b.tail, b.opens(a.now)
	for fields := c.change.Fields; fields != 0; fields &= fields - 1 {
		f := fields.first()
		b.set(f, c.change.get(f), a.now, over, c.change.Shape)
	}
	if c.change.Fields&cutoffFields != 0 {
		a.cutoffChanged(index)
	}
	if end := max(b.gain.End(), b.mute.End()); opened != b.opens(end) {
		a.extendTailAfter(index, end, was)
	}
	a.refreshBuses()
	solo := c.change.Fields&FieldSolo != 0
	if solo {
		a.fadeSolos(c.fadeFrames)
	}
	for i, place := a.nextInOrder(0); i >= 0; i, place = a.nextInOrder(place) {
		below := a.tree.passesThrough(int(a.voiceTable.at(i).bus), index)
		if below && c.change.Fields&FieldPitch != 0 {
			s := a.mutable(i)
			s.voice.SetBusPitch(a.now, a.pitchOf(s.bus))
		}
		if below || solo {
			a.rescore(i)
		}
	}
}

// mayHaveOutput reports whether a.buses[index] may have output at the present frame. A voice counts if it is real, has
// sounded and is not paused. If own is true, only voices and tails directly on the bus count. Otherwise buses below it,
// effects, inserts, filters and received sends count, too.
func (a *audio) mayHaveOutput(index int, own bool) bool {
	on := func(bus int) bool { return bus == index || !own && a.tree.passesThrough(bus, index) }
	for i := range a.buses {
		if b := &a.buses[i]; on(i) && (b.tailEnd > a.now || !own && (b.insert != nil || len(b.rack.all) > 0 || b.receivesSends || b.filter.HasTail())) {
			return true
		}
	}
	return slices.ContainsFunc(a.real(), func(v realVoice) bool {
		s := v.slot
		return s.sounded && s.paused == 0 && on(int(s.bus))
	})
}

// mixIntoOutput makes the master bus of o mix directly into the buffer of o, until mixBuses has run. A separate buffer
// would miss the cache when many mixers take turns. It does so only if this bus alone feeds o and passes its input on
// unchanged, and stems are off. Otherwise it has no effect.
func (a *audio) mixIntoOutput(o *output) {
	if o.root < 0 {
		return
	}
	b := &a.buses[o.root]
	if b.intoOutput = a.stems == nil && b.isTransparent(a.now); b.intoOutput {
		b.mixed, b.ownMixed = o.into, b.mixed
	}
}

// isTransparent reports whether the bus passes its input on unchanged from the given frame of the mix on, until a
// property is set. Then all its gains are neutral, and it has no effect, insert, duck or active filter. The result is
// also false if a send, a key or a meter reads the output of the bus.
func (b *bus) isTransparent(frame int64) bool {
	return b.insert == nil && !b.filter.Active() && len(b.rack.all) == 0 && b.lastOutput == nil && b.meter == nil && b.duck.rules == nil && b.gain.SettledAt(0, frame) && b.pan.SettledAt(0, frame) &&
		b.mute.SettledAt(1, frame) && b.soloFade.SettledAt(1, frame) && b.duck.move.SettledAt(0, frame)
}

// mixBuses mixes the next n frames of all buses into the buffers of the outputs. Each bus comes before the bus that it
// feeds. On each bus it adds the tails of stolen voices, then applies effects, insert, filter and gains, and feeds
// sends and meters. It starts the release of ducks at the frame where it is due. The voices must have been mixed into
// the buses before. Afterwards the buffers of the buses count as empty.
func (a *audio) mixBuses(n int64) {
	for i := range a.buses {
		b := &a.buses[i]
		b.consumeTails(a.now, n)
		b.applySoloFade(&b.busBuffers, a.now, n)
		if b.hasBypass {
			dsp.Sum(b.block(n), (*a.soloBypass[i].Load())[:n])
			b.hasBypass = false
		}
	}
	if a.stems != nil {
		a.beginStems(n)
	}
	for _, i := range a.mixOrder {
		b := &a.buses[i]
		a.runEffects(i, n)
		a.runInserts(i, n)
		a.filterBus(i, n)
		releaseOffset := b.duck.releaseAfter(a, n)
		if b.hadOutput = b.used; !b.used {
			if releaseOffset < n {
				b.duck.release(a.now + releaseOffset)
			}
			if b.meter != nil {
				b.meter.Skip(n)
			}
			clear(b.lastOutput[:min(n, int64(len(b.lastOutput)))])
			if b.intoOutput {
				b.intoOutput, b.mixed = false, b.ownMixed
			}
			continue
		}
		b.used = false
		if b.intoOutput {
			b.intoOutput, b.mixed = false, b.ownMixed
			a.outputOf(i).silent = false
			continue
		}
		var sum []pcm.Frame
		if above := a.tree[i].above; above >= 0 {
			sum = a.buses[above].block(n)
		} else {
			o := a.outputOf(i)
			sum, o.silent = o.into, false
		}
		out := sum
		if alone := b.separateOutput(a); alone != nil {
			out = alone[:n]
			clear(out)
		}
		b.apply(out[:releaseOffset], b.mixed[:releaseOffset], a.now)
		if a.stems != nil {
			a.applyStems(i, 0, releaseOffset, n)
		}
		if releaseOffset < n {
			b.duck.release(a.now + releaseOffset)
			b.apply(out[releaseOffset:], b.mixed[releaseOffset:n], a.now+releaseOffset)
			if a.stems != nil {
				a.applyStems(i, releaseOffset, n, n)
			}
		}
		if b.separateOutput(a) != nil {
			if b.meter != nil {
				b.meter.Feed(out)
			}
			dsp.Sum(sum, out)
			a.sendOn(i, b.mixed, out, n)
		}
	}
}

// separateOutput returns a buffer for the output of this bus alone. The caller adds this output to the bus above
// afterwards. The result is nil if no send, meter or compressor of another bus needs the output alone. Several buses
// with meters share a buffer.
func (b *bus) separateOutput(a *audio) []pcm.Frame {
	switch {
	case b.lastOutput != nil:
		return b.lastOutput
	case b.meter != nil:
		return a.meterBuffer
	}
	return nil
}

// applySoloFade silences the first n frames of own in place while the solo of another bus silences this bus, and fades
// at both ends of the solo. own holds the mix of the bus's own voices, or their part in a stem. The parameter frame is
// the frame of the mix where own begins. Without a solo or input it has no effect.
func (b *bus) applySoloFade(own *busBuffers, frame, n int64) {
	if own.used && (b.soloFade.To != 1 || b.soloFade.End() > frame) {
		scale(own.mixed[:n], &b.soloFade, frame)
	}
}

// apply multiplies src by the gain, pan, mute and duck of the bus, and adds the result to dst. dst and src must have
// the same length. The parameter frame is the frame of the mix where both begin.
func (b *bus) apply(dst, src []pcm.Frame, frame int64) {
	for len(dst) > 0 {
		from, to := segment(frame, &b.gain, &b.pan, &b.mute, &b.duck.move)
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

// segment returns a range of frames around the given frame of the mix. In this range moves may be interpolated
// linearly. The result from is the first frame of the range, and the result to is the first frame after it. Ranges end
// on a fixed grid of frames and at the ends of fades, so they do not depend on the length of blocks. If no move ends
// after the given frame, the values are constant, and segment returns frame and never.
func segment(frame int64, moves ...*voice.Move) (from, to int64) {
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

// factors returns the linear left and right factors of the bus at the given frame of the mix. They are the product of
// pan, gain, mute and duck. The fade of a solo is not included.
func (b *bus) factors(frame int64) (left, right float64) {
	left, right = voice.Balance(b.pan.At(frame))
	g := float64(b.gain.Gain(frame) * b.mute.At(frame))
	g = float64(g * pcm.Decibels(b.duck.move.At(frame)).Linear())
	return float64(left * g), float64(right * g)
}

// scale multiplies block in place by m, a moving linear factor. The parameter frame is the frame of the mix where
// block begins.
func scale(block []pcm.Frame, m *voice.Move, frame int64) {
	for len(block) > 0 {
		from, to := segment(frame, m)
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

// filterBus runs the low-pass and high-pass of a.buses[index] in place on its next n frames. It has no effect if both
// are off. Without input, the filter runs only while it has a tail. If a filter state becomes NaN or exceeds 1e15, all
// n frames become silent, and the filter starts again from silence. This counts in Stats.Faults and emits EventFault. A
// filter that runs sets a.hasTail.
func (a *audio) filterBus(index int, n int64) {
	b := &a.buses[index]
	if !b.filter.Active() {
		return
	}
	if !b.used && !b.filter.HasTail() {
		b.filter.Skip(n, a.now)
		return
	}
	a.hasTail = true // at least within this block
	if !b.filter.Process(b.block(n), a.now) {
		clear(b.mixed[:n])
		a.stats.Faults++
		a.emit(&audioEvent{Frame: a.now, Kind: EventFault, Slot: -1, Bus: uint16(index)})
	}
}

// cutoffChanged updates the tails of all buses and the response of a.buses[index] after a cutoff of this bus was
// changed. If the filter still has a tail, it records the tail in Stats. The caller has already set the new cutoff in
// the filter.
func (a *audio) cutoffChanged(index int) {
	b := &a.buses[index]
	b.filterTail = max(b.filterTail, b.filter.Tail(a.now))
	a.computeTails(a.now)
	a.invalidateResponse(index)
	if b.filter.HasTail() {
		a.noteTailFrom(a.now, index)
	}
}

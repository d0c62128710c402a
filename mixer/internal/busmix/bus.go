package busmix

import (
	"voicepool/internal/dsp"
	"voicepool/internal/move"
	"voicepool/internal/panning"
	"voicepool/internal/passfilter"
	"voicepool/internal/property"
	"voicepool/mixer/internal/master"
	"voicepool/pcm"
	"voicepool/sounds"
)

// Bus is a sub-mix. The exported moves are for reading; Graph.Set changes them.
type Bus struct {
	Gain  move.Move // decibels
	Pan   move.Move
	Pitch move.Move // semitones, added to its voices
	Mute  move.Move // a factor
	Solo  move.Move // a factor of its own voices: 0 while other buses are soloed
	// Volume is a factor. Like Mute, it also applies to all sends of the bus and of its voices, even pre-fader ones.
	Volume move.Move
	Duck   Duck

	limit        int
	playing      int // voices on it and below it
	paused       bool
	pausedByTree bool // it or a bus above it is paused
	muted        bool
	soloed       bool
	hasSolo      bool // it or a bus above it is soloed
	quiet        bool // it or a bus above it is muted

	volume        float64 // the upper bound of its volume
	volumes       float64 // the product of volume, down to the master bus of its output
	gains         Stereo  // the factors that count in scores, down to the master bus of its output
	maxGains      Stereo  // the upper bound of the factors including fades of mutes, without Solo
	scoresChanged bool    // gains or the response have changed since ClearScoresChanged

	filter        passfilter.Filter // after the effects and the insert
	chain         *Chain            // its effects; never nil
	nextChain     *Chain            // replaces chain after the crossfade under way; may be nil
	responseStale bool              // its part of a Response must be computed again
	filterTail    int64             // the maximum tail of its filter in frames
	tail          int64             // the maximum tail of all effects from here on, in frames
	// closedAt is the last frame when a gain after this bus opened or closed. tailUntil is the end of the
	// tail of sound from before that frame.
	closedAt, tailUntil int64
	sends               []Send
	receivesSends       bool          // another bus or a voice sends to it, or has sent to it
	bypassed            []pcm.Frame   // sends of this block that the solo of another bus does not silence; may be nil
	hadOutput           bool          // it had output in this block
	lastOutput          []pcm.Frame   // its last output, for sends and keys of other buses; nil if unused
	insert              *InsertState  // may be nil
	next                *InsertState  // replaces insert after the crossfade under way
	meter               *master.Meter // may be nil; the meter of the master comes after the limiter

	buffers
}

// init sets up the bus from d, with its filter, effects, insert, sends and buffers. keys are the key buses of the
// effects.
func (b *Bus) init(d *BusConfig, c *Config, keys []int) {
	*b = Bus{
		limit: d.Voices, muted: d.Mute, soloed: d.Solo, sends: d.Sends, responseStale: true,
		Gain: move.Constant(d.Gain), Pan: move.Constant(d.Pan), Pitch: move.Constant(d.Pitch), Mute: move.Constant(factor(!d.Mute)),
		Solo: move.Constant(1), Volume: move.Constant(1), Duck: Duck{rules: d.Duck, releaseAt: never}, buffers: newBuffers(c.Hop, tailRingLen(c.Hop, c.Tail)),
	}
	b.filter.Start(c.Rate, d.LowPass, d.HighPass)
	b.filterTail = b.filter.Tail(0)
	if d.Insert != nil {
		b.insert = NewInsert(d.Insert, c.Hop)
	}
	b.chain = newChain(d.Effects, keys, c.Rate, c.Hop)
	if len(b.sends) > 0 {
		b.lastOutput = make([]pcm.Frame, c.Hop)
	}
}

// factor returns 1 for true and 0 for false.
func factor(open bool) float64 {
	if open {
		return 1
	}
	return 0
}

// Effects returns the effects of the bus.
func (b *Bus) Effects() *Chain { return b.chain }

// PausedByTree reports whether the bus or a bus above it is paused, as of the last Graph.Refresh.
func (b *Bus) PausedByTree() bool { return b.pausedByTree }

// ReceiveSends records that a voice sends to the bus.
func (b *Bus) ReceiveSends() { b.receivesSends = true }

// SetPaused pauses the bus or ends its pause. It takes effect in the next Graph.Refresh.
func (b *Bus) SetPaused(paused bool) { b.paused = paused }

// Set is a new value of a property, in the unit of the property.
type Set struct {
	Property property.ID
	Value    float64
}

// set changes a property of the bus from the given frame of the mix on. Gain, pan, pitch, cutoffs, mute and volume
// fade; over is the length of the fade in frames. Only the gain follows the curve shape. A solo is only recorded:
// Graph.FadeSolos, which must be called afterwards, begins its fades.
func (b *Bus) set(s *Set, frame, over int64, shape sounds.Shape) {
	switch x := s.Value; s.Property {
	case property.Gain:
		b.Gain.RampGain(frame, pcm.Decibels(x), over, shape)
	case property.Pan:
		b.Pan.Ramp(frame, x, over)
	case property.Pitch:
		b.Pitch.Ramp(frame, x, over)
	case property.LowPass, property.HighPass:
		b.filter.Ramp(s.Property, frame, x, over)
	case property.Mute:
		b.muted = x != 0
		b.Mute.Ramp(frame, 1-x, over)
	case property.Volume:
		volume := 0.0
		if x > float64(pcm.Silence) {
			volume = pcm.Decibels(x).Linear()
		}
		b.Volume.Ramp(frame, volume, over)
	case property.Solo:
		b.soloed = x != 0
	}
}

// Set changes properties of the bus with the given index, from the given frame of the mix on. Each fades within over
// frames; the gain follows the curve shape. The result is the frame until which tails on the bus may last because of
// the change, or 0. The caller then calls Refresh and, after a change of Solo, FadeSolos.
func (g *Graph) Set(index int, sets []Set, frame, over int64, shape sounds.Shape) (tailUntil int64) {
	b, filters := &g.Buses[index], false
	g.computeTailsAt(frame)
	was, opened := b.tail, b.opens(frame)
	for i := range sets {
		b.set(&sets[i], frame, over, shape)
		filters = filters || sets[i].Property.IsFilter()
	}
	if filters {
		b.filterTail, b.responseStale = max(b.filterTail, b.filter.Tail(frame)), true
		g.computeTails(frame)
		if b.filter.HasTail() {
			tailUntil = g.TailUntil(index, frame)
		}
	}
	if end := max(b.Gain.End(), b.Mute.End(), b.Volume.End()); opened != b.opens(end) {
		tailUntil = max(tailUntil, g.extendTail(index, frame, end, was))
	}
	return tailUntil
}

// FadeSolos fades the voices of each bus in or out after a change of solos. If any bus is soloed, only voices on soloed
// buses and on buses below them stay audible. The fades are linear and last over frames from the given frame of the mix
// on. If the bus has audible voices, they last at least Config.Smooth. sounding is as in MayHaveOutput. Refresh must
// have been called since the change.
func (g *Graph) FadeSolos(sounding []bool, frame, over int64) {
	some := false
	for i := range g.Buses {
		some = some || g.Buses[i].soloed
	}
	for i := range g.Buses {
		b := &g.Buses[i]
		if to := factor(!some || b.hasSolo); b.Solo.To != to {
			length := over
			if g.MayHaveOutput(i, true, sounding, frame) {
				length = max(over, g.smooth)
			}
			b.Solo.Ramp(frame, to, length)
		}
	}
}

// isTransparent reports whether the bus passes its input on unchanged from the given frame of the mix on, until a
// property is set. Then all its gains are neutral, and it has no effect, insert, duck or active filter. The result is
// also false if a send, a key or a meter reads the output of the bus.
func (b *Bus) isTransparent(frame int64) bool {
	return b.insert == nil && !b.filter.Active() && b.chain.isEmpty() && b.lastOutput == nil && b.meter == nil && b.Duck.rules == nil && b.Gain.SettledAt(0, frame) && b.Pan.SettledAt(0, frame) &&
		b.Mute.SettledAt(1, frame) && b.Volume.SettledAt(1, frame) && b.Solo.SettledAt(1, frame) && b.Duck.move.SettledAt(0, frame)
}

// separateOutput returns a buffer for the output of this bus alone. The caller adds this output to the bus above
// afterwards. The result is nil if no send, meter or compressor of another bus needs the output alone. metered is the
// buffer that buses with meters share.
func (b *Bus) separateOutput(metered []pcm.Frame) []pcm.Frame {
	switch {
	case b.lastOutput != nil:
		return b.lastOutput
	case b.meter != nil:
		return metered
	}
	return nil
}

// applySoloFade silences the first n frames of own in place while the solo of another bus silences this bus, and fades
// at both ends of the solo. own holds the mix of the bus's own voices, or their part in a stem. The parameter frame is
// the frame of the mix where own begins. Without a solo or input it has no effect.
func (b *Bus) applySoloFade(own *buffers, frame, n int64) {
	if own.used && (b.Solo.To != 1 || b.Solo.End() > frame) {
		scale(own.mixed[:n], &b.Solo, frame)
	}
}

// apply multiplies src by the gain, pan, mute, volume and duck of the bus, and adds the result to dst. dst and src must
// have the same length. The parameter frame is the frame of the mix where both begin.
func (b *Bus) apply(dst, src []pcm.Frame, frame int64) {
	for len(dst) > 0 {
		from, to := segment(frame, &b.Gain, &b.Pan, &b.Mute, &b.Volume, &b.Duck.move)
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
func segment(frame int64, moves ...*move.Move) (from, to int64) {
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
// pan, gain, mute, volume and duck. The fade of a solo is not included.
func (b *Bus) factors(frame int64) (left, right float64) {
	left, right = panning.Balance(b.Pan.At(frame))
	g := float64(float64(b.Gain.Gain(frame)*b.Mute.At(frame)) * b.Volume.At(frame))
	g = float64(g * pcm.Decibels(b.Duck.move.At(frame)).Linear())
	return float64(left * g), float64(right * g)
}

// scale multiplies block in place by m, a moving linear factor. The parameter frame is the frame of the mix where
// block begins.
func scale(block []pcm.Frame, m *move.Move, frame int64) {
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

// filterBus runs the low-pass and high-pass of the bus with the given index in place on n frames from the given frame
// of the mix on. It has no effect if both are off. Without input, the filter runs only while it has a tail. If a filter
// state becomes NaN or exceeds 1e15, all n frames become silent, the filter starts again from silence, and the bus
// counts as failed. A filter that runs sets g.hasTail.
func (g *Graph) filterBus(index int, frame, n int64) {
	b := &g.Buses[index]
	if !b.filter.Active() {
		return
	}
	if !b.used && !b.filter.HasTail() {
		b.filter.Skip(n, frame)
		return
	}
	g.hasTail = true // at least within this block
	if !b.filter.Process(b.Block(n), frame) {
		clear(b.mixed[:n])
		g.addFault(index)
	}
}

// staysSilent reports whether the bus stays silent without further input, from the given frame of the mix on. A bus
// with an insert counts as not silent, because the insert may generate sound. So does a bus whose effects wait for a
// crossfade, because only mixing begins it.
func (b *Bus) staysSilent(frame int64) bool {
	return b.tailEnd <= frame && b.insert == nil && b.nextChain == nil && b.effectsIdle(frame) && !b.filter.HasTail()
}

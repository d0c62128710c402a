package effect

import (
	"math"
	"sync/atomic"

	"voicepool/internal/dsp"
	"voicepool/internal/move"
	"voicepool/pcm"
)

// updateInterval is the distance in frames between updates of an engine's values while they move. Updates happen at
// multiples of it, in the frame numbers passed to Process.
const updateInterval = 32

// maxSample is above any valid sample; larger ones are the result of a fault.
const maxSample = 1e15

// engine implements the signal processing of a kind. Its values are in the order of the kind.
type engine interface {
	// setValues sets the values, at once or along a straight line within the next updateInterval frames.
	setValues(values []float64, at bool)
	Reset()
	Idle() bool
}

// An engine is either a keyEngine, with a sidechain, or a blockEngine.
type (
	keyEngine interface {
		Process(block, key []pcm.Frame, frame int64)
	}
	blockEngine interface {
		Process(block []pcm.Frame, frame int64)
	}
)

// process processes a block in place. key is the sidechain, or nil; frame is the number of the first frame.
func process(e engine, block, key []pcm.Frame, frame int64) {
	switch e := e.(type) {
	case keyEngine:
		e.Process(block, key, frame)
	case blockEngine:
		e.Process(block, frame)
	}
}

// Processor runs an Effect on blocks of frames. Only Effect and Reduction may be called concurrently with
// other methods. The methods do not allocate.
type Processor struct {
	kind         *Kind
	id, key      string
	engine       engine
	rate         int
	offPosition  float64 // end point of a move to off: 0.49 of the rate, as a logarithm
	moves        [maxValues]move.Move
	values       [maxValues]float64
	constantFrom int64 // first frame with constant values
	tail         int64 // upper bound of the tail for the present and the target values

	wetFactor, inputFactor linearRamp // factors of the output and of the input
	mix, bypass            int        // their indices; -1: the kind does not have them
	minRamp                int64      // minimum length of a move in frames: 10 ms
	minBypassRamp          int64      // minimum length of a change of bypass: 20 ms
	dry                    []pcm.Frame
	dryDelay               []pcm.Frame // delay line for the dry signal, as long as the latency
	dryRemaining           int         // remaining frames of dryDelay, up to the last that is not silent
	sidechain              []pcm.Frame // validated part of the sidechain; empty: no sidechain

	set           [maxValues]atomic.Uint64 // last target values, for Effect
	reductionBits atomic.Uint64            // reduction, for Reduction
}

// linearRamp is a factor that moves linearly within an update interval.
type linearRamp struct{ from, to float32 }

// at returns the factor i frames after the start of the update interval; i is 0..updateInterval.
func (l linearRamp) at(i int64) float32 {
	return l.from + float32((l.to-l.from)*(float32(i)/updateInterval))
}

// NewProcessor returns a processor for e that has not processed any frames yet. rate is the sample rate in Hz.
// maxBlock is the maximum block length in frames. The zero Effect has no processor: NewProcessor panics. Control
// side.
func (e *Effect) NewProcessor(rate, maxBlock int) *Processor {
	p := &Processor{
		kind: e.kind, rate: rate, engine: e.kind.engine(rate), offPosition: pcm.Log2(float64(0.49 * float64(rate))),
		mix: e.kind.Find("mix"), bypass: e.kind.Find("bypass"), dry: make([]pcm.Frame, maxBlock),
		minRamp: int64(rate) / 100, minBypassRamp: int64(rate) / 50, id: e.ID, key: e.Key,
	}
	if e.kind.Key {
		p.sidechain = make([]pcm.Frame, maxBlock)
	}
	if d, ok := p.engine.(*driveEngine); ok {
		p.dryDelay = make([]pcm.Frame, d.Latency())
	}
	for i := range e.kind.Len() {
		p.moves[i] = move.Constant(p.domain(i, e.set[i]))
		p.set[i].Store(math.Float64bits(e.set[i]))
	}
	p.updateValues(0)
	p.wetFactor.from, p.inputFactor.from = p.wetFactor.to, p.inputFactor.to
	p.engine.setValues(p.values[:e.kind.Len()], true)
	p.tail = e.kind.tail(p.values[:e.kind.Len()], rate)
	return p
}

// domain converts x, the value at index i, to the scale of its ramp: the binary logarithm, or x itself. The value 0
// of a parameter that can be off becomes a frequency near half the rate.
func (p *Processor) domain(i int, x float64) float64 {
	param := p.kind.Param(i)
	if param.Off && x == 0 {
		return p.offPosition
	}
	if param.Log {
		return pcm.Log2(x)
	}
	return x
}

// value converts x from the scale of domain back to the value at index i.
func (p *Processor) value(i int, x float64) float64 {
	param := p.kind.Param(i)
	if param.Off && x >= p.offPosition {
		return 0
	}
	if param.Log {
		return pcm.Exp2(x)
	}
	return x
}

// updateValues computes all values at a frame, and the targets of the wet and bypass factors, which ramp from their
// present values until frame.
func (p *Processor) updateValues(frame int64) {
	for i := range p.kind.Len() {
		m := &p.moves[i]
		p.values[i] = p.value(i, m.At(frame))
	}
	p.wetFactor, p.inputFactor = linearRamp{p.wetFactor.to, 1}, linearRamp{p.inputFactor.to, 1}
	if p.mix >= 0 {
		p.wetFactor.to = float32(p.values[p.mix])
	}
	if p.bypass >= 0 {
		p.inputFactor.to = float32(1 - p.values[p.bypass])
	}
}

// Set changes the value at an index, which Kind.Find returns for a name. The change is a ramp that begins at frame.
// It takes the number of frames in over and ends at the value in to. To avoid clicks, a ramp takes at least 10 ms,
// and a ramp of "bypass" at least 20 ms. A parameter with more than two Choices changes without a ramp. Set does not
// check the new value: see Param.Allows. Audio side.
func (p *Processor) Set(frame int64, index int, to float64, over int64) {
	over = max(over, p.minRamp)
	if index == p.bypass {
		over = max(over, p.minBypassRamp)
	}
	p.set[index].Store(math.Float64bits(to))
	m := &p.moves[index]
	if len(p.kind.Param(index).Choices) > len(onOff) {
		*m = move.Constant(to)
	} else {
		m.Ramp(frame, p.domain(index, to), over)
	}
	p.constantFrom = max(p.constantFrom, (frame+over+updateInterval-1)/updateInterval*updateInterval+updateInterval)
	var ends [maxValues]float64
	for i := range p.kind.Len() {
		ends[i] = p.value(i, p.moves[i].To)
	}
	p.tail = max(p.tail, p.kind.tail(ends[:p.kind.Len()], p.rate))
}

// Process processes a block in place, at most maxBlock frames. frame is the number of its first frame. Blocks must be
// contiguous, except that silent blocks may be left out while the effect is Idle. key is the sidechain signal of a
// compressor, as long as the block; nil: the block itself. Other kinds ignore it. If the effect computes NaN, Inf or
// samples beyond 1e15, it outputs silence instead, resets its state, and Process returns false. Audio side.
func (p *Processor) Process(block, key []pcm.Frame, frame int64) (ok bool) {
	ok = true
	samples := dsp.Interleaved(block)
	dsp.FlushTiny(samples, samples)
	for len(block) > 0 {
		n := int64(len(block))
		if frame < p.constantFrom {
			at := frame % updateInterval
			if n = min(n, updateInterval-at); at == 0 {
				p.updateValues(frame + updateInterval)
				p.engine.setValues(p.values[:p.kind.Len()], false)
			}
		} else {
			p.wetFactor.from, p.inputFactor.from = p.wetFactor.to, p.inputFactor.to
		}
		var sidechain []pcm.Frame
		if key != nil && p.kind.Key {
			sidechain = p.sidechain[:n]
			dsp.FlushTiny(dsp.Interleaved(sidechain), dsp.Interleaved(key[:n]))
			key = key[n:]
		}
		ok = p.processStep(block[:n], sidechain, frame) && ok
		block, frame = block[n:], frame+n
	}
	if c, ok := p.engine.(*compressorEngine); ok {
		p.reductionBits.Store(math.Float64bits(c.Reduction()))
	}
	return ok
}

// processStep processes frames within one update interval, in place: the engine, then the mix of dry and wet. key is
// the sidechain, or nil; frame is the number of the first frame. If the output is not finite or too loud, it clears
// the engine and the wet signal, and returns false.
func (p *Processor) processStep(block, key []pcm.Frame, frame int64) bool {
	unity := linearRamp{1, 1}
	wetOnly := p.wetFactor == unity && p.inputFactor == unity
	dry := p.dry[:len(block)]
	if !wetOnly || len(p.dryDelay) > 0 {
		p.delayDry(dry, block)
	}
	if !wetOnly {
		for i := range block {
			g := p.inputFactor.at((frame + int64(i)) % updateInterval)
			block[i][0], block[i][1] = float32(block[i][0]*g), float32(block[i][1]*g)
		}
	}
	process(p.engine, block, key, frame)
	good := dsp.Peak(block) <= maxSample
	if !good {
		p.engine.Reset()
		clear(block)
	}
	if !wetOnly {
		p.mixDry(block, dry, frame)
	}
	return good
}

// delayDry fills dry with the block, delayed by the latency of the engine, and stores the end of the block for the
// next call. dry and block have the same length.
func (p *Processor) delayDry(dry, block []pcm.Frame) {
	n := copy(dry, p.dryDelay)
	copy(dry[n:], block)
	if n = min(len(block), len(p.dryDelay)); n > 0 {
		copy(p.dryDelay, p.dryDelay[n:])
		copy(p.dryDelay[len(p.dryDelay)-n:], block[len(block)-n:])
		p.dryRemaining = len(p.dryDelay) - trailingSilence(p.dryDelay)
	}
}

// trailingSilence returns the number of silent frames at the end of frames.
func trailingSilence(frames []pcm.Frame) (n int) {
	for n < len(frames) && frames[len(frames)-1-n] == (pcm.Frame{}) {
		n++
	}
	return n
}

// mixDry mixes dry into block, the output of the engine, by the wet and bypass factors. frame is the number of
// the first frame.
func (p *Processor) mixDry(block, dry []pcm.Frame, frame int64) {
	for i := range block {
		at := (frame + int64(i)) % updateInterval
		wet := p.wetFactor.at(at)
		past := 1 - float32(wet*p.inputFactor.at(at))
		for c := range block[i] {
			block[i][c] = float32(block[i][c]*wet) + float32(dry[i][c]*past)
		}
	}
}

// Idle reports whether silent input yields silent output from frame on, until the next Set. Then silent
// blocks may be left out. Audio side.
func (p *Processor) Idle(frame int64) bool {
	return frame >= p.constantFrom && p.dryRemaining == 0 && p.engine.Idle()
}

// Tail returns an upper bound of the tail in frames like Effect.Tail, for the present values and the targets of all
// ramps since NewProcessor. Audio side.
func (p *Processor) Tail() int64 { return p.tail }

// Reduction returns the largest gain reduction of a compressor in the last block: 0 dB or more, without the
// makeup gain. It returns 0 for other kinds. Any goroutine may call it.
func (p *Processor) Reduction() pcm.Decibels {
	return pcm.Decibels(math.Float64frombits(p.reductionBits.Load()))
}

// Effect returns the processor's Effect, with the targets of the latest calls of Set as its values. Any
// goroutine may call it.
func (p *Processor) Effect() Effect {
	e := Effect{ID: p.id, Key: p.key, kind: p.kind}
	for i := range p.kind.Len() {
		e.set[i] = math.Float64frombits(p.set[i].Load())
	}
	return e
}

package effect

import (
	"math"
	"sync/atomic"

	"voicepool/internal/dsp"
	"voicepool/pcm"
	"voicepool/voice"
)

// grid is how many frames apart values are told to an engine while they move: at multiples of it of
// the frames that Process is told.
const grid = 32

// loudest is what no sample of an effect may exceed: beyond it something is broken.
const loudest = 1e15

// engine is what makes the sound of a kind. Its values are in the order of the kind.
type engine interface {
	// tell has the values be these: at once, or in a straight line within the next grid frames.
	tell(values []float64, at bool)
	process(block, key []pcm.Frame, frame int64)
	reset()
	idle() bool
}

// reducer is an engine that takes its input down.
type reducer interface{ reduction() float64 }

// late is an engine whose output comes some frames later than its input.
type late interface{ latency() int64 }

// Processor is an Effect at work. New makes it on the control side; then it is the audio side's, one
// goroutine at a time. It allocates nothing after that.
type Processor struct {
	kind    *Kind
	id, key string
	engine  engine
	rate    int
	open    float64 // what off is on its way: 0.49 of the rate, as a logarithm
	moves   [maxValues]voice.Move
	values  [maxValues]float64
	until   int64 // the frame from which on nothing moves
	tail    int64 // how long it rings at most, as values are or are going to be

	wet, in     line  // the factors of what comes out, and of what goes in
	mix, bypass int   // their places; -1: there is none
	least       int64 // frames that a move takes at least: 10 ms
	fade        int64 // the same of a bypass: 20 ms
	dry         []pcm.Frame
	lag         []pcm.Frame // what goes past the effect comes as late: the last frames of it
	owed        int         // so many of them, up to the last that is not silent, are still to come
	heard       []pcm.Frame // a part of the key, settled; empty: the kind takes no key

	set     [maxValues]atomic.Uint64 // for whoever asks: the values that were set last
	reduced atomic.Uint64            // and the reduction
}

// line is a factor on its way within the frames of a grid.
type line struct{ from, to float32 }

// at returns the factor i frames after a place of the grid.
func (l line) at(i int64) float32 { return l.from + float32((l.to-l.from)*(float32(i)/grid)) }

// NewProcessor returns an effect at work at a rate, in frames per second, silent at first. It takes
// blocks of up to most frames. Control side.
func (e *Effect) NewProcessor(rate, most int) *Processor {
	p := &Processor{
		kind: e.kind, rate: rate, engine: e.kind.engine(rate), open: pcm.Log2(float64(0.49 * float64(rate))),
		mix: e.kind.Find("mix"), bypass: e.kind.Find("bypass"), dry: make([]pcm.Frame, most),
		least: int64(rate) / 100, fade: int64(rate) / 50, id: e.ID, key: e.Key,
	}
	if e.kind.Key {
		p.heard = make([]pcm.Frame, most)
	}
	if l, is := p.engine.(late); is {
		p.lag = make([]pcm.Frame, l.latency())
	}
	for i := range e.kind.Len() {
		p.moves[i] = voice.Rest(p.domain(i, e.set[i]))
		p.set[i].Store(math.Float64bits(e.set[i]))
	}
	p.look(0)
	p.wet.from, p.in.from = p.wet.to, p.in.to
	p.engine.tell(p.values[:e.kind.Len()], true)
	p.tail = e.kind.tail(p.values[:e.kind.Len()], rate)
	return p
}

// domain returns a value as it moves: in its logarithm, or as it is.
func (p *Processor) domain(i int, x float64) float64 {
	param := p.kind.Param(i)
	if param.Off && x == 0 {
		return p.open
	}
	if param.Log {
		return pcm.Log2(x)
	}
	return x
}

// value is the way back.
func (p *Processor) value(i int, x float64) float64 {
	param := p.kind.Param(i)
	if param.Off && x >= p.open {
		return 0
	}
	if param.Log {
		return pcm.Exp2(x)
	}
	return x
}

// look works out the values of a frame, and the lines that lead to them.
func (p *Processor) look(frame int64) {
	for i := range p.kind.Len() {
		m := &p.moves[i]
		p.values[i] = p.value(i, m.At(frame))
	}
	p.wet, p.in = line{p.wet.to, 1}, line{p.in.to, 1}
	if p.mix >= 0 {
		p.wet.to = float32(p.values[p.mix])
	}
	if p.bypass >= 0 {
		p.in.to = float32(1 - p.values[p.bypass])
	}
}

// Set has a value, by its place, be to from a frame on, over so many frames: at least 10 ms, of a
// bypass 20 ms, so that nothing clicks. A choice of more than two changes at once.
func (p *Processor) Set(frame int64, place int, to float64, over int64) {
	over = max(over, p.least)
	if place == p.bypass {
		over = max(over, p.fade)
	}
	p.set[place].Store(math.Float64bits(to))
	m := &p.moves[place]
	if len(p.kind.Param(place).Choices) > len(onOff) {
		*m = voice.Rest(to)
	} else {
		m.Turn(frame, p.domain(place, to), over)
	}
	p.until = max(p.until, (frame+over+grid-1)/grid*grid+grid)
	var ends [maxValues]float64
	for i := range p.kind.Len() {
		ends[i] = p.value(i, p.moves[i].To)
	}
	p.tail = max(p.tail, p.kind.tail(ends[:p.kind.Len()], p.rate))
}

// Process takes a block through the effect, in place. frame is that of its first frame; blocks follow
// each other, but may leave out what is silent while the effect is Idle. key is as long as the block:
// what a compressor listens to; nil: the block. Where the effect makes what is no sound it begins anew
// from silence, and Process returns false.
func (p *Processor) Process(block, key []pcm.Frame, frame int64) (ok bool) {
	ok = true
	samples := dsp.Interleaved(block)
	dsp.Settle(samples, samples)
	for len(block) > 0 {
		n := int64(len(block))
		if frame < p.until {
			at := frame % grid
			if n = min(n, grid-at); at == 0 {
				p.look(frame + grid)
				p.engine.tell(p.values[:p.kind.Len()], false)
			}
		} else {
			p.wet.from, p.in.from = p.wet.to, p.in.to
		}
		var heard []pcm.Frame
		if key != nil && p.kind.Key {
			heard = p.heard[:n]
			dsp.Settle(dsp.Interleaved(heard), dsp.Interleaved(key[:n]))
			key = key[n:]
		}
		ok = p.part(block[:n], heard, frame) && ok
		block, frame = block[n:], frame+n
	}
	if c, is := p.engine.(reducer); is {
		p.reduced.Store(math.Float64bits(c.reduction()))
	}
	return ok
}

// part is Process of frames within which nothing is told.
func (p *Processor) part(block, key []pcm.Frame, frame int64) bool {
	whole := line{1, 1}
	alone := p.wet == whole && p.in == whole
	dry := p.dry[:len(block)]
	if !alone || len(p.lag) > 0 {
		p.hold(dry, block)
	}
	if !alone {
		for i := range block {
			g := p.in.at((frame + int64(i)) % grid)
			block[i][0], block[i][1] = float32(block[i][0]*g), float32(block[i][1]*g)
		}
	}
	p.engine.process(block, key, frame)
	good := dsp.Peak(block) <= loudest
	if !good {
		p.engine.reset()
		clear(block)
	}
	if !alone {
		p.blend(block, dry, frame)
	}
	return good
}

// hold takes a block past the effect.
func (p *Processor) hold(dry, block []pcm.Frame) {
	n := copy(dry, p.lag)
	copy(dry[n:], block)
	if n = min(len(block), len(p.lag)); n > 0 {
		copy(p.lag, p.lag[n:])
		copy(p.lag[len(p.lag)-n:], block[len(block)-n:])
		p.owed = len(p.lag) - silentEnd(p.lag)
	}
}

// silentEnd returns how many frames are silent at the end of some.
func silentEnd(frames []pcm.Frame) (n int) {
	for n < len(frames) && frames[len(frames)-1-n] == (pcm.Frame{}) {
		n++
	}
	return n
}

// blend adds what goes past the effect to what comes out of it.
func (p *Processor) blend(block, dry []pcm.Frame, frame int64) {
	for i := range block {
		at := (frame + int64(i)) % grid
		wet := p.wet.at(at)
		past := 1 - float32(wet*p.in.at(at))
		for c := range block[i] {
			block[i][c] = float32(block[i][c]*wet) + float32(dry[i][c]*past)
		}
	}
}

// Idle reports whether silence in gives silence out from a frame on, until a value is set: then blocks
// may be left out.
func (p *Processor) Idle(frame int64) bool { return frame >= p.until && p.owed == 0 && p.engine.idle() }

// Tail returns for how many frames the effect rings at most, louder than -90 dBFS, after an input of
// full scale has ended.
func (p *Processor) Tail() int64 { return p.tail }

// Reduction returns by how much a compressor has taken its input down in the last block, in dB from 0;
// 0 of others. Any goroutine may call it.
func (p *Processor) Reduction() pcm.Decibels {
	return pcm.Decibels(math.Float64frombits(p.reduced.Load()))
}

// Effect returns what the Processor was made from, with the values that were set last. Any goroutine may
// call it.
func (p *Processor) Effect() Effect {
	e := Effect{ID: p.id, Key: p.key, kind: p.kind}
	for i := range p.kind.Len() {
		e.set[i] = math.Float64frombits(p.set[i].Load())
	}
	return e
}

package cue

import (
	"errors"
	"io"
	"time"

	"voicepool/cue/report"
	"voicepool/internal/loudness"
	"voicepool/mixer"
	"voicepool/pcm"
)

// rendering is the progress of Read.
type rendering struct {
	now          int64       // frames mixed
	block        []pcm.Frame // the last block
	ready        []pcm.Frame // the part of block that can be returned
	gap          int64       // frames of silence to return before ready
	heldSilence  int64       // frames of trailing silence; they are returned only if sound follows
	released     []pcm.Frame // kept frames to return before gap
	tail         tailBuffer  // held-back frames, if effects have tails
	frames       int64       // frames returned
	upperBound   int64       // upper bound of the end, in frames; 0: not computed yet
	ended        bool
	isRender     bool           // Read has been called
	pauseChanges []freezeChange // pauses still to come
	pausedFrames int64          // output frames during which the mixer did not advance
	panics       int            // number of scheduled panics carried out
}

// longSilence is the largest number of silent blocks that one call of Read mixes.
const longSilence = 1024

// Read renders the next frames of the show into dst and returns their number n. At the end it calls Close and returns 0
// and io.EOF. Before the end, n may be less than len(dst), or 0 without an error. In a long silence Read returns early,
// so that the caller can cancel the render. The length of dst does not affect the result.
//
// With several outputs, dst is interleaved, see Outputs. len(dst) must be a multiple of Outputs, and n is a multiple,
// too.
//
// Read does the work of the control side and of the audio side, without a clock. Use it instead of Feed and Render.
//
// The latency of the mixer is removed: a cue at 0 sounds from the first frame on, unless the show begins at a later
// point. The render ends with the last voice, fade and tail, or at the sheet's length if that is earlier. Without a
// length a show may never end; see Sheet.CheckRender.
//
// On any other error n is 0, and the player is not closed. The error is of the mixer or a broken stream, or wraps
// ErrStartPosition or ErrEndless.
func (p *Player) Read(dst []pcm.Frame) (n int, err error) {
	begin := time.Now()
	defer func() { p.seconds += time.Since(begin).Seconds() }()
	p.rendering.isRender = true
	dst = p.completeFrames(dst)
	if reached, err := p.playToStart(int64(p.mixer.LatencyFrames())); !reached {
		return 0, err
	}
	if p.options.Events {
		p.lossMeter.start(p.sheet.Rate, p.outputs, p.startFrom.frame)
	}
	f := &p.rendering
	p.meter.measuresTruePeak = true
mixing:
	for blocks := 0; n < len(dst); {
		switch {
		case len(f.released) > 0:
			k := copy(dst[n:], f.released)
			f.released = f.released[k:]
			n += k
		case f.gap > 0:
			k := int(min(f.gap, int64((len(dst)-n)/p.outputs))) * p.outputs
			clear(dst[n : n+k])
			f.gap -= int64(k / p.outputs)
			n += k
		case len(f.ready) > 0:
			k := copy(dst[n:], f.ready)
			f.ready = f.ready[k:]
			n += k
		case f.ended && n == 0:
			p.Close()
			return 0, io.EOF
		case f.ended || blocks == longSilence:
			break mixing
		default:
			blocks++
			if err := p.mixNext(len(dst) / p.outputs); err != nil {
				return 0, err
			}
		}
	}
	f.frames += int64(n / p.outputs)
	p.meter.measure(dst[:n])
	p.lossMeter.measure(dst[:n], p.outputs, p.events)
	return n, nil
}

// mixNext mixes the next block of a render, at most size frames. It stores in p.rendering which frames Read may return.
// Silence at the end of the block is held back, because it counts only if sound follows. If the show has ended, it sets
// p.rendering.ended and mixes no block. The error is of the mixer or a stream, or wraps ErrEndless.
func (p *Player) mixNext(size int) error {
	f := &p.rendering
	latency := int64(p.mixer.LatencyFrames())
	st := p.mixer.Stats()
	switch {
	case p.finished(&st) && f.now-latency >= endOfSound(&st):
		p.reportUnreached()
		f.ended = true
		return nil
	case f.now-latency >= p.cut:
		// The held frames are silence before the cut, and only silence follows.
		f.ended = true
		return nil
	case f.now < p.cut:
		size = int(min(int64(size), p.cut-f.now))
	default:
		// These frames only flush the limiter. Events after the cut do not belong to the sheet.
		if p.atCut == nil {
			p.atCut = new(st)
		}
		size = int(min(int64(size), p.cut+latency-f.now))
	}
	size, paused := p.processPauses(size)
	if paused {
		return nil
	}
	if err := p.checkEnd(); err != nil {
		return err
	}
	if cap(f.block) < size*p.outputs {
		f.block = make([]pcm.Frame, size*p.outputs)
	}
	block := f.block[:size*p.outputs]
	if err := p.mixBlock(block); err != nil {
		return err
	}
	p.freeze.fade(block)
	drop := max(min(latency-f.now+int64(size), int64(size)), 0) // frames before the beginning of the sheet

	// Count the silent frames at the end of the mixer's output. They may begin before the last block: a
	// start may have ended as it began, at the boundary of two blocks.
	silent := int64(0)
	if st := p.mixer.Stats(); p.isQuiet(&st) || st.Playing == 0 && !f.tail.enabled { // a pending start may still be stopped
		silent = max(f.now-latency-st.SilentFrom, 0)
	}
	// The held frames and the block can be returned, except for these silent frames.
	block = block[drop*int64(p.outputs):]
	blockFrames := int64(len(block) / p.outputs)
	if f.tail.enabled {
		all := f.heldSilence + blockFrames
		f.heldSilence = min(silent, all)
		f.released = f.tail.shift(block, int(all-f.heldSilence)*p.outputs)
		return nil
	}
	switch audible := f.heldSilence + blockFrames - silent; {
	case audible <= 0:
		f.heldSilence += blockFrames
	case audible <= f.heldSilence:
		f.gap, f.heldSilence = audible, silent
	default:
		f.ready = block[:(audible-f.heldSilence)*int64(p.outputs)]
		f.gap, f.heldSilence = f.heldSilence, silent
	}
	return nil
}

// tailBuffer holds the frames of an effect tail that is below -90 dBFS but not silent. If louder sound follows,
// they are returned unchanged.
type tailBuffer struct {
	enabled      bool
	frames, free []pcm.Frame
}

// shift appends a copy of block to the held frames, then removes the first n of the held frames and returns them.
// Frames are interleaved, and n counts elements. The result is valid until the next call; it is nil if n is 0.
func (k *tailBuffer) shift(block []pcm.Frame, n int) []pcm.Frame {
	all := append(k.frames, block...)
	if n == 0 {
		k.frames = all
		return nil
	}
	k.frames, k.free = append(k.free[:0], all[n:]...), all[:0]
	return all[:n]
}

// mixBlock fills dst with the next frames of the show. It carries out the commands and the scheduled panics that are
// due in them. dst has interleaved outputs. The error is of the mixer or a stream.
func (p *Player) mixBlock(dst []pcm.Frame) error {
	f := &p.rendering
	for end := f.now + int64(len(dst)/p.outputs); f.panics < len(p.sheet.panics) && p.sheet.panics[f.panics].frame < end; f.panics++ {
		a := &p.sheet.panics[f.panics]
		if n := (a.frame - f.now) * int64(p.outputs); n > 0 {
			if err := p.mixWithoutPanics(dst[:n]); err != nil {
				return err
			}
			dst = dst[n:]
		}
		if err := p.panicInRender(a); err != nil {
			return err
		}
	}
	return p.mixWithoutPanics(dst)
}

// mixWithoutPanics fills dst with the next frames of the show and advances p.rendering.now. It carries out the commands
// that are due in them, but not panics. dst has interleaved outputs. If the mixer's queue is full, it first mixes the
// frames up to the next command, which makes room. The error is of the mixer or a stream.
func (p *Player) mixWithoutPanics(dst []pcm.Frame) error {
	f := &p.rendering
	for p.follows.hasPending() && len(dst) > 0 {
		n, err := p.mixToEnd(dst)
		if err != nil {
			return err
		}
		dst = dst[n*p.outputs:]
	}
	end := f.now + int64(len(dst)/p.outputs)
	for tries := 0; ; tries++ {
		sent := p.sent
		blocked, err := p.feed(end)
		if err == nil {
			break
		}
		if p.sent > sent {
			tries = 0
		}
		if !errors.Is(err, mixer.ErrBusy) {
			return err
		}
		if blocked > f.now {
			n := (blocked - f.now) * int64(p.outputs)
			p.renderPrepared(dst[:n])
			dst, f.now, tries = dst[n:], blocked, 0
		} else if tries > commands {
			return errors.New("cue: the mixer takes no commands") // cannot happen: Render makes room
		}
		p.mixer.Render(nil) // carries out the commands due at this frame, which makes room
		p.poll()
	}
	p.renderPrepared(dst)
	f.now = end
	p.poll()
	return p.streamErrors.err()
}

// maxPollSeconds is the largest number of seconds between two polls. The mixer can hold the events of 20 s.
const maxPollSeconds = 10

// renderPrepared calls the mixer until dst is full. Before each part it waits until the streams are decoded far enough.
// dst has interleaved outputs. If p.skipMixing is set, it advances the mixer by the length of dst without mixing and
// leaves dst unchanged. At least every 10 s of the mix it polls the events.
func (p *Player) renderPrepared(dst []pcm.Frame) {
	since, most := 0, maxPollSeconds*p.sheet.Rate
	for len(dst) > 0 {
		n := min(len(dst)/p.outputs, p.mixer.Prepare(), most-since)
		if p.skipMixing {
			p.mixer.Skip(n)
		} else {
			p.mixer.Render(dst[:n*p.outputs])
		}
		dst = dst[n*p.outputs:]
		if since += n; since == most {
			p.poll()
			since = 0
		}
	}
}

// lossMeter measures how far below the mix of all outputs a stolen sound lies. It compares the K-weighted power
// of the 60 ms of the mix after a steal with the largest power that can be missing. Its input is the output
// of Read, whose events are already known.
type lossMeter struct {
	window  int64 // 60 ms in frames; 0: Read is not in use
	frame   int64 // frames measured
	sum     float64
	filters []loudness.Filter // per channel
	victims []victim          // in order of their frames
	opened  int               // number of victims whose window has begun
	closed  int               // number of victims whose window has ended
}

// victim is an event whose window of 60 ms is being measured.
type victim struct {
	event int
	frame int64
	sum   float64 // the sum at the beginning of the window
}

// start starts the measurement of the mix after each steal, at frame from of the show. Only the first call has an
// effect. rate is the sample rate in Hz, and outputs the number of interleaved outputs.
func (b *lossMeter) start(rate, outputs int, from int64) {
	if b.window == 0 {
		*b = lossMeter{frame: from, window: max(pcm.Frames(60*time.Millisecond, rate), 1)}
		for range 2 * outputs {
			b.filters = append(b.filters, loudness.NewFilter(rate))
		}
	}
}

// addVictim registers e for the measurement if it reports a stolen or virtual voice whose lost level is known. event is
// the index of e in the events that measure gets. Calls must be in the order of frames. Before start it has no effect.
func (b *lossMeter) addVictim(event int, e *report.Event) {
	if b.window > 0 && e.Loss() && e.Lost.Finite() {
		b.victims = append(b.victims, victim{event: event, frame: e.Frame})
	}
}

// measure measures frames, the next interleaved frames of the mix. When the 60 ms after a registered event are
// complete, it sets BelowMix of that event in events. outputs is the number of interleaved outputs. Before start it has
// no effect.
func (b *lossMeter) measure(frames []pcm.Frame, outputs int, events []report.Event) {
	if b.window == 0 {
		return
	}
	for {
		n := b.updateWindows(events)
		if len(frames) == 0 {
			return
		}
		n = min(n, int64(len(frames)/outputs))
		for i, f := range frames[:n*int64(outputs)] {
			filters := b.filters[i%outputs*2:]
			for c, x := range f {
				y := filters[c].Next(float64(x))
				b.sum += float64(y * y)
			}
		}
		b.frame += n
		frames = frames[n*int64(outputs):]
	}
}

// updateWindows begins and ends the measurements of 60 ms that are due at the current frame. The results of ended ones
// are stored in events. It returns the number of frames until the next measurement begins or ends, or never.
func (b *lossMeter) updateWindows(events []report.Event) int64 {
	for b.opened < len(b.victims) && b.victims[b.opened].frame <= b.frame {
		b.victims[b.opened].sum = b.sum
		b.opened++
	}
	for b.closed < b.opened && b.victims[b.closed].frame+b.window <= b.frame {
		b.close(events)
	}
	next := int64(never)
	if b.opened < len(b.victims) {
		next = b.victims[b.opened].frame - b.frame
	}
	if b.closed < b.opened {
		next = min(next, b.victims[b.closed].frame+b.window-b.frame)
	}
	return next
}

// close ends the oldest measurement that is still open and sets BelowMix of its event in events. At least one
// measurement must be open.
func (b *lossMeter) close(events []report.Event) {
	v := &b.victims[b.closed]
	b.closed++
	e := &events[v.event]
	e.BelowMix = report.Level(pcm.FromPower(max(b.sum-v.sum, 0)/float64(b.window))) - e.Lost
	e.HasBelowMix = true
}

// finish ends all open measurements at the end of the mix, as if silence followed. It stores their results in events.
func (b *lossMeter) finish(events []report.Event) {
	for b.closed < b.opened {
		b.close(events)
	}
}

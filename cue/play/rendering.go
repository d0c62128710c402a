package play

import (
	"errors"
	"fmt"
	"slices"

	"voicepool/bank/rules"
	"voicepool/cue/internal/bounds"
	"voicepool/cue/internal/runsheet"
	"voicepool/internal/sheet/loading"
	"voicepool/mixer"
	"voicepool/pcm"
)

// renderer is the state of Read: it does the work of the control side and of the audio side on one goroutine. Prime
// uses it as well, for the part of a show before its beginning.
type renderer struct {
	*show
	sender    *sender
	lookahead *lookahead
	reporter  *reporter
	output    *output
	startFrom startFrom

	now          int64       // frames mixed
	skipMixing   bool        // call Skip of the mixer instead of Render
	block        []pcm.Frame // the last block
	ready        []pcm.Frame // the part of block that can be returned
	gap          int64       // frames of silence to return before ready
	heldSilence  int64       // frames of trailing silence; they are returned only if sound follows
	released     []pcm.Frame // kept frames to return before gap
	tail         tailBuffer  // held-back frames, if effects have tails
	frames       int64       // frames returned
	upperBound   int64       // upper bound of the end, in frames; 0: not computed yet
	ended        bool
	pauseChanges []freezeChange // pauses still to come
	pausedFrames int64          // output frames during which the mixer did not advance
	panics       int            // number of scheduled panics carried out
	seconds      float64        // wall time spent in Read
}

// mixNext mixes the next block of a render, at most size frames. It stores in p which frames Read may return.
// Silence at the end of the block is held back, because it counts only if sound follows. If the show has ended, it sets
// p.ended and mixes no block. The error is of the mixer or a stream, or wraps ErrEndless.
func (p *renderer) mixNext(size int) error {
	latency := int64(p.mixer.LatencyFrames())
	st := p.mixer.Stats()
	switch {
	case p.lookahead.finished(&st) && p.now-latency >= endOfSound(&st):
		p.reporter.addUnreached(p.sender)
		p.ended = true
		return nil
	case p.now-latency >= p.cut:
		// The held frames are silence before the cut, and only silence follows.
		p.ended = true
		return nil
	case p.now < p.cut:
		size = int(min(int64(size), p.cut-p.now))
	default:
		// These frames only flush the limiter. Events after the cut do not belong to the sheet.
		if p.reporter.atCut == nil {
			p.reporter.atCut = new(st)
		}
		size = int(min(int64(size), p.cut+latency-p.now))
	}
	size, paused := p.processPauses(size)
	if paused {
		return nil
	}
	if err := p.checkEnd(); err != nil {
		return err
	}
	if cap(p.block) < size*p.outputs {
		p.block = make([]pcm.Frame, size*p.outputs)
	}
	block := p.block[:size*p.outputs]
	if err := p.mixBlock(block); err != nil {
		return err
	}
	p.output.freeze.fade(block)
	drop := max(min(latency-p.now+int64(size), int64(size)), 0) // frames before the beginning of the sheet

	// Count the silent frames at the end of the mixer's output. They may begin before the last block: a
	// start may have ended as it began, at the boundary of two blocks.
	silent := int64(0)
	if st := p.mixer.Stats(); p.sender.isQuiet(&st) || st.Playing == 0 && !p.tail.enabled { // a pending start may still be stopped
		silent = max(p.now-latency-st.SilentFrom, 0)
	}
	// The held frames and the block can be returned, except for these silent frames.
	block = block[drop*int64(p.outputs):]
	blockFrames := int64(len(block) / p.outputs)
	if p.tail.enabled {
		all := p.heldSilence + blockFrames
		p.heldSilence = min(silent, all)
		p.released = p.tail.shift(block, int(all-p.heldSilence)*p.outputs)
		return nil
	}
	switch audible := p.heldSilence + blockFrames - silent; {
	case audible <= 0:
		p.heldSilence += blockFrames
	case audible <= p.heldSilence:
		p.gap, p.heldSilence = audible, silent
	default:
		p.ready = block[:(audible-p.heldSilence)*int64(p.outputs)]
		p.gap, p.heldSilence = p.heldSilence, silent
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
func (p *renderer) mixBlock(dst []pcm.Frame) error {
	for end := p.now + int64(len(dst)/p.outputs); p.panics < len(p.sheet.Panics) && p.sheet.Panics[p.panics].Frame < end; p.panics++ {
		a := &p.sheet.Panics[p.panics]
		if n := (a.Frame - p.now) * int64(p.outputs); n > 0 {
			if err := p.mixWithoutPanics(dst[:n]); err != nil {
				return err
			}
			dst = dst[n:]
		}
		if err := p.panic(a); err != nil {
			return err
		}
	}
	return p.mixWithoutPanics(dst)
}

// mixWithoutPanics fills dst with the next frames of the show and advances p.now. It carries out the commands that are
// due in them, but not panics. dst has interleaved outputs. The error is of the mixer or a stream.
func (p *renderer) mixWithoutPanics(dst []pcm.Frame) error {
	for p.follows.hasPending() && len(dst) > 0 {
		n, err := p.mixToEnd(dst)
		if err != nil {
			return err
		}
		dst = dst[n*p.outputs:]
	}
	end := p.now + int64(len(dst)/p.outputs)
	rest, err := p.sendUntil(end, dst)
	if err != nil {
		return err
	}
	p.renderPrepared(rest)
	p.now = end
	p.reporter.poll()
	return p.sounds.streams.err()
}

// sendUntil sends the commands that are due before the frame end to the mixer. If the mixer's queue is full, it first
// mixes the beginning of dst, up to the next command, which makes room. dst has interleaved outputs. The result is the
// part of dst that is not mixed. The error is of the mixer.
func (p *renderer) sendUntil(end int64, dst []pcm.Frame) ([]pcm.Frame, error) {
	for tries := 0; ; tries++ {
		sent := p.sender.sent
		blocked, err := p.sender.send(end)
		if err == nil || !errors.Is(err, mixer.ErrBusy) {
			return dst, err
		}
		if p.sender.sent > sent {
			tries = 0
		}
		if blocked > p.now {
			n := (blocked - p.now) * int64(p.outputs)
			p.renderPrepared(dst[:n])
			dst, p.now, tries = dst[n:], blocked, 0
		} else if tries > commands {
			return dst, errors.New("cue: the mixer takes no commands") // cannot happen: Render makes room
		}
		p.carryOut()
	}
}

// carryOut makes the mixer carry out the commands that are due at the current frame, and processes the resulting
// events. No frame is mixed.
func (p *renderer) carryOut() {
	p.mixer.Render(nil)
	p.reporter.poll()
}

// maxPollSeconds is the largest number of seconds between two polls. The mixer can hold the events of 20 s.
const maxPollSeconds = 10

// renderPrepared calls the mixer until dst is full. Before each part it waits until the streams are decoded far enough.
// dst has interleaved outputs. If p.skipMixing is set, it advances the mixer by the length of dst without mixing and
// leaves dst unchanged. At least every 10 s of the mix it polls the events.
func (p *renderer) renderPrepared(dst []pcm.Frame) {
	since, most := 0, maxPollSeconds*p.rate
	for len(dst) > 0 {
		n := min(len(dst)/p.outputs, p.mixer.Prepare(), most-since)
		if p.skipMixing {
			p.mixer.Engine().Skip(n)
		} else {
			p.mixer.Render(dst[:n*p.outputs])
		}
		dst = dst[n*p.outputs:]
		if since += n; since == most {
			p.reporter.poll()
			since = 0
		}
	}
}

// panic carries out the scheduled panic that is due at the current frame of a render. It drops all remaining
// actions of the timeline, and of the list cues whose GO came before the panic. All voices fade out over
// scheduled.Over, and paused voices resume. It returns the error of the mixer.
func (p *renderer) panic(scheduled *runsheet.Panic) error {
	p.schedule.clear(scheduled.Cues)
	p.follows.clear(scheduled.Launches, scheduled.Cues)
	at := p.mixer.Engine().At(p.now)
	if err := errors.Join(at.Stop(mixer.TargetAll(), scheduled.Over.Duration(p.rate)), at.Resume(mixer.TargetAll())); err != nil {
		return err
	}
	p.carryOut()
	return nil
}

// processPauses applies the scheduled pauses that are due at the current output frame of a render. If a pause has
// silenced the output, it returns 0 and true. The silence until the end of the pause is then added to the render, or
// the render ends if the pause has no end. Otherwise it returns false and the number of frames before the next pause
// change or end of a fade, at most size.
func (p *renderer) processPauses(size int) (int, bool) {
	h := p.output.freeze
	output := p.now + p.pausedFrames
	for len(p.pauseChanges) > 0 && p.pauseChanges[0].output <= output {
		h.frozen, p.pauseChanges = p.pauseChanges[0].on, p.pauseChanges[1:]
	}
	next := int64(never)
	if len(p.pauseChanges) > 0 {
		next = p.pauseChanges[0].output - output
	}
	switch {
	case h.frozen && h.fadeProgress == len(h.window):
		if next == never {
			p.ended = true
			return 0, true
		}
		p.gap, p.pausedFrames = next, p.pausedFrames+next
		if p.tail.enabled {
			p.released = p.tail.shift(nil, len(p.tail.frames))
		} else {
			p.gap += p.heldSilence
		}
		p.heldSilence = 0
		return 0, true
	case h.frozen:
		next = min(next, int64(len(h.window)-h.fadeProgress))
	case h.fadeProgress > 0:
		next = min(next, int64(h.fadeProgress))
	}
	return int(min(int64(size), next)), false
}

// ErrEndless is wrapped by the error of Read if voices still sound when everything in the sheet must have
// ended. It indicates a fault of the mixer and prevents a render from filling the disk.
var ErrEndless = errors.New("cue: the render does not end")

// checkEnd returns an error that wraps ErrEndless if the render has reached its upper bound; otherwise nil. The first
// call computes the bound and keeps it.
func (p *renderer) checkEnd() error {
	if p.upperBound == 0 {
		p.upperBound = measure(&p.sounds, func(all []loading.Sound) int64 { return bounds.UpperBound(p.sheet, all) })
	}
	if p.now < p.upperBound {
		return nil
	}
	return fmt.Errorf("%w: all voices should have ended before %v, but %d still play; set a length, such as `length: 60s`",
		ErrEndless, rules.FrameTime(p.upperBound, p.rate), p.mixer.Stats().Playing)
}

// removeLeftLoops handles the looping starts that have left their loops by the current frame of a render. An action
// may wait for the end of an id. For such an action, a looping start ends when it leaves its loop, even if it still
// sounds. So this function counts these starts as ended at the current frame. It also removes them from
// followOns.loopingStarts. Starts that are over already are only removed, because their events count them.
func (p *renderer) removeLeftLoops() {
	f := &p.follows
	f.loopingStarts = slices.DeleteFunc(f.loopingStarts, func(l loopingStart) bool {
		if !p.mixer.Engine().LeftLoop(l.handle) {
			return false
		}
		if !l.handle.State().Over() {
			if f.leftLoop == nil {
				f.leftLoop = map[uint64]bool{}
			}
			f.leftLoop[l.handle.Number()] = true
			f.countEnd(l.tag, p.now)
		}
		return true
	})
}

// mixToEnd mixes the beginning of dst while actions of a render wait for the end of voices. First it sends the
// commands due at the current frame and releases actions whose wait is over. Then it mixes until a voice may end or
// the next command is due, but at most 20 ms. So the waiting actions can begin at the exact frame of the end.
//
// dst has p.outputs elements per frame. The result is the number of mixed frames, and p.now advances by it.
// If no voice can sound any longer, mixToEnd drops the waits and returns 0. The error is of the mixer or a stream.
func (p *renderer) mixToEnd(dst []pcm.Frame) (int, error) {
	for more := true; more; { // actions that follow an end act after the others of this frame
		if _, err := p.sendUntil(p.now+1, nil); err != nil {
			return 0, err
		}
		p.carryOut()
		more = p.follows.release(p.now, p.schedule)
	}
	if st := p.mixer.Stats(); p.sender.isQuiet(&st) && p.schedule.Plays() == 0 && p.follows.nextLaunch() == never {
		p.follows.unreleased = 0 // every voice has ended
		return 0, nil
	}
	hop := max((int64(p.rate)+25)/50, 1) // the mixer's grid of 20 ms; voices are also stolen there
	n := min(int64(len(dst)/p.outputs), hop-p.now%hop)
	until := func(frame int64) {
		if frame > p.now {
			n = min(n, frame-p.now)
		}
	}
	if frame, ok := p.schedule.Peek(); ok {
		until(frame)
	}
	until(p.parameters.nextCorner())
	until(p.follows.nextLaunch())
	for i := range p.sender.delayed {
		until(p.sender.delayed[i].frame)
	}
	n = int64(p.mixer.Engine().UntilEnd(int(n)))
	p.renderPrepared(dst[:n*int64(p.outputs)])
	p.now += n
	p.reporter.poll()
	p.removeLeftLoops()
	return int(n), p.sounds.streams.err()
}

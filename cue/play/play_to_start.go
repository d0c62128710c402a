package play

import (
	"errors"
	"fmt"
	"time"

	"voicepool/bank/rules"
	"voicepool/internal/sheet/yaml"
	"voicepool/mixer"
	"voicepool/pcm"
)

// leadIn is the length of the part that is mixed and discarded before it begins in the middle. The gain of
// the limiter depends on at most the last 1 s.
const leadIn = 2 * time.Second

// playToStart plays the show from frame 0 to its beginning, given by Options.From or Cue, and discards the output. It
// plays some frames more: the parameter after is their number. Each call does part of the work; reached reports whether
// it is done. From there on, the output equals the end of the complete render bit for bit, unless a tail is longer than
// 2 s.
//
// Only the last 2 s are mixed; before them, the mixer only advances. But everything is mixed if the master has a DC
// guard, or as long as the frame of the beginning is unknown. The error is of the mixer or a stream, or wraps
// ErrStartPosition, for example if the show ends earlier.
func (r *renderer) playToStart(after int64) (reached bool, err error) {
	b := &r.startFrom
	if b.reached {
		return true, nil
	}
	if r.block == nil {
		r.block = make([]pcm.Frame, 4096*r.outputs)
	}
	for most := int64(1 << 19); most > 0; {
		from, known := b.frame(r.given.Load(), r.follows.progress)
		known = known && from < r.cut // after the cut, the loop runs until the end of the show
		clock, changes := b.pausesBefore(from+after, r.pauseChanges, r.rate)
		from = clock.Output - clock.Stopped - after // in frames of the mixer
		if known && r.now == from+after {
			b.reached, r.startFrame, r.block, r.skipMixing = true, clock.Output-after, nil, false
			r.pauseChanges = r.pauseChanges[changes:]
			r.pausedFrames, r.output.freeze.output = clock.Stopped, clock.Output
			r.output.freeze.frozen, r.output.freeze.fadeProgress = clock.Paused, int(clock.FadeProgress)
			r.output.freeze.on.Store(clock.Paused)
			return true, nil
		}
		if st := r.mixer.Stats(); r.now >= r.cut || !r.options.Live && r.lookahead.finished(&st) && !r.hasPendingMessages() && r.now >= endOfSound(&st)+int64(r.mixer.LatencyFrames()) {
			return false, fmt.Errorf("cue: %w: it ends at %v", ErrStartPosition, rules.FrameTime(min(r.cut, endOfSound(&st)), r.rate))
		}
		n, outputs := min(most, int64(len(r.block)/r.outputs)), int64(r.outputs)
		if r.skipMixing = false; known {
			n = min(n, from+after-r.now)
			// A tail longer than the lead-in is exact only in a render from the start.
			if leadInStart := from - pcm.Frames(leadIn, r.rate); r.now < leadInStart && !r.sheet.Master.DCGuard {
				n = min(n, leadInStart-r.now)
				r.skipMixing = true
			}
		}
		if r.lookahead.on() {
			if !known {
				return false, fmt.Errorf("cue: %w: cue %s begins at the end of another, which only a render computes; begin at a time", ErrStartPosition, yaml.Quote(r.options.Cue))
			}
			if err := r.mixWithLookahead(r.block[:n*outputs]); err != nil {
				return false, err
			}
		} else if !known && r.follows.hasPending() { // stops at every end of a cue
			k, err := r.mixToEnd(r.block[:n*outputs])
			if err != nil {
				return false, err
			}
			n = int64(k)
		} else if err := r.mixBlock(r.block[:n*outputs]); err != nil {
			return false, err
		}
		most -= max(n, 1)
	}
	return false, nil
}

// mixWithLookahead fills block with the next frames of a show whose lookahead is on, and advances r.now. As
// Run does, it hands commands to the mixer before their frames. block has interleaved outputs. The error is of the
// mixer or a stream.
func (r *renderer) mixWithLookahead(block []pcm.Frame) error {
	for len(block) > 0 {
		n := min(int64(len(block)/r.outputs), r.lookaheadFrames()/2)
		if err := r.lookahead.handOverAll(r.now + r.lookaheadFrames()); err != nil && !errors.Is(err, mixer.ErrBusy) {
			return err
		}
		r.renderPrepared(block[:n*int64(r.outputs)])
		block = block[n*int64(r.outputs):]
		r.now += n
		r.reporter.poll()
		st := r.mixer.Stats()
		r.lookahead.updateFired(&st)
	}
	return r.sounds.streams.err()
}

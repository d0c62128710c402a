package cue

import (
	"context"
	"errors"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
)

const (
	// minLookahead is the minimum lead of Feed over the audio side. pollInterval is its polling interval.
	minLookahead = 200 * time.Millisecond
	pollInterval = 5 * time.Millisecond

	// fadeOut is the length of the final fade-out of Feed. Feed then ends after drainSilence of silence
	// even if starts are pending, and after stallTimeout if the audio side has stopped.
	fadeOut      = 300 * time.Millisecond
	drainSilence = 100 * time.Millisecond
	stallTimeout = time.Second
)

// Prime prepares the show for a device. It hands the first cues to the mixer, so that they are not late, and waits
// until the beginnings of their streams are decoded. With Options.From or Options.Cue it first plays up to that place
// and discards the output. Call it once, before the device starts. Control side.
//
// The error is from the mixer or a broken stream, or wraps ErrStartPosition if the show cannot begin at that place. A
// full command queue is not an error, because Feed sends the rest.
func (p *Player) Prime() error {
	p.startLookahead()
	if p.options.Live {
		p.rendering.pauseChanges = nil
	}
	for reached, err := p.playToStart(0); !reached; reached, err = p.playToStart(0) {
		if err != nil {
			return err
		}
	}
	p.freeze.scheduled = p.rendering.pauseChanges
	if err := p.handOverAll(p.rendering.now + p.lookaheadFrames()); err != nil && !errors.Is(err, mixer.ErrBusy) {
		return err
	}
	p.mixer.Prepare()
	return nil
}

// lookaheadFrames returns how many frames before its time Feed hands a command to the mixer. It is 200 ms, or three
// device blocks if they are longer.
func (p *Player) lookaheadFrames() int64 {
	return max(pcm.Frames(minLookahead, p.sheet.Rate), 3*int64(p.options.Block))
}

// Feed hands the cues to the mixer in time while a device calls Render. It also polls the mixer's events. It returns
// when the last voice, fade and tail has been mixed, at the sheet's length, or at an error of the mixer. A live show
// without a length ends only after Finish. When Feed returns, it has closed the player. The device may still hold
// frames that have not been played; see its Latency.
//
// When ctx ends, Feed drops the rest of the sheet, fades everything out within 300 ms, and returns the error of ctx.
// If the device does not call Render for one second during this fade, Feed stops waiting and returns the same error.
// A broken stream does not stop the show: Feed returns its error at the end.
func (p *Player) Feed(ctx context.Context) error {
	wake, ended := p.live.openWakeChannel(), ctx.Done()
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		if done, err := p.Step(); done {
			return err
		}
		select {
		case <-ended:
			p.startDrain(ctx.Err())
			ended = nil
		case <-ticker.C:
		case <-wake:
		}
	}
}

// Render fills dst with the next frames of the show, for a device. Each frame has one element of dst per stereo output;
// see Outputs. An incomplete frame at the end of dst is cleared. While the show is held, and after the sheet's length,
// the output is silent. The output is measured for Levels and Report. Audio side: Render takes no lock and does not
// allocate.
func (p *Player) Render(dst []pcm.Frame) {
	for dst = p.completeFrames(dst); len(dst) > 0; {
		now := dst[:p.freeze.framesUntilChange(len(dst)/p.outputs)*p.outputs]
		dst = dst[len(now):]
		if p.freeze.update(len(now) / p.outputs) {
			p.freeze.render(now, p.mix)
		} else {
			now = p.mixUntilCut(now)
		}
		p.meter.measure(now)
	}
}

// mixUntilCut mixes the next frames of the show into dst, at most up to the sheet's length plus the latency of the
// mixer. dst has p.outputs elements per frame. The rest of dst is cleared. It returns the part of dst that was mixed,
// which is all of dst if the sheet has no length. Audio side.
func (p *Player) mixUntilCut(dst []pcm.Frame) []pcm.Frame {
	remaining := p.cut - p.mixer.Now() + int64(p.mixer.LatencyFrames())
	if p.cut != never && int64(len(dst)/p.outputs) > remaining {
		n := max(remaining, 0) * int64(p.outputs)
		clear(dst[n:])
		dst = dst[:n]
	}
	if len(dst) > 0 {
		p.mixer.Render(dst)
	}
	return dst
}

// Rate returns the sample rate of the sheet in Hz. It implements device.Rated.
func (p *Player) Rate() int { return p.sheet.Rate }

package cue

import (
	"context"
	"errors"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
)

const (
	// ahead is how far Feed is before the audio side at least, and look how often
	// it looks.
	ahead = 200 * time.Millisecond
	look  = 5 * time.Millisecond

	// fadeOut is how long everything takes to fall silent when Feed is told to
	// end, settling how long nothing sounds before it does, where starts are still to come,
	// and patience how long the audio side may stand still meanwhile.
	fadeOut  = 300 * time.Millisecond
	settling = 100 * time.Millisecond
	patience = time.Second
)

// Prime hands the first cues over, so that none is late, and waits until what
// streams among them begin with has been decoded. To be called before a device
// starts.
func (p *Player) Prime() error {
	p.arm()
	if p.options.Live {
		p.file.flips = nil
	}
	for there, err := p.goThere(0); !there; there, err = p.goThere(0) {
		if err != nil {
			return err
		}
	}
	p.hold.plan = p.file.flips
	if err := p.handAll(p.file.now + p.ahead()); err != nil && !errors.Is(err, mixer.ErrBusy) {
		return err
	}
	p.mixer.Prepare()
	return nil
}

// ahead returns how many frames Feed is before the audio side.
func (p *Player) ahead() int64 {
	return max(pcm.Frames(ahead, p.sheet.Rate), 3*int64(p.options.Block))
}

// Feed hands the cues over in time, while a device calls Render, and polls what
// happens. It returns when the last voice, fade and tail has been mixed, or the
// sheet's length has come; what the device has not let go of yet is still to be
// heard, see its Latency.
//
// When ctx ends, the rest of the sheet is left out, everything fades out within
// 300 ms, and Feed returns the error of ctx; so it does, after a second, when
// the device has stopped to call Render. A stream that turned out to be broken is
// its error when all the rest has been played.
func (p *Player) Feed(ctx context.Context) error {
	wake, ended := p.live.begin(), ctx.Done()
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	for {
		if done, err := p.Turn(); done {
			return err
		}
		select {
		case <-ended:
			p.leave(ctx.Err())
			ended = nil
		case <-ticker.C:
		case <-wake:
		}
	}
}

// Render is the source of a device, of as many outputs as Outputs says. Audio side: it takes no lock
// and does not allocate. After the sheet's length it is silent.
func (p *Player) Render(dst []pcm.Frame) {
	for dst = p.whole(dst); len(dst) > 0; {
		now := dst[:p.hold.untilFlip(len(dst)/p.wide)*p.wide]
		dst = dst[len(now):]
		if p.hold.look(len(now) / p.wide) {
			p.hold.render(now, p.mix)
		} else {
			now = p.mixUntilCut(now)
		}
		p.heard.hear(now)
	}
}

// mixUntilCut mixes the next frames, which are silent after the sheet's length, and returns those
// before that. Audio side.
func (p *Player) mixUntilCut(dst []pcm.Frame) []pcm.Frame {
	room := p.cut - p.mixer.Now() + int64(p.mixer.LatencyFrames())
	if p.cut != never && int64(len(dst)/p.wide) > room {
		n := max(room, 0) * int64(p.wide)
		clear(dst[n:])
		dst = dst[:n]
	}
	if len(dst) > 0 {
		p.mixer.Render(dst)
	}
	return dst
}

// Rate returns the frames per second of the sheet, as a device.Rated does.
func (p *Player) Rate() int { return p.sheet.Rate }

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
	// end, and patience how long the audio side may stand still meanwhile.
	fadeOut  = 300 * time.Millisecond
	patience = time.Second
)

// errPauses is returned where pauses are a part of the times of GO: a device has its own.
var errPauses = errors.New("cue: the times of GO have pauses, which are for a render alone; leave these lines out")

// Prime hands the first cues over, so that none is late, and waits until what
// streams among them begin with has been decoded. To be called before a device
// starts.
func (p *Player) Prime() error {
	if !p.options.Live && p.given.does(DoPause) {
		return errPauses
	}
	p.arm()
	for there, err := p.goThere(0); !there; there, err = p.goThere(0) {
		if err != nil {
			return err
		}
	}
	if err := p.handSome(p.file.now + p.ahead()); err != nil && !errors.Is(err, mixer.ErrBusy) {
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
	defer p.Close()
	p.arm()
	wake := p.live.begin()
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	for {
		st := p.mixer.Stats()
		p.poll()
		if p.flip(); p.armed.on {
			p.learn(&st)
		}
		switch {
		case p.cut != never && st.Frame >= p.cut+int64(p.mixer.LatencyFrames()):
			p.poll()
			return p.streams.err()
		case !p.finished(&st) || p.options.Live:
			if err := p.handOver(&st); err != nil {
				return err
			}
		case st.Pending == 0 && st.Frame >= st.SilentFrom+int64(p.mixer.LatencyFrames()):
			p.poll()
			p.miss()
			return p.streams.err()
		}
		p.look(&st)
		if p.live.finish {
			p.fade(ticker)
			return p.streams.err()
		}
		select {
		case <-ctx.Done():
			p.fade(ticker)
			return ctx.Err()
		case <-ticker.C:
		case <-wake:
		}
	}
}

// handOver hands over what is due soon, and does what was asked for.
func (p *Player) handOver(st *mixer.Stats) error {
	for range 2 { // what was asked for comes behind what was due before
		if err := p.handSome(st.Frame + p.ahead()); err != nil && !errors.Is(err, mixer.ErrBusy) {
			return err
		}
		p.serve()
	}
	return nil
}

// handSome hands over what is due before a frame, or as much of it as there is room for.
func (p *Player) handSome(before int64) (err error) {
	if p.armed.on {
		return p.handAll(before)
	}
	_, err = p.feed(before)
	return err
}

// fade silences everything, also what is under way, and waits for it.
func (p *Player) fade(ticker *time.Ticker) {
	defer func() { // of a GO that came just before
		if st := p.mixer.Stats(); p.armed.on {
			p.learn(&st)
		}
	}()
	p.mixer.StopAll(fadeOut)
	moved, frame := time.Now(), int64(-1)
	all := false // that was handed over has been asked to stop
	for {
		p.poll()
		st := p.mixer.Stats()
		if p.quiet(&st) && st.Frame >= st.SilentFrom+int64(p.mixer.LatencyFrames()) {
			p.poll()
			return
		}
		if st.Playing > 0 && !all { // starts come that were handed over before
			all = st.Asked >= p.asked
			p.mixer.StopAll(fadeOut)
		}
		if p.cut != never && st.Frame >= p.cut {
			return // Render mixes no more
		}
		if st.Frame != frame {
			moved, frame = time.Now(), st.Frame
		} else if time.Since(moved) >= patience {
			return
		}
		<-ticker.C
	}
}

// Render is the source of a device, of as many outputs as Outputs says. Audio side: it takes no lock
// and does not allocate. After the sheet's length it is silent.
func (p *Player) Render(dst []pcm.Frame) {
	dst = p.whole(dst)
	if p.hold.look(len(dst) / p.wide) {
		p.hold.render(dst, p.mix)
	} else {
		dst = p.mixUntilCut(dst)
	}
	p.heard.hear(dst)
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

//go:build (linux || freebsd || netbsd || openbsd || dragonfly) && !android

package pulse

import (
	"time"

	"github.com/jfreymuth/pulse/proto"

	"voicepool/pcm"
)

const (
	// idleAfter is how long a source has been silent that may sleep.
	idleAfter = time.Second

	// corkedFor is after how long the server plays for a moment: it puts a sink away that has
	// played nothing for 5 s, and a sink takes its time to come back.
	corkedFor = 4 * time.Second

	// uncorkedFor is for how long it plays then.
	uncorkedFor = 10 * time.Millisecond
)

// sleeps reports whether the source has nothing to play, and sleeps from now on.
func (f *feeder) sleeps() bool {
	return f.sleeper != nil && f.wanted.Load() < f.size && f.silent >= pcm.Frames(idleAfter, f.config.Rate) && f.sleeper.Sleep(time.Now())
}

// idle stops the server until the source is asked for something. What the server holds is
// silence, and it plays that first when it goes on, so a sound then takes as long as ever.
func (f *feeder) idle() {
	f.idleSince.Store(int64(time.Since(f.born)))
	corked := f.cork(true)
	if corked {
		alarm := time.NewTimer(corkedFor)
		defer alarm.Stop()
		select {
		case <-f.sleeper.Asked():
			f.silent = 0
		case <-alarm.C:
			f.silent = pcm.Frames(idleAfter-uncorkedFor, f.config.Rate)
		case <-f.stop:
		case <-f.lost:
		}
	}
	passed := f.sleeper.Wake(time.Now())
	f.frames.Add(passed)
	f.idleSince.Store(0)
	select {
	case <-f.stop:
		return
	case <-f.lost:
		return
	default:
	}
	if !corked { // it may have been heard all the same
		go f.begin()
		return
	}
	f.cork(false)
}

// cork has the server stop, or go on, and reports whether it has: it may not answer.
func (f *feeder) cork(stop bool) bool {
	answer := make(chan error, 1) // Close ends the connection, and with it this wait
	go func() {
		answer <- f.conn.Request(&proto.CorkPlaybackStream{StreamIndex: f.stream, Corked: stop}, nil)
	}()
	limit := time.NewTimer(stall)
	defer limit.Stop()
	select {
	case err := <-answer:
		if err != nil {
			f.lose(f.conn.Explain(err))
		}
		return err == nil
	case <-limit.C:
	case <-f.stop:
	case <-f.lost:
	}
	return false
}

//go:build (linux || freebsd || netbsd || openbsd || dragonfly) && !android

package pulse

import (
	"time"

	"github.com/jfreymuth/pulse/proto"

	"voicepool/pcm"
)

const (
	// idleAfter is the duration of silence after which the source may sleep.
	idleAfter = time.Second

	// maxCorked is the longest time without playing: a server suspends a sink that has been idle for 5 s, and
	// resuming takes time.
	maxCorked = 4 * time.Second

	// playTime is the time that the server then plays.
	playTime = 10 * time.Millisecond
)

// putToSleep puts the source to sleep, and reports whether it did. That needs a Sleeper, no request from the server,
// silence for idleAfter, and a source without work.
func (f *feeder) putToSleep() bool {
	return f.sleeper != nil && f.requestedBytes.Load() < f.size && f.silent >= pcm.Frames(idleAfter, f.config.Rate) && f.sleeper.Sleep(time.Now())
}

// sleepUntilWake stops the server until the source has a command, maxCorked has passed, or the device ends. Then
// it wakes the source and resumes the server. The server's buffer contains silence, which it plays first
// afterwards, so the latency of the next sound is unchanged.
func (f *feeder) sleepUntilWake() {
	f.idleSince.Store(int64(time.Since(f.created)))
	corked := f.cork(true)
	if corked {
		select {
		case <-f.sleeper.Asked():
			f.silent = 0
		case <-time.After(maxCorked):
			f.silent = pcm.Frames(idleAfter-playTime, f.config.Rate)
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
	if !corked { // the server may have received the request anyway
		go f.uncork()
		return
	}
	f.cork(false)
}

// cork stops the server, or resumes it if stop is false, and reports whether it has confirmed within the time
// stall. An error answer ends the stream.
func (f *feeder) cork(stop bool) bool {
	answer := make(chan error, 1) // Close ends the connection, and with it the goroutine
	go func() {
		answer <- f.conn.Request(&proto.CorkPlaybackStream{StreamIndex: f.stream, Corked: stop}, nil)
	}()
	select {
	case err := <-answer:
		if err != nil {
			f.fail(f.conn.Explain(err))
		}
		return err == nil
	case <-time.After(stall):
	case <-f.stop:
	case <-f.lost:
	}
	return false
}

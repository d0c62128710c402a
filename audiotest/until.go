package audiotest

import (
	"fmt"
	"time"

	"voicepool/internal/listening"
	"voicepool/mixer"
	"voicepool/pcm"
)

// untilLimit is the longest time that Until renders.
const untilLimit = 5 * time.Minute

// Voice is a voice that Until can wait for: a mixer.Handle, or a bank.Handle with all its voices.
type Voice interface {
	Number() uint64
	State() mixer.State
}

// Until renders until a voice has ended, but at most 5 minutes. The test fails if the voice has not ended by
// then, for instance because it loops endlessly or is paused. It fails at once if h is the zero Handle,
// which Play returns with an error.
func (a *Audio) Until(h Voice) {
	a.t.Helper()
	if h.State() == mixer.StateNone {
		a.fail("Until is given no voice: look at the error of the Play that should have returned it")
		return
	}
	why := func() string {
		return fmt.Sprintf("voice %d is not over after %v, it is %v; stop it, or give it an end", h.Number(), untilLimit, h.State())
	}
	a.stepUntil(untilLimit, func() bool { return h.State().Over() }, why)
}

// UntilSilent renders until no voice is pending, playing or virtual, all functions of Do have been called,
// all effect tails have ended (mixer.Stats.RingsUntil), and the last 20 ms of the mix are silent. Paused
// voices do not count. The test fails if the mix is not silent after limit, counted in rendered audio.
func (a *Audio) UntilSilent(limit time.Duration) {
	a.t.Helper()
	playing, rings := 0, int64(0)
	silent := func() bool {
		playing = 0
		for h := range a.mixer.Voices() {
			if h.State() != mixer.StatePaused {
				playing++
			}
		}
		rings = a.mixer.Stats().RingsUntil + a.mixer.LatencyFrames()
		return playing == 0 && len(a.scheduled) == 0 && rings <= a.frames && a.frames >= int64(len(a.block)) &&
			firstSound(a.mix.read(a.frames-int64(len(a.block)), a.frames), listening.SilenceThreshold) < 0
	}
	a.stepUntil(limit, silent, func() string {
		ringing := ""
		if rings > a.frames {
			ringing = fmt.Sprintf("effects may ring until %v, ", pcm.Duration(rings, a.rate).Round(time.Millisecond))
		}
		return fmt.Sprintf("it is not silent after %v: %d voices play, %sthe last 20 ms have %.1f dB", limit, playing, ringing,
			float64(a.mix.level(span{max(a.frames-int64(len(a.block)), 0), a.frames})))
	})
}

// stepUntil renders in pieces of 1 ms until over returns true.
func (a *Audio) stepUntil(most time.Duration, over func() bool, why func() string) {
	a.t.Helper()
	end := a.frames + pcm.Frames(most, a.rate)
	piece := max(int64(a.rate/1000), 1)
	for !over() {
		if a.frames >= end {
			a.fail("%s", why())
			break
		}
		a.renderTo(min(a.frames+piece, end))
	}
	a.elapsed = max(a.elapsed, pcm.Duration(a.frames, a.rate))
}

package cue

import (
	"errors"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/voice"
)

// stepState is the state of Step.
type stepState struct {
	lastStats     mixer.Stats // at the beginning of the last Step; earlier events have been polled
	started       bool
	draining      bool      // fading out
	drainErr      error     // result of Step after the fade-out
	advancedAt    time.Time // while fading out: the last time the audio side advanced
	advancedFrame int64     // its frame at that time
	silentSince   time.Time // while fading out: the beginning of the silence; zero: voices still sound
	stoppedAll    bool      // every start handed over has been stopped
	done          bool
	err           error
}

// Step is one iteration of Feed, for programs that run many players on one goroutine. It hands over the commands that
// are due soon, serves requests, polls the events and reports them. It does not wait, except for the callbacks of
// Options, such as Send and Watch. Call it about every 10 ms. If the player is Idle, it is enough to call it after
// Options.Wake.
//
// If done is true, the show has ended with the result err, and the player is closed. Later calls return the same
// result. The fade-out after Finish also takes place in Step. If a program calls Step, its goroutine is the goroutine
// of Feed in this documentation.
func (p *Player) Step() (done bool, err error) {
	t := &p.stepState
	if t.done {
		return true, t.err
	}
	if !t.started {
		p.startLookahead()
		t.started = true
	}
	if !t.draining {
		done, err = p.stepShow()
	}
	if !done && t.draining {
		done, err = p.stepDrain()
	}
	if done {
		t.done, t.err = true, err
		close(p.live.closed)
		p.Close()
	}
	return done, err
}

// Idle reports whether the player can wait: Step need not be called before Options.Wake. It has no scheduled, waiting
// or sounding actions, no requests and no unreported events. The output is then silent from the later of the frames
// SilentFrom and RingsUntil on, fields of the mixer's Stats. Once this frame plus the mixer's Latency has passed,
// Render need not be called either. Before the first call of Step and during a fade-out the result is false. After
// the end of the show it is true. Only for the goroutine of Step.
func (p *Player) Idle() bool {
	t, a := &p.stepState, &p.lookahead
	if t.done || !t.started || t.draining {
		return t.done
	}
	_, scheduled := p.schedule.Peek()
	if scheduled || p.held != nil || !a.idle() || len(p.outbox) > 0 || len(p.live.active) > 0 || p.parameters.nextCorner() != never {
		return false
	}
	p.live.mutex.Lock()
	hasRequests := len(p.live.requests) > 0 || p.freeze.on.Load() != p.live.pauses.paused
	p.live.mutex.Unlock()
	now := p.mixer.Stats()
	return !hasRequests && p.isQuiet(&t.lastStats) && t.lastStats.Pending == 0 && p.isQuiet(&now) && now.Pending == 0 && now.Asked == t.lastStats.Asked
}

// stepShow does one iteration of Step while the show is not fading out. After Finish it begins the fade-out. done means
// that the show has ended or the mixer has failed; err is then the result.
func (p *Player) stepShow() (done bool, err error) {
	st := p.mixer.Stats()
	p.stepState.lastStats = st
	p.poll()
	p.recordPauses()
	p.updateFired(&st)
	p.sendDueMessages(&st)
	switch {
	case p.cut != never && st.Frame >= p.cut+int64(p.mixer.LatencyFrames()):
		p.poll()
		return true, p.streamErrors.err()
	case !p.finished(&st) || p.options.Live || p.hasPendingMessages() || p.rendering.tail.enabled && st.Frame < endOfSound(&st): // cues may still change the tail
		if err := p.handOver(&st); err != nil {
			return true, err
		}
	case st.Pending == 0 && st.Frame >= endOfSound(&st)+int64(p.mixer.LatencyFrames()):
		p.poll()
		p.reportUnreached()
		return true, p.streamErrors.err()
	}
	p.updatePlaying(&st)
	if p.live.finish {
		p.startDrain(nil)
	}
	return false, nil
}

// handOver hands the commands that are due soon after stats.Frame to the mixer, and then runs the queued requests. It
// does both twice, so that the commands of these requests are handed over, too. A full command queue is not an error.
// Other errors of the mixer are returned.
func (p *Player) handOver(stats *mixer.Stats) error {
	for range 2 { // requests come after the commands that were due before them
		if err := p.handOverAll(stats.Frame + p.lookaheadFrames()); err != nil && !errors.Is(err, mixer.ErrBusy) {
			return err
		}
		p.runRequests()
	}
	return nil
}

// startDrain begins to fade out all voices and the tails of effects within 300 ms and stops pending starts. At the end
// of the fade-out Step returns reason, or the first error of a stream if reason is nil. A second call has no effect.
func (p *Player) startDrain(reason error) {
	t := &p.stepState
	if t.draining {
		return
	}
	t.draining, t.drainErr, t.advancedAt, t.advancedFrame = true, reason, time.Now(), -1
	for h := range p.mixer.Voices() {
		if h.State() == mixer.StatePending {
			_ = h.Stop() // before it sounds
		}
	}
	p.mixer.StopAll(fadeOut)
	p.fadeEffectTails()
}

// fadeEffectTails fades the master buses of all outputs to silence within 300 ms. It has no effect if the sheet has no
// effects or filters with tails. Errors of the mixer are ignored.
func (p *Player) fadeEffectTails() {
	if p.sheet.effectTail() == 0 {
		return
	}
	for _, name := range p.masterBuses() { // a rejected fade leaves the tail
		_ = p.mixer.At(mixer.Now).Fade(mixer.TargetBus(p.buses[name]), pcm.Silence, fadeOut, voice.Natural)
	}
}

// masterBuses returns the names of the master buses of all outputs. The first output has "master", the others have
// their own names.
func (p *Player) masterBuses() []string {
	names := []string{"master"}
	for i := 1; i < len(p.sheet.Outputs); i++ {
		names = append(names, p.sheet.Outputs[i].Name)
	}
	return names
}

// stepDrain does one iteration of Step during the fade-out. It polls the events, and it stops voices that have begun
// since the fade-out was started. done is true if the voices are silent, if the sheet's length is reached, or if the
// audio side has not advanced for one second. It is also true after 100 ms of silence, even if starts are pending. err
// is then the result of Feed.
func (p *Player) stepDrain() (done bool, err error) {
	t := &p.stepState
	p.poll()
	st := p.mixer.Stats()
	switch {
	case p.isQuiet(&st) && st.Frame >= st.SilentFrom+int64(p.mixer.LatencyFrames()):
		p.poll()
		return true, p.drainResult()
	case st.Playing > 0 && !t.stoppedAll: // starts that were handed over before
		t.stoppedAll = st.Asked >= p.requestedStarts()
		p.mixer.StopAll(fadeOut)
	}
	switch {
	case p.cut != never && st.Frame >= p.cut: // Render mixes no further frames
		return true, p.drainResult()
	case st.Playing > 0 || st.Frame < st.SilentFrom+int64(p.mixer.LatencyFrames()):
		t.silentSince = time.Time{}
	case t.silentSince.IsZero():
		t.silentSince = time.Now()
	case time.Since(t.silentSince) >= drainSilence: // the remaining starts have been stopped or will not be fired
		return true, p.drainResult()
	}
	switch {
	case st.Frame != t.advancedFrame:
		t.advancedAt, t.advancedFrame = time.Now(), st.Frame
	case time.Since(t.advancedAt) >= stallTimeout:
		return true, p.drainResult()
	}
	return false, nil
}

// drainResult returns the result of Feed at the end of a fade-out: the reason given to startDrain, or the first error
// of a stream, or nil. It first calls updateFired, so that Goes includes a GO just before the end. Options.Fired is not
// called for that GO.
func (p *Player) drainResult() error {
	st := p.mixer.Stats()
	p.updateFired(&st) // of a GO just before the end
	if p.stepState.drainErr != nil {
		return p.stepState.drainErr
	}
	return p.streamErrors.err()
}

package play

import (
	"context"
	"errors"
	"time"

	"voicepool/mixer"
)

// pollInterval is the interval between two steps of Run.
const pollInterval = 5 * time.Millisecond

// Prime prepares the show for a device. It hands the first cues to the mixer, so that they are not late, and waits
// until the beginnings of their streams are decoded. With Options.From or Options.Cue it first plays up to that place
// and discards the output. Call it once, before the device starts. Control side.
//
// The error is from the mixer or a broken stream, or wraps ErrStartPosition if the show cannot begin at that place. A
// full command queue is not an error, because Run sends the rest.
func (p *Player) Prime() error {
	p.lookahead.start(&p.renderer.startFrom)
	if p.options.Live {
		p.renderer.pauseChanges = nil
	}
	for reached, err := p.renderer.playToStart(0); !reached; reached, err = p.renderer.playToStart(0) {
		if err != nil {
			return err
		}
	}
	p.output.freeze.scheduled = p.renderer.pauseChanges
	if err := p.lookahead.handOverAll(p.renderer.now + p.lookaheadFrames()); err != nil && !errors.Is(err, mixer.ErrBusy) {
		return err
	}
	p.mixer.Prepare()
	return nil
}

// Run hands the cues to the mixer in time while a device calls Render. It also polls the mixer's events. It returns
// when the last voice, fade and tail has been mixed, at the sheet's length, or at an error of the mixer. A live show
// without a length ends only after Finish. When Run returns, it has closed the player. The device may still hold
// frames that have not been played; see its Latency.
//
// When ctx ends, Run drops the rest of the sheet, fades everything out within 300 ms, and returns the error of ctx.
// If the device does not call Render for one second during this fade, Run stops waiting and returns the same error.
// A broken stream does not stop the show: Run returns its error at the end.
func (p *Player) Run(ctx context.Context) error {
	wake, ended := p.live.openWakeChannel(), ctx.Done()
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		if done, err := p.Step(); done {
			return err
		}
		select {
		case <-ended:
			p.stepper.startDrain(ctx.Err())
			ended = nil
		case <-ticker.C:
		case <-wake:
		}
	}
}

// Step is one iteration of Run, for programs that run many players on one goroutine. It hands over the commands that
// are due soon, serves requests, polls the events and reports them. It does not wait, except for the callbacks of
// Options, such as Send and Watch. Call it about every 10 ms. If the player is Idle, it is enough to call it after
// Options.Wake.
//
// If done is true, the show has ended with the result err, and the player is closed. Later calls return the same
// result. The fade-out after Finish also takes place in Step. If a program calls Step, its goroutine is the goroutine
// of Run in this documentation.
func (p *Player) Step() (done bool, err error) {
	t := &p.stepper
	if t.done {
		return true, t.err
	}
	if !t.started {
		p.lookahead.start(&p.renderer.startFrom)
		t.started = true
	}
	if !t.draining {
		done, err = t.stepShow()
	}
	if !done && t.draining {
		done, err = t.stepDrain()
	}
	if done {
		t.done, t.err = true, err
		close(p.live.closed)
		p.Close()
	}
	return done, err
}

// Idle reports whether the player can wait: Step need not be called until the player calls the function Options.Wake.
// The player then has no scheduled, waiting or sounding actions, no requests and no unreported events. The output is
// silent from a frame of the mix on: the later of SilentFrom and RingsUntil, two fields of mixer.Stats. Render outputs
// a frame of the mix with a delay of Mixer.LatencyFrames. Once it has output that frame, Render need not be called
// either. Before the first call of Step and during a fade-out the result is false. After the end of the show it is
// true. Only for the goroutine of Step.
func (p *Player) Idle() bool {
	t, d := &p.stepper, &p.sender
	if t.done || !t.started || t.draining {
		return t.done
	}
	_, scheduled := p.schedule.Peek()
	if scheduled || d.busy() || !p.lookahead.idle() || len(p.outbox) > 0 || len(p.live.active) > 0 || p.parameters.nextCorner() != never {
		return false
	}
	p.live.mutex.Lock()
	hasRequests := len(p.live.requests) > 0 || p.output.freeze.on.Load() != p.live.pauses.Paused
	p.live.mutex.Unlock()
	now := p.mixer.Stats()
	return !hasRequests && d.isQuiet(&t.lastStats) && t.lastStats.Pending == 0 && d.isQuiet(&now) && now.Pending == 0 && now.Asked == t.lastStats.Asked
}

package cue

import (
	"errors"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/voice"
)

// turning is the state of Turn.
type turning struct {
	last   mixer.Stats // at the beginning of the last Turn; earlier events have been polled
	begun  bool
	waning bool      // fading out
	why    error     // result of Turn after the fade-out
	moved  time.Time // while fading out: the last time the audio side advanced
	frame  int64     // its frame at that time
	silent time.Time // while fading out: the beginning of the silence; zero: voices still sound
	all    bool      // every start handed over has been stopped
	done   bool
	err    error
}

// Turn is one iteration of Feed, for programs that run many players on one goroutine. It hands over the
// commands that are due soon, serves requests, polls the events and reports them. It never blocks. Call it
// about every 10 ms, or, if the player is Idle, after a call of Options.Wake. The result done means that
// the show has ended with err and the player is closed. The fade-out after Finish also takes place in Turn.
// If a program calls Turn, its goroutine is the goroutine of Feed in this documentation.
func (p *Player) Turn() (done bool, err error) {
	t := &p.turning
	if t.done {
		return true, t.err
	}
	if !t.begun {
		p.arm()
		t.begun = true
	}
	if !t.waning {
		done, err = p.turn()
	}
	if !done && t.waning {
		done, err = p.wane()
	}
	if done {
		t.done, t.err = true, err
		close(p.live.over)
		p.Close()
	}
	return done, err
}

// Idle reports whether the player has no scheduled, waiting or sounding actions, no requests and no
// unreported events, so that Turn can wait for Options.Wake. The output is then silent from SilentFrom and
// RingsUntil of the Stats on. After these frames plus the Latency, Render need not be called either. Only for
// the goroutine of Turn.
func (p *Player) Idle() bool {
	t, a := &p.turning, &p.armed
	if t.done || !t.begun || t.waning {
		return t.done
	}
	_, due := p.schedule.Peek()
	if due || p.held != nil || !a.idle() || len(p.outbox) > 0 || len(p.live.active) > 0 || p.tuning.next() != never {
		return false
	}
	p.live.mutex.Lock()
	asked := len(p.live.requests) > 0 || p.hold.on.Load() != p.live.held.on
	p.live.mutex.Unlock()
	now := p.mixer.Stats()
	return !asked && p.quiet(&t.last) && t.last.Pending == 0 && p.quiet(&now) && now.Pending == 0 && now.Asked == t.last.Asked
}

// turn is Turn before the fade-out.
func (p *Player) turn() (done bool, err error) {
	st := p.mixer.Stats()
	p.turning.last = st
	p.poll()
	p.flip()
	p.learn(&st)
	p.post(&st)
	switch {
	case p.cut != never && st.Frame >= p.cut+int64(p.mixer.LatencyFrames()):
		p.poll()
		return true, p.streams.err()
	case !p.finished(&st) || p.options.Live || p.posts() || p.file.kept.rings && st.Frame < over(&st): // cues may still change the tail
		if err := p.handOver(&st); err != nil {
			return true, err
		}
	case st.Pending == 0 && st.Frame >= over(&st)+int64(p.mixer.LatencyFrames()):
		p.poll()
		p.miss()
		return true, p.streams.err()
	}
	p.look(&st)
	if p.live.finish {
		p.leave(nil)
	}
	return false, nil
}

// handOver hands over the commands due soon and serves the requests.
func (p *Player) handOver(st *mixer.Stats) error {
	for range 2 { // requests come after the commands that were due before them
		if err := p.handAll(st.Frame + p.ahead()); err != nil && !errors.Is(err, mixer.ErrBusy) {
			return err
		}
		p.serve()
	}
	return nil
}

// leave starts the fade-out of everything, pending starts included. Feed then returns why, or the first
// stream error if why is nil.
func (p *Player) leave(why error) {
	t := &p.turning
	if t.waning {
		return
	}
	t.waning, t.why, t.moved, t.frame = true, why, time.Now(), -1
	for h := range p.mixer.Voices() {
		if h.State() == mixer.StatePending {
			_ = h.Stop() // before it sounds
		}
	}
	p.mixer.StopAll(fadeOut)
	p.hush()
}

// hush fades out the tails of the effects.
func (p *Player) hush() {
	if p.sheet.rings() == 0 {
		return
	}
	for _, name := range p.roots() { // a rejected fade leaves the tail
		_ = p.mixer.At(mixer.Now).Fade(mixer.TargetBus(p.buses[name]), pcm.Silence, fadeOut, voice.Natural)
	}
}

// roots returns the master buses of all outputs.
func (p *Player) roots() []string {
	names := []string{"master"}
	for i := 1; i < len(p.sheet.Outputs); i++ {
		names = append(names, p.sheet.Outputs[i].Name)
	}
	return names
}

// wane is Turn during the fade-out.
func (p *Player) wane() (done bool, err error) {
	t := &p.turning
	p.poll()
	st := p.mixer.Stats()
	switch {
	case p.quiet(&st) && st.Frame >= st.SilentFrom+int64(p.mixer.LatencyFrames()):
		p.poll()
		return true, p.left()
	case st.Playing > 0 && !t.all: // starts that were handed over before
		t.all = st.Asked >= p.askedFor()
		p.mixer.StopAll(fadeOut)
	}
	switch {
	case p.cut != never && st.Frame >= p.cut: // Render mixes no further frames
		return true, p.left()
	case st.Playing > 0 || st.Frame < st.SilentFrom+int64(p.mixer.LatencyFrames()):
		t.silent = time.Time{}
	case t.silent.IsZero():
		t.silent = time.Now()
	case time.Since(t.silent) >= settling: // the remaining starts have been stopped or will not be fired
		return true, p.left()
	}
	switch {
	case st.Frame != t.frame:
		t.moved, t.frame = time.Now(), st.Frame
	case time.Since(t.moved) >= patience:
		return true, p.left()
	}
	return false, nil
}

// left ends a fade-out.
func (p *Player) left() error {
	st := p.mixer.Stats()
	p.learn(&st) // of a GO just before the end
	if p.turning.why != nil {
		return p.turning.why
	}
	return p.streams.err()
}

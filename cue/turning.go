package cue

import (
	"errors"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/voice"
)

// turning is how far Turn has come.
type turning struct {
	last   mixer.Stats // at its beginning: what had happened by then was polled
	begun  bool
	waning bool // everything fades out
	why    error
	moved  time.Time // when the audio side last went on, while everything fades out
	frame  int64     // and where it was then
	silent time.Time // since when nothing sounds, while everything fades out; zero: something does
	all    bool      // that was handed over has been asked to stop
	done   bool
	err    error
}

// Turn does once what Feed does again and again, for those who have many players on one goroutine: it
// hands over what is due soon, does what was asked for, polls what has happened, and tells of it. It
// never waits. Call it every 10 ms or so, or when Options.Wake is called where it is Idle. done says
// that Feed would return, with this error; Player is closed then. After Finish the fade is done by turns
// as well. The goroutine that calls it stands for that of Feed wherever that is named.
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

// Idle reports whether nothing is scheduled, waits, sounds, was asked for or is still to be told, so that
// Turn need not be called until Options.Wake is. All is silent then from SilentFrom and RingsUntil of the Stats on,
// and Render need not be called behind that and the Latency either. Of the goroutine of Turn.
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

// turn is a Turn while the show goes on.
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
	case !p.finished(&st) || p.options.Live || p.posts() || p.file.kept.rings && st.Frame < over(&st): // cues may move what rings
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

// handOver hands over what is due soon, and does what was asked for.
func (p *Player) handOver(st *mixer.Stats) error {
	for range 2 { // what was asked for comes behind what was due before
		if err := p.handAll(st.Frame + p.ahead()); err != nil && !errors.Is(err, mixer.ErrBusy) {
			return err
		}
		p.serve()
	}
	return nil
}

// leave has everything fall silent, also what is under way, and Feed return why; nil: what went wrong
// with streams.
func (p *Player) leave(why error) {
	t := &p.turning
	if t.waning {
		return
	}
	t.waning, t.why, t.moved, t.frame = true, why, time.Now(), -1
	for h := range p.mixer.Voices() {
		if h.State() == mixer.StatePending {
			_ = h.Stop() // it never sounds
		}
	}
	p.mixer.StopAll(fadeOut)
	p.hush()
}

// hush has what effects still give fall silent with the voices.
func (p *Player) hush() {
	if p.sheet.rings() == 0 {
		return
	}
	for _, name := range p.roots() { // one that is refused rings on until the end
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

// wane is a Turn while everything falls silent.
func (p *Player) wane() (done bool, err error) {
	t := &p.turning
	p.poll()
	st := p.mixer.Stats()
	switch {
	case p.quiet(&st) && st.Frame >= st.SilentFrom+int64(p.mixer.LatencyFrames()):
		p.poll()
		return true, p.left()
	case st.Playing > 0 && !t.all: // starts come that were handed over before
		t.all = st.Asked >= p.askedFor()
		p.mixer.StopAll(fadeOut)
	}
	switch {
	case p.cut != never && st.Frame >= p.cut: // Render mixes no more
		return true, p.left()
	case st.Playing > 0 || st.Frame < st.SilentFrom+int64(p.mixer.LatencyFrames()):
		t.silent = time.Time{}
	case t.silent.IsZero():
		t.silent = time.Now()
	case time.Since(t.silent) >= settling: // what is still to come is stopped, or nothing fires it any more
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

// left ends a fade.
func (p *Player) left() error {
	st := p.mixer.Stats()
	p.learn(&st) // of a GO that came just before
	if p.turning.why != nil {
		return p.turning.why
	}
	return p.streams.err()
}

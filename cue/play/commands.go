package play

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/internal/sheet/yaml"
	"voicepool/pcm"
)

// ErrFire is wrapped by the errors of Fire and FireFrom: the cue does not exist or is disabled, or the show has been
// finished.
var ErrFire = errors.New("cue: no GO")

// Fire gives a GO to the cue with index list in Sheet.List. This starts the cue, and the cues that follow it without
// another GO. Fire returns at once. The GO acts as soon as the mixer can, at one frame for all these cues. A cue may be
// fired again while it plays. Fire needs a call of Run in progress. If the cue does not exist or is disabled, or after
// Finish, the error wraps ErrFire. If the show has ended in another way, Fire has no effect. Any goroutine.
func (p *Player) Fire(list int) error { return p.FireFrom(list, 0) }

// FireFrom starts a list cue as Fire does, but as if the time from had already elapsed since its GO. The parameter
// list is its index in Sheet.List. Sounds that would be playing start in their middle; sounds that would have ended
// are skipped. The length of every sound is computed at the speed that its cue sets. Actions that wait for an end
// still wait for it. A cue with random intervals begins all its repetitions again. A negative time counts as 0. The
// error wraps ErrFire. Any goroutine.
func (p *Player) FireFrom(list int, from time.Duration) error {
	s := p.Sheet()
	switch {
	case list < 0 || list >= len(s.List):
		return fmt.Errorf("%w: the list has the cues 0 to %d, not %d", ErrFire, len(s.List)-1, list)
	case s.List[list].Disabled:
		return fmt.Errorf("%w: cue %s has `arm: false`", ErrFire, yaml.Quote(s.List[list].Number))
	case p.live.finished.Load():
		return fmt.Errorf("%w: the show has ended", ErrFire)
	}
	p.enqueueForCue(s, list, func(list int) {
		number, chain := p.sheet.List[list].Number, len(p.lookahead.batches)
		since := rules.FrameTime(max(from.Nanoseconds(), 0), int(time.Second))
		p.lookahead.fire(list, p.nextFrame(), since)
		p.lookahead.batches[chain].onBegin = func(frame int64) {
			p.live.recordGo(cue.Go{At: rules.FrameTime(frame, p.rate), Cue: number, From: since})
		}
	})
	return nil
}

// Panic fades everything out within the time over; paused voices resume for this. It also cancels future actions:
// waits, cues that would follow, repetitions, the timeline, scheduled GOs, and sounds of Start that have not begun.
// If two panics overlap, the fade that ends first wins. Panic does not wait for the fade. Any goroutine.
func (p *Player) Panic(over time.Duration) {
	p.live.enqueue(func() { p.lookahead.panic(over, p.nextFrame()) })
}

// Hold pauses the whole show if on is true, and continues it if on is false. Voices, timeline and waiting cues stop
// together at one frame and later continue together. The output fades out or in within 10 ms. Hold returns at once; the
// change begins with the next block of Render. A second call with the same value only calls Options.Wake again. Read
// ignores Hold. Any goroutine.
func (p *Player) Hold(on bool) {
	p.output.freeze.on.Store(on)
	p.live.wakeUp()
}

// StopCue fades out, within the time over, everything that one list cue plays. The parameter list is its index in
// Sheet.List. A negative index means all cues that Change has removed. The waits and repetitions of the cue are
// cancelled. Without Options.Live its voices continue. So do the voices of a timeline that the cue has started. A cue
// that follows it without another GO still begins. If the cue does not play, or if list is too large, StopCue has no
// effect. It does not wait for the fade. Any goroutine.
func (p *Player) StopCue(list int, over time.Duration) {
	p.enqueueForCue(p.Sheet(), list, func(list int) {
		for _, i := range slices.Clone(p.live.active) {
			if p.sheet.Launches[i].List == list {
				p.lookahead.stopLaunch(i, over)
			}
		}
	})
}

// Finish ends the show: it makes Run fade everything out within 300 ms and return. Finish does not wait for Run.
// Later calls of Fire fail. Any goroutine.
func (p *Player) Finish() {
	p.live.finished.Store(true)
	p.live.enqueue(func() { p.live.finish = true })
}

// Playing returns the list cues that play or wait to begin, in the order of their GOs. The list is a copy and a few
// milliseconds old: it is from the last step of Run. It is empty if no cue plays. Any goroutine.
func (p *Player) Playing() []Running {
	p.live.mutex.Lock()
	defer p.live.mutex.Unlock()
	return slices.Clone(p.live.playing)
}

// Goes returns the GO, panic, pause and resume commands that a live show has carried out so far, in the order of
// time. Their times are exact to the frame and include pauses. Sheet.WriteGoes writes them to a file. A render of the
// sheet with these commands repeats the frames of the show. Any goroutine.
func (p *Player) Goes() []cue.Go {
	l, rate := &p.live, p.rate
	l.mutex.Lock()
	defer l.mutex.Unlock()
	goes := slices.Clone(l.goes)
	for i := range goes {
		if d := goes[i].Action; d == cue.ActionGo || d == cue.ActionPanic {
			goes[i].At = rules.FrameTime(l.pauses.OutputFrame(goes[i].At.Frames(rate)), rate)
		}
	}
	slices.SortStableFunc(goes, func(a, b cue.Go) int { return a.At.Compare(b.At) })
	return goes
}

// Trim changes the gain of the list cue with index list in Sheet.List. The change in decibels is the parameter by.
// Later starts of the cue have the new gain. Its voices that play now move to it within 50 ms, but only in a live show
// and if all starts of the cue have the same gain. Gains are limited to the range of the mixer. A cue that an edit has
// removed is ignored. Trim needs a call of Run in progress and does not wait for the change. Any goroutine.
func (p *Player) Trim(list int, by pcm.Decibels) {
	p.enqueueForCue(p.Sheet(), list, func(list int) { p.trim(list, by) })
}

// trim changes the gains of the list cue with index list and of its launches, the runs of that cue. The change in
// decibels is the parameter by. The playing voices of a launch move to the new gain within 50 ms if all its starts have
// the same gain. Without Options.Live the voices are unknown and keep their gain. Only for the goroutine of Run.
func (p *Player) trim(list int, by pcm.Decibels) {
	s := p.sheet
	s.Trim(s.List[list].First, s.List[list].Count, by)
	for i := range s.Launches {
		l := &s.Launches[i]
		if l.List != list {
			continue
		}
		s.Trim(l.First, l.Count, by)
		gain, one := pcm.Decibels(0), 0
		for j := l.First; j < l.First+l.Count; j++ {
			for _, c := range s.Cues[j].Starts() {
				if one == 0 || c.Play.Gain != gain {
					gain, one = c.Play.Gain, one+1
				}
			}
		}
		for _, h := range p.follows.progress[i].handles {
			if one == 1 {
				_ = h.Fade(gain, 50*time.Millisecond) // the voice may have ended
			}
		}
	}
}

package cue

import (
	"errors"
	"slices"

	"voicepool/bank/rules"
	"voicepool/mixer"
)

// scheduledPanic is a scheduled panic. It ends the timeline and every launch of an earlier GO.
type scheduledPanic struct {
	frame          int64
	over           rules.Time
	launches, cues int // how many existed before the panic
}

// stoppedInterval is an interval during which the mixer does not advance, in frames.
type stoppedInterval struct {
	at     int64 // frame of the mixer
	output int64 // frame of the output
	frames int64 // duration; never: it does not end
}

// pauseClock maps mixer frames to output frames. Its input is the output frames of the beginnings and ends of pauses,
// alternately. The mixer stops after the fade-out of a pause.
type pauseClock struct {
	fade         int64 // length of a fade, in frames
	fadeProgress int64
	paused       bool
	output       int64 // the current frame of the output
	stops        []stoppedInterval
	stopped      int64 // total frames of all stops
	changes      int   // number of pause changes processed
}

// advanceTo advances the clock to the frame output of the output, which must not be before p.output. During a pause the
// output first fades out, and then the mixer stops. advanceTo records the frames of that stop.
func (p *pauseClock) advanceTo(output int64) {
	n := output - p.output
	if !p.paused {
		p.fadeProgress -= min(n, p.fadeProgress)
	} else {
		k := min(n, p.fade-p.fadeProgress)
		if p.fadeProgress += k; n > k {
			p.addStop(p.output+k, n-k)
		}
	}
	p.output = output
}

// addStop records that the mixer does not advance for the given number of frames, from the frame output of the output
// on.
func (p *pauseClock) addStop(output, frames int64) {
	p.stops = append(p.stops, stoppedInterval{output - p.stopped, output, frames})
	p.stopped += frames
}

// setPaused begins a pause at the frame output of the output if on is true, and otherwise ends the pause. It has no
// effect if the clock is in that state already. Calls must be in the order of frames.
func (p *pauseClock) setPaused(output int64, on bool) {
	if p.paused != on {
		p.advanceTo(output)
		p.paused = on
	}
}

// outputFrame converts frame, a frame of the mixer, to a frame of the output. The mixer does not advance during a stop,
// but the output does. outputFrame therefore adds the lengths of the recorded stops up to frame. A frame at the
// beginning of a stop is converted to the end of the stop.
func (p *pauseClock) outputFrame(frame int64) int64 {
	output := frame
	for _, s := range p.stops {
		if s.at <= frame {
			output += s.frames
		}
	}
	return output
}

// pauseClockOf returns a clock that has processed all pauses among goes, which must be in the order of time. A pause
// without an end stops the mixer forever. rate is the sample rate in Hz.
func pauseClockOf(goes []Go, rate int) *pauseClock {
	p := &pauseClock{fade: fadeFrames(rate)}
	for i := range goes {
		if d := goes[i].Action; d == ActionPause || d == ActionResume {
			p.setPaused(goes[i].At.Frames(rate), d == ActionPause)
		}
	}
	if p.paused {
		p.addStop(p.output+p.fade-p.fadeProgress, never)
	}
	return p
}

// goesByMixerClock returns the scheduled GOs of the sheet with their times on the mixer's clock, which stops during
// pauses. A GO while the mixer is stopped gets the time when that stop began. If no time changes because the mixer
// never stops, the result is s.Goes itself, otherwise a copy. rate is the sample rate in Hz.
func (s *Sheet) goesByMixerClock(rate int) []Go {
	p := pauseClockOf(s.Goes, rate)
	if len(p.stops) == 0 {
		return s.Goes
	}
	goes := slices.Clone(s.Goes)
	for i := range goes {
		at, frame := goes[i].At.Frames(rate), goes[i].At.Frames(rate)
		for _, one := range p.stops {
			if one.output <= at {
				frame -= min(one.frames, at-one.output)
			}
		}
		if frame != at {
			goes[i].At = rules.FrameTime(frame, rate)
		}
	}
	return goes
}

// panicInRender carries out the scheduled panic that is due at the current frame of a render. It drops all remaining
// actions of the timeline, and of the list cues whose GO came before the panic. All voices fade out over
// scheduled.over, and paused voices resume. It returns the error of the mixer.
func (p *Player) panicInRender(scheduled *scheduledPanic) error {
	p.schedule.clear(scheduled.cues)
	p.follows.clear(scheduled.launches, scheduled.cues)
	at := p.mixer.At(p.rendering.now)
	if err := errors.Join(at.Stop(mixer.TargetAll(), scheduled.over.Duration(p.sheet.Rate)), at.Resume(mixer.TargetAll())); err != nil {
		return err
	}
	p.mixer.Render(nil)
	p.poll()
	return nil
}

// pauseChanges returns the beginnings and ends of pauses among goes, in the same order, as frames of the output.
// Without pauses the result is nil. rate is the sample rate in Hz.
func pauseChanges(goes []Go, rate int) (changes []freezeChange) {
	for i := range goes {
		if d := goes[i].Action; d == ActionPause || d == ActionResume {
			changes = append(changes, freezeChange{goes[i].At.Frames(rate), d == ActionPause})
		}
	}
	return changes
}

// processPauses applies the scheduled pauses that are due at the current output frame of a render. If a pause has
// silenced the output, it returns 0 and true. The silence until the end of the pause is then added to the render, or
// the render ends if the pause has no end. Otherwise it returns false and the number of frames before the next pause
// change or end of a fade, at most size.
func (p *Player) processPauses(size int) (int, bool) {
	f, h := &p.rendering, p.freeze
	output := f.now + f.pausedFrames
	for len(f.pauseChanges) > 0 && f.pauseChanges[0].output <= output {
		h.frozen, f.pauseChanges = f.pauseChanges[0].on, f.pauseChanges[1:]
	}
	next := int64(never)
	if len(f.pauseChanges) > 0 {
		next = f.pauseChanges[0].output - output
	}
	switch {
	case h.frozen && h.fadeProgress == len(h.window):
		if next == never {
			f.ended = true
			return 0, true
		}
		f.gap, f.pausedFrames = next, f.pausedFrames+next
		if f.tail.enabled {
			f.released = f.tail.shift(nil, len(f.tail.frames))
		} else {
			f.gap += f.heldSilence
		}
		f.heldSilence = 0
		return 0, true
	case h.frozen:
		next = min(next, int64(len(h.window)-h.fadeProgress))
	case h.fadeProgress > 0:
		next = min(next, int64(h.fadeProgress))
	}
	return int(min(int64(size), next)), false
}

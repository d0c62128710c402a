package cue

import (
	"errors"
	"fmt"
	"math"
)

// ErrEndless is wrapped by the error of Read when something still sounds after the last moment at
// which the sheet lets anything end. It is a fault of the mixer, which would fill a disk.
var ErrEndless = errors.New("cue: the render does not end")

const (
	// slowest is the lowest pitch that a voice can have, in semitones.
	slowest = -96

	// grace, in seconds, is more than all that follows a voice: its tail and the limiter.
	grace = 1
)

// bound returns a frame before which a render is over, or never where nobody knows: a sheet that
// comes to no end, or a stream that does not say how long it is.
//
// After the last cue nothing is started, held, taken to another place or kept in a loop any more.
// What plays then has at most all of its sound before it, as slowly as the sheet can make it, and
// its loop as often as the sheet says.
func (p *Player) bound() int64 {
	s := p.sheet
	if s.Length != nil || s.CheckRender() != nil {
		return never
	}
	last := 0.0 // frames
	for i := range s.Cues {
		last = max(last, float64(s.moment(i).frame+s.Cues[i].Over.Frames(s.Rate)))
	}
	pitches := s.pitches()
	rest := 0.0
	for i := range s.Cues {
		c := &s.Cues[i]
		if c.Verb != Play {
			continue
		}
		if c.For != nil {
			rest = max(rest, float64(c.For.Frames(s.Rate)))
			continue
		}
		frames := 0.0
		for _, sound := range p.sounds[c.Sound].files(c.Loop) {
			if sound.Frames() == 0 && sound.Streamed() && !c.Loop {
				return never
			}
			again := c.Rounds + 1
			if sets := pitches.sets[c.tag]; sets != nil {
				again = max(again, sets.rounds+1)
			}
			frames = max(frames, float64(sound.Frames())+float64(again)*float64(sound.Loop().Frames()))
		}
		lowest := max(pitches.of(s, c).least, slowest)
		rest = max(rest, frames*math.Exp2(-lowest/12))
	}
	end := last + rest + float64(grace*s.Rate)
	if end >= never/2 {
		return never
	}
	return int64(end)
}

// checkEnd reports what is mixed beyond the bound.
func (p *Player) checkEnd() error {
	f := &p.file
	if f.bound == 0 {
		f.bound = p.bound()
	}
	if f.now < f.bound {
		return nil
	}
	return fmt.Errorf("%w: the sheet lets everything end before %v, and there are still voices then: %d; cut it with a length, such as `length: 60s`",
		ErrEndless, timeOf(f.bound, p.sheet.Rate), p.mixer.Stats().Playing)
}

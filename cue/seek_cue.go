package cue

import (
	"math"
	"slices"

	"voicepool/bank/rules"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/voice"
)

// nanosPerSecond is the frame rate of times inside a cue. One frame is a nanosecond.
const nanosPerSecond = 1e9

// subtractTime returns t - u, or 0 if u is later than t. Both times are rounded to nanoseconds.
func subtractTime(t, u rules.Time) rules.Time {
	return rules.FrameTime(max(t.Frames(nanosPerSecond)-u.Frames(nanosPerSecond), 0), nanosPerSecond)
}

// skipInto changes the launch l (the run of a list cue) as if the time from had already passed since its GO. Actions
// that began before act at once, with shorter fades and with sounds that begin in their middle. Actions without a
// remaining effect are removed from s.Cues. Actions that wait for the end of an id do not change. l must be the last
// launch, with the last actions of s.Cues.
func (s *Sheet) skipInto(l *launch, from rules.Time) {
	begun := subtractTime(from, l.offset) // time since the launch began
	if l.offset = subtractTime(l.offset, from); begun.IsZero() {
		for i := l.first; i < l.first+l.count; i++ {
			if s.Cues[i].awaitedID == "" {
				s.Cues[i].At = subtractTime(s.Cues[i].At, from)
			}
		}
		return
	}
	actions := slices.Clone(s.Cues[l.first : l.first+l.count])
	s.Cues = s.Cues[:l.first]
	for i := range actions {
		c := &actions[i]
		elapsed := subtractTime(from, c.At)
		switch {
		case c.awaitedID != "": // its end has not come yet
			s.Cues = append(s.Cues, *c)
		case elapsed.IsZero():
			c.At = subtractTime(c.At, from)
			s.Cues = append(s.Cues, *c)
		default:
			s.Cues = append(s.Cues, c.remainingActions(s, elapsed)...)
		}
	}
	l.count = len(s.Cues) - l.first
}

// remainingActions returns copies of c for the actions that still have an effect if c began the time elapsed ago. Their
// times count from now. Of the repetitions that have begun, only the last maxBegunRepetitions are included. If c
// repeats at random intervals, the result is one copy that begins all its repetitions again, now. If no effect is left,
// the result is nil. s is the sheet of c.
func (c *Cue) remainingActions(s *Sheet, elapsed rules.Time) (actions []Cue) {
	later, begun := *c, uint64(1) // number of repetitions that have begun
	switch {
	case c.Times > 1 && !c.EveryMax.IsZero(): // random intervals start over
		later.At = rules.Time{}
		return []Cue{later}
	case c.Times > 1:
		begun = min(uint64(elapsed.Frames(nanosPerSecond)/c.Every.Frames(nanosPerSecond)), c.Times-1) + 1
	}
	for k := begun - min(begun, maxBegunRepetitions); k < begun; k++ {
		one := *c
		one.At, one.Times, one.Every = rules.Time{}, 1, rules.Time{}
		after, _ := rules.Time{}.Repeat(k, c.Every)
		if one.advance(s, subtractTime(elapsed, after)) {
			actions = append(actions, one)
		}
	}
	if later.Times -= begun; later.Times > 0 {
		next, _ := rules.Time{}.Repeat(begun, c.Every)
		later.At = subtractTime(next, elapsed)
		later.layers = slices.Clone(c.layers)
		for j := range later.layers {
			later.layers[j].At = later.At
		}
		actions = append(actions, later)
	}
	return actions
}

// maxBegunRepetitions is the largest number of begun repetitions that may still sound.
const maxBegunRepetitions = 64

// advance changes c, a cue that acted the time elapsed ago, so that it has the same result if it acts now. Fades become
// shorter, and sounds begin in their middle. It reports whether c still has an effect. s is the sheet of c.
func (c *Cue) advance(s *Sheet, elapsed rules.Time) bool {
	c.Over = subtractTime(c.Over, elapsed)
	if c.Verb != Play {
		return c.Verb != Send // a message has already been sent
	}
	if c.layers == nil {
		return c.advancePlay(s, elapsed)
	}
	layers := c.layers
	c.layers = nil
	for _, l := range layers {
		l.At = rules.Time{}
		layerElapsed := subtractTime(elapsed, l.delay)
		if l.delay = subtractTime(l.delay, elapsed); layerElapsed.IsZero() || l.advancePlay(s, layerElapsed) {
			c.layers = append(c.layers, l)
		}
	}
	return c.layers != nil
}

// advancePlay changes the start c, which began the time elapsed ago, so that it continues if it acts now. It moves
// c.From to the position that the sound has reached, at the speed and pitch of the cue and its sound. It returns false
// if the time `for` has passed. It does not compare with the length of the sound; soundIsOver does. s is the sheet of
// c.
func (c *Cue) advancePlay(s *Sheet, elapsed rules.Time) bool {
	if c.For != nil {
		if c.For.Compare(elapsed) <= 0 {
			return false
		}
		rest := subtractTime(*c.For, elapsed)
		c.For = &rest
	}
	sound := &s.Sounds[c.Sound]
	speed := math.Exp2(float64(c.Change.Pitch) / 12)
	for _, ratio := range []float64{c.Change.Speed, sound.Speed} {
		if ratio != 0 {
			speed *= ratio
		}
	}
	c.FadeIn = subtractTime(c.FadeIn, elapsed)
	c.From = addTimes(c.From, rules.FrameTime(int64(float64(elapsed.Frames(nanosPerSecond))*speed), nanosPerSecond))
	c.midSound = true
	return true
}

// soundIsOver reports whether the sound of the start c is already over. c begins in the middle of its sound; the sound
// is over if that position is at or after the end of the file that its action a has chosen. With layers, this must hold
// for all of them. A start that loops without end, or whose length is unknown, is not over.
func (p *Player) soundIsOver(a *Action, c *Cue) bool {
	for i, one := range c.starts() {
		file := a.File
		if c.layers != nil {
			file = a.layerChoices[i].file
		}
		s := p.soundOf(one, file)
		last := s.Frames()
		if one.Loop {
			last += int64(max(one.Rounds-1, 0)) * s.Loop().Frames()
		}
		if one.Loop && one.Rounds == 0 || s.Frames() == 0 || one.From.Frames(s.Rate()) < last {
			return false
		}
	}
	return true
}

// wrapIntoLoop moves o.From, the position of a start in the sound s, back into the loop if it is behind the end of the
// loop. Completed rounds are subtracted from o.Rounds. In the last round it clears o.Loop and o.Rounds. A start that
// does not loop, or begins before the end of the loop, does not change.
func wrapIntoLoop(s *voice.Sound, o *mixer.Options) {
	loop := s.Loop()
	from := pcm.Frames(o.From, s.Rate())
	if !o.Loop || loop.Frames() <= 0 || from < loop[1] {
		return
	}
	rounds := (from - loop[0]) / loop.Frames()
	if o.Rounds > 0 {
		if rounds = min(rounds, int64(o.Rounds-1)); rounds == int64(o.Rounds-1) {
			o.Loop = false
		}
		o.Rounds -= int(rounds)
		if !o.Loop {
			o.Rounds = 0
		}
	}
	o.From = pcm.Duration(from-rounds*loop.Frames(), s.Rate())
}

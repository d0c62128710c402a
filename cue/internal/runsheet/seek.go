package runsheet

import (
	"math"
	"slices"

	"voicepool/bank/rules"
	"voicepool/cue"
)

// nanosPerSecond is the frame rate of times inside a cue. One frame is a nanosecond.
const nanosPerSecond = 1e9

// nanoseconds converts a time to nanoseconds, the resolution of random times, rounded half up.
func nanoseconds(t rules.Time) int64 { return t.Frames(nanosPerSecond) }

// AddTimes returns the sum t + u, which must not overflow.
func AddTimes(t, u rules.Time) rules.Time {
	sum, _ := t.Repeat(1, u)
	return sum
}

// subtractTime returns t - u, or 0 if u is later than t. Both times are rounded to nanoseconds.
func subtractTime(t, u rules.Time) rules.Time {
	return rules.FrameTime(max(nanoseconds(t)-nanoseconds(u), 0), nanosPerSecond)
}

// skipInto changes the launch l as if the time from had already passed since its GO. Actions that began before act at
// once, with shorter fades and with sounds that begin in their middle. Actions without a remaining effect are removed
// from s.Cues. Actions that wait for the end of an id do not change. l must be the last launch, with the last actions
// of s.Cues.
func (s *Sheet) skipInto(l *Launch, from rules.Time) {
	begun := subtractTime(from, l.Offset) // time since the launch began
	if l.Offset = subtractTime(l.Offset, from); begun.IsZero() {
		for i := l.First; i < l.First+l.Count; i++ {
			if s.Cues[i].EndOf == "" {
				s.Cues[i].At = subtractTime(s.Cues[i].At, from)
			}
		}
		return
	}
	actions := slices.Clone(s.Cues[l.First : l.First+l.Count])
	s.Cues = s.Cues[:l.First]
	for i := range actions {
		c := &actions[i]
		elapsed := subtractTime(from, c.At)
		switch {
		case c.EndOf != "": // its end has not come yet
			s.Cues = append(s.Cues, *c)
		case elapsed.IsZero():
			c.At = subtractTime(c.At, from)
			s.Cues = append(s.Cues, *c)
		default:
			s.Cues = append(s.Cues, c.remainingActions(s, elapsed)...)
		}
	}
	l.Count = len(s.Cues) - l.First
}

// maxBegunRepetitions is the largest number of begun repetitions that may still sound.
const maxBegunRepetitions = 64

// remainingActions returns copies of c for the actions that still have an effect if c began the time elapsed ago. Their
// times count from now. Of the repetitions that have begun, only the last maxBegunRepetitions are included. If c
// repeats at random intervals, the result is one copy that begins all its repetitions again, now. If no effect is left,
// the result is nil. s is the sheet of c.
func (c *Cue) remainingActions(s *Sheet, elapsed rules.Time) (actions []Cue) {
	later, begun := c.owned(), uint64(1) // number of repetitions that have begun
	switch {
	case c.Times > 1 && !c.EveryMax.IsZero(): // random intervals start over
		later.At = rules.Time{}
		return []Cue{later}
	case c.Times > 1:
		begun = min(uint64(nanoseconds(elapsed)/nanoseconds(c.Every)), c.Times-1) + 1
	}
	for k := begun - min(begun, maxBegunRepetitions); k < begun; k++ {
		one := c.owned()
		one.At, one.Times, one.Every = rules.Time{}, 1, rules.Time{}
		after, _ := rules.Time{}.Repeat(k, c.Every)
		if one.advance(s, subtractTime(elapsed, after)) {
			actions = append(actions, one)
		}
	}
	if later.Times -= begun; later.Times > 0 {
		next, _ := rules.Time{}.Repeat(begun, c.Every)
		later.At = subtractTime(next, elapsed)
		later.Layers = slices.Clone(c.Layers)
		for j := range later.Layers {
			later.Layers[j].At = later.At
		}
		actions = append(actions, later)
	}
	return actions
}

// advance changes c, a cue that acted the time elapsed ago, so that it has the same result if it acts now. Fades become
// shorter, and sounds begin in their middle. It reports whether c still has an effect. s is the sheet of c. c must be
// owned.
func (c *Cue) advance(s *Sheet, elapsed rules.Time) bool {
	switch a := c.Action.(type) {
	case *cue.Message: // it has already been sent
		return false
	case *cue.Stop:
		stop := *a
		stop.Over, c.Action = subtractTime(a.Over, elapsed), &stop
	case *cue.Set:
		set := *a
		set.Over, c.Action = subtractTime(a.Over, elapsed), &set
	case *cue.SetScene:
		c.Action = &cue.SetScene{Scene: a.Scene, Over: subtractTime(a.Over, elapsed)}
	}
	switch {
	case c.Play == nil:
		return true
	case c.Layers == nil:
		return c.advancePlay(s, elapsed)
	}
	layers := c.Layers
	c.Layers = nil
	for i := range layers {
		l := layers[i].owned()
		l.At = rules.Time{}
		layerElapsed := subtractTime(elapsed, l.Delay)
		if l.Delay = subtractTime(l.Delay, elapsed); layerElapsed.IsZero() || l.advancePlay(s, layerElapsed) {
			c.Layers = append(c.Layers, l)
		}
	}
	return c.Layers != nil
}

// advancePlay changes the start c, which began the time elapsed ago, so that it continues if it acts now. It moves
// c.Play.From to the position that the sound has reached, at the speed and pitch of the cue and its sound. It returns
// false if the time `for` has passed. It does not compare with the length of the sound. s is the sheet of c. c must be
// owned.
func (c *Cue) advancePlay(s *Sheet, elapsed rules.Time) bool {
	p := c.Play
	if p.For != nil {
		if p.For.Compare(elapsed) <= 0 {
			return false
		}
		p.For = new(subtractTime(*p.For, elapsed))
	}
	speed := math.Exp2(float64(p.Pitch) / 12)
	for _, ratio := range []float64{p.Speed, s.Sounds[c.Sound].Speed} {
		if ratio != 0 {
			speed *= ratio
		}
	}
	p.FadeIn = subtractTime(p.FadeIn, elapsed)
	p.From = AddTimes(p.From, rules.FrameTime(int64(float64(nanoseconds(elapsed))*speed), nanosPerSecond))
	c.MidSound = true
	return true
}

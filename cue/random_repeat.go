package cue

import (
	"voicepool/bank/rules"
	"voicepool/internal/sheet/chance"
	"voicepool/internal/sheet/yaml"
)

// nanoseconds converts a time to nanoseconds, the resolution of random times, rounded half up.
func nanoseconds(t rules.Time) int64 { return t.Frames(1e9) }

// repetitionTime returns the time of a repetition of c: c.At plus since. since is the time from the first repetition to
// this one, in nanoseconds.
func (c *Cue) repetitionTime(since int64) rules.Time {
	return addTimes(c.At, rules.FrameTime(since, 1e9))
}

// nextRepetition draws the time of the repetition of c that follows the present one. d is the random source. since is
// the time of the present repetition, next the time of the following one. Both are in nanoseconds after the first
// repetition. more is false if next is not before the cue's `until`.
func (c *Cue) nextRepetition(d chance.Draw, since int64) (next int64, more bool) {
	next = since + d.Between(nanoseconds(c.Every), nanoseconds(c.EveryMax), chance.Every)
	return next, c.span == 0 || next < c.span
}

// happens reports whether the repetition of c with the random source d acts, by the chance of the cue. A cue without a
// chance always acts. The same d gives the same result.
func (c *Cue) happens(d chance.Draw) bool { return c.Chance == 0 || d.Happens(c.Chance, chance.Occurs) }

// setSpan sets d.span, the time in nanoseconds from the first repetition to `until`; without `until` it is 0. every and
// until are the YAML pairs of these keys; until may be nil. If the last repetition could come after more than 146
// years, it records an error and sets d.Times to 1.
func (d *draft) setSpan(every, until *yaml.Pair) {
	if until != nil {
		d.span = nanoseconds(d.until) - nanoseconds(d.At)
	}
	if until == nil && d.Times-1 > uint64(1<<62/nanoseconds(d.EveryMax)) || d.span < 0 {
		d.Fail(every.Position, "every: the last repetition would come after more than 146 years")
		d.Times = 1
	}
}

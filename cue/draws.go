package cue

import (
	"voicepool/bank/rules"
	"voicepool/internal/chance"
	"voicepool/internal/yaml"
)

// nanoseconds returns a time in them: chance draws no finer ones.
func nanoseconds(t rules.Time) int64 { return t.Frames(1e9) }

// drawn returns when a repetition is due that comes so many nanoseconds after the first.
func (c *Cue) drawn(since int64) rules.Time { return plus(c.At, rules.FrameTime(since, 1e9)) }

// gap returns the nanoseconds from a repetition to the next, and whether there is a next one.
func (c *Cue) gap(d chance.Draw, since int64) (next int64, more bool) {
	next = since + d.Between(nanoseconds(c.Every), nanoseconds(c.EveryMost), chance.Every)
	return next, c.span == 0 || next < c.span
}

// acts reports whether chance has a repetition act.
func (c *Cue) acts(d chance.Draw) bool { return c.Chance == 0 || d.Happens(c.Chance, chance.Acts) }

// spans works out how often a cue acts at most whose repetitions chance draws.
func (d *draft) spans(every, until *yaml.Pair) {
	if until != nil {
		d.span = nanoseconds(d.until) - nanoseconds(d.At)
	}
	if until == nil && d.Times-1 > uint64(1<<62/nanoseconds(d.EveryMost)) || d.span < 0 {
		d.Fail(every.Place, "every: the last repetition would come after more than 146 years")
		d.Times = 1
	}
}

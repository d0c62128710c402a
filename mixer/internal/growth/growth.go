// Package growth decides when a pool of voices that grows on demand grows, and when it shrinks again.
package growth

// Growth is the state of a growing pool. Create it with New; the zero value never grows. It belongs to the audio side
// of the mixer: one goroutine at a time calls it. Sizes are numbers of slots, and frames are frames of the mix.
type Growth struct {
	step, max int   // 0: the pool does not grow
	idle, hop int64 // frames without need before it shrinks, and between two calls of Shrink
	neededAt  int64 // the last frame that needed the present size
	peak      int   // the maximum number of voices since the last Shrink
}

// New returns the state of a pool that grows by step slots up to max, and shrinks after idle frames without need. hop
// is the period of Shrink in frames.
func New(step, max int, idle, hop int64) Growth {
	return Growth{step: step, max: max, idle: idle, hop: hop}
}

// Grows reports whether the pool grows at all.
func (g *Growth) Grows() bool { return g.step > 0 }

// Larger returns the size of a pool after a step.
func (g *Growth) Larger(size int) int { return max(min(size+g.step, g.max), size) }

// Need records that more slots than the present ones are needed at the frame now, which delays the next shrinking.
func (g *Growth) Need(now int64) { g.neededAt = now }

// Use records a number of voices in slots at the same time.
func (g *Growth) Use(voices int) { g.peak = max(g.peak, voices) }

// Shrink returns the size of the pool from the frame now on: smaller by a step, but not below least, if the smaller
// size would have been enough for the idle time. It must be called once per hop. size is the present size, and voices
// is the number of voices in slots.
func (g *Growth) Shrink(size, voices, least int, now int64) int {
	peak := max(g.peak, voices)
	g.peak = voices
	smaller := max(size-g.step, least)
	if smaller >= size || peak > smaller {
		g.neededAt = now
		return size
	}
	if now-g.neededAt < g.idle {
		return size
	}
	g.neededAt = now
	return smaller
}

// ShrinkUntil returns the size after calls of Shrink once per hop from the frame now, exclusive, to the frame end,
// exclusive, while no voice plays.
func (g *Growth) ShrinkUntil(size, least int, now, end int64) int {
	every := max((g.idle+g.hop-1)/g.hop*g.hop, g.hop)
	at := max((g.neededAt+g.idle+g.hop-1)/g.hop*g.hop, now+g.hop)
	for ; at < end && size > least; at += every {
		size = max(size-g.step, least)
		g.neededAt = at
	}
	return size
}

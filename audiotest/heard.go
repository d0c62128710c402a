package audiotest

import (
	"math"
	"slices"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
)

// Heard is a sound that was heard, once or several times. Its methods are assertions, which
// narrow it and return it, so that they can stand in a chain.
type Heard struct {
	take  *take
	name  string // quoted
	track *track
	stems []mixer.Stem
	heard []hearing // none: an assertion has failed
}

// hearing is one time that a sound was heard.
type hearing struct {
	span
	begins []int64 // the frames at which it can be said to begin
}

// At asserts that the sound began at a time since the first frame, to the frame, and goes
// on with those that did. A sound begins with its first frame, and also with the first
// one that is not silent.
func (h *Heard) At(at time.Duration) *Heard {
	h.take.t.Helper()
	return h.Near(at, 0)
}

// Near is At for a time that is known within a tolerance, as that of a recording.
func (h *Heard) Near(at, tolerance time.Duration) *Heard {
	h.take.t.Helper()
	if at < 0 || tolerance < 0 {
		h.fail("%s cannot be heard at %v ± %v: a time is negative", h.name, at, tolerance)
		h.heard = nil
	}
	if len(h.heard) == 0 {
		return h
	}
	want, most := pcm.Frames(at, h.take.rate), pcm.Frames(tolerance, h.take.rate)
	var kept []hearing
	var began []int64
	for _, one := range h.heard {
		if slices.ContainsFunc(one.begins, func(f int64) bool { return max(f-want, want-f) <= most }) {
			kept = append(kept, one)
		}
		began = append(began, one.begins[0])
	}
	if h.heard = kept; kept != nil {
		return h
	}
	within := ""
	if tolerance > 0 {
		within = " ± " + tolerance.String()
	}
	h.fail("%s is heard at %s, want %v%s", h.name, h.take.listed(began), at, within)
	return h
}

// Times asserts that the sound was heard so many times.
func (h *Heard) Times(n int) *Heard {
	h.take.t.Helper()
	if got := len(h.heard); got > 0 && got != n {
		h.fail("%s is heard %d times, want %d", h.name, got, n)
		h.heard = nil
	}
	return h
}

// sideBound is by how many decibels one side is louder that is not in the centre.
const sideBound = 1

// Left asserts that the left channel is more than 1 dB louder than the right one.
func (h *Heard) Left() *Heard {
	h.take.t.Helper()
	return h.side("on the left", func(d float64) bool { return d > sideBound })
}

// Right asserts that the right channel is more than 1 dB louder than the left one.
func (h *Heard) Right() *Heard {
	h.take.t.Helper()
	return h.side("on the right", func(d float64) bool { return d < -sideBound })
}

// Centre asserts that the channels differ by at most 1 dB.
func (h *Heard) Centre() *Heard {
	h.take.t.Helper()
	return h.side("in the centre", func(d float64) bool { return math.Abs(d) <= sideBound })
}

func (h *Heard) side(where string, there func(leftOver float64) bool) *Heard {
	h.take.t.Helper()
	if len(h.heard) == 0 {
		return h
	}
	left, right := h.track.sides(h.spans())
	l, r := float64(pcm.FromPower(left)), float64(pcm.FromPower(right))
	if d := l - r; !there(d) {
		h.fail("%s is not %s: left has %.1f dB, right %.1f dB", h.name, where, l, r)
		h.heard = nil
	}
	return h
}

// Level asserts that the RMS of both channels, from where the sound begins to where it
// ends, gives way or is played to, is level dBFS within a tolerance. As in mixer.Levels, a sine at full
// scale in both channels has -3 dBFS, and in one of them -6. Silence never has a level.
// Of an Audio it is the level of this sound alone: that of its stem.
func (h *Heard) Level(level, tolerance pcm.Decibels) *Heard {
	h.take.t.Helper()
	if len(h.heard) == 0 {
		return h
	}
	if got := h.track.level(h.spans()...); !(math.Abs(float64(got-level)) <= float64(tolerance)) {
		h.fail("%s has a level of %.1f dB, want %v ± %v dB", h.name, float64(got), float64(level), float64(tolerance))
		h.heard = nil
	}
	return h
}

// fail fails the test with a picture of the sound.
func (h *Heard) fail(format string, values ...any) {
	h.take.t.Helper()
	h.take.failAt(focus{stems: h.stems}, format, values...)
}

func (h *Heard) spans() []span {
	var all []span
	for _, one := range h.heard {
		all = append(all, one.span)
	}
	return all
}

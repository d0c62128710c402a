package audiotest

import (
	"math"
	"slices"
	"time"

	"voicepool/internal/listening"
	"voicepool/mixer"
	"voicepool/pcm"
)

// Heard holds the occurrences of a sound. Its methods are assertions. Each one returns the Heard, so that
// assertions can be chained.
type Heard struct {
	base        *mixRecording
	name        string // quoted
	track       *track
	stems       []mixer.Stem
	occurrences []occurrence // empty after a failed assertion
}

// occurrence is one occurrence of a sound.
type occurrence struct {
	span
	onsets []int64 // the frames that At accepts as the beginning
	cut    string  // why it was not heard to its end; "": it was; not known in a recording
}

// At asserts that the sound began exactly at a time, counted from frame 0, and keeps only the occurrences
// that did. A voice that begins with silence has two beginnings: At accepts its first frame and its first
// frame that is not silent.
func (h *Heard) At(at time.Duration) *Heard {
	h.base.t.Helper()
	return h.Near(at, 0)
}

// Near is At with a tolerance to either side, for instance for recordings.
func (h *Heard) Near(at, tolerance time.Duration) *Heard {
	h.base.t.Helper()
	if at < 0 || tolerance < 0 {
		h.fail("%s cannot be heard at %v ± %v: a time is negative", h.name, at, tolerance)
		h.occurrences = nil
	}
	if len(h.occurrences) == 0 {
		return h
	}
	want, most := pcm.Frames(at, h.base.rate), pcm.Frames(tolerance, h.base.rate)
	var kept []occurrence
	var began []int64
	for _, one := range h.occurrences {
		if slices.ContainsFunc(one.onsets, func(f int64) bool { return max(f-want, want-f) <= most }) {
			kept = append(kept, one)
		}
		began = append(began, one.onsets[0])
	}
	if h.occurrences = kept; kept != nil {
		return h
	}
	within := ""
	if tolerance > 0 {
		within = " ± " + tolerance.String()
	}
	h.fail("%s is heard at %s, want %v%s", h.name, h.base.formatTimes(began), at, within)
	return h
}

// Times asserts that the sound has exactly n occurrences.
func (h *Heard) Times(n int) *Heard {
	h.base.t.Helper()
	if got := len(h.occurrences); got > 0 && got != n {
		h.fail("%s is heard %d times, want %d", h.name, got, n)
		h.occurrences = nil
	}
	return h
}

// Left asserts that the left channel is more than 1 dB louder than the right channel.
func (h *Heard) Left() *Heard {
	h.base.t.Helper()
	return h.side("on the left", func(d float64) bool { return d > listening.SideThreshold })
}

// Right asserts that the right channel is more than 1 dB louder than the left channel.
func (h *Heard) Right() *Heard {
	h.base.t.Helper()
	return h.side("on the right", func(d float64) bool { return d < -listening.SideThreshold })
}

// Centre asserts that the channels differ by at most 1 dB.
func (h *Heard) Centre() *Heard {
	h.base.t.Helper()
	return h.side("in the centre", func(d float64) bool { return math.Abs(d) <= listening.SideThreshold })
}

// side asserts that there returns true for the level of the left channel relative to the right one, in dB. where
// describes the side in the message.
func (h *Heard) side(where string, there func(leftOver float64) bool) *Heard {
	h.base.t.Helper()
	if len(h.occurrences) == 0 {
		return h
	}
	left, right := h.track.sides(h.spans())
	l, r := float64(pcm.FromPower(left)), float64(pcm.FromPower(right))
	if d := l - r; !there(d) {
		h.fail("%s is not %s: left has %.1f dB, right %.1f dB", h.name, where, l, r)
		h.occurrences = nil
	}
	return h
}

// Level asserts that the RMS level is level dBFS, within a tolerance in dB. It is measured over both
// channels, from the beginning of the sound until it ends, is stolen, or the recording ends. As in
// mixer.Levels, a full-scale sine has a level of -3 dBFS if it is in both channels, and -6 dBFS if it is in
// one. Silence never passes. For an Audio, Level measures this sound alone: its stem.
func (h *Heard) Level(level, tolerance pcm.Decibels) *Heard {
	h.base.t.Helper()
	if len(h.occurrences) == 0 {
		return h
	}
	if got := h.track.level(h.spans()...); !(math.Abs(float64(got-level)) <= float64(tolerance)) {
		h.fail("%s has a level of %.1f dB, want %v ± %v dB", h.name, float64(got), float64(level), float64(tolerance))
		h.occurrences = nil
	}
	return h
}

// Whole asserts that each occurrence was heard to its end: no voice of it was stolen, stopped or virtual, or still
// plays. A voice with Options.For or a loop is whole if it ended by itself. A Recording has no events, so Whole fails
// the test there, and also for the mix.
func (h *Heard) Whole() *Heard {
	h.base.t.Helper()
	if h.requireStems("Whole") {
		for _, one := range h.occurrences {
			if one.cut != "" {
				h.fail("%s was not heard to its end: %s", h.name, one.cut)
				h.occurrences = nil
				break
			}
		}
	}
	return h
}

// AboveMix asserts that the RMS level of the sound alone, over all occurrences, is at least by dB above the level of
// the mix in the same time. The mix includes the sound. by is usually negative: -12 accepts a sound 12 dB below it.
// Only an Audio has the sound alone: for a Recording, and for the mix, AboveMix fails the test.
func (h *Heard) AboveMix(by pcm.Decibels) *Heard {
	h.base.t.Helper()
	if !h.requireStems("AboveMix") {
		return h
	}
	var late []span // the limiter delays the mix against stems
	for _, s := range h.spans() {
		late = append(late, span{s.from + h.base.latency, min(s.to+h.base.latency, h.base.frames)})
	}
	own, mix := h.track.level(h.spans()...), h.base.mix.level(late...)
	if !(own-mix >= by) {
		h.fail("%s has a level of %.1f dB, and the mix in its time %.1f dB: a difference of %.1f dB, want at least %v dB", h.name, float64(own), float64(mix), float64(own-mix), float64(by))
		h.occurrences = nil
	}
	return h
}

// requireStems reports whether the sound has occurrences and stems. If it has occurrences but no stems, it fails the
// test: the assertion needs them.
func (h *Heard) requireStems(assertion string) bool {
	h.base.t.Helper()
	if len(h.occurrences) > 0 && h.stems == nil {
		h.fail("%s needs a sound of an Audio, which has stems and events; %s does not", assertion, h.name)
		h.occurrences = nil
	}
	return len(h.occurrences) > 0
}

// fail fails the test with a timeline that includes the sound.
func (h *Heard) fail(format string, values ...any) {
	h.base.t.Helper()
	h.base.failAt(focus{stems: h.stems}, format, values...)
}

// spans returns the spans of all occurrences.
func (h *Heard) spans() []span {
	var all []span
	for _, one := range h.occurrences {
		all = append(all, one.span)
	}
	return all
}

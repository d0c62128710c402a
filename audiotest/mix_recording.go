package audiotest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"voicepool/internal/listening"
	"voicepool/mixer"
	"voicepool/pcm"
)

// mixRecording is the part that Audio and Recording share.
type mixRecording struct {
	t              testing.TB
	rate           int
	frames         int64
	latency        int64 // of the mix against the stems, in frames
	mix            track
	update         bool // write golden files instead of comparing
	drawTimeline   func(focus) string
	describeVoices func(frame int64) string // describes the voices at a frame; nil: unknown
	describeChange func([]pcm.Frame) string // describes the voices that explain a difference of the mix; nil: unknown
}

// focus selects the voices that a timeline shows first if it cannot show all. The zero focus selects no voices.
type focus struct {
	stems []mixer.Stem // voices of these stems
	span  span         // voices that lived within it
}

// fail fails the test with a formatted line and a timeline. The test continues.
func (r *mixRecording) fail(format string, values ...any) {
	r.t.Helper()
	r.failAt(focus{}, format, values...)
}

// failAt fails the test as fail does, with a focus for the timeline.
func (r *mixRecording) failAt(f focus, format string, values ...any) {
	r.t.Helper()
	r.t.Errorf("audiotest: %s\n%s", fmt.Sprintf(format, values...), r.drawTimeline(f))
}

// formatFrame formats a frame as a time, with its number in brackets.
func (r *mixRecording) formatFrame(frame int64) string {
	return fmt.Sprintf("%v (frame %d)", pcm.Duration(frame, r.rate).Round(time.Microsecond), frame)
}

// formatTimes formats at most five frames as times.
func (r *mixRecording) formatTimes(frames []int64) string {
	var b strings.Builder
	for i, f := range frames {
		switch {
		case i == 5:
			fmt.Fprintf(&b, " and %d more times", len(frames)-i)
			return b.String()
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(r.formatFrame(f))
	}
	return b.String()
}

// Silent asserts that the mix is silent from one time to another: no sample is above -84 dBFS.
func (r *mixRecording) Silent(from, to time.Duration) {
	r.t.Helper()
	r.silent(&r.mix, focus{}, "it", from, to)
}

// silent asserts that a track is silent from one time to another. name describes the track. f is the focus of the
// timeline; the range of time is added to it.
func (r *mixRecording) silent(of *track, f focus, name string, from, to time.Duration) {
	r.t.Helper()
	first, last := pcm.Frames(from, r.rate), pcm.Frames(to, r.rate)
	if from < 0 || first >= last || last > r.frames {
		r.fail("from %v to %v is not inside the %v that were heard", from, to, pcm.Duration(r.frames, r.rate))
		return
	}
	if at := firstSound(of.read(first, last), listening.SilenceThreshold); at >= 0 {
		f.span = span{first, last}
		r.failAt(f, "%s is not silent from %v to %v: the first sound is at %s", name, from, to, r.formatFrame(first+int64(at)))
	}
}

// Peak asserts that no sample of the mix is above most, in dBFS. It compares samples, not the true peak between them.
func (r *mixRecording) Peak(most pcm.Decibels) {
	r.t.Helper()
	loudest, frame := float32(0), 0
	for i, f := range r.mix.read(0, r.frames) {
		if peak := max(f[0], -f[0], f[1], -f[1]); peak > loudest {
			loudest, frame = peak, i
		}
	}
	peak := pcm.FromLinear(float64(loudest))
	if peak <= most {
		return
	}
	where := ""
	if r.describeVoices != nil {
		where = ": " + r.describeVoices(int64(frame))
	}
	r.failAt(focus{span: span{int64(frame), int64(frame) + 1}}, "the mix has a peak of %.1f dB at %s%s, want at most %v dB", float64(peak), r.formatFrame(int64(frame)), where, float64(most))
}

// Sound asserts that the mix is not silent, and returns the mix from its first audible sample to its last. A
// sample is audible above -84 dBFS.
func (r *mixRecording) Sound() *Heard {
	r.t.Helper()
	h := &Heard{base: r, name: "the mix", track: &r.mix}
	all := r.mix.read(0, r.frames)
	first := firstSound(all, listening.SilenceThreshold)
	if first < 0 {
		r.fail("no sound is audible in %v", pcm.Duration(r.frames, r.rate))
		return h
	}
	last := len(all)
	for firstSound(all[last-1:last], listening.SilenceThreshold) < 0 {
		last--
	}
	h.occurrences = []occurrence{{span: span{int64(first), int64(last)}, onsets: []int64{int64(first)}}}
	return h
}

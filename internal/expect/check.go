package expect

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"voicepool/cue/report"
	"voicepool/internal/listening"
	"voicepool/internal/words"
	"voicepool/mixer"
	"voicepool/pcm"
)

// Evidence holds the events and the audio of a show, to be compared with rules.
type Evidence struct {
	Rate  int            // in Hz
	Range listening.Span // the frames that were played
	Zero  int64          // rules count times from this frame
	Over  bool           // the show has ended with Range
	Lag   int64          // events of the last Lag frames of Range may still come, in a running show
	Log   Log
	Names []string         // sounds of the show, whose names are not misspelt
	Audio *listening.Meter // nil: unknown
	Peak  *report.Level    // of the whole show, if Audio is nil; nil: unknown
}

// Result is the result of one rule.
type Result struct {
	Rule    *Rule
	Fault   string // in one line; "": the rule holds
	Settled bool   // later events cannot change the result
}

// Verdict has the result of every rule.
type Verdict struct {
	Rules    *Rules
	Results  []Result
	Evidence *Evidence
}

// Check compares e with rules.
func (e *Evidence) Check(rules *Rules) *Verdict {
	v := &Verdict{Rules: rules, Evidence: e}
	for i := range rules.List {
		r := &rules.List[i]
		one := Result{Rule: r}
		switch r.Kind {
		case Heard:
			one.Fault, one.Settled = e.heard(rules, r)
		case Never:
			one.Fault, one.Settled = e.never(rules, r)
		case Stolen:
			one.Fault, one.Settled = e.stolen(rules, r)
		case Silence:
			one.Fault, one.Settled = e.silent(r)
		case Peak:
			one.Fault, one.Settled = e.peak(r)
		}
		one.Settled = one.Settled || e.Over
		v.Results = append(v.Results, one)
	}
	return v
}

// Settled reports whether later events cannot change any result.
func (v *Verdict) Settled() bool {
	return !slices.ContainsFunc(v.Results, func(r Result) bool { return !r.Settled })
}

// Failures returns one line for each rule that does not hold: the place in the file, the rule, and the reason.
func (v *Verdict) Failures() (lines []string) {
	for i := range v.Results {
		if r := &v.Results[i]; r.Fault != "" {
			lines = append(lines, fmt.Sprintf("%s:%d:%d: %v: %s", words.OneLine(v.Rules.File), r.Rule.Line, r.Rule.Column, r.Rule, r.Fault))
		}
	}
	return lines
}

// Print prints each failure with say, and then the timeline to w. It reports whether all rules hold; then it prints no
// text.
func (v *Verdict) Print(say func(format string, args ...any), w io.Writer) bool {
	lines := v.Failures()
	for _, line := range lines {
		say("%s", line)
	}
	if lines != nil {
		io.WriteString(w, v.Timeline())
	}
	return lines == nil
}

// Summary returns the number of rules in words, for a verdict without failures.
func (v *Verdict) Summary() string {
	if len(v.Results) == 1 {
		return "1 rule holds"
	}
	return fmt.Sprintf("%d rules hold", len(v.Results))
}

// time formats a frame as a time since e.Zero.
func (e *Evidence) time(frame int64) string {
	sign := ""
	if frame -= e.Zero; frame < 0 {
		sign, frame = "-", -frame
	}
	return sign + words.Clock(float64(frame)/float64(e.Rate))
}

// formatTimes lists frames as times since e.Zero, for a message. After five it adds only the number of further ones.
func (e *Evidence) formatTimes(frames []int64) string {
	var all []string
	for _, f := range frames[:min(len(frames), 5)] {
		all = append(all, e.time(f))
	}
	text := strings.Join(all, ", ")
	if more := len(frames) - len(all); more > 0 {
		text += fmt.Sprintf(" and %d more times", more)
	}
	return text
}

// frames returns the range of w in frames, with both ends. If w is not set, it is the whole show.
func (e *Evidence) frames(w *window) (from, to int64) {
	if !w.set {
		return e.Range.From, openEnd
	}
	return w.frames(e.Rate, e.Zero)
}

// passed reports whether the range of w has been played.
func (e *Evidence) passed(w *window) bool {
	_, to := e.frames(w)
	return w.set && to < e.Range.To-e.Lag
}

// heard checks a rule that a sound is heard.
func (e *Evidence) heard(rules *Rules, r *Rule) (fault string, settled bool) {
	from, to := e.frames(&r.at)
	var kept []listening.Span
	var kepts, onsets []int64
	ended := true
	for _, v := range e.Log.voicesOf(r) {
		parts := v.slotSpans(e.Range)
		if parts == nil {
			continue
		}
		onsets = append(onsets, parts[0].From)
		if parts[0].From >= from && parts[0].From <= to {
			kept, kepts = append(kept, parts...), append(kepts, parts[0].From)
			ended = ended && v.ended()
		}
	}
	closed := e.passed(&r.at)
	switch {
	case onsets == nil:
		return e.whyNot(rules, r, "heard"), closed
	case kept == nil:
		return fmt.Sprintf("it is heard at %s; want %s", e.formatTimes(onsets), r.at.text), closed
	case r.times.set && !r.times.contains(float64(len(kepts))):
		return fmt.Sprintf("it is heard %s, at %s; want %s", words.Count(len(kepts), "time"), e.formatTimes(kepts), r.times.text), closed || float64(len(kepts)) > r.times.most
	case !r.level.set && r.side.text == "":
		return "", !r.times.set || closed
	}
	closed = ended && (closed || !r.at.set && !r.times.set)
	slices.SortFunc(kept, func(a, b listening.Span) int { return cmp.Compare(a.From, b.From) })
	heard := e.Audio.Range()
	if kept[0].From >= heard.To || kept[len(kept)-1].To <= heard.From {
		return fmt.Sprintf("its audio was not recorded; the recording has %s to %s", e.time(heard.From), e.time(heard.To)), closed
	}
	left, right := e.Audio.Sides(kept...)
	if level := float64(pcm.FromPower((left + right) / 2)); r.level.set && !r.level.contains(level) {
		return fmt.Sprintf("its level is %s dB; want %s", r.level.levelOutside(level), r.level.text), closed
	}
	if r.side.text != "" {
		if is := r.side.check(left, right); is != "" {
			return fmt.Sprintf("%s; want %s", is, r.side.text), closed
		}
	}
	return "", closed
}

// whyNot explains why the sound of r was not heard or stolen, as word names it.
func (e *Evidence) whyNot(rules *Rules, r *Rule, word string) string {
	text := "it was not " + word
	if voices := e.Log.voicesOf(r); len(voices) > 0 {
		switch v := voices[0]; {
		case word == "heard" && v.started >= e.Range.To:
			return text + ": it begins at " + e.time(v.started)
		case v.last == nil && len(v.spans) == 0:
			return fmt.Sprintf("%s: #%d has no slot since %s", text, v.number, e.time(v.started))
		case v.last == nil:
			return fmt.Sprintf("%s: #%d plays since %s", text, v.number, e.time(v.started))
		default:
			return fmt.Sprintf("%s: #%d: %v at %s", text, v.number, v.last.Kind, e.time(v.last.Frame))
		}
	}
	for i := range e.Log.refused {
		if x := &e.Log.refused[i]; r.means(x.Sound, &x.CueLabel, x.Cue, 0) {
			return fmt.Sprintf("%s: the start at %s is %v (%v)", text, e.time(x.Frame), x.Kind, x.Reason)
		}
	}
	if best, searched := e.Log.correlations[r.sound]; searched {
		return fmt.Sprintf("%s: the best correlation is %.2f; want %.2f", text, best, listening.MinCorrelation)
	}
	if near := e.Log.similar(r.sound, append(rules.names(), e.Names...)); near != "" {
		return fmt.Sprintf("no sound %s was played; the nearest is %q", strconv.Quote(words.OneLine(r.sound)), near)
	}
	return text + ": it was not played"
}

// never checks a rule that a sound is not heard.
func (e *Evidence) never(rules *Rules, r *Rule) (fault string, settled bool) {
	from, to := e.frames(&r.during)
	within := listening.Span{From: max(from, e.Range.From), To: min(to, e.Range.To)}
	var at []int64
	for _, v := range e.Log.voicesOf(r) {
		if parts := v.slotSpans(within); parts != nil {
			at = append(at, parts[0].From)
		}
	}
	if at != nil {
		return fmt.Sprintf("it is heard at %s; want never", e.formatTimes(at)), true
	}
	if near := e.Log.similar(r.sound, append(rules.names(), e.Names...)); near != "" {
		name := strconv.Quote(words.OneLine(r.sound))
		return fmt.Sprintf("no sound %s was played; is it %q? if the name is right, declare it: sounds: {%s: }", name, near, name), false
	}
	return e.unplayed(&r.during), e.passed(&r.during)
}

// stolen checks a rule that a voice of a sound was stolen.
func (e *Evidence) stolen(rules *Rules, r *Rule) (fault string, settled bool) {
	from, to := e.frames(&r.at)
	var all, by, at []*report.Event
	for _, v := range e.Log.voicesOf(r) {
		if v.last == nil || v.last.Kind != mixer.EventStolen {
			continue
		}
		all = append(all, v.last)
		if r.by == "" || r.by == anySound || r.by == v.last.BySound {
			if by = append(by, v.last); v.last.Frame >= from && v.last.Frame <= to {
				at = append(at, v.last)
			}
		}
	}
	closed := e.passed(&r.at)
	switch {
	case all == nil:
		return e.whyNot(rules, r, "stolen"), closed
	case by == nil:
		thief := "a smaller pool"
		if all[0].By != 0 {
			thief = words.OneLine(all[0].BySound)
		}
		return fmt.Sprintf("it was stolen by %s at %s; want by %s", thief, e.time(all[0].Frame), r.by), closed
	case at == nil:
		return fmt.Sprintf("it was stolen at %s; want %s", e.formatTimes(framesOf(by)), r.at.text), closed
	case r.times.set && !r.times.contains(float64(len(at))):
		return fmt.Sprintf("it was stolen %s, at %s; want %s", words.Count(len(at), "time"), e.formatTimes(framesOf(at)), r.times.text), closed || float64(len(at)) > r.times.most
	}
	return "", !r.times.set || closed
}

// framesOf returns the frames of events.
func framesOf(events []*report.Event) (frames []int64) {
	for _, e := range events {
		frames = append(frames, e.Frame)
	}
	return frames
}

// unplayed returns a fault if the show has ended before the end of w.
func (e *Evidence) unplayed(w *window) string {
	if from, to := e.frames(w); w.set && e.Over && (from < e.Range.From || to > e.Range.To) {
		return fmt.Sprintf("only %s to %s were played", e.time(e.Range.From), e.time(e.Range.To))
	}
	return ""
}

// silent checks a rule that the mix is silent in a time. Where audio is missing, it checks that no voice plays.
func (e *Evidence) silent(r *Rule) (fault string, settled bool) {
	from, to := e.frames(&r.during)
	within := listening.Span{From: max(from, e.Range.From), To: min(to, e.Range.To)}
	unrecorded := within // the part without audio
	if e.Audio != nil {
		unrecorded.To = min(within.To, e.Audio.Range().From)
		if at, ok := e.Audio.FirstSound(within); ok {
			fault = "a sound is audible at " + e.time(max(at, within.From))
			if names := e.Log.sounding(listening.Span{From: at, To: at + int64(e.Rate)/100}); names != nil {
				fault += ", where " + strings.Join(names, ", ") + " played"
			}
			return fault + "; want silence", true
		}
	}
	if names := e.Log.sounding(unrecorded); names != nil {
		return fmt.Sprintf("%s played; want silence", strings.Join(names, ", ")), true
	}
	return e.unplayed(&r.during), e.passed(&r.during)
}

// peak checks a rule about the largest amplitude.
func (e *Evidence) peak(r *Rule) (fault string, settled bool) {
	if fault := e.unplayed(&r.during); fault != "" {
		return fault, true
	}
	from, to := e.frames(&r.during)
	var db float64
	switch {
	case e.Audio != nil:
		heard := e.Audio.Range()
		if r.during.set && from < heard.From {
			return fmt.Sprintf("the audio before %s was not recorded", e.time(heard.From)), true
		}
		db = float64(pcm.FromLinear(float64(e.Audio.Peak(listening.Span{From: max(from, heard.From), To: min(to, heard.To)}))))
	case e.Peak != nil:
		db = float64(*e.Peak)
	default:
		return "the peak is unknown", true
	}
	if r.peak.contains(db) {
		return "", e.passed(&r.during)
	}
	return fmt.Sprintf("the peak is %s dB; want %s", r.peak.levelOutside(db), r.peak.text), db > r.peak.most || e.passed(&r.during)
}

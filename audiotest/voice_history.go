package audiotest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"voicepool/internal/words"
	"voicepool/mixer"
	"voicepool/pcm"
)

// voiceHistory is the history of a voice, collected from its events.
type voiceHistory struct {
	number    uint64
	stem      mixer.Stem
	play      uint64
	slot      int  // the last slot; -1: it never had a slot
	real      bool // it has a slot now
	spans     []span
	started   int64
	lastEvent mixer.Event // the event that ended the voice or last made it virtual; Kind 0: neither happened
	ended     bool
	broken    bool // its stream broke
}

// openEnd is the end of a span that has not ended.
const openEnd = 1<<63 - 1

// recordEvent records an event of a voice, or of a start without a voice.
func (a *Audio) recordEvent(e *mixer.Event) {
	switch e.Kind {
	case mixer.EventRejected, mixer.EventLimited, mixer.EventCoalesced:
		a.refused = append(a.refused, *e)
		return
	case mixer.EventStarted:
		l := &voiceHistory{number: e.Voice, stem: e.Stem(), play: e.Play(), slot: -1, started: e.Frame}
		a.voices, a.numbers[e.Voice] = append(a.voices, l), l
	}
	l := a.numbers[e.Voice]
	if l == nil { // an event without a voice
		return
	}
	switch e.Kind {
	case mixer.EventStarted, mixer.EventReal:
		if e.Slot >= 0 {
			l.slot, l.real = e.Slot, true
			l.spans = append(l.spans, span{e.Frame, openEnd})
		}
	case mixer.EventBroken:
		l.broken = true
	case mixer.EventVirtual, mixer.EventEnded, mixer.EventStopped, mixer.EventStolen:
		l.ended = e.Kind != mixer.EventVirtual
		if l.lastEvent = *e; l.real {
			l.spans[len(l.spans)-1].to = e.Frame
			l.real = false
		}
	}
}

// clip clips a span to the rendered frames.
func (a *Audio) clip(s span) span { return span{s.from, min(s.to, a.frames)} }

// voicesOf returns the voices of some stems.
func (a *Audio) voicesOf(stems []mixer.Stem) (all []*voiceHistory) {
	for _, l := range a.voices {
		if slices.Contains(stems, l.stem) {
			all = append(all, l)
		}
	}
	return all
}

// describeVoicesAt describes the voices that are audible at a frame of the mix, the newest first.
func (a *Audio) describeVoicesAt(frame int64) string {
	at, tail := frame-a.mixer.LatencyFrames(), pcm.Frames(10*time.Millisecond, a.rate)
	names := a.listVoices(func(l *voiceHistory) bool {
		return slices.ContainsFunc(l.spans, func(s span) bool { return s.from <= at && at-tail < s.to })
	})
	if names == "" {
		return "no voice sounded there"
	}
	return names + " sounded there"
}

// changedCorrelation is the least correlation between a changed voice and the difference of the mix.
const changedCorrelation = 0.3

// describeChangedVoices describes the voices that explain change, which is the difference between the mix and an
// earlier mix: while they sounded, the difference correlates with their signal.
func (a *Audio) describeChangedVoices(change []pcm.Frame) string {
	latency, tail := a.mixer.LatencyFrames(), pcm.Frames(10*time.Millisecond, a.rate)
	names := a.listVoices(func(l *voiceHistory) bool {
		var both, voice, changed float64
		stem := a.stems[l.stem]
		for _, s := range l.spans {
			if stem == nil {
				break
			}
			s = a.clip(span{s.from, min(s.to, a.frames) + tail})
			for i, f := range stem.read(s.from, s.to) {
				at := s.from + int64(i) + latency
				if at >= int64(len(change)) {
					break
				}
				for c, x := range f {
					y := float64(change[at][c])
					both += float64(float64(x) * y)
					voice += float64(float64(x) * float64(x))
					changed += float64(y * y)
				}
			}
		}
		return math.Abs(both) > changedCorrelation*math.Sqrt(voice*changed)
	})
	if names == "" {
		return "no voice of the mix explains the change; a sound may be missing"
	}
	return "changed: " + names
}

// listVoices lists the matching voices, at most five, the newest first. If no voice matches, it returns "".
func (a *Audio) listVoices(match func(*voiceHistory) bool) string {
	var names []string
	for _, l := range slices.Backward(a.voices) {
		if match(l) {
			names = append(names, fmt.Sprintf("%q #%d", a.displayName(l.stem), l.number))
		}
	}
	if n := len(names); n > 5 {
		return fmt.Sprintf("%s and %s", strings.Join(names[:5], ", "), words.Count(n-5, "more voice"))
	}
	return strings.Join(names, ", ")
}

// sawAllStarts reports whether the event reader has seen all started voices. If not, it fails the test.
func (a *Audio) sawAllStarts() bool {
	a.t.Helper()
	missing := a.mixer.Stats().Started - int64(len(a.voices))
	if missing > 0 {
		a.fail("%d starts are unknown: Config.Events is too small", missing)
	}
	return missing <= 0
}

// Heard asserts that a sound was heard: that one of its voices contributed a sample other than zero to the
// mix. It returns all occurrences. The layers of one play count as one occurrence.
func (a *Audio) Heard(name string) *Heard {
	a.t.Helper()
	h := &Heard{base: &a.mixRecording, name: strconv.Quote(name)}
	stems, ok := a.stemsOf(name)
	if !ok {
		return h
	}
	h.track, h.stems, h.occurrences = a.sumOf(stems), stems, a.occurrences(stems)
	if len(h.occurrences) == 0 {
		a.failAt(focus{stems: stems}, "%q was not heard: %s", name, a.whyNotHeard(stems))
	}
	return h
}

// leadIn is the longest initial silence of a sound whose first frame still counts as its beginning.
const leadIn = 20 * time.Millisecond

// occurrences returns the audible occurrences of some stems. The voices of one play are one occurrence.
func (a *Audio) occurrences(stems []mixer.Stem) (all []occurrence) {
	type play struct {
		name   string
		number uint64
	}
	plays := map[play]int{}
	for _, l := range a.voicesOf(stems) {
		var one occurrence
		stem := a.stems[l.stem]
		for _, p := range l.spans {
			p = a.clip(p)
			first := firstSound(stem.read(p.from, p.to), 0)
			if first < 0 {
				continue
			}
			onset := p.from + int64(first)
			if onset-p.from <= pcm.Frames(leadIn, a.rate) {
				one.onsets = append(one.onsets, p.from)
			}
			if onset > p.from {
				one.onsets = append(one.onsets, onset)
			}
			if one.to == 0 {
				one.from = p.from
			}
			one.to = p.to
		}
		if one.onsets == nil {
			continue
		}
		one.cut = a.cutOff(l)
		if of := (play{l.stem.Name, l.play}); l.play != 0 {
			if i, known := plays[of]; known {
				all[i].to, all[i].onsets = max(all[i].to, one.to), append(all[i].onsets, one.onsets...)
				all[i].cut = cmp.Or(all[i].cut, one.cut)
				continue
			}
			plays[of] = len(all)
		}
		all = append(all, one)
	}
	return all
}

// cutOff describes why a voice was not heard to its end, or returns "".
func (a *Audio) cutOff(l *voiceHistory) string {
	voice := fmt.Sprintf("#%d", l.number)
	switch {
	case l.broken:
		return fmt.Sprintf("the stream of %s broke", voice)
	case !l.ended && l.real:
		return fmt.Sprintf("%s still plays at %s", voice, a.formatFrame(a.frames))
	case l.lastEvent.Kind != mixer.EventEnded && l.lastEvent.Kind != 0:
		text := fmt.Sprintf("%s %s at %s", voice, became(l.lastEvent.Kind), a.formatFrame(l.lastEvent.Frame))
		if d := &l.lastEvent.Steal; d.By != 0 {
			text += fmt.Sprintf(" because of %q", a.thiefName(d))
		}
		return text
	case l.started < l.spans[0].from:
		return fmt.Sprintf("%s was virtual until %s", voice, a.formatFrame(l.spans[0].from))
	case l.spans[0].to < l.lastEvent.Frame:
		return fmt.Sprintf("%s was virtual from %s", voice, a.formatFrame(l.spans[0].to))
	}
	return ""
}

// became describes the end of a voice by its event, with a verb.
func became(k mixer.EventKind) string {
	if k == mixer.EventVirtual {
		return "became virtual"
	}
	return "was " + k.String()
}

// whyNotHeard explains why some stems were not heard.
func (a *Audio) whyNotHeard(stems []mixer.Stem) string {
	if lives := a.voicesOf(stems); len(lives) > 0 {
		l := lives[0]
		if len(l.spans) == 0 && l.ended {
			return fmt.Sprintf("it was played at %s and %v without a slot", a.formatFrame(l.started), l.lastEvent.Kind)
		}
		if l.lastEvent.Kind == mixer.EventVirtual {
			return fmt.Sprintf("it was played at %s and is now virtual, without a slot", a.formatFrame(l.started))
		}
		return fmt.Sprintf("it was played at %s and is silent", a.formatFrame(l.started))
	}
	for _, e := range a.refused {
		switch {
		case !slices.Contains(stems, e.Stem()):
		case e.Kind == mixer.EventCoalesced:
			return fmt.Sprintf("it became a part of voice %d at %s", e.Steal.By, a.formatFrame(e.Frame))
		default:
			return fmt.Sprintf("it was %v at %s (%v)", e.Kind, a.formatFrame(e.Frame), e.Reason)
		}
	}
	for of := range a.mixer.Engine().Stems(0) {
		if slices.Contains(stems, of) {
			return "its frame has not come; Step plays on"
		}
	}
	return "it was not played"
}

// Never asserts that a sound was not heard: its voices, if it has any, contributed only silence to the mix.
// Never also guards against misspelt names. If a bank plays on the mixer or Knows was called, an undeclared
// name fails the test. Otherwise a name fails the test if it differs only slightly from the name of a sound
// that was started.
func (a *Audio) Never(name string) {
	a.t.Helper()
	stems, ok := a.stemsOrDeclared(name)
	if !ok {
		return
	}
	var began []int64
	for _, one := range a.occurrences(stems) {
		began = append(began, one.onsets[0])
	}
	if began != nil {
		a.failAt(focus{stems: stems}, "%q is heard at %s, want never", name, a.formatTimes(began))
	}
}

// SilentOf asserts that a sound is silent from one time to another: its stem has no sample above -84 dBFS. Other sounds
// may be heard. It checks the name as Never does.
func (a *Audio) SilentOf(name string, from, to time.Duration) {
	a.t.Helper()
	if stems, ok := a.stemsOrDeclared(name); ok {
		a.silent(a.sumOf(stems), focus{stems: stems}, strconv.Quote(name), from, to)
	}
}

// Stolen holds the stolen voices of a sound.
type Stolen struct {
	audio  *Audio
	name   string
	steals []mixer.Event // empty after a failed assertion
}

// Stolen asserts that a voice of a sound was stolen. Becoming virtual does not count.
func (a *Audio) Stolen(name string) *Stolen {
	a.t.Helper()
	s := &Stolen{audio: a, name: name}
	stems, ok := a.stemsOf(name)
	if !ok {
		return s
	}
	became := a.whyNotHeard(stems)
	for _, l := range a.voicesOf(stems) {
		switch {
		case l.lastEvent.Kind == mixer.EventStolen:
			s.steals = append(s.steals, l.lastEvent)
		case l.ended:
			became = fmt.Sprintf("#%d %v at %s", l.number, l.lastEvent.Kind, a.formatFrame(l.lastEvent.Frame))
		case l.lastEvent.Kind == mixer.EventVirtual && !l.real:
			became = fmt.Sprintf("#%d lost its slot at %s and is now virtual", l.number, a.formatFrame(l.lastEvent.Frame))
		default:
			became = fmt.Sprintf("#%d still plays", l.number)
		}
	}
	if s.steals == nil {
		a.failAt(focus{stems: stems}, "%q was not stolen: %s", name, became)
	}
	return s
}

// By asserts that a voice of another sound stole one or more of these voices.
func (s *Stolen) By(name string) *Stolen {
	s.audio.t.Helper()
	if s.steals == nil {
		return s
	}
	stems, ok := s.audio.stemsOf(name)
	var kept []mixer.Event
	for _, e := range s.steals {
		if thief := s.audio.numbers[e.Steal.By]; thief != nil && slices.Contains(stems, thief.stem) {
			kept = append(kept, e)
		}
	}
	if ok && kept == nil {
		e, thief := &s.steals[0], "a smaller pool"
		if e.Steal.BySound != nil {
			thief = strconv.Quote(s.audio.thiefName(&e.Steal))
		}
		s.audio.fail("%q was stolen by %s at %s, want by %q", s.name, thief, s.audio.formatFrame(e.Frame), name)
	}
	s.steals = kept
	return s
}

// thiefName returns the name of the voice that took the slot.
func (a *Audio) thiefName(d *mixer.Decision) string {
	if l := a.numbers[d.By]; l != nil {
		return a.displayName(l.stem)
	}
	return d.BySound.Name()
}

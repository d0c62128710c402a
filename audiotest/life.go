package audiotest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
)

// life is the history of a voice, collected from its events.
type life struct {
	number uint64
	of     mixer.Stem
	play   uint64
	slot   int  // the last slot; -1: it never had a slot
	real   bool // it has a slot now
	parts  []span
	began  int64
	last   mixer.Event // the event that ended the voice or last made it virtual; Kind 0: neither happened
	over   bool
	broke  bool // its stream broke
}

// never is the end of a span that has not ended.
const never = 1<<63 - 1

// live records an event of a voice, or of a start without a voice.
func (a *Audio) live(e *mixer.Event) {
	switch e.Kind {
	case mixer.EventRejected, mixer.EventLimited, mixer.EventCoalesced:
		a.refused = append(a.refused, *e)
		return
	case mixer.EventStarted:
		l := &life{number: e.Voice, of: e.Stem(), play: e.Play(), slot: -1, began: e.Frame}
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
			l.parts = append(l.parts, span{e.Frame, never})
		}
	case mixer.EventBroken:
		l.broke = true
	case mixer.EventVirtual, mixer.EventEnded, mixer.EventStopped, mixer.EventStolen:
		l.over = e.Kind != mixer.EventVirtual
		if l.last = *e; l.real {
			l.parts[len(l.parts)-1].to = e.Frame
			l.real = false
		}
	}
}

// past clips a span to the rendered frames.
func (a *Audio) past(s span) span { return span{s.from, min(s.to, a.frames)} }

// of returns the voices of some stems.
func (a *Audio) of(stems []mixer.Stem) (all []*life) {
	for _, l := range a.voices {
		if slices.Contains(stems, l.of) {
			all = append(all, l)
		}
	}
	return all
}

// sounding describes the voices that are audible at a frame of the mix.
func (a *Audio) sounding(frame int64) string {
	at, tail := frame-a.mixer.LatencyFrames(), pcm.Frames(10*time.Millisecond, a.rate)
	var names []string
	for _, l := range a.voices {
		if slices.ContainsFunc(l.parts, func(s span) bool { return s.from <= at && at-tail < s.to }) {
			names = append(names, fmt.Sprintf("%q #%d", a.called(l.of), l.number))
		}
	}
	switch n := len(names); {
	case n == 0:
		return "no voice sounded there"
	case n > 5:
		return fmt.Sprintf("%s and %d more voices sounded there", strings.Join(names[:5], ", "), n-5)
	}
	return strings.Join(names, ", ") + " sounded there"
}

// complete reports whether the event reader has seen all started voices. If not, it fails the test.
func (a *Audio) complete() bool {
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
	h := &Heard{take: &a.take, name: strconv.Quote(name)}
	stems, ok := a.known(name)
	if !ok {
		return h
	}
	h.track, h.stems, h.heard = a.sum(stems), stems, a.hearings(stems)
	if len(h.heard) == 0 {
		a.failAt(focus{stems: stems}, "%q was not heard: %s", name, a.unheard(stems))
	}
	return h
}

// leadIn is the longest initial silence of a sound whose first frame still counts as its beginning.
const leadIn = 20 * time.Millisecond

// hearings returns the audible occurrences of some stems. The voices of one play are one occurrence.
func (a *Audio) hearings(stems []mixer.Stem) (all []hearing) {
	type play struct {
		name   string
		number uint64
	}
	plays := map[play]int{}
	for _, l := range a.of(stems) {
		var one hearing
		stem := a.stems[l.of]
		for _, p := range l.parts {
			p = a.past(p)
			first := firstSound(stem.read(p.from, p.to), 0)
			if first < 0 {
				continue
			}
			onset := p.from + int64(first)
			if onset-p.from <= pcm.Frames(leadIn, a.rate) {
				one.begins = append(one.begins, p.from)
			}
			if onset > p.from {
				one.begins = append(one.begins, onset)
			}
			if one.to == 0 {
				one.from = p.from
			}
			one.to = p.to
		}
		if one.begins == nil {
			continue
		}
		if of := (play{l.of.Name, l.play}); l.play != 0 {
			if i, known := plays[of]; known {
				all[i].to, all[i].begins = max(all[i].to, one.to), append(all[i].begins, one.begins...)
				continue
			}
			plays[of] = len(all)
		}
		all = append(all, one)
	}
	return all
}

// unheard explains why some stems were not heard.
func (a *Audio) unheard(stems []mixer.Stem) string {
	if lives := a.of(stems); len(lives) > 0 {
		l := lives[0]
		if len(l.parts) == 0 && l.over {
			return fmt.Sprintf("it was played at %s and %v without a slot", a.when(l.began), l.last.Kind)
		}
		if l.last.Kind == mixer.EventVirtual {
			return fmt.Sprintf("it was played at %s and is now virtual, without a slot", a.when(l.began))
		}
		return fmt.Sprintf("it was played at %s and is silent", a.when(l.began))
	}
	for _, e := range a.refused {
		switch {
		case !slices.Contains(stems, e.Stem()):
		case e.Kind == mixer.EventCoalesced:
			return fmt.Sprintf("it became a part of voice %d at %s", e.By, a.when(e.Frame))
		default:
			return fmt.Sprintf("it was %v at %s (%v)", e.Kind, a.when(e.Frame), e.Reason)
		}
	}
	for of := range a.mixer.Stems(0) {
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
	stems, ok := a.possible(name)
	if !ok {
		return
	}
	var began []int64
	for _, one := range a.hearings(stems) {
		began = append(began, one.begins[0])
	}
	if began != nil {
		a.failAt(focus{stems: stems}, "%q is heard at %s, want never", name, a.listed(began))
	}
}

// Stolen holds the stolen voices of a sound.
type Stolen struct {
	audio *Audio
	name  string
	by    []mixer.Event // empty after a failed assertion
}

// Stolen asserts that a voice of a sound was stolen. Becoming virtual does not count.
func (a *Audio) Stolen(name string) *Stolen {
	a.t.Helper()
	s := &Stolen{audio: a, name: name}
	stems, ok := a.known(name)
	if !ok {
		return s
	}
	became := a.unheard(stems)
	for _, l := range a.of(stems) {
		switch {
		case l.last.Kind == mixer.EventStolen:
			s.by = append(s.by, l.last)
		case l.over:
			became = fmt.Sprintf("#%d %v at %s", l.number, l.last.Kind, a.when(l.last.Frame))
		case l.last.Kind == mixer.EventVirtual && !l.real:
			became = fmt.Sprintf("#%d lost its slot at %s and is now virtual", l.number, a.when(l.last.Frame))
		default:
			became = fmt.Sprintf("#%d still plays", l.number)
		}
	}
	if s.by == nil {
		a.failAt(focus{stems: stems}, "%q was not stolen: %s", name, became)
	}
	return s
}

// By asserts that a voice of another sound stole one or more of these voices.
func (s *Stolen) By(name string) *Stolen {
	s.audio.t.Helper()
	if s.by == nil {
		return s
	}
	stems, ok := s.audio.known(name)
	var kept []mixer.Event
	for _, e := range s.by {
		if thief := s.audio.numbers[e.By]; thief != nil && slices.Contains(stems, thief.of) {
			kept = append(kept, e)
		}
	}
	if ok && kept == nil {
		e, thief := &s.by[0], "a smaller pool"
		if e.BySound != nil {
			thief = strconv.Quote(s.audio.thief(e))
		}
		s.audio.fail("%q was stolen by %s at %s, want by %q", s.name, thief, s.audio.when(e.Frame), name)
	}
	s.by = kept
	return s
}

// thief returns the name of the voice that took the slot.
func (a *Audio) thief(e *mixer.Event) string {
	if l := a.numbers[e.By]; l != nil {
		return a.called(l.of)
	}
	return e.BySound.Name()
}

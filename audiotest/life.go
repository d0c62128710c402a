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

// life is a voice, as its events tell it.
type life struct {
	number uint64
	of     mixer.Stem
	play   uint64
	slot   int  // its last; -1: it never had one
	real   bool // it has a slot now
	parts  []span
	began  int64
	last   mixer.Event // that ended it, or made it virtual last; Kind 0: neither
	over   bool
	broke  bool // its stream did
}

// never is the end of what has not ended.
const never = 1<<63 - 1

// live notes an event of a voice, or of a start that got none.
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
	if l == nil { // of no voice
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

// past returns what of a stretch of a voice has been played.
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

// sounding returns the voices that were in the mix at a frame of it.
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

// complete fails the test where events are missing, by which all voices are known.
func (a *Audio) complete() bool {
	a.t.Helper()
	missing := a.mixer.Stats().Started - int64(len(a.voices))
	if missing > 0 {
		a.fail("%d starts are unknown: Config.Events is too small", missing)
	}
	return missing <= 0
}

// Heard asserts that a sound was heard: that a voice of its name put something other than
// silence into the mix. It returns all the times that it was. The layers of a play are one.
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

// leadIn is how much silence a sound may begin with to be heard at its first frame.
const leadIn = 20 * time.Millisecond

// hearings returns the voices of some stems that were heard, those of a play together.
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

// unheard says why nothing of some stems was heard.
func (a *Audio) unheard(stems []mixer.Stem) string {
	if lives := a.of(stems); len(lives) > 0 {
		l := lives[0]
		if len(l.parts) == 0 && l.over {
			return fmt.Sprintf("it was played at %s and %v without a slot", a.when(l.began), l.last.Kind)
		}
		if l.last.Kind == mixer.EventVirtual {
			return fmt.Sprintf("it was played at %s and goes on virtual, without a slot", a.when(l.began))
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

// Never asserts that a sound was not heard: whatever was asked for, no voice of it put
// anything other than silence into the mix. A misspelt name does not pass: where a bank or
// Knows says which names there are, any other one fails the test, and else one that is
// nearly that of a start.
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

// Stolen is a sound of which voices were stolen.
type Stolen struct {
	audio *Audio
	name  string
	by    []mixer.Event // none: an assertion has failed
}

// Stolen asserts that a voice of a sound was stolen. One that goes on virtual was not.
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
			became = fmt.Sprintf("#%d gave up its slot at %s and goes on virtual", l.number, a.when(l.last.Frame))
		default:
			became = fmt.Sprintf("#%d plays on", l.number)
		}
	}
	if s.by == nil {
		a.failAt(focus{stems: stems}, "%q was not stolen: %s", name, became)
	}
	return s
}

// By asserts that one of these voices gave way to a voice of another sound.
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

// thief is what the voice is called that an event says took the place.
func (a *Audio) thief(e *mixer.Event) string {
	if l := a.numbers[e.By]; l != nil {
		return a.called(l.of)
	}
	return e.BySound.Name()
}

package audiotest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"voicepool/internal/words"
	"voicepool/mixer"
	"voicepool/pcm"
)

// life is a voice, as its events tell it.
type life struct {
	number uint64
	name   string
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
		a.voices = append(a.voices, &life{number: e.Voice, name: e.Sound.Name(), slot: -1, began: e.Frame})
	}
	i := slices.IndexFunc(a.voices, func(l *life) bool { return l.number == e.Voice })
	if i < 0 { // of no voice
		return
	}
	l := a.voices[i]
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

// of returns the voices of a sound.
func (a *Audio) of(name string) []*life {
	return slices.DeleteFunc(slices.Clone(a.voices), func(l *life) bool { return l.name != name })
}

// sounding returns the voices that were in the mix at a frame of it.
func (a *Audio) sounding(frame int64) string {
	at, tail := frame-a.mixer.LatencyFrames(), pcm.Frames(10*time.Millisecond, a.rate)
	var names []string
	for _, l := range a.voices {
		if slices.ContainsFunc(l.parts, func(s span) bool { return s.from <= at && at-tail < s.to }) {
			names = append(names, l.String())
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

func (l *life) String() string { return fmt.Sprintf("%q #%d", l.name, l.number) }

// known fails the test unless a start of a sound was asked for.
func (a *Audio) known(name string) bool {
	a.t.Helper()
	names := a.names()
	switch {
	case !a.complete():
		return false
	case slices.Contains(names, name):
		return true
	case len(names) == 0:
		a.fail("no %q: nothing was played", name)
	default:
		a.fail("no %q was played; the nearest is %q", name, words.Nearest(name, names))
	}
	return false
}

// complete fails the test where events are missing, by which all voices are known.
func (a *Audio) complete() bool {
	a.t.Helper()
	missing := a.mixer.Stats().Started - int64(len(a.voices))
	if missing > 0 {
		a.fail("%d starts are unknown: something else reads Mixer.Events, or Config.Events is too small", missing)
	}
	return missing <= 0
}

// Heard asserts that a sound was heard: that a voice of it put something other than
// silence into the mix. It returns all the times that it was.
func (a *Audio) Heard(name string) *Heard {
	a.t.Helper()
	h := &Heard{take: &a.take, name: strconv.Quote(name)}
	if !a.known(name) {
		return h
	}
	if h.track = a.stems[name]; h.track == nil {
		h.track = &track{}
	}
	h.heard = a.hearings(name)
	if len(h.heard) == 0 {
		a.fail("%q was not heard: %s", name, a.unheard(name))
	}
	return h
}

// leadIn is how much silence a sound may begin with to be heard at its first frame.
const leadIn = 20 * time.Millisecond

// hearings returns the voices of a sound that were heard.
func (a *Audio) hearings(name string) (all []hearing) {
	stem := a.stems[name]
	if stem == nil {
		return nil
	}
	for _, l := range a.of(name) {
		var one hearing
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
		if one.begins != nil {
			all = append(all, one)
		}
	}
	return all
}

// unheard says why a sound was not heard.
func (a *Audio) unheard(name string) string {
	if lives := a.of(name); len(lives) > 0 {
		l := lives[0]
		if l.last.Kind == mixer.EventVirtual {
			return fmt.Sprintf("it was played at %s and goes on virtual, without a slot", a.when(l.began))
		}
		return fmt.Sprintf("it was played at %s and is silent", a.when(l.began))
	}
	for _, e := range a.refused {
		switch {
		case e.Sound.Name() != name:
		case e.Kind == mixer.EventCoalesced:
			return fmt.Sprintf("it became a part of voice %d at %s", e.By, a.when(e.Frame))
		default:
			return fmt.Sprintf("it was %v at %s (%v)", e.Kind, a.when(e.Frame), e.Reason)
		}
	}
	return "its frame has not come; Step plays on"
}

// Never asserts that a sound was not heard: whatever was asked for, no voice of it put
// anything other than silence into the mix.
func (a *Audio) Never(name string) {
	a.t.Helper()
	if !a.complete() {
		return
	}
	var began []int64
	for _, one := range a.hearings(name) {
		began = append(began, one.begins[0])
	}
	if began != nil {
		a.fail("%q is heard at %s, want never", name, a.listed(began))
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
	if !a.known(name) {
		return s
	}
	became := a.unheard(name)
	for _, l := range a.of(name) {
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
		a.fail("%q was not stolen: %s", name, became)
	}
	return s
}

// By asserts that one of these voices gave way to a voice of another sound.
func (s *Stolen) By(name string) *Stolen {
	s.audio.t.Helper()
	if s.by == nil {
		return s
	}
	var kept []mixer.Event
	thief := func(e *mixer.Event) string {
		if e.BySound == nil {
			return "a smaller pool"
		}
		return strconv.Quote(e.BySound.Name())
	}
	for _, e := range s.by {
		if e.BySound != nil && e.BySound.Name() == name {
			kept = append(kept, e)
		}
	}
	if kept == nil {
		e := &s.by[0]
		s.audio.fail("%q was stolen by %s at %s, want by %q", s.name, thief(e), s.audio.when(e.Frame), name)
	}
	s.by = kept
	return s
}

package expect

import (
	"slices"
	"strconv"

	"voicepool/cue/report"
	"voicepool/internal/listening"
	"voicepool/internal/words"
	"voicepool/mixer"
)

// Log collects the events of a show as the voices that they describe. The zero Log is ready to use, by one goroutine at
// a time.
type Log struct {
	voices  []*voice // in the order of their first events
	numbers map[uint64]*voice
	refused []report.Event
	names   map[string]bool // of sounds that were requested

	// correlations has the best correlation, 0..1, of sounds that a recording was searched for.
	correlations map[string]float64
}

// voice is the history of a voice.
type voice struct {
	report.CueLabel
	number  uint64
	sound   string
	cue     int
	started int64            // frame of the first event
	spans   []listening.Span // when it had a slot; the last one may be open
	last    *report.Event    // the event that ended it or made it virtual; nil: neither happened
}

// openEnd is the end of a span that has not ended.
const openEnd = 1<<63 - 1

// Add adds an event. Events come in the order of frames. It copies e.
func (l *Log) Add(e *report.Event) {
	switch e.Kind {
	case mixer.EventRejected, mixer.EventLimited, mixer.EventCoalesced:
		l.refused = append(l.refused, *e)
		l.name(e.Sound)
		return
	case mixer.EventStarted, mixer.EventReal, mixer.EventVirtual, mixer.EventEnded, mixer.EventStopped, mixer.EventStolen:
	default:
		return
	}
	v := l.numbers[e.Voice]
	if v == nil { // a start, or a voice that started before the first event
		if l.numbers == nil {
			l.numbers = map[uint64]*voice{}
		}
		v = &voice{CueLabel: e.CueLabel, number: e.Voice, sound: e.Sound, cue: e.Cue, started: e.Frame}
		l.voices, l.numbers[e.Voice] = append(l.voices, v), v
		l.name(e.Sound)
	}
	switch e.Kind {
	case mixer.EventStarted, mixer.EventReal:
		if e.Slot >= 0 && !v.real() {
			v.spans = append(v.spans, listening.Span{From: e.Frame, To: openEnd})
		}
	default:
		if v.real() {
			v.spans[len(v.spans)-1].To = e.Frame
		}
		v.last = new(report.Event)
		*v.last = *e
	}
}

// AddFound adds the occurrences of a sound that a recording was searched for, and the best correlation, see
// listening.Find.
func (l *Log) AddFound(sound string, found []listening.Match, best float64) {
	if l.correlations == nil {
		l.correlations = map[string]float64{}
	}
	l.correlations[sound] = best
	for _, m := range found {
		n := uint64(len(l.voices)) + 1
		l.Add(&report.Event{Kind: mixer.EventStarted, Frame: m.At, Voice: n, Sound: sound, Cue: -1})
		l.Add(&report.Event{Kind: mixer.EventEnded, Frame: m.At + m.Frames, Voice: n, Sound: sound, Cue: -1})
	}
}

// Len returns the number of voices and refused starts.
func (l *Log) Len() int { return len(l.voices) + len(l.refused) }

// name records the name of a requested sound.
func (l *Log) name(sound string) {
	if l.names == nil {
		l.names = map[string]bool{}
	}
	l.names[sound] = true
}

// real reports whether v has a slot.
func (v *voice) real() bool { return len(v.spans) > 0 && v.spans[len(v.spans)-1].To == openEnd }

// ended reports whether v has ended.
func (v *voice) ended() bool { return v.last != nil && v.last.Kind != mixer.EventVirtual && !v.real() }

// slotSpans returns the spans of v with a slot, clipped to s. It leaves out empty spans.
func (v *voice) slotSpans(s listening.Span) (parts []listening.Span) {
	for _, p := range v.spans {
		if p = (listening.Span{From: max(p.From, s.From), To: min(p.To, s.To)}); p.From < p.To {
			parts = append(parts, p)
		}
	}
	return parts
}

// means reports whether r is about a voice or a refused start with these properties.
func (r *Rule) means(sound string, label *report.CueLabel, cue int, voice uint64) bool {
	switch {
	case r.sound != anySound && r.sound != sound,
		r.id != "" && r.id != label.CueID,
		r.bus != "" && r.bus != label.CueBus && !(r.bus == "master" && label.CueBus == "" && cue >= 0),
		r.voice > 0 && uint64(r.voice) != voice:
		return false
	case r.cue == "":
		return true
	case label.ListCue == "":
		return cue >= 0 && strconv.Itoa(cue) == r.cue
	}
	return words.CueNumber(label.ListCue) == words.CueNumber(r.cue)
}

// voicesOf returns the voices that r is about.
func (l *Log) voicesOf(r *Rule) (all []*voice) {
	for _, v := range l.voices {
		if r.means(v.sound, &v.CueLabel, v.cue, v.number) {
			all = append(all, v)
		}
	}
	return all
}

// sounding returns the names of at most three voices with a slot in s, for a message.
func (l *Log) sounding(s listening.Span) (names []string) {
	for _, v := range l.voices {
		if len(names) < 3 && v.slotSpans(s) != nil {
			names = append(names, words.OneLine(v.sound)+" #"+strconv.FormatUint(v.number, 10))
		}
	}
	return names
}

// similar returns the name of a requested sound that name may be a misspelling of, or "". If name was requested or is in
// declared, the result is "".
func (l *Log) similar(name string, declared []string) string {
	if name == anySound || l.names[name] || slices.Contains(declared, name) {
		return ""
	}
	nearest, best := "", min(max(1, len(name)/3), 2)+1
	for other := range l.names {
		if d := words.Distance(name, other); d < best || d == best && nearest != "" && other < nearest {
			nearest, best = other, d
		}
	}
	return nearest
}

// Package musicplan finds the points in musical time where segments of a theme begin and end. Its functions are pure:
// they know no voices. All positions and times are in frames.
package musicplan

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"voicepool/bank/rules"
	"voicepool/internal/tempo"
	"voicepool/pcm"
)

// Segment is a segment of a theme whose sound is loaded. It is read-only.
type Segment struct {
	Name    string
	Sound   string   // the name of its sound
	Frames  int64    // the length of its sound
	Loop    pcm.Loop // the part that repeats endlessly; zero: it plays once
	Offset  int64    // position of bar 1
	Pickup  int64    // how long before an exit it begins
	Exits   []rules.MusicPoint
	Grid    *tempo.Grid
	Markers []Marker
}

// Marker is a named position in a segment.
type Marker struct {
	Name     string
	Position int64
}

// NewTheme returns the theme m, with the segments in their order, for sounds at a rate of rate Hz. length returns the
// length of a sound of the theme and the part that it repeats, which is zero for a sound that plays once. file is the
// file of m, for messages. The error is a rules.Errors.
func NewTheme(file string, m *rules.Music, rate int, length func(sound string) (frames int64, loop pcm.Loop)) (*Theme, error) {
	var all []*Segment
	var errs rules.Errors
	fail := func(line, column int, format string, args ...any) {
		errs = append(errs, &rules.Error{File: file, Line: line, Column: column, Msg: fmt.Sprintf(format, args...)})
	}
	inside := map[rules.Marker]bool{}
	left := tempo.MaxBeats
	for i := range m.Segments {
		s := &m.Segments[i]
		frames, loop := length(s.Sound)
		if frames == 0 {
			fail(s.Line, s.Column, "the length of the segment %q is unknown or 0; a stream must declare its length", s.Name)
			continue
		}
		one := newSegment(s, rate, frames, loop)
		if left -= one.Grid.Len(); left < 0 {
			fail(s.Line, s.Column, "the segments up to %q have more than %d beats, the limit of a theme", s.Name, tempo.MaxBeats)
			return nil, errs
		}
		end := frames
		if loop.Frames() > 0 {
			end = loop[1]
		}
		if one.Pickup >= end {
			fail(s.Line, s.Column, "pickup: %v are not shorter than the segment %q until its end or loop end, %v", rules.FrameTime(one.Pickup, rate), s.Name, rules.FrameTime(end, rate))
		} else if one.Offset >= frames {
			fail(s.Line, s.Column, "offset: bar 1 at %v is not before the end of the segment %q, %v", s.Offset, s.Name, rules.FrameTime(frames, rate))
		}
		for _, k := range s.Markers {
			at, ok := one.positionOf(k, rate)
			inside[k] = inside[k] || ok
			if ok {
				one.Markers = append(one.Markers, Marker{k.Name, at})
			}
		}
		all = append(all, one)
	}
	for k, ok := range inside {
		if !ok {
			fail(k.Line, k.Column, "the marker %q is beyond the end of its segment", k.Name)
		}
	}
	if errs == nil {
		t := &Theme{Segments: all}
		for _, r := range m.Transitions {
			row := Transition{From: r.From, To: r.To, FadeOut: r.FadeOut.Frames(rate), Stinger: r.Stinger}
			if r.At != (rules.MusicPoint{}) {
				row.At = []rules.MusicPoint{r.At}
			}
			for i := range m.Segments {
				row.Crossfade = append(row.Crossfade, Length(&m.Segments[i], r.Crossfade, rate))
			}
			t.Transitions = append(t.Transitions, row)
		}
		return t, nil
	}
	slices.SortFunc(errs, func(a, b *rules.Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return nil, errs
}

// newSegment returns the segment s, without its markers, for a sound of frames frames.
func newSegment(s *rules.Segment, rate int, frames int64, loop pcm.Loop) *Segment {
	out := &Segment{Name: s.Name, Sound: s.Sound, Frames: frames, Loop: loop, Offset: s.Offset.Frames(rate), Exits: s.Exits}
	out.Pickup = Length(s, s.Pickup, rate)
	if !s.HasOffset {
		out.Offset = out.Pickup
	}
	changes := make([]tempo.Change, len(s.Tempo))
	for i, c := range s.Tempo {
		changes[i] = tempo.Change{Bar: c.Bar, BPM: int64(math.Round(c.BPM * 1e6)), Ramp: c.Ramp, Meter: tempo.Meter(c.Meter)}
	}
	out.Grid = tempo.New(changes, rate, frames-out.Offset)
	return out
}

// Length returns the length l in frames, at the first tempo and meter of s.
func Length(s *rules.Segment, l rules.MusicLength, rate int) int64 {
	if l.Bars == 0 && l.Beats == 0 {
		return l.Time.Frames(rate)
	}
	first := &s.Tempo[0]
	return tempo.Beats(l.Beats+l.Bars*first.Meter.Beats, int64(math.Round(first.BPM*1e6)), tempo.Meter(first.Meter), rate)
}

// positionOf returns the position of k, or false if it is outside s.
func (s *Segment) positionOf(k rules.Marker, rate int) (at int64, ok bool) {
	if k.Bar == 0 {
		at = k.Time.Frames(rate)
		return at, at <= s.Frames
	}
	at, ok = s.Grid.Beat(k.Bar, k.Beat)
	return at + s.Offset, ok
}

// At returns the bar and the beat at a position, both from 1, or zeros before bar 1.
func (s *Segment) At(position int64) (bar, beat int) { return s.Grid.At(position - s.Offset) }

// Advance returns the position that a voice reaches n frames after position. Beyond the end of a segment without a loop
// it is at least Frames. n is not negative.
func (s *Segment) Advance(position, n int64) int64 {
	if position >= s.Loop[1] {
		return position + n
	}
	return s.Loop.At(position + n)
}

// find returns the first point p at position or later in the sound, regardless of loops.
func (s *Segment) find(position int64, p rules.MusicPoint) (found int64, ok bool) {
	switch {
	case p.Beat:
		found, ok = s.Grid.NextBeat(position - s.Offset)
		found += s.Offset
	case p.Bars > 0:
		found, ok = s.Grid.NextBar(position-s.Offset, p.Bars)
		found += s.Offset
	}
	for _, m := range s.Markers {
		if m.Position >= position && (!ok || m.Position < found) && p.Marker != "" && s.isNamed(m.Name, p.Marker) {
			found, ok = m.Position, true
		}
	}
	return found, ok
}

// Cross calls do for each beat, with the empty marker, and for each marker at the positions from..to-1, in their order.
// At one position the beat is first.
func (s *Segment) Cross(from, to int64, do func(position int64, marker string)) {
	for {
		beat, isBeat := s.find(from, rules.MusicPoint{Beat: true})
		at := to
		if isBeat {
			at = min(at, beat)
		}
		for _, m := range s.Markers {
			if m.Position >= from {
				at = min(at, m.Position)
			}
		}
		if at >= to {
			return
		}
		if isBeat && at == beat {
			do(at, "")
		}
		for _, m := range s.Markers {
			if m.Position == at {
				do(at, m.Name)
			}
		}
		from = at + 1
	}
}

// isNamed reports whether name, which may begin with the name of a segment and a point, is the marker called marker of
// s.
func (s *Segment) isNamed(marker, name string) bool {
	segment, short, qualified := strings.Cut(name, ".")
	if !qualified {
		return name == marker
	}
	return segment == s.Name && short == marker
}

// Wait returns the number of frames from position to the next point p that is at least after frames away. position may
// be negative for a segment that has not begun. The end of a segment without a loop counts as a part of it. The result
// is false without such a point. after is not negative.
func (s *Segment) Wait(position, after int64, p rules.MusicPoint) (frames int64, ok bool) {
	from := s.Advance(position, after)
	found, ok := s.find(max(from, 0), p)
	if s.Loop.Frames() == 0 || from >= s.Loop[1] || ok && found < s.Loop[1] {
		return found - from + after, ok && found <= s.Frames
	}
	found, ok = s.find(s.Loop[0], p)
	return s.Loop[1] - from + found - s.Loop[0] + after, ok && found < s.Loop[1]
}

// Chain is a sequence of segments that play one after the other. Only the last may have a loop.
type Chain []*Segment

// Exit returns the number of frames from position in the first segment to the first of the points of a segment that is
// at least after frames away, and the index of its segment. points returns the points of a segment. Exit returns false
// without such a point.
func (c Chain) Exit(position, after int64, points func(*Segment) []rules.MusicPoint) (frames int64, index int, ok bool) {
	passed := int64(0) // from the position to the beginning of the segment
	for i, s := range c {
		end := s.Frames - position
		if i == len(c)-1 || after < end {
			for _, p := range points(s) {
				n, found := s.Wait(position, after, p)
				if found && (i == len(c)-1 || n < end) && (!ok || passed+n < frames) {
					frames, index, ok = passed+n, i, true
				}
			}
		}
		if ok {
			return frames, index, true
		}
		passed, after, position = passed+end, max(after-end, 0), 0
	}
	return 0, 0, false
}

// Wait is Exit for one point.
func (c Chain) Wait(position, after int64, p rules.MusicPoint) (frames int64, ok bool) {
	frames, _, ok = c.Exit(position, after, func(*Segment) []rules.MusicPoint { return []rules.MusicPoint{p} })
	return frames, ok
}

// End returns the number of frames from position in the first segment to the end of the last, and false if it has a
// loop.
func (c Chain) End(position int64) (frames int64, ok bool) {
	for _, s := range c {
		frames += s.Frames
	}
	return frames - position, c[len(c)-1].Loop.Frames() == 0
}

// Theme has the segments and the transitions of a theme, ready to plan.
type Theme struct {
	Segments    []*Segment
	Transitions []Transition
}

// Transition is a row of the transitions of a theme, with its times in frames.
type Transition struct {
	From, To  string // empty: any
	At        []rules.MusicPoint
	FadeOut   int64
	Crossfade []int64 // by segment that begins
	Stinger   string
}

// Row returns the first transition from a segment to another, or nil.
func (t *Theme) Row(from, to string) *Transition {
	for i := range t.Transitions {
		if r := &t.Transitions[i]; (r.From == "" || r.From == from) && (r.To == "" || r.To == to) {
			return r
		}
	}
	return nil
}

// Find returns the index of the segment called name, or -1.
func (t *Theme) Find(name string) int {
	return slices.IndexFunc(t.Segments, func(s *Segment) bool { return s.Name == name })
}

// Plan is a transition to another segment, in frames from the present position.
type Plan struct {
	Exit    int64
	Row     *Transition // may be nil
	FadeOut int64       // of the segment that ends
	FadeIn  int64       // of the segment that begins
}

// Plan returns the next transition from position in the first segment of c to the segment with the index to. The
// segment begins its pickup before the exit, at least after frames away. If c has an end and no exit before it, the
// exit is the end, or after if that is later. Plan returns false if c has no exit.
func (t *Theme) Plan(c Chain, position, after int64, to int) (p Plan, ok bool) {
	next := t.Segments[to]
	exit, index, ok := c.Exit(position, after+next.Pickup, func(s *Segment) []rules.MusicPoint {
		if r := t.Row(s.Name, next.Name); r != nil && r.At != nil {
			return r.At
		}
		return s.Exits
	})
	if !ok {
		if exit, ok = c.End(position); !ok {
			return Plan{}, false
		}
		exit, index = max(exit, after+next.Pickup), len(c)-1
	}
	p = Plan{Exit: exit, Row: t.Row(c[index].Name, next.Name)}
	if r := p.Row; r != nil {
		p.FadeOut, p.FadeIn = max(r.FadeOut, r.Crossfade[to]), r.Crossfade[to]
	}
	return p, true
}

package runsheet

import (
	"cmp"
	"iter"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/internal/sheet/chance"
	"voicepool/mixer"
)

// Cue is a cue of a sheet that is being played, or a copy of it that a GO has added. The fields of the cue in the file
// are shared and must not be changed.
type Cue struct {
	*cue.Cue
	Play *cue.Play // the start, or for a layer its start; nil: another action

	// These take the place of the fields of the same name in the file.
	At     rules.Time // since Base
	Delay  rules.Time // of a layer
	Sound  int        // index in Sheet.Sounds
	Layers []Cue      // the starts of a sound with layers

	Base  rules.Time // time of the GO that At is relative to; 0 for the timeline
	State State

	Tag         mixer.Tag // number of the id of a start, or of the id that is the target; 0: no id
	AwaitedTag  mixer.Tag // number of the id whose end the cue waits for; 0: it does not wait
	OwnerNumber uint64    // 0: no owner

	Origin   int    // 1 + position of the original in file order; 0: not a copy
	Launch   int    // number of its launch, from 1; 0: no launch, or the timeline
	Firing   uint64 // number of earlier starts of its list cue
	Manual   bool   // requested by hand, not part of a sheet
	MidSound bool   // it starts in the middle of its sound; From may lie beyond the end of the loop
}

// State selects the trigger of a cue.
type State uint8

const (
	Timed   State = iota
	Idle          // a list cue, not started by a GO
	Waiting       // waits for the end of another cue or id
)

// newCue returns c for a sheet that is being played. ids and owners have the numbers of ids and owners by name. Sounds
// of c count from the sound with index firstSound in Sheet.Sounds.
func newCue(c *cue.Cue, ids, owners map[string]uint64, firstSound int) Cue {
	out := Cue{Cue: c, At: c.At, AwaitedTag: mixer.Tag(ids[c.EndOf])}
	if t := c.Target(); t.Scope == cue.OnID {
		out.Tag = mixer.Tag(ids[t.Name])
	}
	p, is := c.Action.(*cue.Play)
	if !is {
		return out
	}
	start := func(p *cue.Play) Cue {
		one := out
		one.Play, one.Delay, one.Sound, one.Tag, one.OwnerNumber = p, p.Delay, firstSound+p.Sound, mixer.Tag(ids[p.ID]), owners[p.Owner]
		return one
	}
	whole := start(p)
	for i := range p.Layers {
		whole.Layers = append(whole.Layers, start(&p.Layers[i]))
	}
	return whole
}

// owned returns a copy of c with a copy of the cue in the file and of its start, so that their fields may be changed.
func (c *Cue) owned() Cue {
	out, file := *c, *c.Cue
	if out.Cue = &file; c.Play != nil {
		out.Play = new(*c.Play)
	}
	return out
}

// Starts returns an iterator over the starts of c with their indexes. These are the layers of c, or c itself with index
// 0 if its sound has no layers. Cues with other verbs have no starts. The pointers point into c.
func (c *Cue) Starts() iter.Seq2[int, *Cue] {
	return func(yield func(int, *Cue) bool) {
		if c.Layers == nil {
			if c.Play != nil {
				yield(0, c)
			}
			return
		}
		for i := range c.Layers {
			if !yield(i, &c.Layers[i]) {
				return
			}
		}
	}
}

// StartCount returns the number of voices that cue c starts. It is the number of layers of its sound, or 1 without
// layers, times the repetitions c.Times. The result is 0 if the cue starts no sound.
func (c *Cue) StartCount() (n uint64) {
	for range c.Starts() {
		n += c.Times
	}
	return n
}

// RegularTime returns the time of a repetition of c, counted from 0, relative to the base of c (its GO, or the end that
// it waited for). The intervals between repetitions must not be random.
func (c *Cue) RegularTime(repetition uint64) rules.Time {
	t, _ := c.At.Repeat(repetition, c.Every) // the parser has checked that the last one fits
	return t
}

// RepetitionTime returns the time of a repetition of c: c.At plus since. since is the time from the first repetition to
// this one, in nanoseconds.
func (c *Cue) RepetitionTime(since int64) rules.Time {
	return AddTimes(c.At, rules.FrameTime(since, nanosPerSecond))
}

// NextRepetition draws the time of the repetition of c that follows the present one. d is the random source. since is
// the time of the present repetition, next the time of the following one. Both are in nanoseconds after the first
// repetition. more is false if next is not before the cue's `until`.
func (c *Cue) NextRepetition(d chance.Draw, since int64) (next int64, more bool) {
	next = since + d.Between(nanoseconds(c.Every), nanoseconds(c.EveryMax), chance.Every)
	return next, c.Span == 0 || next < c.Span
}

// Happens reports whether the repetition of c with the random source d acts, by the chance of the cue. A cue without a
// chance always acts. The same d gives the same result.
func (c *Cue) Happens(d chance.Draw) bool { return c.Chance == 0 || d.Happens(c.Chance, chance.Occurs) }

// Frame returns the frame of the show when a repetition of c is due. The parameter repetition is its number: 0 is the
// first time that c acts. rate is the sample rate in Hz. If c waits for the end of another cue or id, the result
// assumes the earliest possible time of that end. The intervals between the repetitions of c must not be random.
func (c *Cue) Frame(repetition uint64, rate int) int64 {
	return c.Base.Frames(rate) + c.RegularTime(repetition).Frames(rate)
}

// LastFrame returns the frame of the last repetition of c, counted from the beginning of the show. If the intervals are
// random, the result is an upper bound. If c waits for an end, the earliest possible time of that end counts. rate is
// the sample rate in Hz.
func (c *Cue) LastFrame(rate int) int64 {
	if c.EveryMax.IsZero() {
		return c.Frame(c.Times-1, rate)
	}
	latest := int64(c.Times-1) * nanoseconds(c.EveryMax) // the parser has checked that it fits
	if c.Span > 0 {
		latest = min(latest, c.Span)
	}
	return c.Base.Frames(rate) + c.RepetitionTime(latest).Frames(rate)
}

// finished returns a copy of c that has the lasting result of the finished cue at once, such as an endless loop or a
// set value. A stop, or a release from a loop, becomes a stop without a tail. some is false if c leaves no lasting
// result.
func (c *Cue) finished() (out Cue, some bool) {
	out = c.owned()
	out.At, out.EndOf, out.AwaitedTag, out.State = rules.Time{}, "", 0, Timed
	out.Every, out.EveryMax, out.Times = rules.Time{}, rules.Time{}, 1
	endless := func(p *cue.Play) bool { return p.Loop && p.Rounds == 0 && p.For == nil }
	switch a := c.Action.(type) {
	case *cue.Play:
		out.Layers = nil
		for i := range c.Layers {
			if endless(c.Layers[i].Play) {
				one := c.Layers[i].owned()
				one.At, one.Play.FadeIn, one.Play.FadeShape = rules.Time{}, rules.Time{}, 0
				out.Layers = append(out.Layers, one)
			}
		}
		out.Play.FadeIn, out.Play.FadeShape = rules.Time{}, 0
		return out, out.Layers != nil || c.Layers == nil && endless(a)
	case *cue.Seek, *cue.Message:
		return out, false
	case *cue.Stop:
		out.Action = &cue.Stop{Target: a.Target, Cut: true}
	case *cue.Set:
		if a.Change.Fields&mixer.FieldRounds != 0 && !c.LoopsForever() { // its voices left their loop
			out.Action = &cue.Stop{Target: a.Target, Cut: true}
			break
		}
		set := *a
		set.Over, set.Change.Shape = rules.Time{}, 0
		out.Action = &set
	case *cue.SetScene:
		out.Action = &cue.SetScene{Scene: a.Scene}
	}
	return out, true
}

// Instant is a position in the order of acting cues: a frame and the index of a cue. The zero value means never; every
// other instant is later.
type Instant struct {
	Frame int64
	Index int
}

// Compare compares two instants by frame and then by cue index. It returns -1 if m is earlier than n, 1 if it is later,
// and 0 if they are equal.
func (m Instant) Compare(n Instant) int {
	return cmp.Or(cmp.Compare(m.Frame, n.Frame), cmp.Compare(m.Index, n.Index))
}

// Before reports whether m is earlier than n, by frame and then by cue index.
func (m Instant) Before(n Instant) bool {
	return m.Frame < n.Frame || m.Frame == n.Frame && m.Index < n.Index
}

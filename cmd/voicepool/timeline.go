package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"

	"voicepool/cue"
)

// timeline is what a picture of voices over time shows.
type timeline struct {
	title   string
	head    *reportHead
	sounds  []string // the most frequent first
	ribbons []ribbon // by number
	marks   []mark   // starts that got no voice
	slots   int      // that were ever used
	lanes   int      // that virtual voices need
	levels  *levels  // nil: nobody has measured
}

// ribbon is a voice.
type ribbon struct {
	number   uint64
	sound    int // in sounds
	cue      int
	from, to int64
	fate     string
	parts    []part
	losses   []loss
	text     func() *voiceAnswer
}

// part is a stretch of a voice in one row.
type part struct {
	from, to int64
	row      int  // a slot, or a lane of virtual voices
	virtual  bool // it is a lane
}

// loss is a moment at which a voice gave way.
type loss struct {
	frame   int64
	by      uint64 // who took its place; 0: nobody
	virtual bool   // it went on as a virtual voice
	level   float64
}

// mark is a start that got no voice.
type mark struct {
	frame int64
	sound int
	kind  string
	text  func() string
}

// maxShown bounds how many events a timeline can show: they are kept.
const maxShown = 500000

// inaudible is the level of silence in a timeline, in dB.
const inaudible = -115

// newTimeline reads a report. recorded may be nil.
func newTimeline(title, name string, report io.Reader, recorded *levels) (*timeline, error) {
	t := &timeline{title: title, levels: recorded}
	lives := map[uint64]*life{}
	of := func(number uint64) *life {
		l := lives[number]
		if l == nil {
			l = &life{number: number}
			lives[number] = l
		}
		return l
	}
	used := map[string]int{}
	var refused []*happening
	events := 0
	head, err := readReport(name, report, func(h *happening) error {
		if events++; events > maxShown {
			return fmt.Errorf("%s: more than %d events are more than a timeline shows; --length cuts a sheet", name, maxShown)
		}
		switch h.Kind {
		case "started", "rejected", "limited", "coalesced":
			used[h.Sound]++
		case "missed": // it is of no sound
			return nil
		default:
			used[h.Sound] += 0 // its start may be lost
		}
		if h.Voice != 0 {
			of(h.Voice).add(h)
		} else {
			refused = append(refused, h)
		}
		if h.By != 0 {
			of(h.By).add(h)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	t.head, t.sounds = head, ranked(used)
	index := map[string]int{}
	for i, s := range t.sounds {
		index[s] = i
	}
	for _, l := range lives {
		if l.started() {
			t.ribbons = append(t.ribbons, t.ribbon(l, index))
		}
	}
	slices.SortFunc(t.ribbons, func(a, b ribbon) int { return cmp.Compare(a.number, b.number) })
	for _, h := range refused {
		t.marks = append(t.marks, mark{h.Frame, index[h.Sound], h.Kind, func() string { return tellRefusal(h, head, nil) }})
	}
	t.findLanes()
	return t, nil
}

// timelineOf makes the timeline of what was played.
func timelineOf(title string, r *cue.Report, recorded *levels) (*timeline, error) {
	var report bytes.Buffer
	if _, err := r.WriteTo(&report); err != nil {
		return nil, err
	}
	return newTimeline(title, "the report", &report, recorded)
}

// ribbon puts a life into a row for each of its parts.
func (t *timeline) ribbon(l *life, sounds map[string]int) ribbon {
	b := ribbon{number: l.number, fate: "playing", from: -1, to: t.head.Frames, text: func() *voiceAnswer { return l.tell(t.head) }}
	row, since, living := -1, int64(0), false
	leave := func(frame int64) {
		if living {
			b.parts = append(b.parts, part{since, frame, row, row < 0})
			if row >= 0 {
				t.slots = max(t.slots, row+1)
			}
		}
		living = false
	}
	for _, h := range l.events {
		if h.Voice != l.number {
			continue
		}
		switch h.Kind {
		case "started", "virtual", "real":
			if h.Kind == "started" {
				b.sound, b.cue, b.from = sounds[h.Sound], h.Cue, h.Frame
			}
			leave(h.Frame)
			row, since, living = min(h.slot(), maxRow), h.Frame, true
			if h.Kind == "virtual" && len(b.parts) > 0 {
				b.losses = append(b.losses, lossOf(h))
			}
		case "ended", "stopped", "stolen":
			leave(h.Frame)
			b.fate, b.to = h.Kind, h.Frame
			if h.Kind == "stolen" {
				b.losses = append(b.losses, lossOf(h))
			}
		}
	}
	if b.from < 0 { // its start was lost
		b.from = b.to
	}
	leave(t.head.Frames)
	b.parts = slices.DeleteFunc(b.parts, func(p part) bool { return p.virtual && p.from == p.to })
	return b
}

// maxRow bounds the slots of a report.
const maxRow = 65535

func lossOf(h *happening) loss {
	l := loss{frame: h.Frame, by: h.By, virtual: h.Kind == "virtual", level: inaudible}
	if h.Audibility != nil {
		l.level = *h.Audibility
	}
	return l
}

// findLanes gives virtual parts rows of their own, in which they do not meet.
func (t *timeline) findLanes() {
	var all []*part
	for i := range t.ribbons {
		for j := range t.ribbons[i].parts {
			if p := &t.ribbons[i].parts[j]; p.virtual {
				all = append(all, p)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *part) int { return cmp.Compare(a.from, b.from) })
	var free []int64 // by lane, from when on
	for _, p := range all {
		p.row = -1
		for i, f := range free {
			if f <= p.from {
				p.row = i
				break
			}
		}
		if p.row < 0 {
			p.row = len(free)
			free = append(free, 0)
		}
		free[p.row] = p.to
	}
	t.lanes = len(free)
}

// find returns the ribbon of a voice, or nil.
func (t *timeline) find(number uint64) *ribbon {
	i, ok := slices.BinarySearchFunc(t.ribbons, number, func(b ribbon, n uint64) int { return cmp.Compare(b.number, n) })
	if !ok {
		return nil
	}
	return &t.ribbons[i]
}

// partAt returns the part of a voice that begins at a frame, or lasts then.
func (b *ribbon) partAt(frame int64) *part {
	for i := len(b.parts) - 1; i >= 0; i-- {
		if p := &b.parts[i]; p.from <= frame {
			return p
		}
	}
	return nil
}

// steps returns the frames at which the number of voices changes, each with the
// number of those that are real, and of those that are virtual, from there on.
func (t *timeline) steps() []int64 {
	type step struct {
		frame   int64
		virtual bool
		by      int64
	}
	var steps []step
	for i := range t.ribbons {
		for _, p := range t.ribbons[i].parts {
			if p.to > p.from {
				steps = append(steps, step{p.from, p.virtual, 1}, step{p.to, p.virtual, -1})
			}
		}
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Or(cmp.Compare(a.frame, b.frame), cmp.Compare(a.by, b.by)) })
	out := []int64{}
	var now [2]int64
	for i, s := range steps {
		now[truth(s.virtual)] += s.by
		if i+1 == len(steps) || steps[i+1].frame != s.frame {
			out = append(out, s.frame, now[0], now[1])
		}
	}
	return out
}

// counts returns, for each of n columns, the most voices that were real and the
// most that were virtual at one time.
func (t *timeline) counts(n int) (real, virtual []int64) {
	steps := t.steps()
	real, virtual = make([]int64, n), make([]int64, n)
	var now [2]int64
	for x := range n {
		end := int64(float64(x+1) * float64(max(t.head.Frames, 1)) / float64(n))
		real[x], virtual[x] = now[0], now[1]
		for ; len(steps) > 0 && steps[0] < end; steps = steps[3:] {
			now = [2]int64{steps[1], steps[2]}
			real[x], virtual[x] = max(real[x], now[0]), max(virtual[x], now[1])
		}
	}
	return real, virtual
}

// refusals reports whether there are starts that were refused, and whether some
// became parts of others.
func (t *timeline) refusals() (refused, coalesced bool) {
	for i := range t.marks {
		if t.marks[i].kind == "coalesced" {
			coalesced = true
		} else {
			refused = true
		}
	}
	return refused, coalesced
}

// about is what was played, in a line.
func (t *timeline) about() string {
	n := &t.head.Totals
	line := fmt.Sprintf("%s, %d voices, overflow %s", seconds(t.head.Frames, t.head.Rate), t.head.Voices, t.head.Overflow)
	if t.head.Virtual > 0 {
		line += fmt.Sprintf(", %d virtual", t.head.Virtual)
	}
	line += fmt.Sprintf(": asked %d = started %d + rejected %d + limited %d", n.Asked, n.Started, n.Rejected, n.Limited)
	if n.Coalesced > 0 {
		line += fmt.Sprintf(" + coalesced %d", n.Coalesced)
	}
	return line + fmt.Sprintf("; stolen %d", n.Stolen)
}

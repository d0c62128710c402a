// Package timeline draws voices over time: the slot of each, its audibility, and the voice
// that stole it. Its input is a report, with Levels recorded during the same run. Its output is a
// picture or a self-contained page:
//
//	recorded := timeline.NewLevels(rate, 20*time.Millisecond)
//	recorded.Sample(player.Mixer())      // every 20 ms
//	drawn, err := timeline.Of("show", player.Report(), recorded)
//	err = drawn.Write(file, timeline.SVG)
package timeline

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"voicepool/cue/report"
	"voicepool/internal/explain"
	"voicepool/internal/words"
	"voicepool/mixer"
)

// Timeline is the content of a drawing of voices over time.
type Timeline struct {
	title   string
	head    *report.Report
	sounds  []string // the most frequent first
	ribbons []ribbon // by number
	marks   []mark   // starts that got no voice
	lost    []lost   // voices and starts that were lost
	gaps    explain.Gaps
	slots   int     // number of slots in use at any time
	lanes   int     // number of rows for virtual voices
	levels  *Levels // nil: not recorded
}

// ribbon is a voice.
type ribbon struct {
	number   uint64
	sound    int // index in sounds
	from, to int64
	parts    []part
	losses   []loss
	text     func() *explain.Voice
}

// part is a stretch of a voice in one row.
type part struct {
	from, to int64
	row      int  // a slot, or a lane of virtual voices
	virtual  bool // row is a lane
}

// loss is a moment when a voice lost its slot.
type loss struct {
	frame   int64
	by      uint64 // the voice that got the slot; 0: no voice did
	virtual bool   // it became virtual
	level   float64
}

// mark is a start that got no voice.
type mark struct {
	frame int64
	sound int
	kind  mixer.EventKind
	text  func() string
}

// lost is a stolen voice or a rejected start.
type lost struct {
	frame int64
	voice uint64 // 0: it never started
	sound int
	kind  mixer.EventKind
	level float64 // its audibility in dB, at least inaudible
}

// maxShown is the maximum number of events, because all are kept in memory.
const maxShown = 500000

// inaudible is the level of silence in a timeline, in dB.
const inaudible = -115

// Read reads a report as JSON from in and returns its timeline, a drawing of voices over time. The parameter title is
// the heading of the drawing. The parameter name identifies the report in errors, which are one line each. recorded
// has the levels of the voices; if it is nil, voices are drawn without levels. More than 500,000 events are an error.
func Read(title, name string, in io.Reader, recorded *Levels) (*Timeline, error) {
	g := collector{voices: map[uint64]*explain.VoiceEvents{}, used: map[string]int{}}
	return g.read(title, name, in, recorded)
}

// read adds the events of a report, read as JSON from in, to g. It returns the timeline of all events in g, a drawing
// of voices over time, with the heading title. The parameter name identifies the report in errors. recorded has the
// levels of voices and may be nil. More than 500,000 events are an error.
func (g *collector) read(title, name string, in io.Reader, recorded *Levels) (*Timeline, error) {
	head, err := report.Read(name, in, func(e *report.Event) error { return g.add(name, e) })
	if err != nil {
		return nil, err
	}
	return g.timeline(title, head, recorded), nil
}

// Of returns the timeline of the report r, a drawing of voices over time. The parameter title is its heading. r must
// have events, and the Timeline keeps pointers to them. recorded has the levels of the voices; if it is nil, voices
// are drawn without levels. More than 500,000 events are an error.
func Of(title string, r *report.Report, recorded *Levels) (*Timeline, error) {
	g := collector{voices: map[uint64]*explain.VoiceEvents{}, used: map[string]int{}}
	for i := range r.Events {
		if err := g.add("the report", &r.Events[i]); err != nil {
			return nil, err
		}
	}
	return g.timeline(title, r, recorded), nil
}

// collector collects the events of a report: by voice in voices, and the events of lost voices and of starts without a
// voice in lists.
type collector struct {
	voices  map[uint64]*explain.VoiceEvents
	used    map[string]int // starts by sound
	refused []*report.Event
	lost    []*report.Event
	gaps    explain.Gaps
	events  int
}

// add adds the event e of a report to the collected events and keeps the pointer. An EventMissed is only counted. If g
// already has 500,000 events, add returns an error that begins with name, the name of the report.
func (g *collector) add(name string, e *report.Event) error {
	if g.events++; g.events > maxShown {
		return fmt.Errorf("%s: more than %d events are more than a timeline shows; --length cuts a sheet", name, maxShown)
	}
	switch e.Kind {
	case mixer.EventStarted, mixer.EventRejected, mixer.EventLimited, mixer.EventCoalesced:
		g.used[e.Sound]++
	case mixer.EventMissed: // it has no sound
		return nil
	case mixer.EventDevice:
		g.gaps.Add(e)
		return nil
	default:
		g.used[e.Sound] += 0 // its start may be missing
	}
	if e.Loss() || e.Refusal() {
		g.lost = append(g.lost, e)
	}
	if e.Voice == 0 {
		g.refused = append(g.refused, e)
	}
	for _, number := range [...]uint64{e.Voice, e.By} {
		switch {
		case number == 0:
			continue
		case g.voices[number] == nil:
			g.voices[number] = &explain.VoiceEvents{Number: number}
		}
		g.voices[number].Add(e)
	}
	return nil
}

// timeline returns the timeline of all events that were added to g. The parameter head is the report with its totals
// and length, title the heading. recorded has the levels of voices and may be nil. Call it only once, after the last
// event.
func (g *collector) timeline(title string, head *report.Report, recorded *Levels) *Timeline {
	g.gaps.End(head)
	t := &Timeline{title: title, levels: recorded, head: head, sounds: words.Ranked(g.used), gaps: g.gaps}
	index := map[string]int{}
	for i, s := range t.sounds {
		index[s] = i
	}
	for _, l := range g.voices {
		if l.Gaps = g.gaps; l.Started() {
			t.ribbons = append(t.ribbons, t.ribbon(l, index))
		}
	}
	slices.SortFunc(t.ribbons, func(a, b ribbon) int { return cmp.Compare(a.number, b.number) })
	for _, e := range g.refused {
		t.marks = append(t.marks, mark{e.Frame, index[e.Sound], e.Kind, func() string { return explain.Outcome(e, head, nil) }})
	}
	for _, e := range g.lost {
		t.lost = append(t.lost, lost{e.Frame, e.Voice, index[e.Sound], e.Kind, audible(explain.Missed(e))})
	}
	t.findLanes()
	return t
}

// audible converts the level l, in dB, to a level that can be drawn. Levels below -115 dB, and levels that are not
// finite, become -115 dB.
func audible(l report.Level) float64 {
	if !l.Finite() {
		return inaudible
	}
	return max(float64(l), inaudible)
}

// ribbon converts the events of a voice, l, to the form that is drawn. The result has the sound, the losses, and a
// part for each stretch of time in one slot or without a slot. Parts without a slot get their row later, from
// findLanes. The map sounds has the index in t.sounds of each name. ribbon raises t.slots if the voice has used a
// higher slot.
func (t *Timeline) ribbon(l *explain.VoiceEvents, sounds map[string]int) ribbon {
	b := ribbon{number: l.Number, from: -1, to: t.head.Frames, text: func() *explain.Voice { return l.Explain(t.head) }}
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
	for _, e := range l.Events {
		if e.Voice != l.Number {
			continue
		}
		switch e.Kind {
		case mixer.EventStarted, mixer.EventVirtual, mixer.EventReal:
			if e.Kind == mixer.EventStarted {
				b.sound, b.from = sounds[e.Sound], e.Frame
			}
			leave(e.Frame)
			row, since, living = min(e.Slot, maxRow), e.Frame, true
		case mixer.EventEnded, mixer.EventStopped, mixer.EventStolen:
			leave(e.Frame)
			b.to = e.Frame
		}
		if e.Kind == mixer.EventVirtual && len(b.parts) > 0 || e.Kind == mixer.EventStolen {
			b.losses = append(b.losses, loss{e.Frame, e.By, e.Kind == mixer.EventVirtual, audible(e.Heard())})
		}
	}
	if b.from < 0 { // its start is missing
		b.from = b.to
	}
	leave(t.head.Frames)
	b.parts = slices.DeleteFunc(b.parts, func(p part) bool { return p.virtual && p.from == p.to })
	return b
}

// maxRow limits slot numbers in a report.
const maxRow = 65535

// findLanes assigns a row to each stretch of time in t.ribbons during which a voice is virtual. Stretches in one row
// do not overlap. Each takes the first free row. findLanes sets t.lanes to the number of rows.
func (t *Timeline) findLanes() {
	var all []*part
	for i := range t.ribbons {
		for j := range t.ribbons[i].parts {
			if p := &t.ribbons[i].parts[j]; p.virtual {
				all = append(all, p)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *part) int { return cmp.Compare(a.from, b.from) })
	var free []int64 // by lane: the first frame without a voice
	for _, p := range all {
		if p.row = slices.IndexFunc(free, func(f int64) bool { return f <= p.from }); p.row < 0 {
			p.row = len(free)
			free = append(free, 0)
		}
		free[p.row] = p.to
	}
	t.lanes = len(free)
}

// find returns the voice with the given number from t.ribbons, or nil if it is not there.
func (t *Timeline) find(number uint64) *ribbon {
	i, ok := slices.BinarySearchFunc(t.ribbons, number, func(b ribbon, n uint64) int { return cmp.Compare(b.number, n) })
	if !ok {
		return nil
	}
	return &t.ribbons[i]
}

// partAt returns the last part of the voice that begins at or before frame. The part may already have ended at that
// frame. If all parts begin later, the result is nil.
func (b *ribbon) partAt(frame int64) *part {
	for i, p := range slices.Backward(b.parts) {
		if p.from <= frame {
			return &b.parts[i]
		}
	}
	return nil
}

// steps returns the numbers of voices over time, as a flat list of triples in order of time. A triple has a frame
// where a number changes, then the number of real voices and the number of virtual voices from there on. Without
// voices the list is empty and not nil.
func (t *Timeline) steps() []int64 {
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
		now[boolToInt(s.virtual)] += s.by
		if i+1 == len(steps) || steps[i+1].frame != s.frame {
			out = append(out, s.frame, now[0], now[1])
		}
	}
	return out
}

// counts divides the timeline into n columns of equal duration. The result real has the largest number of real voices
// at any time in each column. The result virtual has the largest number of virtual voices.
func (t *Timeline) counts(n int) (real, virtual []int64) {
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

// refusals reports two facts about the starts that got no voice: whether any was rejected or limited, and whether any
// was coalesced, that is joined with another start.
func (t *Timeline) refusals() (refused, coalesced bool) {
	for _, m := range t.marks {
		coalesced = coalesced || m.kind == mixer.EventCoalesced
		refused = refused || m.kind != mixer.EventCoalesced
	}
	return refused, coalesced
}

// summary returns the second line of the drawing, without a line end. It has the length, the number of voices in the
// pool, the overflow policy, and the number of virtual voices if that is not 0. Counts follow: requested starts,
// divided into started, rejected, limited and coalesced, and then stolen voices.
func (t *Timeline) summary() string {
	n := &t.head.Totals
	line := fmt.Sprintf("%s, %d voices, overflow %s", words.Seconds(t.head.Frames, t.head.Rate), t.head.Voices, t.head.Overflow)
	if t.head.Virtual > 0 {
		line += fmt.Sprintf(", %d virtual", t.head.Virtual)
	}
	line += fmt.Sprintf(": asked %d = started %d + rejected %d + limited %d", n.Asked, n.Started, n.Rejected, n.Limited)
	if n.Coalesced > 0 {
		line += fmt.Sprintf(" + coalesced %d", n.Coalesced)
	}
	return line + fmt.Sprintf("; stolen %d", n.Stolen)
}

package liveview

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"

	"voicepool/cue/report"
	"voicepool/internal/explain"
	"voicepool/internal/words"
	"voicepool/mixer"
)

// history collects the figures of the summary from events: counts by sound, the most notable steals, and the frame
// with the most requested starts.
type history struct {
	victims          map[string]map[string]int // by victim and incoming sound
	rejected         map[string]int            // by reason and sound
	happened         eventCounts
	quietest         *report.Event // the steals with the lowest and the highest audibility
	loudest          *report.Event
	ranked           int // number of losses decided by priority, and the loudest of them
	loudestOutranked *report.Event
	busiest          frameEvents // the frame with the most requested starts
	counting         frameEvents // the frame being counted
}

// eventCounts counts events by kind.
type eventCounts [mixer.EventDevice + 1]int

// frameEvents counts the events of one frame.
type frameEvents struct {
	frame int64
	eventCounts
}

// requested returns the number of starts that were requested in the frame, whether they were started, coalesced,
// rejected or limited.
func (m *frameEvents) requested() int {
	t := &m.eventCounts
	return t[mixer.EventStarted] + t[mixer.EventCoalesced] + t[mixer.EventRejected] + t[mixer.EventLimited]
}

// addEvent adds the event e to the figures of the summary: counts, notable steals, and the frame with the most
// requested starts. Events must come in the order of their frames.
func (h *history) addEvent(e report.Event) {
	if e.Frame != h.counting.frame {
		h.counting = frameEvents{frame: e.Frame}
	}
	m := &h.counting
	m.eventCounts[e.Kind]++
	h.happened[e.Kind]++
	if e.ByPriority() {
		if h.ranked++; h.loudestOutranked == nil || explain.Missed(&e) > explain.Missed(h.loudestOutranked) {
			h.loudestOutranked = &e
		}
	}
	switch e.Kind {
	case mixer.EventRejected, mixer.EventLimited:
		h.rejected[fmt.Sprintf("%s was %s (%s)", e.Sound, e.Kind, e.Reason)]++
	case mixer.EventStolen:
		h.addSteal(e)
	}
	if m.requested() > h.busiest.requested() || m.frame == h.busiest.frame {
		h.busiest = *m
	}
}

// describeLosses returns in words how many voices and starts were lost in the frame, such as "2 voices were stolen".
// If it counted no loss, the result is "".
func (m *frameEvents) describeLosses() string {
	var parts []string
	for _, cost := range [...]struct {
		kind      mixer.EventKind
		one, many string
	}{
		{mixer.EventStolen, "1 voice was stolen", "%d voices were stolen"}, {mixer.EventRejected, "1 start was rejected", "%d starts were rejected"},
		{mixer.EventLimited, "1 was limited", "%d were limited"}, {mixer.EventCoalesced, "1 was coalesced", "%d were coalesced"},
	} {
		switch n := m.eventCounts[cost.kind]; n {
		case 0:
		case 1:
			parts = append(parts, cost.one)
		default:
			parts = append(parts, fmt.Sprintf(cost.many, n))
		}
	}
	return strings.Join(parts, ", ")
}

// addSteal adds the steal e to the figures of the summary. It counts the steal by the stolen and the incoming sound.
// It stores the steal in h.quietest or h.loudest if no earlier steal was as quiet or as loud. Silent victims, and
// victims without an incoming voice, are only counted.
func (h *history) addSteal(e report.Event) {
	if h.victims[e.Sound] == nil {
		h.victims[e.Sound] = map[string]int{}
	}
	h.victims[e.Sound][e.BySound]++
	if e.By == 0 || math.IsInf(float64(e.Audibility), 0) {
		return
	}
	if h.quietest == nil || e.Heard() < h.quietest.Heard() {
		h.quietest = &e
	}
	if h.loudest == nil || e.Heard() > h.loudest.Heard() {
		h.loudest = &e
	}
}

// Outputs writes one line to w for each output in r.Outputs. A line has the peak in dB, the true peak if it was
// measured, and the loudness in LUFS. If r.Outputs is empty, it writes no line.
func Outputs(w io.Writer, r *report.Report) {
	for i := range r.Outputs {
		o := &r.Outputs[i]
		peak := words.Level(float64(o.Peak)) + " dB"
		if o.TruePeak.Finite() { // only a render measures it
			peak += ", true peak " + words.Level(float64(o.TruePeak)) + " dB"
		}
		fmt.Fprintf(w, "output %s (%s): peak %s, loudness %s LUFS\n", words.OneLine(o.Name), o.Channels, peak, words.Level(float64(o.Loudness)))
	}
}

// Summary writes a summary of the run to w. Levels, totals and irregularities come from the report r. The most notable
// losses come from the events that Watch has recorded until now. Summary may be called at any time, also during a run.
func (b *Board) Summary(w io.Writer, r *report.Report) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	h, t := &b.history, &r.Totals
	fmt.Fprintf(w, "%s, %d voices, %d at most at once, overflow %s; peak %s dB, loudness %s LUFS\n", words.Seconds(r.Frames, r.Rate),
		r.Voices, t.HighWater, r.Overflow, words.Level(float64(r.Peak)), words.Level(float64(r.Loudness)))
	Outputs(w, r)
	fmt.Fprintf(w, "asked %d = started %d + rejected %d + limited %d + coalesced %d\n", t.Asked, t.Started, t.Rejected, t.Limited, t.Coalesced)
	fmt.Fprintf(w, "started %d = ended %d + stopped %d + stolen %d + playing %d\n", t.Started, t.Ended, t.Stopped, t.Stolen, t.Playing)
	if n := &h.happened; n[mixer.EventVirtual] > 0 {
		fmt.Fprintf(w, "%s a voice became virtual, %s a voice was restored\n", words.Count(n[mixer.EventVirtual], "time"), words.Count(n[mixer.EventReal], "time"))
	}
	for _, odd := range [...]struct {
		n    int64
		what string
	}{
		{t.Late, "cues came late"}, {t.Missed, "cues found no voice of their id"}, {t.Underruns, "times a stream ran dry"},
		{t.Faults, "faults: frames with values that are not finite, or voices ended because of them"}, {t.EventsLost, "events were lost"}, {t.StreamsBroken, "times a stream broke"},
	} {
		if odd.n > 0 {
			fmt.Fprintf(w, "%d %s\n", odd.n, odd.what)
		}
	}
	if cost, requested := h.busiest.describeLosses(), h.busiest.requested(); cost != "" && requested > 1 {
		fmt.Fprintf(w, "at %s %d sounds were requested at once: %s\n", words.Seconds(h.busiest.frame, r.Rate), requested, cost)
	}
	h.losses(w)
	for i, what := range words.Ranked(h.rejected) {
		if i == maxListed {
			break
		}
		fmt.Fprintf(w, "%s %s\n", words.OneLine(what), words.Count(h.rejected[what], "time"))
	}
	if h.quietest != nil {
		fmt.Fprintf(w, "the quietest loss: %s\n", explain.Steal(h.quietest, r.Rate))
	}
	if h.loudest != nil && h.loudest != h.quietest {
		fmt.Fprintf(w, "the loudest loss:  %s\n", explain.Steal(h.loudest, r.Rate))
	}
	if h.loudestOutranked != nil {
		fmt.Fprintf(w, "priority decided %s; the loudest: %s\n", words.Count(h.ranked, "time"), explain.Priority(h.loudestOutranked, r.Rate))
	}
}

// maxListed is the maximum number of lines of a list in a summary.
const maxListed = 8

// losses writes a line to w for each of the 8 sounds with the most stolen voices. A line has the number of stolen
// voices, and up to five incoming sounds that took the most slots. A last line has the number of further sounds.
func (h *history) losses(w io.Writer) {
	lost := map[string]int{}
	for sound, by := range h.victims {
		for _, n := range by {
			lost[sound] += n
		}
	}
	for i, sound := range words.Ranked(lost) {
		if i == maxListed {
			fmt.Fprintf(w, "... and %d sounds more\n", len(lost)-maxListed)
			break
		}
		var to []string
		for k, name := range words.Ranked(h.victims[sound]) {
			if k == 5 {
				to = append(to, "...")
				break
			}
			to = append(to, fmt.Sprintf("%s %d", cmp.Or(name, "a smaller pool"), h.victims[sound][name]))
		}
		fmt.Fprintf(w, "%s lost %s to: %s\n", words.OneLine(sound), words.Count(lost[sound], "voice"), words.OneLine(strings.Join(to, ", ")))
	}
}

package room

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"voicepool/cue/report"
	"voicepool/internal/explain"
	"voicepool/internal/words"
	"voicepool/mixer"
)

// Events returns the stored events with the number from or a greater one, oldest first, at most limit of them. It does
// not wait. The result first is the number of the oldest stored event. If first is greater than from, the events
// between them were dropped.
func (r *Room) Events(from int64, limit int) (events []NumberedEvent, first int64) {
	r.eventLog.mutex.Lock()
	first = r.eventLog.events.first()
	from = max(from, first)
	s := r.eventLog.events.eventRange(from, from+int64(limit)-1)
	r.eventLog.mutex.Unlock()
	return s.describe(r.rate), first
}

// Watch returns a watcher of the room's events. The watcher begins with the event with the number from, which may be
// still to come. If from is 0 or less, the watcher begins with the next event after this call. The watcher need not be
// closed.
func (r *Room) Watch(from int64) *Watcher {
	if from <= 0 {
		r.eventLog.mutex.Lock()
		defer r.eventLog.mutex.Unlock()
		from = r.eventLog.events.last + 1
	}
	return &Watcher{log: &r.eventLog, next: from}
}

// Watcher returns the events of a room in order. It has no buffer of its own, so a slow watcher does not delay others.
// Only one goroutine at a time may use it.
type Watcher struct {
	log  *eventLog
	next int64
}

// maxEvents is the largest number of events returned at a time.
const maxEvents = 1000

// Next waits until the event after the last returned one is stored. It returns that event and the stored events after
// it, at most 1,000 in a call. If ctx ends first, it returns the error of ctx. When the room has ended and all events
// are read, it returns io.EOF.
//
// If the log has already dropped the next event, Next returns ErrSlow. The caller was too slow, or a changed sheet with
// a new mixer has cleared the log. All later calls then return ErrSlow, too.
func (w *Watcher) Next(ctx context.Context) ([]NumberedEvent, error) {
	for {
		l := w.log
		l.mutex.Lock()
		if w.next < l.events.first() {
			l.mutex.Unlock()
			return nil, ErrSlow
		}
		if s := l.events.eventRange(w.next, w.next+maxEvents-1); s.first <= s.last {
			l.mutex.Unlock()
			w.next = s.last + 1
			return s.describe(l.rate), nil
		}
		if l.closed {
			l.mutex.Unlock()
			return nil, io.EOF
		}
		if l.added == nil {
			l.added = make(chan struct{})
		}
		more := l.added
		l.mutex.Unlock()
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-more:
		}
	}
}

// ErrSlow means that a reader was too slow.
var ErrSlow = errors.New("room: the reader is too slow")

// describeEvent describes the event e in one sentence. For an event of a voice, the sentence names the sound and the
// number of the voice. For a start that got no voice, it gives the reason and does not name the sound of that start.
// head is a report of the room, as the method reportHeader returns it: explain.Outcome uses it for such starts, and
// head.Rate is for times.
func describeEvent(e *report.Event, head *report.Report) string {
	name := words.OneLine(e.Sound) + " #" + strconv.FormatUint(e.Voice, 10)
	switch e.Kind {
	case mixer.EventStarted:
		if e.Slot < 0 {
			return name + " begins without a slot"
		}
		return name + " begins in slot " + strconv.Itoa(e.Slot)
	case mixer.EventEnded:
		return name + " ended"
	case mixer.EventStopped:
		return name + " was stopped"
	case mixer.EventStolen, mixer.EventVirtual:
		if e.By != 0 {
			return explain.Steal(e, head.Rate)
		}
		return name + " lost its slot"
	case mixer.EventReal:
		return fmt.Sprintf("%s is audible again, in slot %d", name, e.Slot)
	case mixer.EventRejected, mixer.EventLimited, mixer.EventCoalesced:
		return explain.Outcome(e, head, nil)
	case mixer.EventMissed:
		return "a command found no voice"
	case mixer.EventUnderrun:
		return name + " has a gap: its file was decoded too slowly"
	case mixer.EventBroken:
		return name + " ended: its file cannot be decoded any further"
	case mixer.EventDevice:
		if e.State == report.DeviceLost {
			return "no sound from the device: " + words.OneLine(e.DeviceReason)
		}
		return fmt.Sprintf("the device plays again after %.1f s", e.Seconds)
	}
	return name + ": " + e.Kind.String()
}

// Voice returns the stored events of a voice, oldest first. The parameter number is the number of the voice. The result
// includes the events of other voices that name this voice in By, such as the loss of a slot to it. If no such event is
// stored, or number is 0, the error is an *Error of Kind NotFound.
func (r *Room) Voice(number uint64) ([]NumberedEvent, error) {
	var events []NumberedEvent
	head := &report.Report{Version: 1, Rate: r.rate}
	s := r.eventLog.eventRange(0, math.MaxInt64)
	for n, e := range s.all() {
		if number != 0 && (e.Voice == number || e.By == number) {
			events = append(events, NumberedEvent{n, describeEvent(&e, head), e})
		}
	}
	if len(events) == 0 {
		return nil, &Error{Kind: NotFound, Field: "voice", Detail: fmt.Sprintf("no events of voice %d are kept", number)}
	}
	return events, nil
}

// Explain returns lines of text that explain how a voice started, played and ended. The parameter number is the number
// of the voice. The lines are a title, the events of the voice with times and reasons, and advice. If older events of
// the voice were dropped from the log, they are missing. If no event of the voice itself is stored, the error is an
// *Error of Kind NotFound.
func (r *Room) Explain(number uint64) ([]string, error) {
	events, err := r.Voice(number)
	if err != nil {
		return nil, err
	}
	voice := &explain.VoiceEvents{Number: number}
	for i := range events {
		voice.Add(&events[i].Event)
	}
	if !voice.Started() {
		return nil, &Error{Kind: NotFound, Field: "voice", Detail: fmt.Sprintf("the start of voice %d is no longer kept", number)}
	}
	explanation := voice.Explain(r.reportHeader())
	text := []string{explanation.Title()}
	for _, m := range explanation.Events {
		text = append(text, fmt.Sprintf("%s: %s", words.Clock(m.Seconds), m.Text))
	}
	return append(text, explanation.Advice...), nil
}

// reportHeader returns a report of the room up to now, with its settings and totals, but without events.
func (r *Room) reportHeader() *report.Report {
	st, s := r.current().player.Mixer().Stats(), r.current().player.Sheet()
	return &report.Report{
		Version: 1, Rate: r.rate, Frames: st.Frame, Voices: int(st.Voices), Virtual: s.Virtual, Overflow: s.Overflow.String(),
		Totals: report.TotalsOf(&st),
	}
}

// Report returns a report of the room up to now, with its totals and the latest stored events, oldest first. The
// parameter limit is the number of events that it returns at most; events that arrive during the call are added to
// them.
func (r *Room) Report(limit int) *report.Report {
	out := r.reportHeader()
	s := r.eventLog.eventRange(r.LastEvent()-int64(limit)+1, math.MaxInt64)
	for _, e := range s.all() {
		out.Events = append(out.Events, e)
	}
	return out
}

// WriteReport writes a report of the room to w, as JSON, with all events that are stored at the time of the call. It
// holds no lock while it writes. The log may drop events before they are written, because w is slow or a new mixer
// clears the log. The report is then incomplete, and the error wraps ErrSlow. Other errors come from w.
func (r *Room) WriteReport(w io.Writer) error {
	head := r.reportHeader()
	r.eventLog.mutex.Lock()
	next, last := r.eventLog.events.first(), r.eventLog.events.last
	r.eventLog.mutex.Unlock()
	var slow error
	_, err := head.WriteWith(w, func(yield func(*report.Event) bool) {
		for next <= last && slow == nil {
			s := r.eventLog.eventRange(next, min(next+maxEvents-1, last))
			if s.first != next {
				slow = ErrSlow
				return
			}
			for n, e := range s.all() {
				if !yield(&e) {
					return
				}
				next = n + 1
			}
		}
	})
	return errors.Join(slow, err)
}

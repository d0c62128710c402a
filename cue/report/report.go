// Package report has what is known of a playing: its events, their sums and levels.
// It alone knows how they are spelled as JSON, for writers and for readers:
//
//	r := player.Report()      // of a cue.Player
//	r.WriteTo(file)
//
//	head, err := report.Read("report.json", file, func(e *report.Event) error {
//		fmt.Println(e.Frame, e.Kind, e.Sound)
//		return nil
//	})
//
// Read keeps no event, so a report may be longer than memory.
package report

import (
	"cmp"
	"encoding/json"
	"io"
	"iter"
	"math"
	"slices"
)

// Report is what was played and how it went; WriteTo gives its JSON.
type Report struct {
	Version  int    `json:"version"` // 1
	Rate     int    `json:"rate"`
	From     int64  `json:"from,omitempty"` // the frame at which it began, where that is in the middle
	Frames   int64  `json:"frames"`         // at which it ended
	Voices   int    `json:"voices"`
	Virtual  int    `json:"virtual"`
	Overflow string `json:"overflow"`
	Totals   Totals `json:"totals"`

	Peak     Level   `json:"peak_db"`       // of the samples, before they were quantised
	Loudness Level   `json:"loudness_lufs"` // integrated, of BS.1770
	Seconds  float64 `json:"render_seconds"`

	Outputs []Output `json:"outputs,omitempty"` // where there are several; Peak and Loudness are of all together

	Events []Event `json:"-"` // with Events of cue.Options; WriteTo puts them last
}

// Output is what was heard on one of several outputs.
type Output struct {
	Name     string `json:"name"`
	Channels string `json:"channels"` // as a sheet has them: "3-4"
	Peak     Level  `json:"peak_db"`
	TruePeak Level  `json:"true_peak_db"` // of a render alone
	Loudness Level  `json:"loudness_lufs"`
}

// Totals are sums over all starts: Asked = Started + Rejected + Limited +
// Coalesced, and Started = Ended + Stopped + Stolen + Playing.
type Totals struct {
	Asked      int64 `json:"asked"`
	Started    int64 `json:"started"`
	Rejected   int64 `json:"rejected"`
	Limited    int64 `json:"limited"`
	Coalesced  int64 `json:"coalesced"`
	Ended      int64 `json:"ended"`
	Stopped    int64 `json:"stopped"`
	Stolen     int64 `json:"stolen"`
	Playing    int64 `json:"playing"`
	Missed     int64 `json:"missed"`
	Late       int64 `json:"late"`
	HighWater  int64 `json:"high_water"`
	Underruns  int64 `json:"underruns"`
	Faults     int64 `json:"faults"`
	EventsLost int64 `json:"events_lost"`

	// How many streams could not be decoded any further while they played.
	StreamsBroken int64 `json:"streams_broken,omitempty"`

	// Of a playing on a device: how much of it nobody has heard.
	UnheardSeconds float64 `json:"unheard_seconds,omitempty"`
}

// Insert puts an event among the others, after those of its frame.
func (r *Report) Insert(e Event) {
	at, _ := slices.BinarySearchFunc(r.Events, e.Frame+1, func(x Event, frame int64) int { return cmp.Compare(x.Frame, frame) })
	r.Events = slices.Insert(r.Events, at, e)
}

// Level is a level in decibels or LUFS. JSON has it to the hundredth, and null for
// what is not Finite.
type Level float64

// silence is the level under which there is nothing but the rounding of a filter.
const silence = -200

// Finite reports whether l is a number of decibels: neither silence, which is -200 dB
// and less, nor something that nobody knows.
func (l Level) Finite() bool { return l > silence && l < -silence }

// MarshalJSON returns a number, or null.
func (l Level) MarshalJSON() ([]byte, error) { return l.append(nil), nil }

// UnmarshalJSON reads what MarshalJSON gives; null is -Inf.
func (l *Level) UnmarshalJSON(text []byte) error {
	db := math.Inf(-1)
	err := error(nil)
	if string(text) != "null" {
		err = json.Unmarshal(text, &db)
	}
	*l = Level(db)
	return err
}

// chunk is how many bytes of a report are gathered before they are written.
const chunk = 1 << 12

// WriteTo writes the report as JSON, an event to a line, without holding more of it
// than a few lines. The error is that of w.
func (r *Report) WriteTo(w io.Writer) (int64, error) {
	return r.WriteWith(w, func(yield func(*Event) bool) {
		for i := range r.Events {
			if !yield(&r.Events[i]) {
				return
			}
		}
	})
}

// WriteWith is WriteTo with events that are made as they are written, instead of Events. It
// is for reports that are longer than the memory they may take.
func (r *Report) WriteWith(w io.Writer, events iter.Seq[*Event]) (int64, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return 0, err
	}
	text = append(text[:len(text)-1], ",\n\"events\": ["...)
	written := int64(0)
	first := true
	for e := range events {
		if !first {
			text = append(text, ',')
		}
		first = false
		if text = e.AppendJSON(append(text, "\n "...)); len(text) < chunk {
			continue
		}
		n, err := w.Write(text)
		if written += int64(n); err != nil {
			return written, err
		}
		text = text[:0]
	}
	n, err := w.Write(append(text, "\n]}\n"...))
	return written + int64(n), err
}

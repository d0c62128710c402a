// Package report describes a show after its end: its events, totals and levels. It writes reports as JSON
// and reads them:
//
//	r := player.Report()      // of a play.Player
//	r.WriteTo(file)
//
//	head, err := report.Read("report.json", file, func(e *report.Event) error {
//		fmt.Println(e.Frame, e.Kind, e.Sound)
//		return nil
//	})
//
// Read passes events on without storing them, so a report may be larger than memory.
package report

import (
	"cmp"
	"encoding/json"
	"io"
	"iter"
	"math"
	"slices"
)

// Report describes a show after its end. WriteTo writes it as JSON. Times are frames of the show; Rate is in
// frames per second.
type Report struct {
	Version  int    `json:"version"` // 1
	Rate     int    `json:"rate"`
	From     int64  `json:"from,omitempty"` // the first frame, if the show began in the middle
	Frames   int64  `json:"frames"`         // the end of the show
	Voices   int    `json:"voices"`
	Virtual  int    `json:"virtual"`
	Overflow string `json:"overflow"`
	Totals   Totals `json:"totals"`

	Peak     Level   `json:"peak_db"`       // of the samples before quantisation
	Loudness Level   `json:"loudness_lufs"` // integrated, BS.1770
	Seconds  float64 `json:"render_seconds"`

	Outputs []Output `json:"outputs,omitempty"` // if there are several; Peak and Loudness are for all together

	Events []Event `json:"-"` // with Events of play.Options; last in the JSON
}

// Output holds the levels of an output.
type Output struct {
	Name     string `json:"name"`
	Channels string `json:"channels"` // as in a sheet: "3-4"
	Peak     Level  `json:"peak_db"`
	TruePeak Level  `json:"true_peak_db"` // of a render only
	Loudness Level  `json:"loudness_lufs"`
}

// Totals are counts over all starts, as in mixer.Stats: Asked = Started + Rejected + Limited + Coalesced,
// and Started = Ended + Stopped + Stolen + Playing. Rejected starts got no voice from a full pool, and
// Limited ones were refused by a limit or a cooldown. HighWater is the maximum number of voices at a time.
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

	// StreamsBroken is the number of streams that could not be decoded to their end.
	StreamsBroken int64 `json:"streams_broken,omitempty"`

	// UnheardSeconds is the time without sound because the device was lost. It is 0 for a render.
	UnheardSeconds float64 `json:"unheard_seconds,omitempty"`
}

// Insert inserts e into r.Events by its frame, after the events that have the same frame. r.Events must be in the order
// of frames.
func (r *Report) Insert(e Event) {
	at, _ := slices.BinarySearchFunc(r.Events, e.Frame+1, func(x Event, frame int64) int { return cmp.Compare(x.Frame, frame) })
	r.Events = slices.Insert(r.Events, at, e)
}

// Level is a level in decibels or LUFS. In JSON it has two decimals; silence and unknown levels are null.
type Level float64

// silence is the level below which only rounding errors of filters remain.
const silence = -200

// Finite reports whether l is a usable number. It is false for silence (-200 dB or less) and for an unknown level (+200
// dB or more).
func (l Level) Finite() bool { return l > silence && l < -silence }

// MarshalJSON returns the level as a JSON number, rounded to two decimals. It returns null if Finite is false: at
// -200 dB or less, at +200 dB or more, or for NaN. The error is always nil.
func (l Level) MarshalJSON() ([]byte, error) { return l.append(nil), nil }

// UnmarshalJSON parses text, the output of MarshalJSON, and sets the level. null becomes -Inf. If text is not a number,
// it sets the level to -Inf and returns the error of encoding/json.
func (l *Level) UnmarshalJSON(text []byte) error {
	db := math.Inf(-1)
	err := error(nil)
	if string(text) != "null" {
		err = json.Unmarshal(text, &db)
	}
	*l = Level(db)
	return err
}

// writeSize is the size of buffered output that triggers a write, in bytes.
const writeSize = 1 << 12

// WriteTo writes the report to w as JSON, with one event on each line. It returns the number of bytes written and the
// first error of w, which ends the writing. If a number of r, other than a Level, is NaN or infinite, it writes no
// bytes and returns the error of encoding/json.
func (r *Report) WriteTo(w io.Writer) (int64, error) {
	return r.WriteWith(w, func(yield func(*Event) bool) {
		for i := range r.Events {
			if !yield(&r.Events[i]) {
				return
			}
		}
	})
}

// WriteWith writes the report to w as JSON like WriteTo, but with events instead of r.Events. A report can therefore be
// larger than memory. It returns the number of bytes written and the first error of w, which ends the writing. If a
// number of r, other than a Level, is NaN or infinite, it writes no bytes and returns the error of encoding/json.
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
		if text = e.AppendJSON(append(text, "\n "...)); len(text) < writeSize {
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

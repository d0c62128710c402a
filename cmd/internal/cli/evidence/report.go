// Package evidence tests the sound of a machine together with a person and reports what happened. The report is a file
// for docs/evidence, whose README explains each field.
//
// The steps run one after another: sound, latency, drift, another default output, sleep, unplugging. The last three
// need hands. Each wait has a limit, so a run without a person ends as well.
package evidence

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"voicepool/cmd/internal/cli/doctor"
	"voicepool/internal/words"
)

// Version is the version of the report's format.
const Version = 1

// Report is the result of a run. It has no names of the machine, its user or its files.
type Report struct {
	Version     int           `json:"version"`
	Program     string        `json:"program_version"`
	Date        string        `json:"date"` // in UTC, as 2026-11-29
	System      doctor.System `json:"system"`
	Driver      string        `json:"driver"`           // as in --device; "" without an output that plays
	Server      string        `json:"server,omitempty"` // the sound server and its version
	Sink        string        `json:"sink,omitempty"`   // at the beginning
	RateHz      int           `json:"rate_hz"`
	Interrupted bool          `json:"interrupted"` // by a signal: later steps are skipped
	Steps       Steps         `json:"steps"`
}

// Steps holds a result for each step, in the order of the run.
type Steps struct {
	Sound         Step[Sound]   `json:"sound"`
	Monitor       Step[Latency] `json:"latency_to_monitor"`
	Capture       Step[Latency] `json:"latency_to_capture"`
	Drift         Step[Drift]   `json:"drift"`
	DefaultChange Step[Change]  `json:"default_change"`
	Sleep         Step[Sleep]   `json:"sleep"`
	Unplugging    Step[Unplug]  `json:"unplugging"`
}

// State is the outcome of a step.
type State string

const (
	Passed  State = "passed"
	Failed  State = "failed"
	Skipped State = "skipped"
)

// Step is the result of one step, with the figures of its kind.
type Step[F fmt.Stringer] struct {
	State         State   `json:"state"`
	Reason        string  `json:"reason,omitempty"` // why it failed or was skipped
	Seconds       float64 `json:"seconds"`          // that the step took
	MachineLateMS float64 `json:"machine_late_ms"`  // the longest time that this machine did not run the program
	Figures       *F      `json:"figures,omitempty"`
}

// Sound holds the figures of five seconds of a tone.
type Sound struct {
	FramesPlayed      int64   `json:"frames_played"` // taken by the driver
	Underflows        int64   `json:"underflows"`    // reported by the sound server
	Gaps              int     `json:"gaps"`          // pauses between two pulls longer than the buffer
	LongestPauseMS    float64 `json:"longest_pause_ms"`
	ReportedLatencyMS float64 `json:"reported_latency_ms"` // of driver and server, as they report it
	Heard             string  `json:"heard"`               // the answer of a person: yes, no or unknown
}

// Latency holds the times from Play to the recording of the sound.
type Latency struct {
	Starts           int     `json:"starts"`
	Unheard          int     `json:"unheard_starts"` // not recorded within a second
	MedianMS         float64 `json:"median_ms"`
	WorstMS          float64 `json:"worst_ms"`
	MedianWithoutMS  float64 `json:"median_without_lateness_ms"` // without the time that a control lost
	ReportedMS       float64 `json:"reported_latency_ms"`        // of mixer, driver and server, as they report it
	ReportedBufferMS float64 `json:"reported_buffer_ms"`         // the part of the driver
}

// Drift compares the clock of the device with the clock of the system.
type Drift struct {
	MeasuredSeconds  float64 `json:"measured_seconds"`
	DriftPPM         float64 `json:"drift_ppm"` // above 0: the device plays faster than its rate
	StandardErrorPPM float64 `json:"standard_error_ppm"`
	Jumps            int     `json:"jumps"` // of the device against the clock by 3 ms or more, which the drift excludes
}

// Change holds the reaction to another default output.
type Change struct {
	From           string  `json:"from_sink"`
	To             string  `json:"to_sink"`
	Followed       bool    `json:"stream_followed"` // the sound moved to the new default output
	FramesLost     int64   `json:"frames_lost"`
	LongestPauseMS float64 `json:"longest_pause_ms"`
}

// Sleep holds the return of the sound after a pause of the machine or the process.
type Sleep struct {
	AsleepSeconds    float64 `json:"asleep_seconds"`
	ClockStopped     bool    `json:"clock_stopped"`      // the clock of programs did not advance, as in most sleeps
	BackAfterSeconds float64 `json:"back_after_seconds"` // from waking up until the device plays
	FramesLost       int64   `json:"frames_lost"`
}

// Unplug holds the loss of the output and its return.
type Unplug struct {
	LostAfterSeconds float64 `json:"lost_after_seconds"` // from the beginning of the step
	Cause            string  `json:"cause,omitempty"`    // as the driver reports it; "" if the server moved the sound
	MovedTo          string  `json:"moved_to,omitempty"` // the sink that the server moved the sound to
	AwaySeconds      float64 `json:"away_seconds"`       // without sound, or on another sink; 0 if the output did not come back
	BackOn           string  `json:"back_on,omitempty"`  // the output that plays at the end
	FramesLost       int64   `json:"frames_lost"`
}

// String returns the figures in one line.
func (s Sound) String() string {
	return fmt.Sprintf("%d frames, %s, %s, latency %.1f ms by the driver", s.FramesPlayed,
		words.Count(int(s.Underflows), "underflow"), words.Count(s.Gaps, "gap"), s.ReportedLatencyMS)
}

// String returns the figures in one line.
func (l Latency) String() string {
	return fmt.Sprintf("median %.1f ms, at most %.1f ms; %d of %d starts recorded", l.MedianMS, l.WorstMS, l.Starts-l.Unheard, l.Starts)
}

// String returns the figures in one line.
func (d Drift) String() string {
	return fmt.Sprintf("%+.1f ppm, standard error %.1f ppm, in %.0f s with %s", d.DriftPPM, d.StandardErrorPPM, d.MeasuredSeconds,
		words.Count(d.Jumps, "jump"))
}

// String returns the figures in one line.
func (c Change) String() string {
	if c.Followed {
		return fmt.Sprintf("the sound moved to %s; %d frames lost", c.To, c.FramesLost)
	}
	return fmt.Sprintf("the sound stayed on its output; %d frames lost", c.FramesLost)
}

// String returns the figures in one line.
func (s Sleep) String() string {
	return fmt.Sprintf("asleep for %.1f s, sound %.1f s after waking; %d frames lost", s.AsleepSeconds, s.BackAfterSeconds, s.FramesLost)
}

// String returns the figures in one line.
func (u Unplug) String() string {
	if u.MovedTo != "" && u.BackOn != "" {
		return fmt.Sprintf("the server moved the sound to %s; %d frames lost", u.MovedTo, u.FramesLost)
	}
	if u.BackOn == "" {
		return fmt.Sprintf("lost after %.1f s, not back", u.LostAfterSeconds)
	}
	return fmt.Sprintf("away for %.1f s, then back on %s; %d frames lost", u.AwaySeconds, u.BackOn, u.FramesLost)
}

// Row is a step in a table.
type Row struct {
	Name   string
	State  State
	Detail string // the figures, or the reason why they are missing
}

// row returns the row of the step called name.
func (s *Step[F]) row(name string) Row {
	r := Row{Name: name, State: s.State, Detail: s.Reason}
	if s.Figures != nil {
		r.Detail = strings.TrimPrefix(s.Reason+"; "+(*s.Figures).String(), "; ")
	}
	return r
}

// Rows returns a row for each step.
func (s *Steps) Rows() []Row {
	return []Row{
		s.Sound.row("sound"), s.Monitor.row("latency_to_monitor"), s.Capture.row("latency_to_capture"), s.Drift.row("drift"),
		s.DefaultChange.row("default_change"), s.Sleep.row("sleep"), s.Unplugging.row("unplugging"),
	}
}

// Failed reports whether a step failed.
func (r *Report) Failed() bool {
	for _, row := range r.Steps.Rows() {
		if row.State == Failed {
			return true
		}
	}
	return false
}

// Encode writes the report as indented JSON.
func (r *Report) Encode(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

// Parse reads a report and checks it: no unknown fields, this version, and a state with the parts that belong to it in
// each step.
func Parse(text []byte) (*Report, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var r Report
	if err := d.Decode(&r); err != nil {
		return nil, fmt.Errorf("evidence: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("evidence: text after the report, want one JSON object")
	}
	if r.Version != Version {
		return nil, fmt.Errorf("evidence: version is %d, want %d", r.Version, Version)
	}
	s := &r.Steps
	return &r, cmp.Or(s.Sound.check("sound"), s.Monitor.check("latency_to_monitor"), s.Capture.check("latency_to_capture"),
		s.Drift.check("drift"), s.DefaultChange.check("default_change"), s.Sleep.check("sleep"), s.Unplugging.check("unplugging"))
}

// check returns an error if the parts of the step contradict its state.
func (s *Step[F]) check(name string) error {
	switch {
	case s.State != Passed && s.State != Failed && s.State != Skipped:
		return fmt.Errorf("evidence: steps.%s.state is %q, want passed, failed or skipped", name, s.State)
	case s.State == Passed && s.Figures == nil:
		return fmt.Errorf("evidence: steps.%s.figures is missing, want it in a step that passed", name)
	case (s.State == Passed) != (s.Reason == ""):
		return fmt.Errorf("evidence: steps.%s.reason is %q, want a reason exactly if the step did not pass", name, s.Reason)
	}
	return nil
}

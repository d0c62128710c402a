package showrun

import (
	"fmt"
	"math"
	"strings"
	"time"

	"voicepool/cmd/internal/view/liveview"
	"voicepool/cue"
)

// State is the state of a show for screens, as JSON.
type State struct {
	Show        string  `json:"show"`
	Time        float64 `json:"time"` // seconds
	Paused      bool    `json:"paused"`
	Device      string  `json:"device"`
	Sink        string  `json:"sink"`
	OutputState string  `json:"heard"`
	LatencyMS   float64 `json:"latency_ms"`
	Lost        string  `json:"lost"` // why and since when the output is silent; empty if it is not
	Standby     string  `json:"standby"`
	Loaded      float64 `json:"loaded"` // start time within the cue on standby, in seconds
	Last        string  `json:"last"`   // the cue of the last GO

	List      []ListCue        `json:"list"`
	Running   []Running        `json:"running"`
	Buses     []Bus            `json:"buses"`
	Voices    []liveview.Voice `json:"voices"`
	Pool      int64            `json:"pool"`
	Playing   int64            `json:"playing"`
	Stolen    int64            `json:"stolen"`
	Events    []string         `json:"said"`            // the most recent events
	File      string           `json:"file,omitempty"`  // absolute path of the sheet
	Started   string           `json:"begun,omitempty"` // start time as in RFC 3339
	Requested string           `json:"asked,omitempty"` // the value of --device
}

// ListCue is a cue of the list in a State.
type ListCue struct {
	Cue    string  `json:"cue"`
	Name   string  `json:"name"`
	Note   string  `json:"note"`
	Colour string  `json:"colour"`
	Then   string  `json:"then"`
	Armed  bool    `json:"armed"`
	Trim   float64 `json:"trim"` // dB
}

// Running is a running or waiting cue in a State.
type Running struct {
	Cue       string   `json:"cue"`
	Name      string   `json:"name"`
	State     string   `json:"state"`     // sounding or waiting
	Elapsed   float64  `json:"elapsed"`   // seconds
	Remaining *float64 `json:"remaining"` // seconds; null: unknown
}

// Bus is a bus in a State.
type Bus struct {
	Bus  string  `json:"bus"`
	Gain float64 `json:"gain"`
	Mute bool    `json:"mute"`
	Peak float64 `json:"peak"` // dB, of the last 400 ms

	Effects   []BusEffect `json:"effects,omitempty"`
	Reduction float64     `json:"reduction,omitempty"` // gain reduction of its compressors in the last block, in dB
}

// SetPicture stores p, the latest picture of the playback, for State. Each failure in p.Failures that earlier pictures
// lacked is reported as an event. Failures are counted, so p.Failures may only grow from picture to picture.
func (s *Show) SetPicture(p liveview.Picture) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.picture = p
	for _, line := range p.Failures[min(s.reportedFailures, len(p.Failures)):] {
		s.report(line)
	}
	s.reportedFailures = len(p.Failures)
}

// State returns the current state of the show for screens and clients. It contains the cue list, the running cues, the
// buses, the recent events and the data of the last SetPicture. Most times and levels are rounded to tenths, and a peak
// is at least -120 dB. The caller owns the result.
func (s *Show) State() *State {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	p, rate := &s.picture, float64(s.sheet.Rate)
	m := s.player.Mixer()
	now := m.Now()
	st := &State{
		Show: s.sheet.File, Time: tenth(float64(now) / rate), Paused: s.paused,
		Device: p.Output.Device, Sink: p.Output.Sink, OutputState: p.Output.State, Lost: p.Output.Lost,
		LatencyMS: tenth(p.Output.Latency.Seconds() * 1000), Standby: s.number(s.standby), Loaded: s.loaded.Seconds(), Last: s.number(s.last),
		List: []ListCue{}, Running: []Running{}, Voices: p.Shown(), Events: append([]string{}, s.events...),
		Pool: p.Stats.Voices, Playing: p.Stats.Playing, Stolen: p.Stats.Stolen,
	}
	st.File, st.Requested = s.options.File, s.options.Device
	if !s.options.Started.IsZero() {
		st.Started = s.options.Started.Format(time.RFC3339)
	}
	for i := range s.sheet.List {
		l := &s.sheet.List[i]
		st.List = append(st.List, ListCue{Cue: l.Number, Name: s.name(l), Note: l.Note, Colour: l.Colour, Then: l.Then.String(), Armed: !l.Disabled, Trim: s.trims[i]})
	}
	for _, r := range s.player.Playing() {
		l := &cue.ListCue{Name: "no longer in the sheet"}
		if r.List >= 0 {
			l = &s.sheet.List[r.List]
		}
		one := Running{Cue: l.Number, Name: s.name(l), State: "sounding"}
		if r.Waiting {
			one.State = "waiting"
		} else if r.StartFrame >= 0 {
			one.Elapsed = tenth(max(float64(now-r.StartFrame), 0) / rate)
		}
		if r.Remaining >= 0 {
			remaining := tenth(float64(r.Remaining) / rate)
			one.Remaining = &remaining
		}
		st.Running = append(st.Running, one)
	}
	for _, name := range BusNames(s.sheet) {
		b, err := m.Bus(name)
		if err != nil {
			continue
		}
		one := Bus{Bus: name, Gain: tenth(float64(b.Gain())), Mute: s.muted[name], Effects: BusEffects(b), Reduction: tenth(float64(b.Reduction()))}
		one.Peak = tenth(max(float64(b.Levels().Peak), silence))
		st.Buses = append(st.Buses, one)
	}
	return st
}

// name returns the text that screens show for the cue l. That is the name in the sheet. For a cue without a name it is
// a description of the first action, and the number of further actions. Without a name and actions the result is "".
// The caller holds s.mutex.
func (s *Show) name(l *cue.ListCue) string {
	switch {
	case l.Name != "" || l.Count == 0:
		return l.Name
	case l.Count > 1:
		return fmt.Sprintf("%s, and %d more", s.describe(l.First), l.Count-1)
	}
	return s.describe(l.First)
}

// describe returns a short text for one action of the sheet, such as "play bell". action is the index in sheet.Cues.
// The text is the verb followed by the sound, scene, OSC address, id or bus. The caller holds s.mutex.
func (s *Show) describe(action int) string {
	c := &s.sheet.Cues[action]
	what := c.Target().Name
	switch a := c.Action.(type) {
	case *cue.Play:
		what = s.sheet.Sounds[a.Sound].Name
	case *cue.SetScene:
		what = a.Scene
	case *cue.Message:
		what = a.Address
	}
	return strings.TrimSpace(c.Action.Verb().String() + " " + what)
}

// silence is the level of silence in JSON, which has no infinity.
const silence = -120

// tenth returns x rounded to one decimal place.
func tenth(x float64) float64 { return math.Round(10*x) / 10 }

package cue

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"strconv"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/voice"
)

// Report is what was played and how it went; WriteTo gives its JSON.
type Report struct {
	Version  int    `json:"version"` // 1
	Rate     int    `json:"rate"`
	Frames   int64  `json:"frames"`
	Voices   int    `json:"voices"`
	Virtual  int    `json:"virtual"`
	Overflow string `json:"overflow"`
	Totals   Totals `json:"totals"`

	Peak     Level   `json:"peak_db"`       // of the samples, before they were quantised
	Loudness Level   `json:"loudness_lufs"` // integrated, of BS.1770
	Seconds  float64 `json:"render_seconds"`

	Events []Event `json:"-"` // with Options.Events; WriteTo puts them last
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
}

// Level is a level in decibels or LUFS, given to the hundredth; silence, -Inf,
// is null.
type Level float64

// silence is the level under which there is nothing but the rounding of a filter.
const silence = -200

// MarshalJSON returns a number, or null for silence.
func (l Level) MarshalJSON() ([]byte, error) {
	if !(l > silence && l < -silence) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, math.Floor(float64(float64(l)*100)+0.5)/100, 'f', -1, 64), nil
}

// Report says how it went. Control side, after the last Read, or when the device
// that calls Render is closed.
func (p *Player) Report() *Report {
	p.poll()
	st := p.mixer.Stats()
	if p.atCut != nil {
		st = *p.atCut
	}
	r := &Report{
		Version: 1, Rate: p.sheet.Rate, Frames: st.Frame, Voices: p.sheet.Voices, Overflow: p.sheet.Overflow.String(),
		Totals: Totals{
			Asked: st.Asked, Started: st.Started, Rejected: st.Rejected, Limited: st.Limited, Ended: st.Ended, Stopped: st.Stopped,
			Stolen: st.Stolen, Playing: st.Playing, Missed: st.Missed + p.missed, Late: st.Late, HighWater: st.HighWater,
			Faults: st.Faults, EventsLost: st.EventsLost,
		},
		Peak:     Level(pcm.FromLinear(float64(p.heard.peak))),
		Loudness: Level(p.heard.meter.Integrated()),
		Seconds:  math.Round(p.seconds*1e6) / 1e6,
		Events:   p.events,
	}
	if p.file.now > 0 || p.file.over {
		r.Frames = p.file.frames
	}
	return r
}

// WriteTo writes the report as JSON, an event to a line.
func (r *Report) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	head, err := json.Marshal(r)
	if err != nil {
		return 0, err
	}
	b.Write(head[:len(head)-1])
	b.WriteString(",\n\"events\": [")
	for i := range r.Events {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n ")
		line, err := json.Marshal(&r.Events[i])
		if err != nil {
			return 0, err
		}
		b.Write(line)
	}
	b.WriteString("\n]}\n")
	return b.WriteTo(w)
}

// Event is something that happened, in the words of the sheet.
type Event struct {
	Frame  int64
	Kind   mixer.Kind
	Voice  uint64 // the number of the start, from 1; 0: it never started
	Sound  string // as the sheet calls it; empty for mixer.Missed
	Cue    int    // in Sheet.Cues
	Slot   int    // -1: none
	Reason mixer.Reason

	// Of a voice that was stolen: the number and the sound of the newcomer.
	By      uint64
	BySound string

	// Of a choice: the levels that decided, and among how many.
	Audibility, Newcomer, RunnerUp Level
	Candidates                     int
	HasRunnerUp                    bool
}

// event puts one of the mixer's events into the words of the sheet.
func (p *Player) event(m *mixer.Event) Event {
	e := Event{
		Frame: m.Frame, Kind: m.Kind, Voice: m.Voice, Cue: int(m.Ref), Slot: m.Slot, Reason: m.Reason,
		By: m.By, Candidates: m.Candidates, HasRunnerUp: m.RunnerUp >= 0,
		Audibility: Level(pcm.FromPower(m.Audibility)), Newcomer: Level(pcm.FromPower(m.Newcomer)),
		RunnerUp: Level(pcm.FromPower(max(m.RunnerUp, 0))),
	}
	e.Sound, e.BySound = p.name(m.Sound, m.Ref), p.name(m.BySound, m.ByRef)
	return e
}

// name returns what the sheet calls a sound.
func (p *Player) name(s *voice.Sound, ref int64) string {
	switch {
	case s == nil:
		return ""
	case ref < 0 || ref >= int64(len(p.sheet.Cues)):
		return s.Name() // played by somebody else
	}
	return p.sheet.Sounds[p.sheet.Cues[ref].Sound].Name
}

// MarshalJSON returns the event with what belongs to its kind.
func (e *Event) MarshalJSON() ([]byte, error) {
	j := struct {
		Frame      int64  `json:"frame"`
		Kind       string `json:"kind"`
		Voice      uint64 `json:"voice,omitempty"`
		Sound      string `json:"sound,omitempty"`
		Cue        int    `json:"cue"`
		By         uint64 `json:"by,omitempty"`
		BySound    string `json:"by_sound,omitempty"`
		Slot       *int   `json:"slot,omitempty"`
		Audibility *Level `json:"audibility_db,omitempty"`
		Newcomer   *Level `json:"newcomer_db,omitempty"`
		RunnerUp   *Level `json:"runner_up_db,omitempty"`
		Candidates *int   `json:"candidates,omitempty"`
		Reason     string `json:"reason,omitempty"`
	}{
		Frame: e.Frame, Kind: e.Kind.String(), Voice: e.Voice, Sound: e.Sound, Cue: e.Cue, By: e.By, BySound: e.BySound,
		Reason: e.Reason.String(),
	}
	if e.Voice != 0 {
		j.Slot = &e.Slot
	}
	if e.Kind == mixer.Stolen || e.Kind == mixer.Rejected && e.Candidates > 0 {
		j.Audibility, j.Newcomer, j.Candidates = &e.Audibility, &e.Newcomer, &e.Candidates
		if j.RunnerUp = &e.RunnerUp; !e.HasRunnerUp {
			none := Level(math.Inf(-1))
			j.RunnerUp = &none
		}
	}
	return json.Marshal(j)
}

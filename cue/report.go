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
	p.beneath.finish(p.events)
	st := p.mixer.Stats()
	if p.atCut != nil {
		st = *p.atCut
	}
	r := &Report{
		Version: 1, Rate: p.sheet.Rate, Frames: st.Frame, Voices: p.sheet.Voices, Virtual: p.sheet.Virtual, Overflow: p.sheet.Overflow.String(),
		Totals: Totals{
			Asked: st.Asked, Started: st.Started, Rejected: st.Rejected, Limited: st.Limited, Coalesced: st.Coalesced, Ended: st.Ended, Stopped: st.Stopped,
			Stolen: st.Stolen, Playing: st.Playing, Missed: st.Missed + p.missed, Late: st.Late, HighWater: st.HighWater,
			Underruns: st.Underruns, Faults: st.Faults, EventsLost: st.EventsLost,
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

	// Of a voice that was stolen or became virtual: the number and the sound of who
	// took its slot; of a start that was coalesced the voice that it is a part of.
	By      uint64
	BySound string

	// Of a choice: the levels that decided, and among how many.
	Audibility, Newcomer, RunnerUp Level
	Candidates                     int
	Peers                          int // how many of those had the victim's priority
	HasRunnerUp                    bool
	Priority                       int // of the victim; of a start that was refused its own
	NewcomerPriority               int // of who took a slot by starting
	Policy                         mixer.Overflow

	// Of Reason GroupLimit and BusLimit: how many voices the limit allows, 0 where
	// more than one bus may be meant. Of BusLimit: that bus, or the newcomer's. Of
	// Cooldown: how long it is.
	Limit    int
	Bus      string
	Cooldown Time

	// Of a victim: the largest K-weighted level that it can have had over any three hops of 20 ms
	// from here on; +Inf where nobody knows.
	Lost Level

	// By Read, of a victim of which that is known: by how many dB the mix was louder
	// in the 60 ms from here on.
	BelowMix    Level
	HasBelowMix bool
}

// event puts one of the mixer's events into the words of the sheet.
func (p *Player) event(m *mixer.Event) Event {
	e := Event{
		Frame: m.Frame, Kind: m.Kind, Voice: m.Voice, Cue: int(m.Ref), Slot: m.Slot, Reason: m.Reason,
		By: m.By, Candidates: m.Candidates, Peers: m.Peers, HasRunnerUp: m.RunnerUp >= 0,
		Audibility: Level(pcm.FromPower(m.Audibility)), Newcomer: Level(pcm.FromPower(m.Newcomer)),
		RunnerUp: Level(pcm.FromPower(max(m.RunnerUp, 0))), Priority: int(m.Priority), Policy: m.Policy,
		Lost: Level(pcm.FromPower(m.Lost)),
	}
	e.Sound, e.BySound = p.name(m.Sound, m.Ref), p.name(m.BySound, m.ByRef)
	p.ruled(&e, m)
	return e
}

// ruled adds what the sheet says about why a start was refused, or took a slot.
func (p *Player) ruled(e *Event, m *mixer.Event) {
	ref := m.Ref
	switch m.Kind {
	case mixer.Stolen, mixer.BecameVirtual:
		if m.By != 0 {
			ref = m.ByRef
		}
	case mixer.Rejected, mixer.Limited:
	default:
		return
	}
	if ref < 0 || ref >= int64(len(p.sheet.Cues)) {
		return
	}
	c := &p.sheet.Cues[ref]
	sound := &p.sheet.Sounds[c.Sound]
	e.NewcomerPriority = c.Priority
	if m.Kind == mixer.Rejected || m.Kind == mixer.Limited {
		e.Priority = c.Priority
	}
	switch m.Reason {
	case mixer.GroupLimit:
		e.Limit = sound.Limit
	case mixer.Cooldown:
		e.Cooldown = sound.Cooldown
	case mixer.BusLimit:
		e.Bus, e.Limit = p.limitOf(m.Bus)
	}
}

// limitOf returns the name and the limit of a bus of the mixer.
func (p *Player) limitOf(b mixer.BusRef) (bus string, limit int) {
	if i, ok := p.busOf[b]; ok {
		return p.sheet.Buses[i].Name, p.sheet.Buses[i].Voices
	}
	return "master", 0
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

// decided reports whether the event has the numbers of a choice.
func (e *Event) decided() bool {
	return e.Kind == mixer.Stolen || e.Kind == mixer.BecameVirtual || e.refused() && e.Candidates > 0
}

func (e *Event) refused() bool { return e.Kind == mixer.Rejected || e.Kind == mixer.Limited }

// MarshalJSON returns the event with what belongs to its kind.
func (e *Event) MarshalJSON() ([]byte, error) {
	j := struct {
		Frame            int64  `json:"frame"`
		Kind             string `json:"kind"`
		Voice            uint64 `json:"voice,omitempty"`
		Sound            string `json:"sound,omitempty"`
		Cue              int    `json:"cue"`
		By               uint64 `json:"by,omitempty"`
		BySound          string `json:"by_sound,omitempty"`
		Slot             *int   `json:"slot,omitempty"`
		Audibility       *Level `json:"audibility_db,omitempty"`
		Newcomer         *Level `json:"newcomer_db,omitempty"`
		RunnerUp         *Level `json:"runner_up_db,omitempty"`
		Candidates       *int   `json:"candidates,omitempty"`
		Peers            *int   `json:"peers,omitempty"`
		Priority         *int   `json:"priority,omitempty"`
		NewcomerPriority *int   `json:"newcomer_priority,omitempty"`
		Policy           string `json:"policy,omitempty"`
		Lost             *Level `json:"lost_db,omitempty"`
		BelowMix         *Level `json:"below_mix_db,omitempty"`
		Reason           string `json:"reason,omitempty"`
		Limit            int    `json:"limit,omitempty"`
		Bus              string `json:"bus,omitempty"`
		Cooldown         string `json:"cooldown,omitempty"`
	}{
		Frame: e.Frame, Kind: e.Kind.String(), Voice: e.Voice, Sound: e.Sound, Cue: e.Cue, By: e.By, BySound: e.BySound,
		Reason: e.Reason.String(), Limit: e.Limit, Bus: e.Bus,
	}
	if e.Cooldown != (Time{}) {
		j.Cooldown = e.Cooldown.String()
	}
	if e.Voice != 0 {
		j.Slot = &e.Slot
	}
	if e.decided() || e.refused() {
		j.Priority = &e.Priority
	}
	if e.decided() {
		j.Policy = e.Policy.String()
		if !e.refused() {
			j.Lost = &e.Lost
			if e.HasBelowMix {
				j.BelowMix = &e.BelowMix
			}
			if e.By != 0 && e.Reason != mixer.Exchanged {
				j.NewcomerPriority = &e.NewcomerPriority
			}
		}
		j.Audibility, j.Newcomer, j.Candidates, j.Peers = &e.Audibility, &e.Newcomer, &e.Candidates, &e.Peers
		if j.RunnerUp = &e.RunnerUp; !e.HasRunnerUp {
			none := Level(math.Inf(-1))
			j.RunnerUp = &none
		}
	}
	return json.Marshal(j)
}

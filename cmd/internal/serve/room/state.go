package room

import (
	"cmp"
	"math"
	"slices"

	"voicepool/cmd/internal/show/showrun"
	"voicepool/cue/report"
	"voicepool/mixer"
)

// State is the state of a room, as JSON.
type State struct {
	Room      string  `json:"room"`
	Title     string  `json:"title"`
	Revision  int64   `json:"revision"` // increments when anything except levels, voices and time changes
	Rate      int     `json:"rate"`
	Frame     int64   `json:"frame"`
	Time      float64 `json:"time"` // in seconds since the beginning
	Paused    bool    `json:"paused"`
	Device    string  `json:"device"` // none: paced by the clock, and streamed over the network
	Sink      string  `json:"sink"`
	Lost      string  `json:"lost"` // since when and why the output is lost; empty: it works
	LatencyMS float64 `json:"latency_ms"`

	Pool    int64         `json:"pool"`
	Virtual int64         `json:"virtual"`
	Playing int64         `json:"playing"`
	Totals  report.Totals `json:"totals"`

	Standby string            `json:"standby"`
	Loaded  float64           `json:"loaded"`
	Last    string            `json:"last"`
	List    []showrun.ListCue `json:"list"`
	Running []showrun.Running `json:"running"`
	Scene   string            `json:"scene"`
	Scenes  []string          `json:"scenes"`
	Buses   []Bus             `json:"buses"`
	Voices  []Voice           `json:"voices"`
	Sounds  []Sound           `json:"sounds"`
	Said    []string          `json:"said"`
}

// Bus is the state of a bus.
type Bus struct {
	Bus    string  `json:"bus"`
	Parent string  `json:"parent,omitempty"`
	Gain   float64 `json:"gain"`   // in dB
	Volume float64 `json:"volume"` // in dB; no sheet and no scene changes it
	Mute   bool    `json:"mute"`
	Solo   bool    `json:"solo"`
	Peak   float64 `json:"peak"` // in dB, over the last 400 ms

	Effects   []showrun.BusEffect `json:"effects,omitempty"`
	Reduction float64             `json:"reduction,omitempty"` // in dB, of its compressors, in the last block
}

// Voice is a start that has not ended.
type Voice struct {
	Voice    uint64  `json:"voice"`
	ID       string  `json:"id,omitempty"`
	Sound    string  `json:"sound"`
	Slot     int     `json:"slot"`  // -1: virtual or pending
	Level    float64 `json:"level"` // audibility in dB; -120: silent
	Pan      float64 `json:"pan"`
	State    string  `json:"state"` // playing, paused, virtual, pending or silent
	Looping  bool    `json:"looping"`
	Position float64 `json:"position"`            // in seconds
	Took     uint64  `json:"took,omitempty"`      // number of its victim
	TookName string  `json:"took_name,omitempty"` // sound of its victim
}

// Sound is a sound of a room.
type Sound struct {
	Sound   string  `json:"sound"`
	Seconds float64 `json:"seconds"`
	Loop    bool    `json:"loop"`
	Bus     string  `json:"bus,omitempty"`
}

// silence is the level of silence in JSON, which cannot represent infinity.
const silence = -120

// tenth returns x rounded to one decimal place. Halves are rounded away from 0.
func tenth(x float64) float64 { return math.Round(10*x) / 10 }

// State returns the current state of the room, as a new value. Its levels of buses and voices are computed now; its
// Revision is as in Levels. State also records scheduled bus changes whose frames are reached.
func (r *Room) State() *State {
	_, revision, _ := r.Levels()
	shown := r.current().show.State()
	st := r.current().player.Mixer().Stats()
	now, s, output := r.current().player.Mixer().Now(), r.current().player.Sheet(), r.outputState()
	out := &State{
		Room: r.options.Name, Title: r.options.Title, Revision: revision, Rate: r.rate, Frame: now, Time: float64(now) / float64(r.rate),
		Paused: shown.Paused, Device: output.Device, Sink: output.Sink, Lost: output.Lost, LatencyMS: tenth(output.Latency.Seconds() * 1000),
		Pool: st.Voices, Virtual: st.Virtual, Playing: st.Playing, Totals: report.TotalsOf(&st),
		Standby: shown.Standby, Loaded: shown.Loaded, Last: shown.Last, List: shown.List, Running: shown.Running,
		Scene: r.manualBuses.currentScene(), Scenes: sceneNames(s), Buses: []Bus{}, Voices: r.voices(), Sounds: []Sound{}, Said: shown.Events,
	}
	for _, name := range showrun.BusNames(s) {
		out.Buses = append(out.Buses, r.bus(name))
	}
	current := r.current()
	current.mutex.Lock()
	defer current.mutex.Unlock()
	for i := range s.Sounds {
		one := &s.Sounds[i]
		out.Sounds = append(out.Sounds, Sound{Sound: one.Name, Loop: one.Loop, Bus: one.Bus, Seconds: current.loaded[one.Name].seconds})
	}
	return out
}

// voices returns the voices of the mixer that have not ended, sorted by number. Pending voices have the number 0 and
// come last. The Level of a paused voice is silence. The result is never nil.
func (r *Room) voices() []Voice {
	all := []Voice{}
	current := r.current()
	for h := range current.player.Mixer().Voices() {
		state, sound := h.State(), h.Sound()
		if state.Over() || sound == nil {
			continue
		}
		v := Voice{
			Voice: h.Number(), ID: current.player.ID(h.Tag()), Sound: sound.Name(), Slot: h.Slot(), State: state.String(), Looping: h.Looping(),
			Level: tenth(max(float64(h.Audibility()), silence)), Pan: math.Round(100*h.Pan()) / 100, Position: math.Round(100*h.Position().Seconds()) / 100,
		}
		if v.Voice == 0 {
			v.Sound = cmp.Or(current.soundOf(h), v.Sound)
		}
		switch {
		case state == mixer.StatePlaying && v.Level <= silence:
			v.State = "silent"
		case state == mixer.StatePaused: // Audibility does not consider the pause
			v.Level = silence
		}
		r.eventLog.addDetails(&v)
		all = append(all, v)
	}
	slices.SortFunc(all, func(x, y Voice) int { return cmp.Compare(x.Voice-1, y.Voice-1) })
	return all
}

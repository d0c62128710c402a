// Package liveview shows the voices of a player on a terminal or as lines of text, and prints a summary
// at the end.
package liveview

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/cue/report"
	"voicepool/mixer"
)

// Picture is the visible state of a player at one moment.
type Picture struct {
	Rate        int
	Stats       mixer.Stats
	Left, Right float32 // the highest samples since the last picture
	Output      Output
	Ends        int64  // estimated end of the show in frames; 0: unknown
	Next        string // the sheet's next action and its frame; empty: no action, or unknown
	NextAt      int64
	Buses       []Bus          // without the master
	Failures    []string       // failures so far, one line each
	voices      []voiceLane    // by slot
	events      []report.Event // since the last picture
}

// Bus is the level of a bus.
type Bus struct {
	Name string
	Peak float64 // dB
}

// voiceLane is a voice in a picture.
type voiceLane struct {
	slot    int
	number  uint64
	sound   string
	colour  int     // color index: the index of its sound in the sheet
	level   float64 // dB
	pan     float64
	looping bool
	paused  bool
	silent  bool // inaudible, for example because another bus is soloed
	// The voice that lost the slot to this one, and how many frames ago.
	victim *report.Event
	age    int64
}

// Voice is a voice of a picture.
type Voice struct {
	Slot  int     `json:"slot"`
	Sound string  `json:"sound"`
	Level float64 `json:"level"` // dB; -120: silence
	State string  `json:"state"` // playing, paused or silent
}

// colourOf returns the number that selects the color of a sound: the index in s.Sounds of the sound with the given
// name. For an unknown name it returns 0.
func colourOf(s *cue.Sheet, sound string) int {
	for i := range s.Sounds {
		if s.Sounds[i].Name == sound {
			return i
		}
	}
	return 0
}

// Shown returns the voices of the picture, ordered by slot. Levels are rounded to 0.1 dB, and -120 dB is the lowest.
// The slice may be empty but is never nil.
func (p *Picture) Shown() []Voice {
	all := make([]Voice, 0, len(p.voices))
	for _, l := range p.voices {
		v := Voice{Slot: l.slot, Sound: l.sound, Level: math.Round(10*max(l.level, -120)) / 10, State: "playing"}
		if l.paused {
			v.State = "paused"
		} else if l.silent {
			v.State = "silent"
		}
		all = append(all, v)
	}
	return all
}

// Board makes pictures of a player. It reads the voices from the mixer. From events it collects the sounds' names in
// the sheet, the stolen voices, and the figures of the summary. The player's goroutine calls Watch, while another
// goroutine may call Snapshot or Summary.
type Board struct {
	mutex         sync.Mutex
	voices        map[uint64]voiceInfo     // living voices by number
	victimByThief map[uint64]*report.Event // stolen voices, by the number of the voice that has the slot now
	newEvents     []report.Event           // since the last look

	plan
	history
}

// voiceInfo is the information from events about a voice.
type voiceInfo struct {
	sound string // as named in the sheet
	real  bool   // it has a slot
}

// NewBoard returns a Board for one run of a sheet. It records events and makes pictures of the player.
func NewBoard() *Board {
	return &Board{
		voices: map[uint64]voiceInfo{}, victimByThief: map[uint64]*report.Event{},
		history: history{victims: map[string]map[string]int{}, rejected: map[string]int{}},
	}
}

// Watch records the event e for the next picture and for the summary. It is meant for play.Options.Watch. Events must
// come in the order of their frames. Watch is safe for concurrent use with Snapshot and Summary.
func (b *Board) Watch(e report.Event) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.newEvents = append(b.newEvents, e)
	b.history.addEvent(e)
	switch e.Kind {
	case mixer.EventStarted:
		b.voices[e.Voice] = voiceInfo{e.Sound, e.Slot >= 0}
	case mixer.EventReal:
		b.voices[e.Voice] = voiceInfo{e.Sound, true}
	case mixer.EventVirtual, mixer.EventEnded, mixer.EventStopped, mixer.EventStolen:
		if e.By != 0 && b.voices[e.Voice].real {
			b.victimByThief[e.By] = &e
		}
		delete(b.victimByThief, e.Voice)
		if delete(b.voices, e.Voice); e.Kind == mixer.EventVirtual {
			b.voices[e.Voice] = voiceInfo{sound: e.Sound}
		}
	}
}

// Snapshot returns a picture of the player p: its statistics, the voices that have a slot, the levels of its buses,
// and the new events. New are all events recorded by Watch since the last call, so each event appears in only one
// picture. Snapshot also resets the peaks of p.Levels. Watch must get the events of the same player.
func (b *Board) Snapshot(p *play.Player) Picture {
	m := p.Mixer()
	now := Picture{Rate: p.Sheet().Rate, Stats: m.Stats()}
	now.Left, now.Right = p.Levels()
	b.mutex.Lock()
	defer b.mutex.Unlock()
	for h := range m.Voices() {
		state, slot, sound := h.State(), h.Slot(), h.Sound()
		if state != mixer.StatePlaying && state != mixer.StatePaused || slot < 0 || sound == nil {
			continue
		}
		l := voiceLane{slot: slot, number: h.Number(), level: float64(h.Audibility()), pan: h.Pan(), looping: h.Looping(), paused: state == mixer.StatePaused}
		l.silent = !l.paused && math.IsInf(l.level, -1)
		if l.paused { // it keeps its audibility, but is not heard
			l.level = math.Inf(-1)
		}
		l.sound = sound.Name()
		if v, ok := b.voices[l.number]; ok { // otherwise its event has not arrived yet
			l.sound = v.sound
		}
		l.colour = colourOf(p.Sheet(), l.sound)
		if e := b.victimByThief[l.number]; e != nil {
			l.victim, l.age = e, max(now.Stats.Frame-e.Frame, 0)
		}
		now.voices = append(now.voices, l)
	}
	// A slot may change hands between two queries: the newer voice has it.
	slices.SortFunc(now.voices, func(x, y voiceLane) int { return cmp.Or(cmp.Compare(x.slot, y.slot), cmp.Compare(y.number, x.number)) })
	now.voices = slices.CompactFunc(now.voices, func(x, y voiceLane) bool { return x.slot == y.slot })
	now.events, b.newEvents = b.newEvents, nil
	b.plan.addTo(&now, p.Sheet())
	now.Buses = levels(p)
	return now
}

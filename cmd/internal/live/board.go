// Package live shows on a terminal, or line by line, what a player plays. It asks the mixer
// for its voices, and prints a summary at the end.
package live

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"voicepool/cue"
	"voicepool/cue/report"
	"voicepool/mixer"
)

// Picture is what there is to see of a player at one moment.
type Picture struct {
	Rate        int
	Stats       mixer.Stats
	Left, Right float32 // the highest samples since the last picture
	Heard       Heard
	Ends        int64  // the frame at which the show ends, about; 0: nobody knows
	Next        string // what the sheet does next, and at which frame; empty: nothing, or nobody knows
	NextAt      int64
	Buses       []Bus          // without the master
	Troubles    []string       // what has failed so far, a line each
	voices      []lane         // by slot
	events      []report.Event // since the last picture
}

// Bus is the level of a bus.
type Bus struct {
	Name string
	Peak float64 // dB
}

// lane is a voice in a picture.
type lane struct {
	slot    int
	number  uint64
	sound   string
	colour  int     // of the sound: its place in the sheet
	level   float64 // dB
	pan     float64
	looping bool
	paused  bool
	silent  bool // nothing of it is heard, as beside a bus that is soloed
	// Who lost the slot to it, and how many frames ago.
	victim *report.Event
	age    int64
}

// Voice is a voice of a picture.
type Voice struct {
	Slot  int     `json:"slot"`
	Sound string  `json:"sound"`
	Level float64 `json:"level"` // dB; -120: nothing
	State string  `json:"state"` // playing, paused or silent
}

// colourOf returns the colour of a sound, counted from 0.
func colourOf(s *cue.Sheet, sound string) int {
	for i := range s.Sounds {
		if s.Sounds[i].Name == sound {
			return i
		}
	}
	return 0
}

// Shown returns the voices of a picture, by slot.
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

// Board makes pictures of what a player plays. It asks the mixer how its voices are,
// and keeps of events what the mixer does not tell: the names of sounds in the sheet,
// who lost a slot to whom, and what a summary is made of. The goroutine of the player
// writes on it, another one looks at it.
type Board struct {
	mutex  sync.Mutex
	voices map[uint64]known         // that live, by number
	taken  map[uint64]*report.Event // who lost a slot, by the number of who has it
	recent []report.Event           // since the last look

	plan
	history
}

// known is what events have told of a voice.
type known struct {
	sound string // as the sheet calls it
	real  bool   // it has a slot
}

// NewBoard returns a board for one playing of a sheet.
func NewBoard() *Board {
	return &Board{
		voices: map[uint64]known{}, taken: map[uint64]*report.Event{},
		history: history{lost: map[string]map[string]int{}, refused: map[string]int{}},
	}
}

// Watch takes one event. It is for cue.Options.Watch.
func (b *Board) Watch(e report.Event) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.recent = append(b.recent, e)
	b.history.note(e)
	switch e.Kind {
	case mixer.EventStarted:
		b.voices[e.Voice] = known{e.Sound, e.Slot >= 0}
	case mixer.EventReal:
		b.voices[e.Voice] = known{e.Sound, true}
	case mixer.EventVirtual, mixer.EventEnded, mixer.EventStopped, mixer.EventStolen:
		if e.By != 0 && b.voices[e.Voice].real {
			b.taken[e.By] = &e
		}
		delete(b.taken, e.Voice)
		if delete(b.voices, e.Voice); e.Kind == mixer.EventVirtual {
			b.voices[e.Voice] = known{sound: e.Sound}
		}
	}
}

// Look makes a picture of what a player plays.
func (b *Board) Look(p *cue.Player) Picture {
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
		l := lane{slot: slot, number: h.Number(), level: float64(h.Audibility()), pan: h.Pan(), looping: h.Looping(), paused: state == mixer.StatePaused}
		l.silent = !l.paused && math.IsInf(l.level, -1)
		if l.paused { // it keeps its audibility, but nothing of it is heard
			l.level = math.Inf(-1)
		}
		l.sound = sound.Name()
		if v, ok := b.voices[l.number]; ok { // else its event is still to come
			l.sound = v.sound
		}
		l.colour = colourOf(p.Sheet(), l.sound)
		if e := b.taken[l.number]; e != nil {
			l.victim, l.age = e, max(now.Stats.Frame-e.Frame, 0)
		}
		now.voices = append(now.voices, l)
	}
	// A slot may have changed hands between two questions: the newcomer has it.
	slices.SortFunc(now.voices, func(x, y lane) int { return cmp.Or(cmp.Compare(x.slot, y.slot), cmp.Compare(y.number, x.number)) })
	now.voices = slices.CompactFunc(now.voices, func(x, y lane) bool { return x.slot == y.slot })
	now.events, b.recent = b.recent, nil
	b.plan.tell(&now, p.Sheet())
	now.Buses = levels(p)
	return now
}

package show

import (
	"slices"

	"voicepool/mixer"
)

// View is what the page draws.
type View struct {
	Voices  int     `json:"voices"`  // slots
	Playing int     `json:"playing"` // voices that are heard
	Unseen  int     `json:"unseen"`  // voices that keep time silently
	Asked   int64   `json:"asked"`   // sounds that were asked for
	Gave    int     `json:"gave"`    // voices that gave way to another, each counted once
	RMS     float64 `json:"rms"`     // of the mix, dBFS; floor or more
	Slots   []Slot  `json:"slots"`
	Takes   []Take  `json:"takes"` // since the last View, oldest first
}

// Slot is a slot of the pool.
type Slot struct {
	Name  string  `json:"name"`  // of the sound; empty: nobody plays
	Voice uint64  `json:"voice"` // the number of its start
	Loud  float64 `json:"loud"`  // decibels; floor or more
	Pan   float64 `json:"pan"`   // -1..+1
}

// Take says that a voice took the slot of another.
type Take struct {
	Slot     int     `json:"slot"`
	Voice    uint64  `json:"voice"` // the number of the winner's start
	Winner   string  `json:"winner"`
	Victim   string  `json:"victim"`
	Newcomer float64 `json:"newcomer"` // how loud the winner was going to be, in decibels
	Loud     float64 `json:"loud"`     // how loud the victim still was
	Returns  bool    `json:"returns"`  // the victim keeps time silently, and can come back
}

// floor is what the page calls silence, in decibels: JSON knows no infinity.
const floor = -120

// Look returns what there is to be drawn. It takes the mixer's events.
func (s *Show) Look() View {
	stats := s.mixer.Stats()
	v := View{
		Voices: int(stats.Voices), Asked: stats.Asked, RMS: floor, Slots: make([]Slot, stats.Voices), Takes: []Take{},
	}
	for h := range s.mixer.Voices() {
		sound, i := h.Sound(), h.Slot()
		switch {
		case sound == nil:
		case i < 0 || i >= len(v.Slots):
			v.Unseen++
		default:
			v.Playing++
			v.Slots[i] = Slot{Name: sound.Name(), Voice: h.Number(), Loud: max(floor, float64(h.Audibility())), Pan: h.Pan()}
		}
	}
	if master, err := s.mixer.Bus("master"); err == nil {
		v.RMS = max(floor, float64(master.Levels().RMS))
	}
	for n := s.mixer.Events(s.events[:]); n > 0; n = s.mixer.Events(s.events[:]) {
		for i := range s.events[:n] {
			s.hear(&v, &s.events[i])
		}
	}
	// What is left without a slot took the place of a voice that was virtual already.
	v.Takes = slices.DeleteFunc(v.Takes, func(t Take) bool { return t.Slot < 0 })
	v.Gave = s.gave
	return v
}

// hear notes an event. A victim that becomes virtual has no slot any more; the event of its winner,
// which comes after its own, has it.
func (s *Show) hear(v *View, e *mixer.Event) {
	switch e.Kind {
	case mixer.EventStarted, mixer.EventReal:
		for i := range v.Takes {
			if t := &v.Takes[i]; t.Voice == e.Voice && t.Slot < 0 {
				t.Slot = e.Slot
			}
		}
	case mixer.EventStolen, mixer.EventVirtual:
		if e.BySound == nil {
			break // nobody took its place, as when the pool shrinks
		}
		v.Takes = append(v.Takes, Take{
			Slot: e.Slot, Voice: e.By, Winner: e.BySound.Name(), Victim: e.Sound.Name(),
			Newcomer: max(floor, float64(e.Newcomer)), Loud: max(floor, float64(e.Audibility)),
			Returns: e.Kind == mixer.EventVirtual,
		})
		if !s.yielded[e.Voice] {
			s.yielded[e.Voice] = true
			s.gave++
		}
	}
	switch e.Kind {
	case mixer.EventStolen, mixer.EventEnded, mixer.EventStopped:
		delete(s.yielded, e.Voice)
	}
}

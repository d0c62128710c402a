package show

import (
	"slices"

	"voicepool/mixer"
)

// View is the data that the page draws.
type View struct {
	Voices  int     `json:"voices"`  // number of slots
	Playing int     `json:"playing"` // audible voices
	Unseen  int     `json:"unseen"`  // virtual voices
	Asked   int64   `json:"asked"`   // requested sounds
	Gave    int     `json:"gave"`    // stolen voices, each counted once
	RMS     float64 `json:"rms"`     // of the mix in dBFS, at least floor
	Slots   []Slot  `json:"slots"`
	Takes   []Take  `json:"takes"` // since the last View, oldest first
}

// Slot is a slot of the pool.
type Slot struct {
	Name  string  `json:"name"`  // of the sound; empty: free slot
	Voice uint64  `json:"voice"` // number of its start
	Loud  float64 `json:"loud"`  // audibility in decibels, at least floor
	Pan   float64 `json:"pan"`   // -1..+1
}

// Take is a voice that took the slot of another one.
type Take struct {
	Slot     int     `json:"slot"`
	Voice    uint64  `json:"voice"` // number of the winner's start
	Winner   string  `json:"winner"`
	Victim   string  `json:"victim"`
	Newcomer float64 `json:"newcomer"` // estimated audibility of the winner in decibels
	Loud     float64 `json:"loud"`     // audibility of the victim
	Returns  bool    `json:"returns"`  // the victim became virtual and can be restored
}

// floor represents silence in decibels, because JSON has no infinity.
const floor = -120

// Look returns the present View. It consumes the mixer's events, so Takes has only those since the last call.
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
			s.record(&v, &s.events[i])
		}
	}
	// A Take still without a slot replaced a voice that was virtual already.
	v.Takes = slices.DeleteFunc(v.Takes, func(t Take) bool { return t.Slot < 0 })
	v.Gave = s.gave
	return v
}

// record adds an event of the mixer to v.Takes and counts stolen voices. A voice that becomes virtual has no slot in
// its event; the later event of its winner gives the slot.
func (s *Show) record(v *View, e *mixer.Event) {
	switch e.Kind {
	case mixer.EventStarted, mixer.EventReal:
		for i := range v.Takes {
			if t := &v.Takes[i]; t.Voice == e.Voice && t.Slot < 0 {
				t.Slot = e.Slot
			}
		}
	case mixer.EventStolen, mixer.EventVirtual:
		d := &e.Steal
		if d.BySound == nil {
			break // no winner, for example because the pool shrinks
		}
		v.Takes = append(v.Takes, Take{
			Slot: e.Slot, Voice: d.By, Winner: d.BySound.Name(), Victim: e.Sound.Name(),
			Newcomer: max(floor, float64(d.Newcomer)), Loud: max(floor, float64(d.Audibility)),
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

package room

import (
	"time"

	"voicepool/mixer"
)

// Brief is what is cheap to know of a room.
type Brief struct {
	Rate   int
	Frame  int64 // of the mix
	Stats  mixer.Stats
	Device string // none: it is paced, and heard over the network
	Lost   string // since when and why nothing is heard; empty: it is
	Asked  int64  // frames that the card has asked for, while all is paused, too; 0: there is none

	// Behind is how long what is due is not mixed yet. It is 0 in a room that sleeps, and on a card, which
	// says in Lost what is wrong.
	Behind time.Duration
}

// Brief returns what is cheap to know: it touches neither levels nor voices.
func (r *Room) Brief() Brief {
	m, heard := r.on().player.Mixer(), r.heard()
	b := Brief{Rate: r.rate, Frame: m.Now(), Stats: m.Stats(), Device: heard.Device, Lost: heard.Lost}
	if r.card != nil {
		b.Asked = r.card.asked.Load()
	}
	if p := r.pace; p != nil {
		p.mutex.Lock()
		defer p.mutex.Unlock()
		if !p.dozes && !p.ended {
			b.Behind = max(time.Since(p.at(p.out)), 0)
		}
	}
	return b
}

// LastEvent returns the number of the last event; 0: there was none.
func (r *Room) LastEvent() int64 {
	r.log.mutex.Lock()
	defer r.log.mutex.Unlock()
	return r.log.tape.last
}

package mixer

import (
	"sync/atomic"

	"voicepool/space"
	"voicepool/voice"
)

// placed is a voice's part in space.
type placed struct {
	source space.Source
	space  voice.Space
}

// settle gives a start its place, and returns what that does to it.
func (a *audio) settle(p *placed, r *record) *voice.Space {
	if !r.placed {
		return nil
	}
	p.source = r.source
	if w, ok := r.spot.read(); ok && r.moved.Load() {
		p.source.Spot = w.spot()
	}
	p.space.Put(voice.Placed(a.ear.Hear(&p.source)), p.source.Spread)
	return &p.space
}

// movePlaces has all voices glide to where they are wanted.
func (a *audio) movePlaces() {
	a.placesSent.Store(false)
	ear, all := readMoved(a, &a.listenerMoved, &a.listener)
	if all {
		a.ear = ear.ear()
	}
	for _, v := range a.living() {
		s, p := v.slot, &a.places[v.index]
		if !s.record.placed || !s.record.moved.Load() && !all {
			continue
		}
		if w, ok := readMoved(a, &s.record.moved, &s.record.spot); ok {
			p.source.Spot = w.spot()
		}
		over := a.hop
		if !s.sounded {
			over = 0
		}
		p.space.Glide(a.now, voice.Placed(a.ear.Hear(&p.source)), over)
		s.voice.Replan(a.now)
		a.rescore(v.index)
	}
}

// readMoved reads what has moved, if it has. Of what is being written it is to be asked
// again: whoever writes it is not done.
func readMoved[A spotVectors | earVectors](a *audio, moved *atomic.Bool, words *seqVectors[A]) (read A, ok bool) {
	if !moved.Swap(false) {
		return read, false
	}
	if read, ok = words.read(); !ok {
		moved.Store(true)
		a.placesWait.Store(true)
	}
	return read, ok
}

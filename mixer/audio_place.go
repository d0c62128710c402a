package mixer

import (
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
	p.space.Put(voice.Placed(a.ear.Hear(&p.source)))
	return &p.space
}

// movePlaces has all voices glide to where they are wanted.
func (a *audio) movePlaces() {
	a.placesSent.Store(false)
	all := false
	if a.listenerMoved.Swap(false) {
		if w, ok := a.listener.read(); ok {
			a.ear, all = w.ear(), true
		} else { // it is being written; whoever writes it is not done
			a.listenerMoved.Store(true)
			a.placesWait.Store(true)
		}
	}
	for i := a.next(0); i >= 0; i = a.next(i + 1) {
		s := a.at(i)
		if !s.record.placed || !s.record.moved.Load() && !all {
			continue
		}
		p := &a.places[i]
		if s.record.moved.Swap(false) {
			if w, ok := s.record.spot.read(); ok {
				p.source.Spot = w.spot()
			} else {
				s.record.moved.Store(true)
				a.placesWait.Store(true)
			}
		}
		over := a.hop
		if !s.sounded {
			over = 0
		}
		p.space.Glide(a.now, voice.Placed(a.ear.Hear(&p.source)), over)
		s.voice.Replan(a.now)
		a.rescore(i)
	}
}

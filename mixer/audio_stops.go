package mixer

import "voicepool/pool"

// takeStop carries out the stop that waits in a record, if there is one, and reports
// whether none waits there any more.
func (a *audio) takeStop(r *record) bool {
	s := &r.stopping
	version := s.version.Load()
	if version == s.done.Load() {
		return true
	}
	id, at, over, after := pool.Handle(s.id.Load()), s.at.Load(), s.over.Load(), s.after.Load()
	switch {
	case version&1 != 0 || s.version.Load() != version: // it is being written
		return false
	case a.now < at:
		return false
	case r.live == id:
		i := int(r.slot.Load())
		if after == 0 || at == 0 || a.at(i).began <= at {
			a.act(i, &command{kind: cmdStop, over: over})
		}
	case after == 0 && pool.Handle(r.id.Load()) == id:
		r.cancel = id
	case a.commands.Popped() < after: // the start may be one that has not arrived
		return false
	}
	s.done.Store(version)
	return true
}

package qlab

import (
	"maps"
	"slices"

	"voicepool/cmd/internal/show/showrun"
)

// watched is a client and a room whose updates it receives.
type watched struct {
	client *client
	room   string
}

// picture is the state of a room as last reported to a client.
type picture struct {
	of       Room
	revision int64
	standby  string
	last     string
	paused   bool
	order    []string
	cues     map[string]showrun.ListCue // by number
	runs     map[string]string          // states of the running cues
}

// watch starts to send updates of a room to a client, from its present state on. After Close it has no
// effect.
func (s *Server) watch(c *client, name string, r Room) {
	p := new(picture).next(r)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	select {
	case <-s.ended:
		return
	default:
	}
	s.watches[watched{c, name}] = p
	if !s.looking {
		s.looking = true
		s.all.Go(s.look)
	}
}

// unwatch ends the updates of a room; an empty name means all rooms.
func (s *Server) unwatch(c *client, name string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for w := range s.watches {
		if w.client == c && (name == "" || w.room == name) {
			delete(s.watches, w)
		}
	}
}

// isWatching reports whether a client receives updates of a room.
func (s *Server) isWatching(c *client, name string) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.watches[watched{c, name}] != nil
}

// look polls for changes every 50 ms while there are watches, and expires UDP senders.
func (s *Server) look() {
	for !s.pause(tick) {
		s.mutex.Lock()
		s.expire()
		all := make(map[watched]*picture, len(s.watches))
		for w, p := range s.watches {
			all[w] = p
		}
		if s.looking = len(all) > 0; !s.looking {
			s.mutex.Unlock()
			return
		}
		s.mutex.Unlock()
		s.tell(all)
	}
}

// tell sends the changes since the given pictures and stores the new ones. Each room is examined only once.
// It ends watches without permission and of rooms that have ended.
func (s *Server) tell(all map[watched]*picture) {
	stands := map[string]*picture{}
	for w, was := range all {
		r := s.room(w.room)
		switch {
		case w.client.role(w.room) < Read:
			s.unwatch(w.client, w.room)
			continue
		case r == nil:
			s.unwatch(w.client, w.room)
			w.client.update("/update/workspace/"+workspaceID(w.room)+"/disconnect", nil)
			continue
		}
		now := stands[w.room]
		if now == nil {
			now = was.next(r)
			stands[w.room] = now
		}
		if now != was && s.replace(w, was, now) {
			now.since(was, w)
		}
	}
}

// replace stores a new picture unless the watch has ended or been replaced. It reports whether it stored
// it.
func (s *Server) replace(w watched, was, now *picture) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.watches[w] != was {
		return false
	}
	s.watches[w] = now
	return true
}

// next returns the current picture of a room. If it is equal to p or the room is ending, it returns p.
func (p *picture) next(r Room) *picture {
	levels, revision, _ := r.Levels()
	if levels == nil { // the room is ending
		return p
	}
	n := *p
	n.standby, n.paused, n.runs = levels.Standby, levels.Paused, map[string]string{}
	for _, one := range levels.Running {
		n.runs[one.Cue] = one.State
	}
	if p.of == r && p.revision == revision {
		if n.standby == p.standby && n.paused == p.paused && maps.Equal(n.runs, p.runs) {
			return p
		}
		return &n
	}
	if st := r.State(); st != nil {
		n.of, n.revision, n.last = r, revision, st.Last
		n.order, n.cues = nil, map[string]showrun.ListCue{}
		for _, one := range st.List {
			n.order = append(n.order, one.Cue)
			n.cues[one.Cue] = one
		}
	}
	return &n
}

// since sends a notification to the client of w for each difference to an earlier picture.
func (p *picture) since(was *picture, w watched) {
	under := "/update/workspace/" + workspaceID(w.room)
	changed := func(id string) { w.client.update(under+"/cue_id/"+id, nil) }
	for _, number := range p.order {
		if p.cues[number] != was.cues[number] || p.stands(number) != was.stands(number) {
			changed(cueID(w.room, number))
		}
	}
	for _, number := range was.order {
		if _, still := p.cues[number]; !still {
			changed(cueID(w.room, number))
		}
	}
	if !slices.Equal(p.order, was.order) || p.paused != was.paused || (len(p.runs) > 0) != (len(was.runs) > 0) {
		changed(listID(w.room))
	}
	if p.last != was.last || p.standby != was.standby {
		changed(root)
	}
	if p.standby != was.standby {
		id := "none"
		if p.standby != "" {
			id = cueID(w.room, p.standby)
		}
		w.client.update(under+"/cueList/"+listID(w.room)+"/playbackPosition", []any{id})
	}
}

// stands returns the state of a running cue ("paused" in a paused show), or "".
func (p *picture) stands(number string) string {
	state := p.runs[number]
	if state != "" && p.paused {
		return "paused"
	}
	return state
}

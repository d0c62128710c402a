package qlab

import (
	"maps"
	"slices"

	"voicepool/cmd/internal/show"
)

// watched is a room whose updates a client gets.
type watched struct {
	client *client
	room   string
}

// picture is what a client has been told of a room.
type picture struct {
	of       Room
	revision int64
	standby  string
	last     string
	paused   bool
	order    []string
	cues     map[string]show.ListCue // by number
	runs     map[string]string       // what state the cues are in that run
}

// watch has a client told of what changes in a room from now on.
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

// unwatch ends what a client is told of a room; empty: of all.
func (s *Server) unwatch(c *client, name string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for w := range s.watches {
		if w.client == c && (name == "" || w.room == name) {
			delete(s.watches, w)
		}
	}
}

func (s *Server) isWatching(c *client, name string) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.watches[watched{c, name}] != nil
}

// look tells of changes as long as somebody wants to know.
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

// tell tells of what has changed since some pictures. A room is looked at once.
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

// replace notes what a client is told, unless it is no longer told, or told anew.
func (s *Server) replace(w watched, was, now *picture) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.watches[w] != was {
		return false
	}
	s.watches[w] = now
	return true
}

// next returns how a room stands now: the same picture where nothing has changed.
func (p *picture) next(r Room) *picture {
	levels, revision, _ := r.Levels()
	if levels == nil { // it is ending
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
		n.order, n.cues = nil, map[string]show.ListCue{}
		for _, one := range st.List {
			n.order = append(n.order, one.Cue)
			n.cues[one.Cue] = one
		}
	}
	return &n
}

// since tells a client what is not as it was.
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

// stands returns what state a cue is in; empty: it does not run.
func (p *picture) stands(number string) string {
	state := p.runs[number]
	if state != "" && p.paused {
		return "paused"
	}
	return state
}

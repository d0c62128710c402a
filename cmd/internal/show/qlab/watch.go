package qlab

import (
	"maps"
	"slices"

	"voicepool/cmd/internal/show/showrun"
)

// subscription is a client and a room whose updates it receives.
type subscription struct {
	client *client
	room   string
}

// roomState is the state of a room as last reported to a client.
type roomState struct {
	of       Room
	revision int64
	standby  string
	last     string
	paused   bool
	order    []string
	cues     map[string]showrun.ListCue // by number
	runs     map[string]string          // states of the running cues
}

// subscribe starts to send updates of a room to a client, from its present state on. After Close it has no
// effect.
func (s *Server) subscribe(c *client, name string, r Room) {
	p := new(roomState).next(r)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	select {
	case <-s.ended:
		return
	default:
	}
	s.subscriptions[subscription{c, name}] = p
	if !s.polling {
		s.polling = true
		s.all.Go(s.pollChanges)
	}
}

// unsubscribe ends the updates of a room; an empty name means all rooms.
func (s *Server) unsubscribe(c *client, name string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for w := range s.subscriptions {
		if w.client == c && (name == "" || w.room == name) {
			delete(s.subscriptions, w)
		}
	}
}

// isSubscribed reports whether a client receives updates of a room.
func (s *Server) isSubscribed(c *client, name string) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.subscriptions[subscription{c, name}] != nil
}

// pollChanges polls for changes every 50 ms while there are subscriptions, and expires UDP senders.
func (s *Server) pollChanges() {
	for !s.pause(pollInterval) {
		s.mutex.Lock()
		s.expire()
		all := make(map[subscription]*roomState, len(s.subscriptions))
		for w, p := range s.subscriptions {
			all[w] = p
		}
		if s.polling = len(all) > 0; !s.polling {
			s.mutex.Unlock()
			return
		}
		s.mutex.Unlock()
		s.sendChanges(all)
	}
}

// sendChanges sends the changes since the given pictures and stores the new ones. Each room is examined only once.
// It ends subscriptions without permission and of rooms that have ended.
func (s *Server) sendChanges(all map[subscription]*roomState) {
	stands := map[string]*roomState{}
	for w, was := range all {
		r := s.room(w.room)
		switch {
		case w.client.role(w.room) < Read:
			s.unsubscribe(w.client, w.room)
			continue
		case r == nil:
			s.unsubscribe(w.client, w.room)
			w.client.notify("/update/workspace/"+workspaceID(w.room)+"/disconnect", nil)
			continue
		}
		now := stands[w.room]
		if now == nil {
			now = was.next(r)
			stands[w.room] = now
		}
		if now != was && s.replace(w, was, now) {
			now.sendDifferences(was, w)
		}
	}
}

// replace stores a new state unless the subscription has ended or been replaced. It reports whether it stored
// it.
func (s *Server) replace(w subscription, was, now *roomState) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.subscriptions[w] != was {
		return false
	}
	s.subscriptions[w] = now
	return true
}

// next returns the current state of a room. If it is equal to p or the room is ending, it returns p.
func (p *roomState) next(r Room) *roomState {
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

// sendDifferences sends a notification to the client of w for each difference to an earlier state.
func (p *roomState) sendDifferences(was *roomState, w subscription) {
	under := "/update/workspace/" + workspaceID(w.room)
	changed := func(id string) { w.client.notify(under+"/cue_id/"+id, nil) }
	for _, number := range p.order {
		if p.cues[number] != was.cues[number] || p.runState(number) != was.runState(number) {
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
		w.client.notify(under+"/cueList/"+listID(w.room)+"/playbackPosition", []any{id})
	}
}

// runState returns the state of a running cue ("paused" in a paused show), or "".
func (p *roomState) runState(number string) string {
	state := p.runs[number]
	if state != "" && p.paused {
		return "paused"
	}
	return state
}

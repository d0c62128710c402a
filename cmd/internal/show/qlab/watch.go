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

// roomState is the state of a room as last reported to a client. It is not changed after its creation.
type roomState struct {
	room     Room
	revision int64
	standby  string
	last     string
	paused   bool
	order    []string
	cues     map[string]showrun.ListCue // by number
	runs     map[string]string          // states of the running cues
}

// subscribe starts updates for the client c: from now on it is notified of changes in the room r. name is the name of
// the room. An earlier subscription to that room is replaced. If needed, subscribe starts the goroutine that polls for
// changes. After Close it has no effect.
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

// unsubscribe ends the updates for the client c about the room called name. If name is "", it ends the updates about
// all rooms.
func (s *Server) unsubscribe(c *client, name string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for w := range s.subscriptions {
		if w.client == c && (name == "" || w.room == name) {
			delete(s.subscriptions, w)
		}
	}
}

// isSubscribed reports whether the client c receives updates about the room called name.
func (s *Server) isSubscribed(c *client, name string) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.subscriptions[subscription{c, name}] != nil
}

// pollChanges notifies clients of changes in their rooms, every 50 ms. It also removes expired UDP clients. It runs on
// its own goroutine until the server is closed or the last subscription has ended. In the second case it resets
// s.polling, so that subscribe starts it again.
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

// sendChanges notifies each client in all of the changes in its room. all has the last reported state of each
// subscription; the new states are stored in the server. Each room is read only once.
//
// If a client may no longer read its room, or if the room has ended, its subscription ends. In the second case the
// client is notified.
func (s *Server) sendChanges(all map[subscription]*roomState) {
	current := map[string]*roomState{}
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
		now := current[w.room]
		if now == nil {
			now = was.next(r)
			current[w.room] = now
		}
		if now != was && s.replace(w, was, now) {
			now.sendDifferences(was, w)
		}
	}
}

// replace stores a new last reported state of the subscription w and returns true. The parameter now is the new state.
// The parameter was is the state that the caller has read before. If another state is stored, because the subscription
// has ended or begun again since then, replace stores no state and returns false. States are compared by pointer.
func (s *Server) replace(w subscription, was, now *roomState) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.subscriptions[w] != was {
		return false
	}
	s.subscriptions[w] = now
	return true
}

// next returns the current state of the room r. p is an earlier state or the zero value. If the room has not changed
// since p, or if it is ending, the result is p itself. next does not change p.
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
	if p.room == r && p.revision == revision {
		if n.standby == p.standby && n.paused == p.paused && maps.Equal(n.runs, p.runs) {
			return p
		}
		return &n
	}
	if st := r.State(); st != nil {
		n.room, n.revision, n.last = r, revision, st.Last
		n.order, n.cues = nil, map[string]showrun.ListCue{}
		for _, one := range st.List {
			n.order = append(n.order, one.Cue)
			n.cues[one.Cue] = one
		}
	}
	return &n
}

// sendDifferences notifies the client of the subscription w of the changes in its room. The parameter was has the
// earlier state and p the present state. The client gets a message for each new, changed or removed cue. It gets a
// message for the list if its order has changed, or if the show has paused, resumed, begun or ended to run cues. If the
// last GO or the standby has changed, a message reports that; a new standby has a second message. Without a difference
// no message is sent.
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

// runState returns the state of the cue called number if it runs, such as "sounding". In a paused show the result is
// "paused". For a cue that does not run it is "".
func (p *roomState) runState(number string) string {
	state := p.runs[number]
	if state != "" && p.paused {
		return "paused"
	}
	return state
}

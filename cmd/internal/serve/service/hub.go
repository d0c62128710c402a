package service

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"time"

	"voicepool/cmd/internal/serve/room"
)

const (
	levelInterval = time.Second / 30       // between messages of levels
	idleInterval  = 100 * time.Millisecond // the same in an idle room
	idleTicks     = 30                     // ticks without a change before the interval becomes idleInterval
)

// hub sends the events, state and levels of a room to its sockets. Each message is encoded once for
// all of them. The hub runs two goroutines while it has a socket.
type hub struct {
	server *Server
	room   *room.Room
	runID  string
	wake   chan struct{} // an order may have changed something

	mutex   sync.Mutex
	sockets map[*socket]bool
	cancel  context.CancelFunc // cancels the two goroutines; nil if they do not run
	state   []byte             // the last state that was sent
	levels  []byte
}

// init sets the fields of h, which sends the messages of the room r to its sockets. runID is the random id of this run
// of the room; messages with events repeat it. init starts no goroutine; the first add does.
func (h *hub) init(s *Server, r *room.Room, runID string) {
	h.server, h.room, h.runID, h.wake, h.sockets = s, r, runID, make(chan struct{}, 1), map[*socket]bool{}
}

// notifyChange makes the hub of the room check whether state or levels have changed, a thirtieth of a second after the
// hub has received the call. A further call in that time delays the check again. Otherwise the hub of an idle room
// checks less often. Call notifyChange after an order. It does not block.
func (h *roomEntry) notifyChange() {
	select {
	case h.hub.wake <- struct{}{}:
	default:
	}
}

// add adds the socket c to the hub, which sends it messages from now on: at once the last state and levels that the hub
// has sent, or else the current state. Events and changes of state and levels follow. The first socket starts the two
// goroutines of the hub. The caller must later call remove.
func (h *hub) add(c *socket) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.cancel == nil {
		ctx, cancel := context.WithCancel(h.server.ctx)
		h.cancel, h.state, h.levels = cancel, nil, nil
		follower := follow(h.room, h.runID)
		h.server.calls.Go(func() { h.sendEvents(ctx, follower) })
		h.server.calls.Go(func() { h.sendChanges(ctx) })
	}
	h.sockets[c] = true
	if h.state == nil {
		h.state = typedMessage("state", "state", h.room.State())
	}
	c.setState(h.state, h.levels)
}

// remove removes the socket c from the hub. If c was the last socket, remove cancels the two goroutines of the hub, but
// does not wait for them.
func (h *hub) remove(c *socket) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	delete(h.sockets, c)
	if len(h.sockets) == 0 && h.cancel != nil {
		h.cancel()
		h.cancel = nil
	}
}

// typedMessage returns the JSON message {"type": kind, key: value} for a WebSocket. A value that cannot be encoded
// becomes null.
func typedMessage(kind, key string, value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		text = []byte("null")
	}
	return bytes.Join([][]byte{[]byte(`{"type":"` + kind + `","` + key + `":`), text, []byte("}")}, nil)
}

// sendChanges sends the levels and the state of the room to all sockets of the hub, at first and after each change. It
// checks for changes thirty times a second. After a second without new levels it checks ten times a second, until the
// levels change or notifyChange is called. Each notifyChange moves the next check to a thirtieth of a second later;
// calls in quick succession delay it further. It returns when ctx or the room ends.
func (h *hub) sendChanges(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	var sent *room.Levels
	revision, unchanged := int64(-1), 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.room.Done():
			return
		case <-h.wake:
			unchanged = 0
			timer.Reset(levelInterval) // limits messages to thirty a second
			continue
		case <-timer.C:
		}
		l, now, _ := h.room.Levels()
		var state, levels []byte
		if now != revision {
			state, revision = typedMessage("state", "state", h.room.State()), now
		}
		if unchanged++; l != sent {
			sent, unchanged = l, 0
			if text, err := json.Marshal(l); err == nil {
				levels = append([]byte(`{"type":"levels",`), text[1:]...)
			}
		}
		if state != nil || levels != nil {
			h.send(ctx, state, levels)
		}
		if pause := levelInterval; unchanged > idleTicks {
			timer.Reset(idleInterval)
		} else {
			timer.Reset(pause)
		}
	}
}

// send passes state and levels to all sockets of the hub. Both are encoded messages; nil means unchanged. The hub also
// stores them for sockets that are added later. If ctx has ended, send has no effect, because a newer goroutine has
// taken over.
func (h *hub) send(ctx context.Context, state, levels []byte) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if ctx.Err() != nil {
		return // a later goroutine has taken over
	}
	if state != nil {
		h.state = state
	}
	if levels != nil {
		h.levels = levels
	}
	for c := range h.sockets {
		c.setState(state, levels)
	}
}

// sendEvents sends each event that f reads to all sockets of the hub. It returns when ctx or the room ends. At the end
// of the room it also ends the sockets. Events that f has missed, because this server was too slow, are skipped.
func (h *hub) sendEvents(ctx context.Context, f *Follower) {
	for {
		messages, _, err := f.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			h.forEach(ctx, func(c *socket) { c.end() })
			return
		}
		for _, message := range messages {
			h.forEach(ctx, func(c *socket) { c.queue(message) })
		}
	}
}

// forEach calls do for each socket of the hub, unless ctx has ended. It holds the mutex of the hub during the calls, so
// do must not block.
func (h *hub) forEach(ctx context.Context, do func(*socket)) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if ctx.Err() == nil {
		for c := range h.sockets {
			do(c)
		}
	}
}

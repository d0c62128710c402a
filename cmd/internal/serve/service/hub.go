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

// init sets the fields of h, the hub of room r. runID is the random id of this run of the room, which messages with
// events repeat. The hub has no goroutine until a socket enters.
func (h *hub) init(s *Server, r *room.Room, runID string) {
	h.server, h.room, h.runID, h.wake, h.sockets = s, r, runID, make(chan struct{}, 1), map[*socket]bool{}
}

// notifyChange makes the hub check within a thirtieth of a second whether state or levels have changed, also if the
// room was idle. Call it after an order. It does not block.
func (h *roomEntry) notifyChange() {
	select {
	case h.hub.wake <- struct{}{}:
	default:
	}
}

// add adds c to the sockets of the hub. c receives the current state at once, and from then on events and changes
// of state and levels. The first socket starts the two goroutines of the hub. The caller must call remove later.
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

// remove removes c from the sockets of the hub. After the last socket, remove cancels the goroutines of the hub,
// without waiting for them.
func (h *hub) remove(c *socket) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	delete(h.sockets, c)
	if len(h.sockets) == 0 && h.cancel != nil {
		h.cancel()
		h.cancel = nil
	}
}

// typedMessage returns the JSON message {"type": kind, key: value}. A value that cannot be encoded becomes null.
func typedMessage(kind, key string, value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		text = []byte("null")
	}
	return bytes.Join([][]byte{[]byte(`{"type":"` + kind + `","` + key + `":`), text, []byte("}")}, nil)
}

// sendChanges sends the levels and the state of the room to all sockets, at first and whenever they have changed. It
// checks thirty times a second, but only ten times after a second without new levels, until notifyChange is called. It
// returns when ctx or the room ends.
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

// send stores state and levels, both encoded messages, for sockets that enter later, and passes them to all sockets.
// nil means unchanged. After the end of ctx the call has no effect, because another goroutine has taken over.
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

// sendEvents sends the events of f to all sockets until ctx or the room ends. When the room ends, sendEvents ends the
// sockets. Events that the server was too slow to read are skipped.
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

// forEach calls do for every socket, unless ctx has ended. It holds the mutex of the hub during the calls, so do must
// not block.
func (h *hub) forEach(ctx context.Context, do func(*socket)) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if ctx.Err() == nil {
		for c := range h.sockets {
			do(c)
		}
	}
}

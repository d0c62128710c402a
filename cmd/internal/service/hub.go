package service

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"time"

	"voicepool/cmd/internal/room"
)

const (
	tick = time.Second / 30       // between levels
	lull = 100 * time.Millisecond // the same in a room in which nothing moves
	calm = 30                     // ticks without a move before a lull
)

// hub tells the sockets of a room what happens. What they are told is spelled once for all of them. It
// has two goroutines while there is a socket, and none otherwise.
type hub struct {
	server *Server
	room   *room.Room
	life   string
	wake   chan struct{} // an order may have changed something

	mutex   sync.Mutex
	sockets map[*socket]bool
	cancel  context.CancelFunc // of the goroutines; nil: there are none
	state   []byte             // the last that was told
	levels  []byte
}

func (h *hub) begin(s *Server, r *room.Room, life string) {
	h.server, h.room, h.life, h.wake, h.sockets = s, r, life, make(chan struct{}, 1), map[*socket]bool{}
}

// stir has the hub look at once, where something may have changed.
func (h *house) stir() {
	select {
	case h.hub.wake <- struct{}{}:
	default:
	}
}

// enter adds a socket, which is told how the room stands, and then what happens.
func (h *hub) enter(c *socket) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.cancel == nil {
		ctx, cancel := context.WithCancel(h.server.ctx)
		h.cancel, h.state, h.levels = cancel, nil, nil
		follower := follow(h.room, h.life)
		h.server.calls.Go(func() { h.watch(ctx, follower) })
		h.server.calls.Go(func() { h.look(ctx) })
	}
	h.sockets[c] = true
	if h.state == nil {
		h.state = typed("state", "state", h.room.State())
	}
	c.show(h.state, h.levels)
}

// leave removes a socket.
func (h *hub) leave(c *socket) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	delete(h.sockets, c)
	if len(h.sockets) == 0 && h.cancel != nil {
		h.cancel()
		h.cancel = nil
	}
}

// typed spells a message. What cannot be spelled is null.
func typed(kind, key string, value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		text = []byte("null")
	}
	return bytes.Join([][]byte{[]byte(`{"type":"` + kind + `","` + key + `":`), text, []byte("}")}, nil)
}

// look tells levels and state as they change, until the hub has no socket.
func (h *hub) look(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	var seen *room.Levels
	revision, still := int64(-1), 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.room.Done():
			return
		case <-h.wake:
			still = 0
			timer.Reset(tick) // so that there are no more than thirty a second
			continue
		case <-timer.C:
		}
		l, now, _ := h.room.Levels()
		var state, levels []byte
		if now != revision {
			state, revision = typed("state", "state", h.room.State()), now
		}
		if still++; l != seen {
			seen, still = l, 0
			if text, err := json.Marshal(l); err == nil {
				levels = append([]byte(`{"type":"levels",`), text[1:]...)
			}
		}
		if state != nil || levels != nil {
			h.show(ctx, state, levels)
		}
		if pause := tick; still > calm {
			timer.Reset(lull)
		} else {
			timer.Reset(pause)
		}
	}
}

// show gives all sockets what is new.
func (h *hub) show(ctx context.Context, state, levels []byte) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if ctx.Err() != nil {
		return // another look goes on by now
	}
	if state != nil {
		h.state = state
	}
	if levels != nil {
		h.levels = levels
	}
	for c := range h.sockets {
		c.show(state, levels)
	}
}

// watch tells events, until the hub has no socket or the room ends. Sockets go on with what happens next
// where this machine is too slow.
func (h *hub) watch(ctx context.Context, f *Follower) {
	for {
		messages, _, err := f.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			h.each(ctx, func(c *socket) { c.end() })
			return
		}
		for _, message := range messages {
			h.each(ctx, func(c *socket) { c.queue(message) })
		}
	}
}

// each does something with all sockets.
func (h *hub) each(ctx context.Context, do func(*socket)) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if ctx.Err() == nil {
		for c := range h.sockets {
			do(c)
		}
	}
}

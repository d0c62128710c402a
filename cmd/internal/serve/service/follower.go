package service

import (
	"context"
	"errors"
	"strconv"

	"voicepool/cmd/internal/serve/room"
)

// Follower returns the events of a room as WebSocket messages. It stores no events itself. Use it
// from one goroutine at a time.
type Follower struct {
	room    *room.Room
	runID   string
	watcher *room.Watcher
	last    int64 // the number of the last returned event
}

// Follow returns a Follower, which reads the events of the room called name, from the next event on. An unknown room is
// an error with the HTTP status 404.
func (s *Server) Follow(name string) (*Follower, error) {
	h, err := s.entry(name)
	if err != nil {
		return nil, err
	}
	return follow(h.room, h.runID), nil
}

// follow returns a Follower that reads the events of r, from the next event on. runID is the random id of this run of
// the room; each message of the Follower repeats it.
func follow(r *room.Room, runID string) *Follower {
	last := r.LastEvent()
	return &Follower{room: r, runID: runID, watcher: r.Watch(last + 1), last: last}
}

// Next waits for events and returns at least one, each as a WebSocket message in JSON. If the caller was too slow, the
// room has dropped events; Next then continues with newer events. missed is the number of events that were dropped
// before the first message. The error is io.EOF after the end of the room, or the error of ctx. With an error, messages
// is nil and missed is 0.
func (f *Follower) Next(ctx context.Context) (messages [][]byte, missed int64, err error) {
	all, err := f.watcher.Next(ctx)
	for errors.Is(err, room.ErrSlow) { // this server was too slow: continue with the next event
		f.watcher = f.room.Watch(0)
		all, err = f.watcher.Next(ctx)
	}
	if err != nil {
		return nil, 0, err
	}
	missed = all[0].Number - f.last - 1
	for i := range all {
		f.last = all[i].Number
		text := strconv.AppendInt([]byte(`{"type":"event","number":`), f.last, 10)
		text = append(append(append(text, `,"life":"`...), f.runID...), `","event":`...)
		messages = append(messages, append(appendEvent(text, &all[i]), '}'))
	}
	return messages, missed, nil
}

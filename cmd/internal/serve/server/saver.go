package server

import (
	"context"
	"sync/atomic"
	"time"

	"voicepool/cmd/internal/serve/room"
)

// writers is the number of rooms written at once. Parallel writes are much faster than one after
// the other.
const writers = 16

// saver stores changed rooms at regular intervals.
type saver struct {
	cancel context.CancelFunc
	done   chan struct{}
}

// startSaver starts a goroutine that stores changed rooms every 900 ms. It sets s.saver; finalStates uses that to stop
// the goroutine.
func (s *server) startSaver() {
	ctx, cancel := context.WithCancel(context.Background())
	s.saver = saver{cancel, make(chan struct{})}
	go func() {
		defer close(s.saver.done)
		next := time.NewTicker(saveInterval)
		defer next.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-next.C:
				s.saveAll(ctx)
			}
		}
	}()
}

// saveAll stores all rooms that have changed, 16 at a time, and waits until they are stored. When ctx ends, it skips
// the remaining rooms. Errors are counted and logged, as in save.
func (s *server) saveAll(ctx context.Context) {
	_ = forEach(ctx, writers, s.service.Rooms(), func(_ context.Context, r *room.Room) error { // the end of ctx is not an error
		s.save(ctx, r)
		return nil
	})
}

// save stores the room r if it has changed, unless ctx has ended. An error is counted in the metrics. It is logged only
// if the previous save of r had no error, so that a full disk does not flood the log. Calls of saveNow do not count as
// the previous save.
func (s *server) save(ctx context.Context, r *room.Room) {
	err := s.write(ctx, r)
	if err != nil {
		s.service.CountStoreFailure(err)
	}
	if failed := err != nil; s.store.recordResult(r.Name(), failed) && failed {
		s.Log(err.Error())
	}
}

// saveNow stores the room r if it has changed. It is the Save option of rooms: a call that changes a room waits for
// saveNow before it answers. If saveNow returns an error, the call fails.
func (s *server) saveNow(r *room.Room) error { return s.write(context.Background(), r) }

// write stores the room r if it has changed. For a room of the configuration, it also stores the hash of the sheet's
// file. It skips r without an error if the service no longer has r, if a call or a reload is ending r, or if ctx has
// ended.
func (s *server) write(ctx context.Context, r *room.Room) error {
	return s.store.save(r.Name(), func() (*room.Snapshot, string) {
		m, there := s.configRooms.get(r.Name())
		there = there && m.room == r
		if ctx.Err() != nil || s.service.Room(r.Name()) != r || there && m.dropped {
			return nil, ""
		}
		if !there { // it was made over the network
			m.sheet = ""
		}
		return r.Snapshot(), m.sheet
	})
}

// finalState is the state of a room at the end of the server.
type finalState struct {
	snapshot *room.Snapshot
	sheet    string
}

// finalStates stops the saver and returns the states of all rooms, which saveFinal then stores. Call it before the
// rooms fade out. Rooms that a call or a reload is ending are left out. Without a store it returns nil. It does not
// wait for a running write of the saver.
func (s *server) finalStates() (all []finalState) {
	if s.saver.cancel != nil {
		s.saver.cancel()
	}
	if s.store == nil || s.service == nil {
		return nil
	}
	for _, r := range s.service.Rooms() {
		m, there := s.configRooms.get(r.Name())
		if s.service.Room(r.Name()) != r || there && m.dropped {
			continue
		}
		if !there || m.room != r {
			m.sheet = ""
		}
		all = append(all, finalState{r.Snapshot(), m.sheet})
	}
	return all
}

// saveFinal stores the states in all, 16 at a time, and waits until they are stored. finalStates has returned them.
// After each state it adds 1 to steps, which shows progress to waitForProgress. Errors are logged.
func (s *server) saveFinal(all []finalState, steps *atomic.Int64) {
	_ = forEach(context.Background(), writers, all, func(_ context.Context, l finalState) error {
		defer steps.Add(1)
		err := s.store.save(l.snapshot.Room, func() (*room.Snapshot, string) { return l.snapshot, l.sheet })
		if err != nil {
			s.Log(err.Error())
		}
		return nil
	})
}

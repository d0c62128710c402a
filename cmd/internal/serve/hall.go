package serve

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"time"

	"voicepool/cmd/internal/board"
	"voicepool/cmd/internal/guard"
	"voicepool/cmd/internal/problem"
	"voicepool/cmd/internal/room"
	"voicepool/cmd/internal/service"
)

// newHall makes what has the rooms and answers for them. Sounds of rooms that are made over the
// network lie in a folder of each room's name.
func (s *server) newHall() *service.Server {
	o := service.Options{
		Folder: s.uploads(), Workers: s.workers, Limits: service.Limits{Rooms: s.config.MostRooms}, Sounds: s.Limits,
		Allow: allow, Take: take, Gone: s.gone, Opening: true, Board: board.Handler(), Say: s.Say,
	}
	if s.store != nil {
		o.Keep = s.keepNow
	}
	if s.Far.NATS != "" { // each finds the far that is there when it opens: until then calls are answered 503
		o.Barred = func(name string) error { return s.far.Load().barred(name) }
		o.Elsewhere = func(name string) (string, error) { return s.far.Load().elsewhere(name) }
		o.Ending = func(ctx context.Context, name string, fade time.Duration) error {
			return s.far.Load().ending(ctx, name, fade)
		}
		o.Ready = func() error { return s.far.Load().ready() }
		o.Raise = func(ctx context.Context, name string, text []byte) error { return s.far.Load().raise(ctx, name, text) }
	}
	return service.New(o)
}

// uploads returns the folder of those folders.
func (s *server) uploads() string {
	if s.store != nil {
		return filepath.Join(s.store.folder, "sounds")
	}
	return s.scratch
}

// allow asks the guard. The roles of the service are the guard's.
func allow(ctx context.Context, role service.Role, room string) error {
	return denied(guard.Allow(ctx, room, guard.Role(role)))
}

// take has the guard count.
func take(ctx context.Context, n int) error { return denied(guard.Take(ctx, n)) }

// denied returns an error of the guard as the problem that it is.
func denied(err error) error {
	if d, ok := errors.AsType[*guard.Denied](err); ok {
		return problem.New(d.Status, "%s", d.Detail).Over(int64(d.Limit))
	}
	return err
}

// leave waits until a room that has ended has left the hall, and its name is free.
func leave(h *service.Server, r *room.Room) {
	for h.Room(r.Name()) == r {
		runtime.Gosched()
	}
}

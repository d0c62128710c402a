package server

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"time"

	"voicepool/cmd/internal/serve/board"
	"voicepool/cmd/internal/serve/problemjson"
	"voicepool/cmd/internal/serve/room"
	"voicepool/cmd/internal/serve/service"
	"voicepool/cmd/internal/serve/webauth"
)

// newService returns the service that owns the rooms and answers calls, with the functions of s as its options. It
// answers most calls with 503 until its method FinishOpening is called. It requires s.workers, s.scratch and s.store.
func (s *server) newService() *service.Server {
	o := service.Options{
		Folder: s.uploads(), Workers: s.workers, Limits: service.Limits{Rooms: s.config.MaxRooms}, Sounds: s.Limits,
		Allow: allow, CountRequests: countRequests, RemoveFiles: s.removeFiles, Opening: true, Board: board.Handler(), Log: s.Log,
	}
	if s.store != nil {
		o.Save = s.saveNow
	}
	if s.Cluster.NATS != "" { // each function loads s.clusterNode when it is called; until the rooms are opened, calls are answered with 503
		o.CheckOperable = func(name string) error { return s.clusterNode.Load().checkOperable(name) }
		o.Locate = func(name string) (string, error) { return s.clusterNode.Load().locate(name) }
		o.BeforeEnd = func(ctx context.Context, name string, fade time.Duration) error {
			return s.clusterNode.Load().endRoom(ctx, name, fade)
		}
		o.Ready = func() error { return s.clusterNode.Load().ready() }
		o.Create = func(ctx context.Context, name string, text []byte) error {
			return s.clusterNode.Load().createRoom(ctx, name, text)
		}
	}
	return service.New(o)
}

// uploads returns the folder that has one folder of uploaded sounds for each room, named after the room: the folder
// sounds below --state, or the temporary folder s.scratch without a store.
func (s *server) uploads() string {
	if s.store != nil {
		return filepath.Join(s.store.folder, "sounds")
	}
	return s.scratch
}

// allow returns a *problemjson.Problem if the caller in ctx, whom the guard has identified, lacks role in the room
// called room, otherwise nil.
func allow(ctx context.Context, role service.Role, room string) error {
	return problemOf(webauth.Allow(ctx, room, webauth.Role(role)))
}

// countRequests counts n requests of the caller in ctx against the guard's rate limit. If they exceed it, countRequests
// returns a
// *problemjson.Problem, otherwise nil.
func countRequests(ctx context.Context, n int) error { return problemOf(webauth.CountRequests(ctx, n)) }

// problemOf converts err, if it wraps a *webauth.Denied, to a *problemjson.Problem with the same status, text and
// limit. Other errors, and nil, stay as they are.
func problemOf(err error) error {
	if d, ok := errors.AsType[*webauth.Denied](err); ok {
		return problemjson.New(d.Status, "%s", d.Detail).WithLimit(int64(d.Limit))
	}
	return err
}

// waitRemoved waits until the service h has removed the room r, which has ended, so that its name is free. waitRemoved
// itself neither ends nor removes the room.
func waitRemoved(h *service.Server, r *room.Room) {
	for h.Room(r.Name()) == r {
		runtime.Gosched()
	}
}

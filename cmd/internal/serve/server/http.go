package server

import (
	"context"
	"path/filepath"
	"runtime"
	"time"

	"voicepool/cmd/internal/serve/board"
	"voicepool/cmd/internal/serve/room"
	"voicepool/cmd/internal/serve/service"
	"voicepool/cmd/internal/serve/webauth"
)

// newService returns a new service, which owns the rooms and answers calls. Its options call methods of s. The service
// answers most calls with 503 until its method FinishOpening is called. s.workers and s.scratch must be set, and
// s.store if the rooms are stored.
func (s *server) newService() *service.Server {
	o := service.Options{
		Folder: s.uploads(), Workers: s.workers, Limits: service.Limits{Rooms: s.config.MaxRooms}, Sounds: s.Limits,
		Allow: allow, CountRequests: webauth.CountRequests, RemoveFiles: s.removeFiles, Opening: true, Board: board.Handler(), Log: s.Log,
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

// uploads returns the folder for uploaded sounds. It has one folder for each room, named after the room. With a store
// it is the folder sounds below --state. Without a store it is the temporary folder s.scratch.
func (s *server) uploads() string {
	if s.store != nil {
		return filepath.Join(s.store.folder, "sounds")
	}
	return s.scratch
}

// allow returns nil if the caller in ctx has at least role in the room called room. Otherwise it returns a
// *problemjson.Problem with the HTTP status. ctx comes from a request that the guard has checked.
func allow(ctx context.Context, role service.Role, room string) error {
	return webauth.Allow(ctx, room, webauth.Role(role))
}

// waitRemoved waits until h.Room no longer returns the room r. Usually the service h has then removed r, and the name
// of r is free. But if a call has ended r, waitRemoved returns at once, and the service may remove r later. waitRemoved
// does not end the room itself: r must have ended or be ending.
func waitRemoved(h *service.Server, r *room.Room) {
	for h.Room(r.Name()) == r {
		runtime.Gosched()
	}
}

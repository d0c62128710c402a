package server

import (
	"time"

	"voicepool/cmd/internal/serve/room"
)

// stale is the maximum delay of a room's mix with a heartbeat.
const stale = 2 * time.Second

// heartbeat is the state of the audio heartbeat at its last check.
type heartbeat struct {
	requested map[string]int64 // per room: frames requested by its card
}

// moves reports whether all rooms have made progress since the last call, and records their state for the next call.
// Each room must be less than two seconds behind the clock. A sound card must have requested frames since the last
// call, unless it is lost or the room is new. If a room blocks, moves blocks, too, so that the watchdog is not fed.
func (b *heartbeat) moves(rooms []*room.Room) bool {
	alive, asked := true, map[string]int64{}
	for _, r := range rooms {
		brief := r.Summary()
		last, known := b.requested[r.Name()]
		stands := brief.Device != "none" && brief.Lost == "" && known && brief.RequestedFrames == last
		alive = alive && !stands && brief.Behind < stale
		asked[r.Name()] = brief.RequestedFrames
	}
	b.requested = asked
	return alive
}

package server

import (
	"time"

	"voicepool/cmd/internal/serve/room"
)

// maxDelay is the maximum delay of a room's mix with a heartbeat.
const maxDelay = 2 * time.Second

// heartbeat is the state of the audio heartbeat at its last check.
type heartbeat struct {
	requested map[string]int64 // per room: frames requested by its card
}

// progressed reports whether all rooms have made progress since the last call. Each room must be less than two seconds
// behind the clock. The sound card of a room must have requested frames since the last call, unless the card is lost or
// the room is new. A room without a card is not checked for that. progressed records the state of the rooms in b for
// the next call. If a room blocks, progressed blocks, too, so that the service manager's watchdog is not fed.
func (b *heartbeat) progressed(rooms []*room.Room) bool {
	alive, requested := true, map[string]int64{}
	for _, r := range rooms {
		summary := r.Summary()
		last, known := b.requested[r.Name()]
		stalled := summary.Device != "none" && summary.Lost == "" && known && summary.RequestedFrames == last
		alive = alive && !stalled && summary.Behind < maxDelay
		requested[r.Name()] = summary.RequestedFrames
	}
	b.requested = requested
	return alive
}

package serve

import (
	"time"

	"voicepool/cmd/internal/room"
)

// stale is how long a room may be behind before its heart stands still.
const stale = 2 * time.Second

// beat is the audio's heartbeat, as it was felt last.
type beat struct {
	frames map[string]int64 // of rooms on a card
}

// moves reports whether all rooms that should move have moved since it was asked last: those that are
// paced keep up or sleep, those on a card play or know that it is lost. A room that does not answer
// keeps it from returning, as it should.
func (b *beat) moves(rooms []*room.Room) bool {
	alive, frames := true, map[string]int64{}
	for _, r := range rooms {
		brief := r.Brief()
		last, known := b.frames[r.Name()]
		stands := brief.Device != "none" && brief.Lost == "" && known && brief.Frame == last
		alive = alive && !stands && brief.Behind < stale
		frames[r.Name()] = brief.Frame
	}
	b.frames = frames
	return alive
}

package serve

import (
	"time"

	"voicepool/cmd/internal/room"
)

// stale is how long a room may be behind before its heart stands still.
const stale = 2 * time.Second

// beat is the audio's heartbeat, as it was felt last.
type beat struct {
	asked map[string]int64 // frames that cards have asked for
}

// moves reports whether all rooms that should move have moved since it was asked last: those that are
// paced keep up or sleep, the cards of the others ask for sound, which they do while a show is paused, too,
// or are known to be lost. A room that does not answer keeps it from returning, as it should.
func (b *beat) moves(rooms []*room.Room) bool {
	alive, asked := true, map[string]int64{}
	for _, r := range rooms {
		brief := r.Brief()
		last, known := b.asked[r.Name()]
		stands := brief.Device != "none" && brief.Lost == "" && known && brief.Asked == last
		alive = alive && !stands && brief.Behind < stale
		asked[r.Name()] = brief.Asked
	}
	b.asked = asked
	return alive
}

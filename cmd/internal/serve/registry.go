package serve

import (
	"maps"
	"slices"
	"sync"

	"voicepool/cmd/internal/room"
)

// made is a room of the configuration, as it was made.
type made struct {
	config  RoomConfig
	sheet   string // hash of the file
	room    *room.Room
	dropped bool // it is not in the configuration any more, and ends
}

// registry has the rooms of the configuration by their names. Any goroutine.
type registry struct {
	mutex sync.Mutex
	all   map[string]made
}

func (g *registry) get(name string) (made, bool) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	m, there := g.all[name]
	return m, there
}

func (g *registry) set(name string, m made) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.all == nil {
		g.all = map[string]made{}
	}
	g.all[name] = m
}

func (g *registry) remove(name string) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	delete(g.all, name)
}

// names returns the names of all, in their order.
func (g *registry) names() []string {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return slices.Sorted(maps.Keys(g.all))
}

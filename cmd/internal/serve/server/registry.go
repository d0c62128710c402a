package server

import (
	"maps"
	"slices"
	"sync"

	"voicepool/cmd/internal/serve/room"
)

// configRoom is a room of the configuration, with the settings it was made with.
type configRoom struct {
	config  RoomConfig
	sheet   string // hash of the file
	room    *room.Room
	dropped bool // it was removed from the configuration, and is ending
}

// registry holds the rooms of the configuration by name. Safe for concurrent use.
type registry struct {
	mutex sync.Mutex
	all   map[string]configRoom
}

// get returns the configuration's room called name. For an unknown name it returns a zero configRoom and false.
func (g *registry) get(name string) (configRoom, bool) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	m, there := g.all[name]
	return m, there
}

// set stores the room m of the configuration under name. It replaces an earlier room with that name.
func (g *registry) set(name string, m configRoom) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.all == nil {
		g.all = map[string]configRoom{}
	}
	g.all[name] = m
}

// remove removes the room called name from the registry, but does not end the room. An unknown name is ignored.
func (g *registry) remove(name string) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	delete(g.all, name)
}

// names returns the names of all rooms in the registry, sorted.
func (g *registry) names() []string {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return slices.Sorted(maps.Keys(g.all))
}

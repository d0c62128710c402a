package mixer

// A mixer is made small, and grows by what is asked of it: the control side makes room, and hands it to
// the audio side, which makes none. What a Config gives is made in New.

// made is what New makes room for.
type made struct {
	commands int // under way
	records  int
	cells    int // of events that wait

	mostCells int // as many as there may ever be
}

// Where a Config does not say how many commands may be under way, there is room for so few at first,
// and for so many starts that are not voices yet.
const (
	leastCommands = 16
	leastRecords  = 8
	leastCells    = 64
)

// size returns what New makes room for, where a Config gave so many commands and events; 0: none.
func (c *Config) size(commands, events int) made {
	m := made{commands: commands, records: c.mostRecords(), mostCells: c.mostCells(events)}
	m.cells = m.mostCells
	if commands == 0 {
		m.commands = min(leastCommands, c.Commands)
		m.records = min(c.MaxVoices+c.Virtual+leastRecords, m.records)
		if events == 0 {
			m.cells = min(leastCells+c.MaxVoices/4, m.mostCells)
		}
	}
	return m
}

// mostCells returns how many cells there may be for events that wait. Where a Config says how many events
// that are, they may all be decisions; else most of those that it needs are not.
func (c *Config) mostCells(events int) int {
	switch {
	case events > 0:
		return 4 * c.Events
	case c.Stems:
		return 3 * c.Events
	}
	return 2 * c.Events
}

// room is the memory of what is under way on the audio side: for so many commands.
type room struct {
	heap        []due
	held        []command
	free, after []int32
	links       []link
	ready       []successor
}

func newRoom(commands int) *room {
	r := &room{
		make([]due, 0, commands), make([]command, commands), make([]int32, 0, commands), make([]int32, commands),
		make([]link, 0, commands), make([]successor, 0, commands),
	}
	for i := range commands {
		r.free = append(r.free, int32(commands-1-i))
	}
	return r
}

// makeRoomFor sees to it that there is room for n commands under way, and for the events that they
// bring. The mutex is held; it allocates where there never were so many.
func (m *Mixer) makeRoomFor(n int64) {
	if n > m.commandRoom {
		m.commandRoom = max(n, min(2*m.commandRoom, m.commandMax))
		m.moreRoom.Store(newRoom(int(m.commandRoom))) // first: what is pushed then has a place in it
		m.commands.Grow(int(m.commandRoom))
	}
	m.makeRoomForEvents(n)
}

// makeRoomForEvents sees to it that what is under way can tell all that blockEvents counts, on top of what
// waits. Voices that take turns, endless ones and others that may be virtual, tell of it for as long as they
// like: where there are more than slots, as many events wait as ever. The mutex is held.
func (m *Mixer) makeRoomForEvents(commands int64) {
	room := m.events.Cap()
	if room >= m.mostCells {
		return
	}
	records, waiting := m.records.Len(), m.events.Len()
	need := 3 * (2*records + int(commands) + len(m.tree) + min(records, m.maxVoices))
	if (m.loops || m.virtual) && records > m.fewest {
		need = m.mostCells
	}
	if room-waiting < need {
		m.events.Grow(min(max(2*room, waiting+need), m.mostCells))
	}
}

// takeRoom goes on in what the control side has made. What has been pushed before it looks has room there.
func (a *audio) takeRoom() {
	if a.moreRoom.Load() == nil {
		return
	}
	more := a.moreRoom.Swap(nil)
	a.queue.move(more)
	a.links = append(more.links, a.links...)
	a.ready = append(more.ready, a.ready...)
}

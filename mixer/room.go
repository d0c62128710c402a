package mixer

// A mixer starts small and grows on demand. The control side allocates larger buffers and hands them to
// the audio side, which never allocates. Capacities set in the Config are allocated in New.

// made holds the initial capacities.
type made struct {
	commands     int // under way
	records      int
	eventRecords int // of queued events

	maxEventRecords int // maximum of eventRecords
}

// The initial capacities if Config.Commands is 0: commands, records in addition to voices, and event
// records.
const (
	leastCommands   = 16
	leastRecords    = 8
	minEventRecords = 64
)

// size returns the initial capacities. commands and events are the values of the Config before defaults.
func (c *Config) size(commands, events int) made {
	m := made{commands: commands, records: c.mostRecords(), maxEventRecords: c.maxEventRecords(events)}
	m.eventRecords = m.maxEventRecords
	if commands == 0 {
		m.commands = min(leastCommands, c.Commands)
		m.records = min(c.MaxVoices+c.Virtual+leastRecords, m.records)
		if events == 0 {
			m.eventRecords = min(minEventRecords+c.MaxVoices/4, m.maxEventRecords)
		}
	}
	return m
}

// maxEventRecords returns the maximum number of queued event records. If Config.Events is set, all of its
// events may be choices. By default most of them are not.
func (c *Config) maxEventRecords(events int) int {
	switch {
	case events > 0:
		return 4 * c.Events
	case c.Stems:
		return 3 * c.Events
	}
	return 2 * c.Events
}

// room holds the audio-side buffers for a number of commands under way.
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

// makeRoomFor grows the buffers for n commands under way and for their events. It allocates if n is a new
// maximum. The mutex is held.
func (m *Mixer) makeRoomFor(n int64) {
	if n > m.commandRoom {
		m.commandRoom = max(n, min(2*m.commandRoom, m.commandMax))
		m.moreRoom.Store(newRoom(int(m.commandRoom))) // before the ring buffer grows, so that later commands fit
		m.commands.Grow(int(m.commandRoom))
	}
	m.makeRoomForEvents(n)
}

// makeRoomForEvents grows the event queue, so that all commands and voices can emit the events that
// maxBlockEvents counts. Endless voices and other virtual voices can be exchanged any number of times. If
// there are more of them than slots, the queue gets its maximum size. The mutex is held.
func (m *Mixer) makeRoomForEvents(commands int64) {
	room := m.events.Cap()
	if room >= m.maxEventRecords {
		return
	}
	records, waiting := m.records.Len(), m.events.Len()
	need := 3 * (2*records + int(commands) + len(m.tree) + min(records, m.maxVoices))
	if (m.loops || m.virtual) && records > m.fewest {
		need = m.maxEventRecords
	}
	if room-waiting < need {
		m.events.Grow(min(max(2*room, waiting+need), m.maxEventRecords))
	}
}

// takeRoom switches to the larger buffers from the control side, if there are any. They have room for all
// commands that were sent before.
func (a *audio) takeRoom() {
	if a.moreRoom.Load() == nil {
		return
	}
	more := a.moreRoom.Swap(nil)
	a.queue.move(more)
	a.links = append(more.links, a.links...)
	a.ready = append(more.ready, a.ready...)
}

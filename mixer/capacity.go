package mixer

import (
	"voicepool/internal/ring"
	"voicepool/mixer/internal/commandqueue"
	"voicepool/mixer/internal/eventcode"
	"voicepool/mixer/internal/successor"
)

// A mixer starts small and grows on demand. The control side allocates larger buffers and hands them to
// the audio side, which never allocates. Capacities set in the Config are allocated in New.

// initialCapacity holds the initial capacities.
type initialCapacity struct {
	commands     int // under way
	records      int
	eventRecords int // of queued events

	maxEventRecords int // maximum of eventRecords
}

// The initial capacities if Config.Commands is 0: commands, records in addition to voices, and event
// records.
const (
	minCommands     = 16
	minRecords      = 8
	minEventRecords = 64
)

// initialCapacity returns the capacities of the queues of a new mixer. The defaults of c must be filled in. commands
// and events are the values of Config.Commands and Config.Events before that; 0 means that the caller of New has not
// set them. If commands is 0, the queues start small and grow on demand; an event queue with a set size has this size
// from the start. Otherwise all queues have their full size.
func (c *Config) initialCapacity(commands, events int) initialCapacity {
	m := initialCapacity{commands: commands, records: c.maxRecords(), maxEventRecords: c.maxEventRecords(events)}
	m.eventRecords = m.maxEventRecords
	if commands == 0 {
		m.commands = min(minCommands, c.Commands)
		m.records = min(c.MaxVoices+c.Virtual+minRecords, m.records)
		if events == 0 {
			m.eventRecords = min(minEventRecords+c.MaxVoices/4, m.maxEventRecords)
		}
	}
	return m
}

// maxEventRecords returns the maximum number of event records in the queue. An event takes one or more records. events
// is Config.Events before the defaults were filled in. If it is set, each event gets the most records that an event
// may need. By default it gets 2, or 3 with Config.Stems, because most events are short.
func (c *Config) maxEventRecords(events int) int {
	switch {
	case events > 0:
		return eventcode.MaxRecords * c.Events
	case c.Stems:
		return 3 * c.Events
	}
	return 2 * c.Events
}

// queueBuffers holds the audio-side buffers for a number of commands under way.
type queueBuffers struct {
	queue      commandqueue.Queue[command]
	successors successor.Queue
}

// newQueueBuffers returns empty buffers for commands and successors on the audio side. They have room for the given
// number of commands under way.
func newQueueBuffers(commands int) *queueBuffers {
	return &queueBuffers{commandqueue.New[command](commands), successor.New(commands)}
}

// growBuffers makes room for n commands under way, and for the events that they cause, see growEvents. The buffers of
// commands grow only if n exceeds every earlier n; the audio side adopts the larger buffers. The caller holds the
// mutex.
func (m *Mixer) growBuffers(n int64) {
	if m.capacity.Grow(n) {
		m.largerBuffers.Store(newQueueBuffers(int(m.capacity.Allocated))) // before the ring buffer grows, so that later commands fit
		ring.Grow(m.commands, int(m.capacity.Allocated))
	}
	m.growEvents(n)
}

// growEvents makes room in the event queue for all events of one block. commands is the number of commands under way;
// the present voices cause events, too. Endless voices, and all voices with Config.Virtual, can become virtual and
// return repeatedly in a block. If such voices are possible and there are more records than m.minSlots, the smallest
// size of the pool so far, the queue gets its maximum size. The queue never shrinks. The caller holds the mutex.
func (m *Mixer) growEvents(commands int64) {
	capacity := ring.Cap(m.events)
	if capacity >= m.maxEventRecords {
		return
	}
	records, queued := m.records.Len(), ring.Len(m.events)
	need := 3 * (2*records + int(commands) + len(m.tree.Nodes) + min(records, m.maxVoices))
	if (m.mayLoop || m.virtual) && records > m.minSlots {
		need = m.maxEventRecords
	}
	if capacity-queued < need {
		ring.Grow(m.events, min(max(2*capacity, queued+need), m.maxEventRecords))
	}
}

// adoptBuffers replaces the buffers of queued commands and successors by the larger buffers that growBuffers has
// stored, and keeps their contents. Without larger buffers it has no effect. Afterwards there is room for all commands
// that were sent before the call. Therefore receive counts the commands first.
func (a *audio) adoptBuffers() {
	if a.largerBuffers.Load() == nil {
		return
	}
	more := a.largerBuffers.Swap(nil)
	a.queue.MoveTo(&more.queue)
	a.successors.MoveTo(&more.successors)
}

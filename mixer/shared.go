package mixer

import (
	"sync/atomic"
	"time"

	"voicepool/internal/ring"
	"voicepool/mixer/internal/busmix"
	"voicepool/mixer/internal/bustree"
	"voicepool/mixer/internal/commandqueue"
	"voicepool/mixer/internal/master"
	"voicepool/mixer/internal/publish"
	"voicepool/mixer/internal/sleepclock"
	"voicepool/mixer/internal/spatial"
	"voicepool/pcm"
	"voicepool/pool"
	"voicepool/voice"
)

// shared is the state that both sides use: constants set by New, and atomics and ring buffers between the
// sides. Both sides have a pointer to it. The control side reaches the audio side only through it.
type shared struct {
	// Constant after New.
	rate          int
	smooth        int64 // 5 ms in frames
	hop           int64 // period of the grid on which scores are published and virtual voices restored
	tree          *bustree.Tree
	ignoreFilters bool            // scores ignore filters and sends
	meters        []*master.Meter // by bus; nil without meters

	// From the control side to the audio side.
	directory         atomic.Pointer[[]*record] // all records by index; see growRecords
	commands          *ring.Ring[command]
	largerBuffers     atomic.Pointer[queueBuffers] // larger buffers; see growBuffers
	inFlight          commandqueue.InFlight
	listener          spatial.ListenerCell
	listenerMoved     atomic.Bool
	positionsSent     atomic.Bool // a cmdPositions is under way, or positionsDeferred is set
	positionsDeferred atomic.Bool // places have to be read without a cmdPositions
	stopsDeferred     atomic.Bool // a record has a stop that did not fit into the ring buffer
	setsDeferred      atomic.Bool // a voice or bus has a pending set that did not fit
	busPendings       []busPending
	filterBank        atomic.Pointer[voice.FilterBatch] // filters voices together; nil until the first filter
	sendBuffers       *busmix.SendBuffers
	responses         atomic.Pointer[busmix.Responses] // of buses and voices, for scores; nil until the first filter or send

	// From the audio side to the control side.
	freed       *ring.Ring[pool.Handle]
	playheads   []atomic.Int64 // by index of a voice: frames of the sound
	events      *ring.Ring[eventRecord]
	polled      atomic.Bool // the control side reads events, so lost events are counted
	journal     journal
	stems       *busmix.Stems                  // nil without Config.Stems
	effects     []atomic.Pointer[busmix.Chain] // by bus: the control side reads their published values
	missingMips atomic.Bool                    // voices lack versions of their sounds
	longest     atomic.Int64                   // frames of the longest block up to now
	mixing      atomic.Int64                   // 1 while a block is being mixed
	published   publish.SeqCell[[numStats]atomic.Uint64]

	sleep sleepclock.Clock // used by both sides
}

// newShared returns the state that both sides of a mixer with the configuration c share. It has no records of starts
// yet. Its ring buffers have their initial sizes. Meters, stems and the journal exist only if c selects them.
func newShared(c *checkedConfig) *shared {
	buses := len(c.buses)
	s := &shared{
		tree: c.tree, rate: c.Rate, ignoreFilters: c.IgnoreFilters, smooth: pcm.Frames(5*time.Millisecond, c.Rate), hop: hopOf(c.Rate),
		commands:    ring.New[command](c.initial.commands),
		playheads:   make([]atomic.Int64, c.MaxVoices+c.maxVirtual()),
		busPendings: make([]busPending, buses),
		freed:       ring.New[pool.Handle](c.initial.records),
		events:      ring.New[eventRecord](c.initial.eventRecords),
	}
	s.directory.Store(new([]*record))
	s.sleep.Init(c.Rate)
	s.sendBuffers = busmix.NewSendBuffers(buses, c.Rate, s.hop)
	if c.Meters {
		s.meters = make([]*master.Meter, buses)
		for i := range s.meters {
			s.meters[i] = master.NewMeter(c.Rate)
		}
	}
	if c.Stems {
		s.stems = busmix.NewStems(c.tree, s.hop, c.tail())
	}
	if c.Journal > 0 {
		s.journal.ring = ring.New[Entry](c.Journal)
	}
	return s
}

// allRecords returns all records by index. The slice must not be changed. If more records are needed, it is replaced
// by a larger slice. Both sides may call it.
func (s *shared) allRecords() []*record { return *s.directory.Load() }

// record returns the record of the handle id, which must not be zero, even if the record belongs to another start
// now. It does not use the pool of records, which belongs to the control side.
func (s *shared) record(id pool.Handle) *record { return s.allRecords()[id.Slot()] }

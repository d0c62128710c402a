package mixer

import (
	"sync/atomic"
	"time"

	"voicepool/effect"
	"voicepool/internal/ring"
	"voicepool/mixer/internal/commandqueue"
	"voicepool/mixer/internal/master"
	"voicepool/mixer/internal/publish"
	"voicepool/pcm"
	"voicepool/pool"
	"voicepool/voice"
)

// shared is the state that both sides use: constants set by New, and atomics and ring buffers between the
// sides. Both sides have a pointer to it. The control side reaches the audio side only through it.
type shared struct {
	// Constant after New.
	rate                   int
	smooth                 int64 // 5 ms in frames
	hop                    int64 // period of the grid on which scores are published and virtual voices restored
	tree                   tree
	downmix                bool            // Config.Fold
	ignoreFilters          bool            // scores ignore filters and sends
	parentsFirst, mixOrder []int           // bus indices: parents first, and parents last
	meters                 []*master.Meter // by bus; nil without meters

	// From the control side to the audio side.
	directory         atomic.Pointer[[]*record] // all records by index; see growRecords
	commands          *ring.Ring[command]
	largerBuffers     atomic.Pointer[queueBuffers] // larger buffers; see growBuffers
	inFlight          commandqueue.InFlight
	listener          publish.SeqCell[[18]atomic.Uint64] // listenerVectors
	listenerMoved     atomic.Bool
	positionsSent     atomic.Bool // a cmdPositions is under way, or positionsDeferred is set
	positionsDeferred atomic.Bool // places have to be read without a cmdPositions
	stopsDeferred     atomic.Bool // a record has a stop that did not fit into the ring buffer
	setsDeferred      atomic.Bool // a voice or bus has a pending set that did not fit
	busPendings       []busPending
	filterBank        atomic.Pointer[voice.FilterBatch] // filters voices together; nil until the first filter
	preBuffer         atomic.Pointer[[]pcm.Frame]       // buffer for pre-fader sends; nil until first used
	sendBuffer        atomic.Pointer[[]pcm.Frame]       // buffer for one voice with sends; nil until first used
	splits            atomic.Pointer[splits]            // nil until the first voice with sends
	soloBypass        []atomic.Pointer[[]pcm.Frame]     // by bus: receives sends from other buses while its own voices are not heard
	spectral          atomic.Pointer[spectral]          // nil until the first filter or send

	// From the audio side to the control side.
	freed       *ring.Ring[pool.Handle]
	playheads   []atomic.Int64 // by index of a voice: frames of the sound
	events      *ring.Ring[eventRecord]
	polled      atomic.Bool // the control side reads events, so lost events are counted
	journal     journal
	stems       *stems                // nil without Config.Stems
	sends       [][]int               // by bus: the destinations of its sends
	effects     [][]*effect.Processor // by bus: the control side reads their published values
	missingMips atomic.Bool           // voices lack versions of their sounds
	longest     atomic.Int64          // frames of the longest block up to now
	published   publish.SeqCell[[numStats]atomic.Uint64]

	sleep sleep // used by both sides
}

// newShared returns the state that both sides of a mixer share, for the configuration c with its defaults filled in.
// buses and roots are the results of allBuses. The state has the tree of buses and their mixing order, but no records
// of starts yet. Its ring buffers have their initial sizes. Meters, stems and the journal exist only if c selects
// them.
func newShared(c *Config, buses []BusConfig, roots int) *shared {
	s := &shared{
		rate: c.Rate, downmix: c.Fold, ignoreFilters: c.IgnoreFilters, smooth: pcm.Frames(5*time.Millisecond, c.Rate), hop: hopOf(c.Rate),
		commands:    ring.New[command](c.initial.commands),
		playheads:   make([]atomic.Int64, c.MaxVoices+c.maxVirtual()),
		busPendings: make([]busPending, len(buses)),
		soloBypass:  make([]atomic.Pointer[[]pcm.Frame], len(buses)),
		freed:       ring.New[pool.Handle](c.initial.records),
		events:      ring.New[eventRecord](c.initial.eventRecords),
	}
	s.directory.Store(new([]*record))
	s.sleep.init()
	s.tree, s.parentsFirst, s.mixOrder = newTree(buses, roots)
	s.mixOrder = s.tree.order(buses, s.mixOrder)
	if c.Meters {
		s.meters = make([]*master.Meter, len(buses))
		for i := range s.meters {
			s.meters[i] = master.NewMeter(c.Rate)
		}
	}
	if c.Stems {
		s.stems = &stems{ring: tailRingLen(s.hop, c.tail()), alone: make([]pcm.Frame, s.hop)}
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

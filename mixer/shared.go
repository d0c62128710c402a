package mixer

import (
	"sync/atomic"
	"time"

	"voicepool/effect"
	"voicepool/internal/ring"
	"voicepool/mixer/internal/master"
	"voicepool/pcm"
	"voicepool/pool"
	"voicepool/voice"
)

// shared is all that both sides touch: what New has settled for good, and, by atomics
// and rings alone, what one side tells the other. Each of them holds it, and neither
// holds the other.
type shared struct {
	// Settled by New.
	rate     int
	smooth   int64 // 5 ms in frames
	hop      int64 // at multiples of it scores are published and virtual voices exchanged
	tree     tree
	fold     bool            // all outputs are mixed into one
	blind    bool            // scores know nothing of filters and sends
	down, up []int           // the buses, each before what is below it, and after
	meters   []*master.Meter // by bus; nil: nothing is measured

	// From the control side to the audio side.
	directory     atomic.Pointer[[]*record] // by slot: all records there are; see moreRecords
	commands      *ring.Ring[command]
	moreRoom      atomic.Pointer[room] // for commands under way; see makeRoomFor
	underWay      flight
	listener      seqVectors[earVectors]
	listenerMoved atomic.Bool
	placesSent    atomic.Bool // a cmdPlace, or placesWait, is under way
	placesWait    atomic.Bool // places are to be looked at, without a cmdPlace
	stopsWait     atomic.Bool // some record has a stop that the ring had no place for
	wantsWait     atomic.Bool // the same for wants, of voices and buses
	busWishes     []busWish
	filterBank    atomic.Pointer[voice.Bank]    // where voices are filtered together; nil: none ever had a filter
	preRoom       atomic.Pointer[[]pcm.Frame]   // where what comes before its fader is; nil: none ever sent that
	sendRoom      atomic.Pointer[[]pcm.Frame]   // where a voice that sends is mixed by itself; nil: none ever did
	splits        atomic.Pointer[splits]        // nil: no voice ever sent
	pasts         []atomic.Pointer[[]pcm.Frame] // by bus: where voices of others send while its own are not heard
	spectral      atomic.Pointer[spectral]      // nil: nothing ever filtered or sent

	// From the audio side to the control side.
	freed     *ring.Ring[pool.Handle]
	positions []atomic.Int64 // by index of the audio side: frames of the sound
	events    *ring.Ring[cell]
	polled    atomic.Bool // the control side has read events: those lost from then on count
	journal   journal
	stems     *stems                // nil: none are kept
	sends     [][]int               // by bus: to which others it sends
	racks     [][]*effect.Processor // by bus: of each the control side reads what is told of it
	needs     atomic.Bool           // voices have missed versions
	longest   atomic.Int64          // frames of the longest block until now
	published stats

	sleep sleep // both sides'
}

// newShared returns what both sides touch, without records.
func newShared(c *Config, buses []BusConfig, roots int) *shared {
	s := &shared{
		rate: c.Rate, fold: c.Fold, blind: c.Blind, smooth: pcm.Frames(5*time.Millisecond, c.Rate), hop: hopOf(c.Rate),
		commands:  ring.New[command](c.made.commands),
		positions: make([]atomic.Int64, c.MaxVoices+c.unheard()),
		busWishes: make([]busWish, len(buses)),
		pasts:     make([]atomic.Pointer[[]pcm.Frame], len(buses)),
		freed:     ring.New[pool.Handle](c.made.records),
		events:    ring.New[cell](c.made.cells),
	}
	s.directory.Store(new([]*record))
	s.sleep.init()
	s.tree, s.down, s.up = newTree(buses, roots)
	s.up = s.tree.order(buses, s.up)
	if c.Meters {
		s.meters = make([]*master.Meter, len(buses))
		for i := range s.meters {
			s.meters[i] = master.NewMeter(c.Rate)
		}
	}
	if c.Stems {
		s.stems = &stems{ring: tailsRing(s.hop, c.tail()), alone: make([]pcm.Frame, s.hop)}
	}
	if c.Journal > 0 {
		s.journal.ring = ring.New[Entry](c.Journal)
	}
	return s
}

// allRecords returns the records there are.
func (s *shared) allRecords() []*record { return *s.directory.Load() }

// record returns the record of a handle that the control side sent. It is not
// looked up in the pool, which is the control side's.
func (s *shared) record(id pool.Handle) *record { return s.allRecords()[id.Slot()] }

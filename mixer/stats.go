package mixer

import (
	"sync/atomic"

	"voicepool/internal/release"
)

// Stats is one snapshot of the counters, taken between two blocks. In every
// snapshot Asked = Started + Rejected + Limited + Coalesced, and
// Started = Ended + Stopped + Stolen + Playing.
type Stats struct {
	Frame int64 // the first frame that is not mixed yet

	Asked     int64 // starts whose frame has come
	Started   int64
	Rejected  int64
	Limited   int64
	Coalesced int64 // starts that became a part of a voice
	Ended     int64 // faults included
	Stopped   int64
	Stolen    int64
	Virtual   int64 // of Playing, those that are virtual
	Playing   int64 // voices that live now, paused ones too

	Missed     int64 // commands for a tag that found no voice
	Late       int64 // commands for a frame that was mixed already
	HighWater  int64 // the most voices that lived at once
	Underruns  int64 // times that a stream has run dry
	Unready    int64 // starts and moves of pitch that had to read a worse version of their sound at first, since the right one was not made yet
	Faults     int64 // frames of the master that were not finite and became silence, voices and inserts that were ended
	Broken     int64 // streams that could not be decoded any further while they played
	EventsLost int64 // events that were not read in time; those before the first Events or NewEventReader do not count; see also EventReader.Lost
	Busy       int64 // calls that failed with ErrBusy, or would have
	Pending    int64 // commands sent whose frame has not come
	Voices     int64 // slots now: Resize and GrowPool move it

	// SilentFrom is the frame from which on the master is silent as things
	// stand, while Playing is 0: the end of the last voice and its tail, in
	// frames of the mix (add Latency for those of Render). While Config.DCGuard
	// fades out after them, it is a frame beyond Frame.
	SilentFrom int64

	// RingsUntil is the frame by which at the latest what effects still give is below -90 dBFS. What they
	// give that is louder moves SilentFrom on, where it is mixed: Skip takes this frame at once.
	RingsUntil int64
}

const numStats = 23

func (s *Stats) fields() [numStats]*int64 {
	return [...]*int64{
		&s.Frame, &s.Asked, &s.Started, &s.Rejected, &s.Limited, &s.Coalesced, &s.Ended, &s.Stopped, &s.Stolen, &s.Virtual, &s.Playing,
		&s.Missed, &s.Late, &s.HighWater, &s.Underruns, &s.Faults, &s.EventsLost, &s.Pending, &s.Voices, &s.SilentFrom, &s.Unready, &s.Broken, &s.RingsUntil,
	}
}

// stats is a Stats that one goroutine writes and any read, all fields of one
// moment: readers try again when version changed meanwhile or is odd.
type stats struct {
	version [1]atomic.Int64
	values  [numStats]atomic.Int64
}

// publish makes s what readers see. Audio side.
func (p *stats) publish(s *Stats) {
	var values [numStats]int64
	for i, f := range s.fields() {
		values[i] = *f
	}
	version := [1]int64{p.version[0].Load() + 1}
	release.Words(p.version[:], version[:])
	release.Words(p.values[:], values[:])
	version[0]++
	release.Words(p.version[:], version[:])
}

func (p *stats) frame() int64 { return p.values[0].Load() }

// Stats returns a snapshot. Control side; it allocates nothing.
func (m *Mixer) Stats() Stats {
	for {
		v := m.published.version[0].Load()
		var s Stats
		for i, f := range s.fields() {
			*f = m.published.values[i].Load()
		}
		if v&1 == 0 && m.published.version[0].Load() == v {
			s.Busy, s.Pending = m.busy.Load(), m.underWay.len()
			return s
		}
	}
}

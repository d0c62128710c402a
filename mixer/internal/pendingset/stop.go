package pendingset

import (
	"sync/atomic"

	"voicepool/mixer/internal/publish"
	"voicepool/pool"
)

// Stop is a stop of a voice. The zero AfterSeq is for a stop of this start, which also cancels a pending start.
type Stop struct {
	ID    pool.Handle // of the start
	Frame int64       // where the stop begins to apply; 0: immediately
	Over  int64       // the length of its fade in frames

	// AfterSeq is the sequence number of the last command before a stop of all voices, which does not affect starts
	// of later frames.
	AfterSeq uint64
}

// StopCell holds a stop that did not fit into the ring buffer, until the audio side has executed it.
type StopCell struct {
	cell     publish.SeqCell[[4]atomic.Uint64]
	executed atomic.Uint64 // the version of the last executed stop
}

// Read returns the stored stop and its version, without waiting. Without a stop these are the zero Stop and version
// 0. If a write is in progress or came in between, ok is false and the stop is invalid. A stop stays stored after it
// was executed, see Executed.
func (c *StopCell) Read() (stop Stop, version uint64, ok bool) {
	var words [4]uint64
	version = c.cell.Version()
	ok = c.cell.Read(words[:]) && c.cell.Version() == version
	return Stop{pool.Handle(words[0]), int64(words[1]), int64(words[2]), words[3]}, version, ok
}

// Executed reports whether version, a result of Read, is the last version that was passed to SetExecuted. An older
// version counts as not executed. Before the first Add, Read returns version 0, and Executed(0) is true because no stop
// waits. Either side may call it.
func (c *StopCell) Executed(version uint64) bool { return c.executed.Load() == version }

// SetExecuted marks the stop with the given version, a result of Read, as executed. Audio side.
func (c *StopCell) SetExecuted(version uint64) { c.executed.Store(version) }

// Add stores stop for the audio side to execute. If another stop of the same start waits, the frame and fade of the
// stop with the earlier end are kept. The end is Frame + Over, even for a Frame of 0. So a later stop never cancels an
// earlier one. If either of the two stops cancels a pending start, the result does. A stored stop of another start is
// replaced. Control side, with the mutex held.
func (c *StopCell) Add(stop Stop) {
	if was, version, _ := c.Read(); !c.Executed(version) && was.ID == stop.ID {
		if was.Frame+was.Over <= stop.Frame+stop.Over {
			stop.Frame, stop.Over = was.Frame, was.Over
		}
		if was.AfterSeq == 0 {
			stop.AfterSeq = 0
		}
	}
	c.cell.Write([]uint64{uint64(stop.ID), uint64(stop.Frame), uint64(stop.Over), stop.AfterSeq})
}

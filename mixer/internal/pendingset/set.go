// Package pendingset holds changes of a voice or a bus that the control side of a mixer stores beside it, instead of
// sending a command for each: sets of properties, and stops that did not fit into the ring buffer. A later set replaces
// an earlier one, so a game may set a property as often as it likes between two blocks. The control side writes with
// the mixer's mutex held; the audio side reads without waiting. The zero values are ready for use.
package pendingset

import (
	"math"
	"sync/atomic"

	"voicepool/mixer/internal/publish"
	"voicepool/sounds"
)

// Set is the pending set of one property. Sets at one frame reduce to two: the last one without a fade, and the
// last fade after it. The zero value has neither.
type Set struct {
	cell publish.SeqCell[[4]atomic.Uint64]
}

// The words of a Set.
const (
	kindWord   = iota // hasJump, hasFade, and above them the shape of the last set
	jumpWord          // float64 bits
	targetWord        // float64 bits
	overWord          // frames
	numWords
)

const (
	hasJump = 1 << iota
	hasFade
	shapeShift = 2 // shift of the shape
)

// Snapshot is a copy of a Set. Values are in the unit of the property.
type Snapshot struct {
	HasJump, HasFade bool
	Jump             float64      // the value of the set without a fade, if HasJump
	Target           float64      // the value at the end of the fade, if HasFade
	Over             int64        // the length of the fade in frames, if HasFade
	Shape            sounds.Shape // of the last set
}

// FinalValue returns the value that the property has after all pending sets in s. If s includes a fade, the value is
// the target of the fade. Otherwise it is s.Jump, the value of the set without a fade. It is 0 if s has no pending set.
func (s *Snapshot) FinalValue() float64 {
	if s.HasFade {
		return s.Target
	}
	return s.Jump
}

// Read returns a copy of the pending sets in s, without waiting. If a write is in progress or came in between, ok is
// false and the copy is invalid. Read does not remove the sets. Audio side.
func (s *Set) Read() (snapshot Snapshot, ok bool) {
	var words [numWords]uint64
	ok = s.cell.Read(words[:])
	kind := words[kindWord]
	return Snapshot{
		HasJump: kind&hasJump != 0, HasFade: kind&hasFade != 0, Shape: sounds.Shape(kind >> shapeShift),
		Jump: math.Float64frombits(words[jumpWord]), Target: math.Float64frombits(words[targetWord]), Over: int64(words[overWord]),
	}, ok
}

// Write adds a set of the property to value. The set is a fade of over frames along shape; an over of 0 means without
// a fade. A set without a fade drops all earlier sets in s. A fade drops earlier fades, but it keeps an earlier set
// without a fade, as its beginning, unless replace is true. Control side, with the mutex held.
func (s *Set) Write(value float64, over int64, shape sounds.Shape, replace bool) {
	var words [numWords]uint64
	s.cell.Read(words[:])
	kind, at := uint64(hasJump), jumpWord
	if over > 0 {
		if kind, at = hasFade, targetWord; !replace {
			kind |= words[kindWord] & hasJump
		}
		words[overWord] = uint64(over)
	}
	words[kindWord], words[at] = kind|uint64(shape)<<shapeShift, math.Float64bits(value)
	s.cell.Write(words[:])
}

// afterRingShift is the shift of the bits for pending sets that are applied after the ring buffer.
const afterRingShift = 16

// DirtyBits has a bit for each property with a pending set, from bit 0 on: at most 16. Both sides set and clear bits by
// Or and And.
type DirtyBits struct {
	atomic.Uint32
	afterSeq atomic.Uint64 // the sequence number of the command that the pending sets after the ring buffer follow
}

// MarkAfterRing makes the pending set of a property wait until the command with the sequence number seq has left the
// ring buffer. bit is 1 shifted by the number of the property. If the property has this mark already, the call has no
// effect. Otherwise seq then counts for all marked properties. Control side, with the mutex held.
func (d *DirtyBits) MarkAfterRing(bit uint32, seq uint64) {
	if !AfterRing(d.Load(), bit) {
		d.afterSeq.Store(seq)
		d.Or(bit << afterRingShift)
	}
}

// AfterRing reports whether the pending set of a property was marked by MarkAfterRing. dirty is a loaded value of
// DirtyBits, and bit is 1 shifted by the number of the property.
func AfterRing(dirty, bit uint32) bool { return dirty&(bit<<afterRingShift) != 0 }

// Drain returns a bit for each property with a pending set, if all of them may be applied now. popped is the number
// of commands that have left the ring buffer. If a set marked by MarkAfterRing must wait for a later command, Drain
// returns 0 and false and changes no bit. Otherwise it removes the marks of MarkAfterRing, but not the bits of the
// sets. Audio side.
func (d *DirtyBits) Drain(popped uint64) (bits uint32, ok bool) {
	dirty := d.Load()
	if after := dirty >> afterRingShift; after != 0 {
		if popped < d.afterSeq.Load() {
			return 0, false
		}
		d.And(^(after << afterRingShift)) // later marks are kept
	}
	return (dirty | dirty>>afterRingShift) & (1<<afterRingShift - 1), true
}

package auto

import (
	"fmt"
	"time"

	"voicepool/internal/words"
	"voicepool/pcm"
)

// Kind is the kind of an Event.
type Kind uint8

const (
	Lost Kind = iota + 1 // the sound card plays no further frames
	Back                 // a sound card plays again, after a fade-in of 20 ms
)

var kinds = [...]string{"kind(0)", "lost", "back"}

// String returns the name of the kind in words, such as "lost".
func (k Kind) String() string { return words.Name("kind", k, kinds[:]) }

// Event reports that the sound card was lost, or that it is back. The two alternate, beginning with Lost. If
// it turns out later that the card cannot come back, a second Lost with the same Frame follows, and is
// Final.
type Event struct {
	Kind   Kind
	Frame  int64 // of the source, counted from Start: the first frame that is lost, or that is played again
	At     time.Duration
	Reason string        // of Lost: the cause, in one line
	Final  bool          // of Lost: the sound card cannot come back in this process
	Gap    time.Duration // of Back: the duration of the gap
	On     string        // of Back: the driver and its sink
}

// Since describes a Lost event: its time, its cause, and the device's reaction:
//
//	12.4 s: server gone; looking
func (e Event) Since() string {
	does := "looking"
	if e.Final {
		does = "the driver cannot come back in this process"
	}
	return fmt.Sprintf("%.1f s: %s; %s", e.At.Seconds(), e.Reason, does)
}

// String returns the event in one readable line:
//
//	no sound since 12.4 s: server gone; looking
//	sound again at 15.1 s on pulse: 2.7 s were not heard
func (e Event) String() string {
	if e.Kind == Back {
		return fmt.Sprintf("sound again at %.1f s on %s: %.1f s were not heard", e.At.Seconds(), e.On, e.Gap.Seconds())
	}
	return "no sound since " + e.Since()
}

// maxEvents is the number of unread events that are kept; older ones are dropped.
const maxEvents = 1 << 10

// Events moves the events since the last call into dst, oldest first, and returns their number. Each event goes
// to one caller only. Control side.
func (d *Device) Events(dst []Event) int {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	n := copy(dst, d.events)
	d.events = append(d.events[:0], d.events[n:]...)
	return n
}

// addEvent sets the time of e from its frame and appends it to the unread events. If there are maxEvents, the oldest
// is dropped. The caller holds the mutex.
func (d *Device) addEvent(e Event) {
	e.At = pcm.Duration(e.Frame, d.config.Rate)
	if len(d.events) == maxEvents {
		d.events = append(d.events[:0], d.events[1:]...)
	}
	d.events = append(d.events, e)
}

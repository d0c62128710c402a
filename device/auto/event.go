package auto

import (
	"fmt"
	"time"

	"voicepool/internal/words"
	"voicepool/pcm"
)

// Kind is what happened to the sound.
type Kind uint8

const (
	Lost Kind = iota + 1 // nothing is heard from here on
	Back                 // it is heard again, after a fade-in of 20 ms
)

var kinds = [...]string{"kind(0)", "lost", "back"}

func (k Kind) String() string { return words.Name("kind", k, kinds[:]) }

// Event is a loss of the sound, or its return. They come in turns, the loss first; a second
// Lost of the same Frame says that it is Final.
type Event struct {
	Kind   Kind
	Frame  int64 // of the source, counted from Start: the first that is not heard, or that is heard again
	At     time.Duration
	Reason string        // of Lost: why, in one line
	Final  bool          // of Lost: the sound does not come back in this process
	Gap    time.Duration // of Back: how long nothing was heard
	On     string        // of Back: the driver, and its sink
}

// Since returns of Lost since when nothing is heard, why, and what is done about it:
//
//	12.4 s: server gone; looking
func (e Event) Since() string {
	does := "looking"
	if e.Final {
		does = "the driver cannot come back in this process"
	}
	return fmt.Sprintf("%.1f s: %s; %s", e.At.Seconds(), e.Reason, does)
}

// String returns the event in one line, for people:
//
//	no sound since 12.4 s: server gone; looking
//	sound again at 15.1 s on pulse: 2.7 s were not heard
func (e Event) String() string {
	if e.Kind == Back {
		return fmt.Sprintf("sound again at %.1f s on %s: %.1f s were not heard", e.At.Seconds(), e.On, e.Gap.Seconds())
	}
	return "no sound since " + e.Since()
}

// maxEvents is how many events are kept for who does not poll: the last ones.
const maxEvents = 1 << 10

// Events moves what has happened since the last call into dst, oldest first, and returns
// how many. Control side; callers share what there is.
func (d *Device) Events(dst []Event) int {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	n := copy(dst, d.events)
	d.events = append(d.events[:0], d.events[n:]...)
	return n
}

// tell keeps an event. The mutex is held.
func (d *Device) tell(e Event) {
	e.At = pcm.Duration(e.Frame, d.config.Rate)
	if len(d.events) == maxEvents {
		d.events = append(d.events[:0], d.events[1:]...)
	}
	d.events = append(d.events, e)
}

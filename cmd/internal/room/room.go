package room

import (
	"os"
	"sync"
	"sync/atomic"
	"time"

	"voicepool/cmd/internal/live"
	"voicepool/cmd/internal/show"
	"voicepool/cue"
)

// Room is a running room. Methods may be called by any goroutine.
//
// Orders are carried out one at a time. In a room without a device, an order acts at once: a Render of zero
// frames carries it out, under the mutex that the workers hold while mixing. With a device, the audio side
// takes no lock.
type Room struct {
	options Options
	rate    int
	text    atomic.Pointer[string]
	folder  *os.Root // may be nil

	playback atomic.Pointer[playback]
	clock    *clockedOutput // nil if the room has a device
	output   *deviceOutput  // nil if the room is paced by the clock
	gate     outputGate

	orders    sync.Mutex // serializes changes of buses and scenes, and batches
	changes   sync.Mutex // serializes changes of the sheet
	faders    faderState
	loops     manualLoops
	scheduler scheduler

	listeners listeners
	log       log
	meter     meter
	closing   sync.Once
	done      chan struct{}
}

// Done returns a channel that is closed when the room has ended.
func (r *Room) Done() <-chan struct{} { return r.done }

// Name returns the name of the room.
func (r *Room) Name() string { return r.options.Name }

// Show returns the show, which runs the list: GO, standby, panic, pause, scenes and control words.
func (r *Room) Show() *show.Show { return r.on().show }

// Sheet returns the current sheet.
func (r *Room) Sheet() *cue.Sheet { return r.on().player.Sheet() }

// Voices returns the number of voices of the room, including virtual voices.
func (r *Room) Voices() int { return int(r.on().player.Mixer().Stats().Voices) + r.Sheet().Virtual }

// Text returns the text of the sheet.
func (r *Room) Text() []byte { return []byte(*r.text.Load()) }

// Look returns the statistics, the peak levels and the output for a live view.
func (r *Room) Look() live.Picture {
	p := live.Picture{Rate: r.rate, Stats: r.on().player.Mixer().Stats()}
	p.Left, p.Right = r.on().player.Levels()
	p.Heard = r.heard()
	return p
}

// heard returns the state of the output. Lost is the reason if the room cannot be heard, otherwise "".
func (r *Room) heard() live.Heard {
	h := live.Heard{Device: "none", State: "playing"}
	if r.output != nil {
		h = r.output.heard()
	}
	if lost := r.gate.lease.Lost(); lost != "" {
		h.Lost = lost
	}
	return h
}

// on returns the current playback.
func (r *Room) on() *playback { return r.playback.Load() }

// wake wakes the mixing after a request. In a room with a device it has no effect. Any goroutine, with or
// without locks.
func (r *Room) wake() {
	if p := r.clock; p != nil {
		p.wake()
	}
}

// carryOut runs do, which issues the commands of an order, and returns its error. In a room without a device
// they act at once; with a device they act at the next block. An ended room is an error.
func (r *Room) carryOut(do func() error) error {
	if r.ended() {
		return errClosed
	}
	if r.clock == nil {
		return of(do())
	}
	r.clock.mutex.Lock()
	defer r.clock.mutex.Unlock()
	if r.clock.ended {
		return errClosed
	}
	r.clock.rouse()
	if err := do(); err != nil {
		return of(err)
	}
	r.clock.carryOut()
	return nil
}

// ended reports whether Close has finished.
func (r *Room) ended() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// Close fades out the voices and ends the room, its listeners and its watchers. It returns when the room has
// ended. The error is from the device. A second call only waits for the first.
func (r *Room) Close(fade time.Duration) error {
	var err error
	r.closing.Do(func() {
		r.scheduler.close()
		r.changes.Lock()
		defer r.changes.Unlock()
		defer close(r.done) // before another change can begin
		st := r.on()
		st.player.Hold(false) // a paused player would not end
		st.player.Mixer().StopAll(fade)
		r.wake()
		if r.sounds() {
			timer := time.NewTimer(fade)
			defer timer.Stop()
			select {
			case <-timer.C:
			case <-st.fed:
			}
		}
		st.player.Finish()
		r.wake()
		if r.clock != nil {
			select {
			case <-st.fed:
			case <-r.clock.workers.done:
			}
			r.clock.end()
		} else {
			<-st.fed
			err = r.output.close()
		}
		st.end()
		r.listeners.close()
		r.log.close()
		if r.folder != nil {
			r.folder.Close()
		}
	})
	<-r.done
	return err
}

// sounds reports whether voices are playing or pending.
func (r *Room) sounds() bool {
	st := r.on().player.Mixer().Stats()
	return st.Playing > 0 || st.Pending > 0
}

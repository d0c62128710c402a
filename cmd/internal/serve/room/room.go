package room

import (
	"os"
	"sync"
	"sync/atomic"
	"time"

	"voicepool/cmd/internal/show/showrun"
	"voicepool/cmd/internal/view/liveview"
	"voicepool/cue"
)

// Room is a running room: a mixer that several programs share. Any goroutine may call its methods.
//
// Orders are carried out one at a time. In a room without a device, an order acts at once: a Render of zero frames
// carries it out, under the mutex that the workers hold while mixing. In a room with a device, the audio side takes no
// lock.
type Room struct {
	options Options
	rate    int
	text    atomic.Pointer[string]
	folder  *os.Root // may be nil

	playback atomic.Pointer[playback]
	clock    *clockedOutput // nil if the room has a device
	output   *deviceOutput  // nil if the room is paced by the clock
	gate     outputGate

	orders      sync.Mutex // serializes changes of buses and scenes, and batches
	changes     sync.Mutex // serializes changes of the sheet
	manualBuses manualBuses
	loops       manualLoops
	scheduler   scheduler

	listeners listeners
	eventLog  eventLog
	meter     meter
	closing   sync.Once
	done      chan struct{}
}

// Done returns a channel that is closed when Close has ended the room.
func (r *Room) Done() <-chan struct{} { return r.done }

// Name returns the name of the room.
func (r *Room) Name() string { return r.options.Name }

// Show returns the show of the room, which handles GO, standby, panic and pause. A change of the sheet may replace the
// show, so the caller must not keep the result.
func (r *Room) Show() *showrun.Show { return r.current().show }

// Sheet returns the current sheet. The caller must not change it.
func (r *Room) Sheet() *cue.Sheet { return r.current().player.Sheet() }

// Voices returns the present size of the voice pool: the number of slots plus the number of virtual voices that the
// sheet allows. It counts both used and unused ones.
func (r *Room) Voices() int {
	return int(r.current().player.Mixer().Stats().Voices) + r.Sheet().Virtual
}

// Text returns a copy of the text of the current sheet.
func (r *Room) Text() []byte { return []byte(*r.text.Load()) }

// Look returns a picture of the room for a live view: the sample rate, the mixer's statistics, the peak levels and the
// state of the output. Its lists of voices and events stay empty. The peaks cover the time since the last call of Look
// or the last computation of Levels, because both reset them.
func (r *Room) Look() liveview.Picture {
	p := liveview.Picture{Rate: r.rate, Stats: r.current().player.Mixer().Stats()}
	p.Left, p.Right = r.current().player.Levels()
	p.Output = r.outputState()
	return p
}

// outputState returns the device, the sink and the latency of the output. Without a device, the latter two are zero.
// The field Lost is the reason why the room cannot be heard, or "": an ended lease, or else a fault of the device.
func (r *Room) outputState() liveview.Output {
	h := liveview.Output{Device: "none", State: "playing"}
	if r.output != nil {
		h = r.output.state()
	}
	if lost := r.gate.lease.EndReason(); lost != "" {
		h.Lost = lost
	}
	return h
}

// current returns the current playback: the player with its show and sounds. A change of the sheet may replace it, so
// an operation must call current once and use that result throughout.
func (r *Room) current() *playback { return r.playback.Load() }

// wake makes the workers mix a sleeping room without a device again. It has no effect on an awake room or a room with a
// device. The caller may hold locks.
func (r *Room) wake() {
	if p := r.clock; p != nil {
		p.wake()
	}
}

// execute calls do, which sends commands to the mixer, and returns the error of do as an *Error. In a room without a
// device, do runs with the mutex of the clock locked; the room wakes, and the commands have acted when execute returns
// nil. On a device they act at the next block. If the room has ended, execute returns errClosed without calling do.
func (r *Room) execute(do func() error) error {
	if r.ended() {
		return errClosed
	}
	if r.clock == nil {
		return roomError(do())
	}
	r.clock.mutex.Lock()
	defer r.clock.mutex.Unlock()
	if r.clock.ended {
		return errClosed
	}
	r.clock.wakeMixer()
	if err := do(); err != nil {
		return roomError(err)
	}
	r.clock.flushCommands()
	return nil
}

// ended reports whether Close has ended the room. It does not wait.
func (r *Room) ended() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// Close ends the room and waits until it has ended. It cancels the scheduled actions first. It then resumes a paused
// show and fades out all voices. The parameter fade is the time for that; 0 means 10 ms. Finally it ends the player,
// the device, the listeners and the watchers.
//
// The error comes from closing the device. A further call waits until the first call has finished, and returns nil.
func (r *Room) Close(fade time.Duration) error {
	var err error
	r.closing.Do(func() {
		r.scheduler.close()
		r.changes.Lock()
		defer r.changes.Unlock()
		defer close(r.done) // before another change can begin
		st := r.current()
		st.player.Hold(false) // a paused player would not end
		st.player.Mixer().StopAll(fade)
		r.wake()
		if r.hasVoices() {
			select {
			case <-time.After(fade):
			case <-st.done:
			}
		}
		st.player.Finish()
		r.wake()
		if r.clock != nil {
			select {
			case <-st.done:
			case <-r.clock.workers.done:
			}
			r.clock.end()
		} else {
			<-st.done
			err = r.output.close()
		}
		st.end()
		r.listeners.close()
		r.eventLog.close()
		if r.folder != nil {
			r.folder.Close()
		}
	})
	<-r.done
	return err
}

// hasVoices reports whether the mixer has a playing or a pending voice. A pending voice has been requested but has not
// begun.
func (r *Room) hasVoices() bool {
	st := r.current().player.Mixer().Stats()
	return st.Playing > 0 || st.Pending > 0
}

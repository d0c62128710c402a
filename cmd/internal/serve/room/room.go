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

// Done returns a channel that is closed when Close has finished.
func (r *Room) Done() <-chan struct{} { return r.done }

// Name returns the name of the room.
func (r *Room) Name() string { return r.options.Name }

// Show returns the show of the current playback, which handles GO, standby, panic, pause and scenes. A change of the
// sheet that needs another mixer replaces the show, so the caller must not keep the result.
func (r *Room) Show() *showrun.Show { return r.current().show }

// Sheet returns the current sheet. Do not change it.
func (r *Room) Sheet() *cue.Sheet { return r.current().player.Sheet() }

// Voices returns the size of the room's pool now: the number of slots and of virtual voices, in use or not.
func (r *Room) Voices() int {
	return int(r.current().player.Mixer().Stats().Voices) + r.Sheet().Virtual
}

// Text returns a copy of the text of the current sheet.
func (r *Room) Text() []byte { return []byte(*r.text.Load()) }

// Look returns the sample rate, the mixer's statistics, the peak levels and the state of the output for a live view.
// It leaves voices and events empty.
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

// current returns the current playback. Because a change of the sheet may replace it, one operation must use the same
// result throughout.
func (r *Room) current() *playback { return r.playback.Load() }

// wake ends the sleep of a room without a device, after a request. With a device it has no effect. It may be called
// with or without locks.
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

// ended reports whether Close has ended the room, so that the channel of Done is closed.
func (r *Room) ended() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// Close fades out the voices within the time fade, 0 meaning 10 ms, and resumes a paused show for that. It then ends
// the room with its scheduled actions, player, listeners and watchers, and waits until the room has ended. The error
// comes from the device. A further call waits until the first one has finished and returns nil.
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
			timer := time.NewTimer(fade)
			defer timer.Stop()
			select {
			case <-timer.C:
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

// hasVoices reports whether a voice is playing or pending in the mixer.
func (r *Room) hasVoices() bool {
	st := r.current().player.Mixer().Stats()
	return st.Playing > 0 || st.Pending > 0
}

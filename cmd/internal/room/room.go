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

	stage atomic.Pointer[stage]
	pace  *pace // nil if the room has a device
	card  *card // nil if the room is paced by the clock
	valve valve

	orders  sync.Mutex // serializes changes of buses and scenes, and batches
	changes sync.Mutex // serializes changes of the sheet
	desk    desk
	loops   loops
	agenda  agenda

	hall    hall
	log     log
	meter   meter
	closing sync.Once
	done    chan struct{}
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

// Look returns the data for a live view.
func (r *Room) Look() live.Picture {
	p := live.Picture{Rate: r.rate, Stats: r.on().player.Mixer().Stats()}
	p.Left, p.Right = r.on().player.Levels()
	p.Heard = r.heard()
	return p
}

// heard returns the state of the output.
func (r *Room) heard() live.Heard {
	h := live.Heard{Device: "none", State: "playing"}
	if r.card != nil {
		h = r.card.heard()
	}
	if lost := r.valve.permit.Lost(); lost != "" {
		h.Lost = lost
	}
	return h
}

// on returns the current stage.
func (r *Room) on() *stage { return r.stage.Load() }

// wake wakes the room after a request. Any goroutine, with or without locks.
func (r *Room) wake() {
	if p := r.pace; p != nil {
		p.poke()
	}
}

// settle carries out an order: do issues its commands. In a paced room they act at once; with a device they
// act at the next block.
func (r *Room) settle(do func() error) error {
	if r.ended() {
		return errClosed
	}
	if r.pace == nil {
		return of(do())
	}
	r.pace.mutex.Lock()
	defer r.pace.mutex.Unlock()
	if r.pace.ended {
		return errClosed
	}
	r.pace.rouse()
	if err := do(); err != nil {
		return of(err)
	}
	r.pace.carryOut()
	return nil
}

func (r *Room) ended() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// Close fades out the voices and ends the room, its listeners and its watchers. It may be called twice.
func (r *Room) Close(fade time.Duration) error {
	var err error
	r.closing.Do(func() {
		r.agenda.close()
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
		if r.pace != nil {
			select {
			case <-st.fed:
			case <-r.pace.workers.done:
			}
			r.pace.end()
		} else {
			<-st.fed
			err = r.card.close()
		}
		st.end()
		r.hall.close()
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

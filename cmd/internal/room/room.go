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

// Room is a room. All methods may be called by any goroutine.
//
// Orders are one at a time. In a room without a card each is carried out at once, by a Render of no
// frames, under the mutex under which its workers mix; on a card the audio side takes no lock.
type Room struct {
	options Options
	rate    int
	text    atomic.Pointer[string]
	folder  *os.Root // nil: it has none

	stage atomic.Pointer[stage]
	pace  *pace // nil: it has a card
	card  *card // nil: it is paced
	valve valve

	orders  sync.Mutex // of what moves buses and scenes, and of steps that belong together
	changes sync.Mutex // of sheets
	desk    desk
	loops   loops
	agenda  agenda

	hall    hall
	log     log
	meter   meter
	closing sync.Once
	done    chan struct{}
}

// Done is closed when the room has ended.
func (r *Room) Done() <-chan struct{} { return r.done }

// Name returns what the room is called.
func (r *Room) Name() string { return r.options.Name }

// Show returns what runs the list: GO, standby, panic, pause, scenes and the words of control.
func (r *Room) Show() *show.Show { return r.on().show }

// Sheet returns the sheet that is played.
func (r *Room) Sheet() *cue.Sheet { return r.on().player.Sheet() }

// Voices returns how many voices the room has, virtual ones included.
func (r *Room) Voices() int { return int(r.on().player.Mixer().Stats().Voices) + r.Sheet().Virtual }

// Text returns the text of the sheet, as it was given.
func (r *Room) Text() []byte { return []byte(*r.text.Load()) }

// Look returns the picture of a live view: for who draws one.
func (r *Room) Look() live.Picture {
	p := live.Picture{Rate: r.rate, Stats: r.on().player.Mixer().Stats()}
	p.Left, p.Right = r.on().player.Levels()
	p.Heard = r.heard()
	return p
}

// heard says where the room is heard.
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

// on returns what plays.
func (r *Room) on() *stage { return r.stage.Load() }

// wake has the room be awake: something is asked for. Any goroutine, whatever it holds.
func (r *Room) wake() {
	if p := r.pace; p != nil {
		p.poke()
	}
}

// settle carries out an order, whose commands are given by do, and what is due at this moment. On a
// card they act at the next block.
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

// Close ends the room: what plays fades out, listeners and watchers end. Closing twice is harmless.
func (r *Room) Close(fade time.Duration) error {
	var err error
	r.closing.Do(func() {
		r.agenda.close()
		r.changes.Lock()
		defer r.changes.Unlock()
		defer close(r.done) // before another change begins
		st := r.on()
		st.player.Hold(false) // what is paused would not end
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

// sounds reports whether something plays.
func (r *Room) sounds() bool {
	st := r.on().player.Mixer().Stats()
	return st.Playing > 0 || st.Pending > 0
}

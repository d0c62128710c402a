package room

import (
	"sync"
	"sync/atomic"
	"time"

	"voicepool/pcm"
)

// pace has a room without a card be mixed by the clock. mutex is the room's audio side: who holds it
// may call Render, Sleep, Wake and Turn.
type pace struct {
	room    *Room
	workers *Workers
	own     bool        // the workers are this room's alone
	asleep  atomic.Bool // it is in no list of the workers; who ends that puts it there

	mutex sync.Mutex
	began time.Time // when frame 0 was due
	out   int64     // frames that are over: mixed, slept or held
	dozes bool      // the mixer sleeps
	ended bool
	block []pcm.Frame

	next time.Time // when it is mixed next: the workers'
}

// start begins to mix the room, which began at a time; zero: now.
func (p *pace) start(began time.Time) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.place(p.room.on())
	if !began.IsZero() {
		p.began = p.began.Add(-time.Since(began))
	}
	p.workers.rooms.Add(1)
	p.workers.add(p, time.Now())
}

// place has the clock go by the mixer of a stage. The mutex is held, or nothing is mixed yet.
func (p *pace) place(st *stage) {
	p.out, p.dozes = st.player.Mixer().Now(), false
	p.began = time.Now().Add(-pcm.Duration(p.out, p.room.rate))
	p.block = make([]pcm.Frame, int(pcm.Frames(step, p.room.rate)+1)*st.player.Outputs()) // one more: some steps have it
}

// at returns when a frame is due.
func (p *pace) at(frame int64) time.Time { return p.began.Add(pcm.Duration(frame, p.room.rate)) }

// poke has the workers look at the room, if it sleeps. Any goroutine, whatever it holds.
func (p *pace) poke() {
	if p.asleep.CompareAndSwap(true, false) {
		p.workers.add(p, time.Now())
	}
}

// again has the workers mix the stage that has been placed, also if the player before it ended by itself. The
// mutex is held.
func (p *pace) again() {
	p.ended = false
	p.poke()
}

// rouse ends a sleep. The mutex is held.
func (p *pace) rouse() {
	p.poke()
	if p.dozes {
		p.dozes = false
		p.out += p.room.on().player.Mixer().Wake(time.Now())
	}
}

// carryOut has what was asked for act at this moment. The mutex is held.
func (p *pace) carryOut() {
	st := p.room.on()
	st.player.Mixer().Render(nil)
	p.tend(st)
}

// tend has the player do what is to be done. The mutex is held.
func (p *pace) tend(st *stage) {
	if p.ended {
		return
	}
	done, err := st.player.Turn()
	if err != nil {
		p.room.say(err.Error())
	}
	if done {
		p.ended = true
		close(st.fed)
	}
}

// turn mixes what is due, and returns when more will be; false: it sleeps, or has ended.
func (p *pace) turn(w *Workers) (next time.Time, again bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if !p.ended {
		p.rouse()
	}
	now := time.Now()
	if behind := now.Sub(p.at(p.out)); behind > standstill {
		left := pcm.Frames(behind, p.room.rate)
		p.began = p.began.Add(pcm.Duration(left, p.room.rate))
		w.skipped.Add(left)
	}
	tick, most := w.tick(now), int64(len(p.block)/p.room.on().player.Outputs())
	for n := p.due(tick); !p.ended && n > 0; n = p.due(tick) {
		begun := time.Now()
		p.mix(int(min(n, most)))
		w.mixed(p.at(p.out), begun, time.Now())
	}
	if p.ended {
		w.awake.Add(-1)
		p.asleep.Store(true)
		return time.Time{}, false
	}
	next = tick.Add(step) // before it sleeps: then others may have it
	if p.sleeps() {
		w.awake.Add(-1)
		return time.Time{}, false
	}
	return next, true
}

// due returns how many frames are due at a time, and not mixed.
func (p *pace) due(at time.Time) int64 { return pcm.Frames(at.Sub(p.began), p.room.rate) - p.out }

// mix mixes some frames, and gives them to who listens.
func (p *pace) mix(frames int) {
	st := p.room.on()
	block := p.block[:frames*st.player.Outputs()]
	p.tend(st)
	st.player.Render(block)
	p.room.valve.shape(block, st.player.Outputs(), p.room.rate, 0)
	p.out += int64(frames)
	p.room.hall.give(block)
}

// sleeps reports whether nothing is to be mixed until something is asked for; then, whoever asks has it
// in the list again.
func (p *pace) sleeps() bool {
	r, st := p.room, p.room.on()
	if !r.hall.empty() || !st.player.Idle() {
		return false
	}
	p.asleep.Store(true) // from here on who asks wakes it
	if r.hall.empty() && st.player.Idle() && st.player.Mixer().Sleep(p.at(p.out)) {
		p.dozes = true
		return true
	}
	return !p.asleep.CompareAndSwap(true, false) // somebody was faster: it is in the list already
}

// end has it be mixed no more.
func (p *pace) end() {
	p.mutex.Lock()
	p.ended = true
	p.mutex.Unlock()
	p.workers.rooms.Add(-1)
	if p.own {
		p.workers.Close()
	}
}

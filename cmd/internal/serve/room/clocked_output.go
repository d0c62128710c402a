package room

import (
	"sync"
	"sync/atomic"
	"time"

	"voicepool/pcm"
)

// clockedOutput mixes a room without a device by the clock. mutex guards the audio side of the room: its holder may
// call Render, Sleep, Wake and Step.
type clockedOutput struct {
	room    *Room
	workers *Workers
	own     bool        // the workers belong to this room only
	asleep  atomic.Bool // not in the workers' schedule; clearing it adds the room again

	mutex sync.Mutex
	began time.Time // time of frame 0
	out   int64     // frames completed: mixed, slept or held
	dozes bool      // the mixer is asleep
	ended bool
	block []pcm.Frame

	next time.Time // time of the next mix; owned by the workers
}

// start adds the room to the workers, which then mix it. If began is not zero, the clock of the room is as late as if
// mixing had started at the time began: the frames since then are mixed at once. It must be called once, without the
// mutex.
func (p *clockedOutput) start(began time.Time) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.setPlayback(p.room.on())
	if !began.IsZero() {
		p.began = p.began.Add(-time.Since(began))
	}
	p.workers.rooms.Add(1)
	p.workers.add(p, time.Now())
}

// setPlayback makes the clock continue at the current frame of the mixer of st, counted from now, and allocates the
// block for the outputs of st. The mixer counts as awake. The caller holds the mutex.
func (p *clockedOutput) setPlayback(st *playback) {
	p.out, p.dozes = st.player.Mixer().Now(), false
	p.began = time.Now().Add(-pcm.Duration(p.out, p.room.rate))
	p.block = make([]pcm.Frame, int(pcm.Frames(step, p.room.rate)+1)*st.player.Outputs()) // one more, because of rounding
}

// at returns the time when frame, a frame of the mixer, is due. The caller holds the mutex.
func (p *clockedOutput) at(frame int64) time.Time {
	return p.began.Add(pcm.Duration(frame, p.room.rate))
}

// wake schedules a sleeping room to be mixed at once by the workers; it does not mix. It has no effect on an awake
// room. It may be called with or without locks.
func (p *clockedOutput) wake() {
	if p.asleep.CompareAndSwap(true, false) {
		p.workers.add(p, time.Now())
	}
}

// again clears p.ended and wakes the room, after the playback of the room was replaced, so that mixing resumes even if
// the previous player had ended by itself. The caller holds the mutex.
func (p *clockedOutput) again() {
	p.ended = false
	p.wake()
}

// rouse wakes the room as wake does. If the mixer slept, it also wakes the mixer, whose frame counter jumps to the
// current time; p.out follows. The caller holds the mutex.
func (p *clockedOutput) rouse() {
	p.wake()
	if p.dozes {
		p.dozes = false
		p.out += p.room.on().player.Mixer().Wake(time.Now())
	}
}

// carryOut renders an empty block, so that commands already sent act at the current frame, and then calls tend. The
// caller holds the mutex and has called rouse.
func (p *clockedOutput) carryOut() {
	st := p.room.on()
	st.player.Mixer().Render(nil)
	p.tend(st)
}

// tend calls Step of the player of st, which passes due cues to the mixer, and passes an error of Step to Options.Say.
// When the player has ended, tend sets p.ended and closes st.fed. After the end it has no effect. The caller holds the
// mutex.
func (p *clockedOutput) tend(st *playback) {
	if p.ended {
		return
	}
	done, err := st.player.Step()
	if err != nil {
		p.room.say(err.Error())
	}
	if done {
		p.ended = true
		close(st.fed)
	}
}

// step mixes the frames that are due at the last tick, in blocks of at most 10 ms, and returns the time when w must
// call it again. If again is false, the room sleeps or has ended; w must not schedule it again, and step no longer
// counts it as awake. If the room is more than a second behind, step skips the missed frames and counts them in w. Only
// the workers call it, without the mutex.
func (p *clockedOutput) step(w *Workers) (next time.Time, again bool) {
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
	next = tick.Add(step) // read before the room sleeps, because a waker may change it afterwards
	if p.sleeps() {
		w.awake.Add(-1)
		return time.Time{}, false
	}
	return next, true
}

// due returns how many frames are due at the time at and not yet mixed. The result is negative if the room is ahead of
// the clock. The caller holds the mutex.
func (p *clockedOutput) due(at time.Time) int64 {
	return pcm.Frames(at.Sub(p.began), p.room.rate) - p.out
}

// mix calls tend, renders the next block, whose length is frames and at most the length of p.block, applies the output
// gate and passes the block to the listeners. It advances p.out. The caller holds the mutex.
func (p *clockedOutput) mix(frames int) {
	st := p.room.on()
	block := p.block[:frames*st.player.Outputs()]
	p.tend(st)
	st.player.Render(block)
	p.room.gate.shape(block, st.player.Outputs(), p.room.rate, 0)
	p.out += int64(frames)
	p.room.listeners.give(block)
}

// sleeps puts the room and its mixer to sleep if the player is idle and the room has no listener. It reports whether
// the worker must not schedule the room again: the room sleeps, or a wake during the call has already scheduled it. A
// later wake ends the sleep. The caller holds the mutex.
func (p *clockedOutput) sleeps() bool {
	r, st := p.room, p.room.on()
	if !r.listeners.empty() || !st.player.Idle() {
		return false
	}
	p.asleep.Store(true) // from here on a request wakes the room
	if r.listeners.empty() && st.player.Idle() && st.player.Mixer().Sleep(p.at(p.out)) {
		p.dozes = true
		return true
	}
	return !p.asleep.CompareAndSwap(true, false) // a request was faster and has already woken it
}

// end stops mixing for good, after the block that is being mixed, and removes the room from the count of the workers.
// If the workers belong to this room alone, it closes them. It must be called once, without the mutex.
func (p *clockedOutput) end() {
	p.mutex.Lock()
	p.ended = true
	p.mutex.Unlock()
	p.workers.rooms.Add(-1)
	if p.own {
		p.workers.Close()
	}
}

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
	room       *Room
	workers    *Workers
	ownWorkers bool        // the workers belong to this room only
	asleep     atomic.Bool // not in the workers' schedule; clearing it adds the room again

	mutex       sync.Mutex
	startTime   time.Time // time of frame 0
	position    int64     // frames completed: mixed, slept or held
	mixerAsleep bool      // the mixer is asleep
	ended       bool
	block       []pcm.Frame

	nextMix time.Time // time of the next mix; owned by the workers
}

// start adds the room to the workers, which then mix it. If startTime is not zero, the clock of the room is as late as
// if mixing had started at the time startTime: the frames since then are mixed at once. If that is more than a second,
// step gives up the delay instead. start must be called once, without the mutex.
func (p *clockedOutput) start(startTime time.Time) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.setPlayback(p.room.current())
	if !startTime.IsZero() {
		p.startTime = p.startTime.Add(-time.Since(startTime))
	}
	p.workers.rooms.Add(1)
	p.workers.add(p, time.Now())
}

// setPlayback sets the clock for the playback st: its mixer's current frame is due now, and later frames follow in real
// time. It allocates the block with room for all outputs of st. The mixer counts as awake. The caller holds the mutex.
func (p *clockedOutput) setPlayback(st *playback) {
	p.position, p.mixerAsleep = st.player.Mixer().Now(), false
	p.startTime = time.Now().Add(-pcm.Duration(p.position, p.room.rate))
	p.block = make([]pcm.Frame, int(pcm.Frames(mixInterval, p.room.rate)+1)*st.player.Outputs()) // one more, because of rounding
}

// timeOf returns the time when the mixer frame with the number frame is due. The caller holds the mutex.
func (p *clockedOutput) timeOf(frame int64) time.Time {
	return p.startTime.Add(pcm.Duration(frame, p.room.rate))
}

// wake makes the workers mix a sleeping room again, as soon as possible. It does not mix or wait. It has no effect on
// an awake room. The caller may hold locks.
func (p *clockedOutput) wake() {
	if p.asleep.CompareAndSwap(true, false) {
		p.workers.add(p, time.Now())
	}
}

// restart clears p.ended and wakes the room, after the playback of the room was replaced, so that mixing resumes even
// if the previous player had ended by itself. The caller holds the mutex.
func (p *clockedOutput) restart() {
	p.ended = false
	p.wake()
}

// wakeMixer wakes the room as wake does. If the mixer slept, it also wakes the mixer, whose frame counter jumps to the
// current time; p.position follows. The caller holds the mutex.
func (p *clockedOutput) wakeMixer() {
	p.wake()
	if p.mixerAsleep {
		p.mixerAsleep = false
		p.position += p.room.current().player.Mixer().Wake(time.Now())
	}
}

// flushCommands renders an empty block, so that commands already sent act at the current frame, and then calls
// stepPlayer. The caller holds the mutex and has called wakeMixer.
func (p *clockedOutput) flushCommands() {
	st := p.room.current()
	st.player.Mixer().Render(nil)
	p.stepPlayer(st)
}

// stepPlayer calls Step of the player of st, which passes due cues to the mixer, and passes an error of Step to
// Options.Log. When the player has ended, stepPlayer sets p.ended and closes st.done. After the end it has no effect.
// The caller holds the mutex.
func (p *clockedOutput) stepPlayer(st *playback) {
	if p.ended {
		return
	}
	done, err := st.player.Step()
	if err != nil {
		p.room.logLine(err.Error())
	}
	if done {
		p.ended = true
		close(st.done)
	}
}

// step mixes the frames that are due now and returns the time of its next call. The parameter w is the pool of workers
// that calls it. The frames up to the last tick of w are mixed in blocks of about 10 ms.
//
// If the room is more than a second behind, step does not catch up. It shifts the clock of the room by the delay, so
// that the mix continues at its present frame, and adds the frames of the delay to w.skipped.
//
// If again is false, w must not schedule the room: it has ended, it sleeps, or a request has just scheduled it. step
// then subtracts the room from w.awake. Only the workers call step, without the mutex.
func (p *clockedOutput) step(w *Workers) (next time.Time, again bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if !p.ended {
		p.wakeMixer()
	}
	now := time.Now()
	if behind := now.Sub(p.timeOf(p.position)); behind > skipAfter {
		missed := pcm.Frames(behind, p.room.rate)
		p.startTime = p.startTime.Add(pcm.Duration(missed, p.room.rate))
		w.skipped.Add(missed)
	}
	tick, maxFrames := w.tick(now), int64(len(p.block)/p.room.current().player.Outputs())
	for n := p.backlog(tick); !p.ended && n > 0; n = p.backlog(tick) {
		startTime := time.Now()
		p.mix(int(min(n, maxFrames)))
		w.recordBlock(p.timeOf(p.position), startTime, time.Now())
	}
	if p.ended {
		w.awake.Add(-1)
		p.asleep.Store(true)
		return time.Time{}, false
	}
	next = tick.Add(mixInterval) // read before the room sleeps, because a waker may change it afterwards
	if p.trySleep() {
		w.awake.Add(-1)
		return time.Time{}, false
	}
	return next, true
}

// backlog returns how many frames are due at the time at and not yet mixed. The result is negative if the room is ahead
// of the clock. The caller holds the mutex.
func (p *clockedOutput) backlog(at time.Time) int64 {
	return pcm.Frames(at.Sub(p.startTime), p.room.rate) - p.position
}

// mix calls stepPlayer, renders the next block, applies the output gate and passes the block to the listeners. The
// parameter frames is the length of the block; p.block must have room for that number of frames of all outputs. mix
// advances p.position. The caller holds the mutex.
func (p *clockedOutput) mix(frames int) {
	st := p.room.current()
	block := p.block[:frames*st.player.Outputs()]
	p.stepPlayer(st)
	st.player.Render(block)
	p.room.gate.apply(block, st.player.Outputs(), p.room.rate, 0)
	p.position += int64(frames)
	p.room.listeners.broadcast(block, st.player.Mixer().Now()-int64(frames))
}

// trySleep puts the room and its mixer to sleep if the player is idle and the room has no listener. A later wake ends
// the sleep. The result true means that the worker must not schedule the room again. Either the room sleeps, or a wake
// during the call has already scheduled it. The caller holds the mutex.
func (p *clockedOutput) trySleep() bool {
	r, st := p.room, p.room.current()
	if !r.listeners.empty() || !st.player.Idle() {
		return false
	}
	p.asleep.Store(true) // from here on a request wakes the room
	if r.listeners.empty() && st.player.Idle() && st.player.Mixer().Sleep(p.timeOf(p.position)) {
		p.mixerAsleep = true
		return true
	}
	return !p.asleep.CompareAndSwap(true, false) // a request was faster and has already woken it
}

// end stops mixing for good, after the block that is being mixed. It subtracts the room from the room count of the
// workers. If the workers serve only this room, end also closes them. It must be called once, without the mutex.
func (p *clockedOutput) end() {
	p.mutex.Lock()
	p.ended = true
	p.mutex.Unlock()
	p.workers.rooms.Add(-1)
	if p.ownWorkers {
		p.workers.Close()
	}
}

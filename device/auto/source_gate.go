package auto

import (
	"sync"
	"sync/atomic"
	"time"

	"voicepool/device"
	"voicepool/pcm"
)

// sourceGate ensures that one holder at a time pulls from the source: an attempt, by its number, or the keeper, as
// keeperHolder.
type sourceGate struct {
	mutex      sync.Mutex
	src        device.Source // nil before open and after close
	rate       int
	outputs    int // outputs of the source
	holder     int
	frames     int64         // frames rendered, of each output
	last       time.Time     // time of the last Render
	longestGap time.Duration // the longest interval between two blocks of one holder, since the last snapshot

	// While the keeper is the holder: frame base is due at baseTime.
	base           int64
	baseTime       time.Time
	nextHolder     int   // the attempt that becomes the holder when it pulls next; or keeperHolder
	bufferedFrames int64 // frames that the buffer of nextHolder plays before the frames that it pulls

	asleep      bool // the source sleeps with the consent of the holder
	sleepStart  time.Time
	woken       chan struct{} // closed when the source is woken
	wakeRequest chan struct{} // has one value when the holder must wake the source, or has lost it
	wakeNotice  chan struct{} // has one value when the source was woken

	holderStart             int64 // the first frame of the current holder
	fadedFrames, fadeFrames int64 // fade-in in frames: completed, and total
}

// keeperHolder is the holder number of the keeper.
const keeperHolder = 0

// open sets the source, with rate in frames per second. Only the attempt with number holder may
// pull from src; number 0 is the keeper.
func (v *sourceGate) open(src device.Source, rate, holder int) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.src, v.rate, v.outputs, v.holder, v.last = src, rate, device.OutputsOf(src), holder, time.Now()
}

// transferToKeeper makes the keeper the holder and withdraws any offer. due is the due time of frame mark; the result
// is the due time of the next frame to render.
func (v *sourceGate) transferToKeeper(mark int64, due time.Time) (start time.Time) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.interruptSleep(time.Now())
	v.holder, v.nextHolder = keeperHolder, keeperHolder
	v.base, v.baseTime = v.frames, due.Add(pcm.Duration(v.frames-mark, v.rate))
	return v.baseTime
}

// offer makes an attempt the holder at its next pull. held is the number of frames in the attempt's
// buffer, which it plays first.
func (v *sourceGate) offer(attempt, held int) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.nextHolder, v.bufferedFrames = attempt, int64(held)
}

// cancelHandover withdraws the offer to attempt number who. If the attempt is already the holder, the gate has no
// holder afterwards.
func (v *sourceGate) cancelHandover(attempt int) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.nextHolder = keeperHolder
	if v.holder == attempt {
		v.holder = keeperHolder
	}
}

// handOver makes nextHolder the holder at time now, and starts a fade-in. It renders and discards frames, so that
// the next block, as long as dst, is heard at its due time. The caller holds the mutex.
func (v *sourceGate) handOver(dst []pcm.Frame, now time.Time) {
	v.holder, v.nextHolder, v.last, v.longestGap = v.nextHolder, keeperHolder, now, 0
	block := int64(len(dst) / v.outputs)
	due := v.base + pcm.Frames(now.Sub(v.baseTime), v.rate) + v.bufferedFrames - block
	for late := due - v.frames; late > 0; late = due - v.frames {
		n := min(late, block)
		v.src.Render(dst[:n*int64(v.outputs)])
		v.frames += n
	}
	v.holderStart, v.fadeFrames, v.fadedFrames = v.frames, pcm.Frames(fadeInTime, v.rate), 0
}

// holds reports whether the attempt with this number is the holder. from is the first frame that the latest
// attempt has rendered.
func (v *sourceGate) holds(attempt int) (from int64, ok bool) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	return v.holderStart, v.holder == attempt
}

// snapshot returns the number of frames rendered, the time of the last Render, and the longest interval between two
// Renders since the last snapshot. During a sleep the frames advance with the clock and the time is now.
func (v *sourceGate) snapshot() (frames int64, last time.Time, pause time.Duration) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	pause, v.longestGap = v.longestGap, 0
	if v.asleep {
		now := time.Now()
		return v.frames + v.sleptFrames(now), now, pause
	}
	return v.frames, v.last, pause
}

// sleptFrames returns the time in frames between the start of the sleep and now; 0 if the source is awake. The caller
// holds the mutex.
func (v *sourceGate) sleptFrames(now time.Time) int64 {
	if !v.asleep {
		return 0
	}
	return pcm.Frames(now.Sub(v.sleepStart), v.rate)
}

// sleep puts the source to sleep at time at, and reports whether it did. It returns false for an attempt that is
// not the holder. It also does so if an offer is pending, the source already sleeps, cannot sleep, or has work
// to do.
func (v *sourceGate) sleep(attempt int, at time.Time) bool {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	s, ok := v.src.(device.Sleeper)
	if !ok || attempt != v.holder || v.nextHolder != keeperHolder || v.asleep {
		return false
	}
	drain(v.wakeRequest)
	if !s.Sleep(at) {
		return false
	}
	woken := make(chan struct{})
	v.asleep, v.sleepStart, v.woken = true, at, woken
	go func() {
		select {
		case <-s.Asked():
			notify(v.wakeRequest)
		case <-woken:
		}
	}()
	return true
}

// wake ends a sleep at time at, and returns how many frames the source has skipped. It returns 0 for an attempt
// that is not the holder, or if the source is awake.
func (v *sourceGate) wake(attempt int, at time.Time) int64 {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	if attempt != v.holder {
		return 0
	}
	return v.endSleep(at)
}

// endSleep ends a sleep at time at, and returns how many frames the source has skipped; 0 if it was awake. The
// caller holds the mutex.
func (v *sourceGate) endSleep(at time.Time) (frames int64) {
	if !v.asleep {
		return 0
	}
	v.asleep, v.last = false, at
	close(v.woken)
	frames = v.src.(device.Sleeper).Wake(at)
	v.frames += frames
	notify(v.wakeNotice)
	return frames
}

// interruptSleep ends a sleep on behalf of another goroutine, and notifies the holder. The caller holds the mutex.
func (v *sourceGate) interruptSleep(at time.Time) {
	if v.asleep {
		v.endSleep(at)
		notify(v.wakeRequest)
	}
}

// notify sends a value unless the channel is full.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// drain removes a value from a channel, if it has one.
func drain(c chan struct{}) {
	select {
	case <-c:
	default:
	}
}

// isAsleep reports whether the source sleeps.
func (v *sourceGate) isAsleep() bool {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	return v.asleep
}

// close ends a sleep, waits until a current Render has returned, and prevents further ones: render then returns
// false.
func (v *sourceGate) close() {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.interruptSleep(time.Now())
	v.src = nil
}

// renderedFrames returns the number of frames rendered. During a sleep it advances with the clock.
func (v *sourceGate) renderedFrames() int64 {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	return v.frames + v.sleptFrames(time.Now())
}

// render fills dst and returns true if the attempt with this number is the holder, or accepts an offer with this
// call. Otherwise, or after close, it returns false and leaves dst unchanged.
func (v *sourceGate) render(attempt int, dst []pcm.Frame) bool {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	if v.src == nil || len(dst) == 0 {
		return false
	}
	now := time.Now()
	if attempt == v.nextHolder && attempt != keeperHolder {
		v.interruptSleep(now)
		v.handOver(dst, now)
	}
	if attempt != v.holder {
		return false
	}
	v.endSleep(now)
	v.longestGap, v.last = max(v.longestGap, now.Sub(v.last)), now
	v.src.Render(dst)
	block := int64(len(dst) / v.outputs)
	v.frames += block
	if left := v.fadeFrames - v.fadedFrames; left > 0 {
		n := min(left, block)
		fadeIn(dst[:n*int64(v.outputs)], v.outputs, v.fadedFrames, v.fadeFrames)
		v.fadedFrames += n
	}
	return true
}

// fadeIn multiplies frames of several interleaved outputs by a linear fade-in of length frames. The first one is
// frame from of the fade, counted per output.
func fadeIn(frames []pcm.Frame, outputs int, from, length int64) {
	for i := range frames {
		g := float32(from+int64(i/outputs)) / float32(length)
		frames[i][0] *= g
		frames[i][1] *= g
	}
}

// cardSource is the source of a card: it renders the real source while the card is the holder, and silence otherwise.
type cardSource struct {
	gate     *sourceGate
	attempt  int
	rate     int
	consumed atomic.Int64 // frames of each output

	outputs int
}

var (
	_ device.Rated       = (*cardSource)(nil)
	_ device.MultiOutput = (*cardSource)(nil)
	_ device.Sleeper     = (*cardSource)(nil)
)

// Render fills dst from the source if the card's attempt is the holder, and with silence otherwise. In both
// cases the frames count as consumed.
func (t *cardSource) Render(dst []pcm.Frame) {
	t.consumed.Add(int64(len(dst) / t.outputs))
	if !t.gate.render(t.attempt, dst) {
		clear(dst)
	}
}

// Rate returns the frames per second that the card plays.
func (t *cardSource) Rate() int { return t.rate }

// Outputs returns the number of outputs that the card plays.
func (t *cardSource) Outputs() int { return t.outputs }

// Sleep puts the source to sleep at time at, and reports whether it did. It returns false if the card's attempt
// is not the holder.
func (t *cardSource) Sleep(at time.Time) bool { return t.gate.sleep(t.attempt, at) }

// Asked returns a channel that has a value when the source has a pending command, or the card has lost the
// source.
func (t *cardSource) Asked() <-chan struct{} { return t.gate.wakeRequest }

// Wake ends a sleep at time at, and returns how many frames have passed in it; they count as consumed.
func (t *cardSource) Wake(at time.Time) int64 {
	frames := t.gate.wake(t.attempt, at)
	t.consumed.Add(frames)
	return frames
}

package auto

import (
	"sync"
	"sync/atomic"
	"time"

	"voicepool/device"
	"voicepool/pcm"
)

// valve ensures that one holder at a time pulls from the source: an attempt, by its number, or the keeper, as
// nobody.
type valve struct {
	mutex  sync.Mutex
	src    device.Source // nil before open and after close
	rate   int
	outs   int // outputs of the source
	holder int
	frames int64         // frames rendered, of each output
	last   time.Time     // time of the last Render
	pause  time.Duration // the longest interval between two blocks of one holder, since the last look

	// While the keeper is the holder: frame base is due at begin.
	base  int64
	begin time.Time
	heir  int   // the attempt that becomes the holder when it pulls next; or nobody
	held  int64 // frames that the heir's buffer plays before the frames that it pulls

	asleep bool // the source sleeps with the consent of the holder
	slept  time.Time
	woken  chan struct{} // closed when the source is woken
	asked  chan struct{} // has one value when the holder must wake the source, or has lost it
	nudge  chan struct{} // has one value when the source was woken

	from        int64 // the first frame of the current holder
	faded, fade int64 // fade-in in frames: completed, and total
}

// nobody is the holder number of the keeper.
const nobody = 0

// open sets the source of the valve, with rate in frames per second. Only the attempt with number holder may
// pull from src; number 0 is the keeper.
func (v *valve) open(src device.Source, rate, holder int) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.src, v.rate, v.outs, v.holder, v.last = src, rate, device.OutputsOf(src), holder, time.Now()
}

// take makes the keeper the holder and withdraws any offer. due is the due time of frame mark; the result is the
// due time of the next frame to render.
func (v *valve) take(mark int64, due time.Time) (begin time.Time) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.seize(time.Now())
	v.holder, v.heir = nobody, nobody
	v.base, v.begin = v.frames, due.Add(pcm.Duration(v.frames-mark, v.rate))
	return v.begin
}

// offer makes attempt number heir the holder at its next pull. held is the number of frames in the attempt's
// buffer, which it plays first.
func (v *valve) offer(heir, held int) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.heir, v.held = heir, int64(held)
}

// refuse withdraws the offer to attempt number who. If the attempt is already the holder, the valve has no
// holder afterwards.
func (v *valve) refuse(who int) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.heir = nobody
	if v.holder == who {
		v.holder = nobody
	}
}

// inherit makes the heir the holder at time now, and starts a fade-in. It renders and discards frames, so that
// the next block, as long as dst, is heard at its due time. The caller holds the mutex.
func (v *valve) inherit(dst []pcm.Frame, now time.Time) {
	v.holder, v.heir, v.last, v.pause = v.heir, nobody, now, 0
	block := int64(len(dst) / v.outs)
	due := v.base + pcm.Frames(now.Sub(v.begin), v.rate) + v.held - block
	for late := due - v.frames; late > 0; late = due - v.frames {
		n := min(late, block)
		v.src.Render(dst[:n*int64(v.outs)])
		v.frames += n
	}
	v.from, v.fade, v.faded = v.frames, pcm.Frames(fade, v.rate), 0
}

// holds reports whether the attempt with this number is the holder. from is the first frame that the latest heir
// has rendered.
func (v *valve) holds(who int) (from int64, ok bool) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	return v.from, v.holder == who
}

// look returns the number of frames rendered, the time of the last Render, and the longest interval between two
// Renders since the last look. During a sleep the frames advance with the clock and the time is now.
func (v *valve) look() (frames int64, last time.Time, pause time.Duration) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	pause, v.pause = v.pause, 0
	if v.asleep {
		now := time.Now()
		return v.frames + v.passed(now), now, pause
	}
	return v.frames, v.last, pause
}

// passed returns the time in frames between the start of the sleep and now; 0 if the source is awake. The caller
// holds the mutex.
func (v *valve) passed(now time.Time) int64 {
	if !v.asleep {
		return 0
	}
	return pcm.Frames(now.Sub(v.slept), v.rate)
}

// sleep puts the source to sleep at time at, and reports whether it did. It returns false for an attempt that is
// not the holder. It also does so if an offer is pending, the source already sleeps, cannot sleep, or has work
// to do.
func (v *valve) sleep(who int, at time.Time) bool {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	s, ok := v.src.(device.Sleeper)
	if !ok || who != v.holder || v.heir != nobody || v.asleep {
		return false
	}
	take(v.asked)
	if !s.Sleep(at) {
		return false
	}
	woken := make(chan struct{})
	v.asleep, v.slept, v.woken = true, at, woken
	go func() {
		select {
		case <-s.Asked():
			put(v.asked)
		case <-woken:
		}
	}()
	return true
}

// wake ends a sleep at time at, and returns how many frames the source has skipped. It returns 0 for an attempt
// that is not the holder, or if the source is awake.
func (v *valve) wake(who int, at time.Time) int64 {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	if who != v.holder {
		return 0
	}
	return v.rouse(at)
}

// rouse ends a sleep at time at, and returns how many frames the source has skipped; 0 if it was awake. The
// caller holds the mutex.
func (v *valve) rouse(at time.Time) (frames int64) {
	if !v.asleep {
		return 0
	}
	v.asleep, v.last = false, at
	close(v.woken)
	frames = v.src.(device.Sleeper).Wake(at)
	v.frames += frames
	put(v.nudge)
	return frames
}

// seize ends a sleep on behalf of another goroutine, and notifies the holder. The caller holds the mutex.
func (v *valve) seize(at time.Time) {
	if v.asleep {
		v.rouse(at)
		put(v.asked)
	}
}

// put sends a value unless the channel is full.
func put(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// take removes a value from a channel, if it has one.
func take(c chan struct{}) {
	select {
	case <-c:
	default:
	}
}

// sleeps reports whether the source sleeps.
func (v *valve) sleeps() bool {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	return v.asleep
}

// close ends a sleep, waits until a current Render has returned, and prevents further ones: render then returns
// false.
func (v *valve) close() {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.seize(time.Now())
	v.src = nil
}

// count returns the number of frames rendered. During a sleep it advances with the clock.
func (v *valve) count() int64 {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	return v.frames + v.passed(time.Now())
}

// render fills dst and returns true if the attempt with this number is the holder, or accepts an offer with this
// call. Otherwise, or after close, it returns false and leaves dst unchanged.
func (v *valve) render(who int, dst []pcm.Frame) bool {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	if v.src == nil || len(dst) == 0 {
		return false
	}
	now := time.Now()
	if who == v.heir && who != nobody {
		v.seize(now)
		v.inherit(dst, now)
	}
	if who != v.holder {
		return false
	}
	v.rouse(now)
	v.pause, v.last = max(v.pause, now.Sub(v.last)), now
	v.src.Render(dst)
	block := int64(len(dst) / v.outs)
	v.frames += block
	if left := v.fade - v.faded; left > 0 {
		n := min(left, block)
		fadeIn(dst[:n*int64(v.outs)], v.outs, v.faded, v.fade)
		v.faded += n
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

// tap is the source of a card: it renders the real source while the card is the holder, and silence otherwise.
type tap struct {
	valve *valve
	who   int
	rate  int
	taken atomic.Int64 // frames of each output

	outputs int
}

var (
	_ device.Rated       = (*tap)(nil)
	_ device.MultiOutput = (*tap)(nil)
	_ device.Sleeper     = (*tap)(nil)
)

// Render fills dst from the source if the card's attempt is the holder, and with silence otherwise. In both
// cases the frames count as taken.
func (t *tap) Render(dst []pcm.Frame) {
	t.taken.Add(int64(len(dst) / t.outputs))
	if !t.valve.render(t.who, dst) {
		clear(dst)
	}
}

// Rate returns the frames per second that the card plays.
func (t *tap) Rate() int { return t.rate }

// Outputs returns the number of outputs that the card plays.
func (t *tap) Outputs() int { return t.outputs }

// Sleep puts the source to sleep at time at, and reports whether it did. It returns false if the card's attempt
// is not the holder.
func (t *tap) Sleep(at time.Time) bool { return t.valve.sleep(t.who, at) }

// Asked returns a channel that has a value when the source has a pending command, or the card has lost the
// source.
func (t *tap) Asked() <-chan struct{} { return t.valve.asked }

// Wake ends a sleep at time at, and returns how many frames have passed in it; they count as taken.
func (t *tap) Wake(at time.Time) int64 {
	frames := t.valve.wake(t.who, at)
	t.taken.Add(frames)
	return frames
}

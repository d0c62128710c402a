package auto

import (
	"sync"
	"sync/atomic"
	"time"

	"voicepool/device"
	"voicepool/pcm"
)

// valve lets one at a time pull from the source: an attempt by its number, or the device
// itself, keeping time, as nobody.
type valve struct {
	mutex  sync.Mutex
	src    device.Source // nil before open and after close
	rate   int
	outs   int // outputs of the source
	holder int
	frames int64         // that were rendered, of each output
	last   time.Time     // when the last of them were
	pause  time.Duration // the longest between two blocks of one holder, since the last look

	// While nobody is the holder: frame base is due at begin.
	base  int64
	begin time.Time
	heir  int   // who becomes the holder when it pulls next; nobody: none
	held  int64 // frames that it plays before those that it pulls

	asleep bool // the source sleeps, and the holder lets it
	slept  time.Time
	woken  chan struct{} // closed when it is woken
	asked  chan struct{} // has one when the holder is to wake it, or another has
	nudge  chan struct{} // has one when it was woken

	from        int64 // the first frame of the holder
	faded, fade int64 // frames of its fade-in, and of those what is done
}

// nobody is the number of who keeps time unheard.
const nobody = 0

// open lets holder pull from src.
func (v *valve) open(src device.Source, rate, holder int) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.src, v.rate, v.outs, v.holder, v.last = src, rate, device.OutputsOf(src), holder, time.Now()
}

// take lets nobody pull. Frame mark would have been due at a time; it returns when the next
// frame is.
func (v *valve) take(mark int64, due time.Time) (begin time.Time) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.seize(time.Now())
	v.holder, v.heir = nobody, nobody
	v.base, v.begin = v.frames, due.Add(pcm.Duration(v.frames-mark, v.rate))
	return v.begin
}

// offer lets an attempt have the source when it pulls next. It plays frames that it holds
// first.
func (v *valve) offer(heir, held int) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.heir, v.held = heir, int64(held)
}

// refuse takes an offer back, even from who has just accepted it.
func (v *valve) refuse(who int) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.heir = nobody
	if v.holder == who {
		v.holder = nobody
	}
}

// inherit makes the heir the holder, at the frame that is due when what is rendered next, a
// block as long as dst, will be heard. The mutex is held.
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

// holds reports whether the source is an attempt's, and from which frame on.
func (v *valve) holds(who int) (from int64, ok bool) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	return v.from, v.holder == who
}

// look returns how many frames were rendered, when the last of them were, and the longest
// pause since the last look.
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

// passed returns how many frames have passed in a sleep by now. The mutex is held.
func (v *valve) passed(now time.Time) int64 {
	if !v.asleep {
		return 0
	}
	return pcm.Frames(now.Sub(v.slept), v.rate)
}

// sleep lets the source sleep, for who holds it.
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

// wake wakes the source for who holds it, and returns how many frames have passed.
func (v *valve) wake(who int, at time.Time) int64 {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	if who != v.holder {
		return 0
	}
	return v.rouse(at)
}

// rouse ends a sleep, if there is one. The mutex is held.
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

// seize ends a sleep that the holder does not end itself, and tells it. The mutex is held.
func (v *valve) seize(at time.Time) {
	if v.asleep {
		v.rouse(at)
		put(v.asked)
	}
}

// put puts one into a channel that may have one.
func put(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// take takes one out of a channel, if it has one.
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

// close waits until no Render is under way; after it there is none.
func (v *valve) close() {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.seize(time.Now())
	v.src = nil
}

// count returns how many frames were rendered.
func (v *valve) count() int64 {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	return v.frames + v.passed(time.Now())
}

// render renders for who, and reports whether it is who may pull.
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

// fadeIn fades frames of so many outputs in, of which the first is frame from of a fade of so
// many frames.
func fadeIn(frames []pcm.Frame, outputs int, from, length int64) {
	for i := range frames {
		g := float32(from+int64(i/outputs)) / float32(length)
		frames[i][0] *= g
		frames[i][1] *= g
	}
}

// tap is what a card pulls from: the source while the card may, else silence.
type tap struct {
	valve *valve
	who   int
	rate  int
	taken atomic.Int64 // frames of each output

	outputs int
}

var (
	_ device.Rated   = (*tap)(nil)
	_ device.Wide    = (*tap)(nil)
	_ device.Sleeper = (*tap)(nil)
)

func (t *tap) Render(dst []pcm.Frame) {
	t.taken.Add(int64(len(dst) / t.outputs))
	if !t.valve.render(t.who, dst) {
		clear(dst)
	}
}

func (t *tap) Rate() int { return t.rate }

// Outputs is how many outputs the card plays.
func (t *tap) Outputs() int { return t.outputs }

// Sleep is that of the source, while the card may pull from it.
func (t *tap) Sleep(at time.Time) bool { return t.valve.sleep(t.who, at) }

// Asked has one when the source was asked for something, or is not the card's any more.
func (t *tap) Asked() <-chan struct{} { return t.valve.asked }

// Wake is that of the source.
func (t *tap) Wake(at time.Time) int64 {
	frames := t.valve.wake(t.who, at)
	t.taken.Add(frames)
	return frames
}

package mixer

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// limiter keeps the master under its ceiling and leaves alone what is below it:
// there its output is its input, to the bit, some frames later.
//
// The gain that each frame needs is held for as long as the limiter looks
// ahead, lets go slowly, and is averaged over the same stretch, so that it is
// down before the peak comes out. Gains are integers, in units of 2^-30: a
// running sum of them is exact, so the blocks do not show.
type limiter struct {
	ahead   int
	ceiling float32 // what passes as it is
	target  float64 // what a gain aims at: a little lower, for the roundings

	delay  []pcm.Frame // the last ahead frames, a ring
	gains  []int64     // the last ahead+1 held gains, a ring
	sum    int64       // of gains
	at     int         // in delay
	gainAt int         // in gains
	frame  int64
	quiet  int64 // silent frames in a row until now

	lows  []low // least needed gain at the front, then ever larger ones: a ring
	first int
	count int

	held    int64 // the gain that lets go
	release int64 // share of the way back per frame, 2^-32
}

// low is a frame and the gain that it needs.
type low struct{ frame, gain int64 }

const unity = 1 << 30

// The limiter's constants: how far it looks ahead, how fast it lets go (the
// time to 63 %), and what it never exceeds.
const (
	limiterAheadMicros   = 1500
	limiterReleaseMillis = 80
	limiterCeiling       = pcm.Decibels(-1)
)

func newLimiter(rate int) *limiter {
	ahead := rate * limiterAheadMicros / 1000000
	l := &limiter{
		ahead:   ahead,
		ceiling: float32(limiterCeiling.Linear()),
		target:  float64(float32(limiterCeiling.Linear())) * (1 - 0x1p-22),
		delay:   make([]pcm.Frame, max(ahead, 1)),
		gains:   make([]int64, ahead+1),
		sum:     int64(ahead+1) * unity,
		lows:    make([]low, ahead+2),
		held:    unity,
		release: min(1<<32*1000/(int64(rate)*limiterReleaseMillis), 1<<32),
	}
	for i := range l.gains {
		l.gains[i] = unity
	}
	return l
}

// process limits dst in place, ahead frames late. It returns how many frames
// were not finite: those become silence.
func (l *limiter) process(dst []pcm.Frame) (faults int64) {
	peak := dsp.Peak(dst)
	l.quiet += int64(len(dst))
	if peak > 0 {
		l.quiet = 0
	}
	if l.open() && peak <= l.ceiling {
		l.pass(dst)
		return 0
	}
	for i := range dst {
		need := int64(unity)
		switch peak := dsp.Peak(dst[i : i+1]); {
		case peak > maxPeak:
			dst[i] = pcm.Frame{}
			faults++
		case peak > l.ceiling:
			need = int64(l.target / float64(peak) * unity)
		}
		g := float32(float64(l.next(need)) / float64(int64(len(l.gains))*unity))
		x := l.swap(dst[i])
		dst[i] = pcm.Frame{float32(x[0] * g), float32(x[1] * g)}
	}
	return faults
}

// open reports whether nothing in the past needs a gain.
func (l *limiter) open() bool {
	return l.count == 0 && l.sum == int64(len(l.gains))*unity
}

// skip lets n frames of silence pass, if all before them that matter were
// silent too: an idle mixer costs nothing.
func (l *limiter) skip(n int64) bool {
	if l.quiet < int64(l.ahead) || !l.open() {
		return false
	}
	l.frame += n
	return true
}

// maxPeak is far beyond any mix: 65,536 voices of +66 dB each.
const maxPeak = 1e9

// next takes the gain that a new frame needs and returns the sum of those that
// hold for the frame that comes out.
func (l *limiter) next(need int64) int64 {
	if need < unity {
		for l.count > 0 && l.low(l.count-1).gain >= need {
			l.count--
		}
		*l.low(l.count) = low{l.frame, need}
		l.count++
	}
	if l.count > 0 && l.low(0).frame < l.frame-int64(l.ahead) {
		l.first = (l.first + 1) % len(l.lows)
		l.count--
	}
	l.held = min(l.held+(unity-l.held)*l.release>>32+1, unity)
	if l.count > 0 {
		l.held = min(l.held, l.low(0).gain)
	}
	l.sum += l.held - l.gains[l.gainAt]
	l.gains[l.gainAt] = l.held
	l.gainAt = (l.gainAt + 1) % len(l.gains)
	l.frame++
	return l.sum
}

func (l *limiter) low(i int) *low { return &l.lows[(l.first+i)%len(l.lows)] }

// swap puts a frame into the delay and returns the one that is due.
func (l *limiter) swap(x pcm.Frame) pcm.Frame {
	if l.ahead == 0 {
		return x
	}
	y := l.delay[l.at]
	l.delay[l.at] = x
	l.at = (l.at + 1) % l.ahead
	return y
}

// pass only delays: nothing in the past or in dst needs a gain.
func (l *limiter) pass(dst []pcm.Frame) {
	l.frame += int64(len(dst))
	if l.ahead == 0 {
		return
	}
	for i := range dst {
		dst[i] = l.swap(dst[i])
	}
}

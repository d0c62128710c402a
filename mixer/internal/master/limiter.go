package master

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// Limiter keeps the true peak of the master under its ceiling. What is below it comes out as
// it is, to the bit, some frames later. Audio side.
//
// It finds the places between two frames whose largest magnitude under four-fold oversampling
// is beyond the ceiling, and the gain that each needs. A valley has the gain down before the peak
// comes out. What lies beyond the ceiling is measured once more, eight-fold and with longer
// taps, and brought down a little further: no two meters agree near the Nyquist frequency.
type Limiter struct {
	between bool // it looks between the frames
	ahead   int
	ceiling float64 // what passes as it is
	target  float64 // what a gain aims at
	calmest float32 // while no sample is beyond it, nothing between them is beyond the ceiling

	line    []pcm.Frame // what came in: the frames up to end, at least past of them
	end     int
	past    int
	peaks   [limiterRun]float64 // 0 where they are not beyond the ceiling
	factors [limiterRun]float32
	calm    int // frames in a row until now, at least, that are not beyond calmest
	silent  int // the same of silent ones

	gains valley
}

const (
	// Hz, from which on it looks between the frames. Lower rates are for tests: there it holds
	// the samples alone, and its look-ahead is too short to move a gain gently.
	limiterLeastRate = 8000

	limiterAheadMicros   = 1500 // how far it looks ahead, besides the taps of its meter
	limiterReleaseMillis = 80   // the time in which it lets go by 63 %
	limiterCeiling       = pcm.Decibels(-1)
	limiterMargin        = pcm.Decibels(0.1) // how far below the ceiling it goes where it has to act
	limiterRun           = 64                // frames in which peaks are sought at once
)

// MaxPeak is far beyond any mix: 65,536 voices of +66 dB each.
const MaxPeak = 1e9

// NewLimiter returns a limiter for a rate in Hz.
func NewLimiter(rate int) *Limiter {
	look := rate * limiterAheadMicros / 1000000
	l := &Limiter{
		between: rate >= limiterLeastRate,
		ahead:   look,
		ceiling: limiterCeiling.Linear(),
		target:  (limiterCeiling - limiterMargin).Linear(),
		gains:   newValley(look, min(1<<32*1000/(int64(rate)*limiterReleaseMillis), 1<<32)),
	}
	l.calmest = float32(l.ceiling * (1 - 0x1p-20)) // which rounds to below the ceiling
	if l.between {
		l.ahead += dsp.EighthTaps / 2
		l.calmest = float32(l.ceiling / dsp.TruePeakBound * (1 - 0x1p-20))
	}
	l.past = max(l.ahead, dsp.EighthTaps-1)
	l.line = make([]pcm.Frame, 2*l.past+4*limiterRun)
	l.end, l.calm, l.silent = l.past, dsp.EighthTaps, l.past
	return l
}

// Ahead returns how many frames late the frames come out.
func (l *Limiter) Ahead() int { return l.ahead }

// Limit limits dst, whose samples are finite, in place, ahead frames late.
func (l *Limiter) Limit(dst []pcm.Frame) {
	for len(dst) > 0 {
		n := min(len(dst), limiterRun)
		l.run(dst[:n])
		dst = dst[n:]
	}
}

// run limits up to limiterRun frames.
func (l *Limiter) run(dst []pcm.Frame) {
	n := len(dst)
	over := l.measure(dst)
	copy(dst, l.line[l.end-n-l.ahead:])
	if !over && l.gains.flat() {
		return
	}
	factors := l.factors[:n]
	for i := 0; i < n; i++ {
		needy := i // the next place that needs a gain
		for needy < n && l.peaks[needy] <= l.ceiling {
			needy++
		}
		l.gains.glide(factors[i:needy])
		if i = needy; i < n {
			factors[i] = l.gains.next(l.need(i, n))
		}
	}
	dsp.Window(dst, factors)
}

// measure appends src to the line and finds the peaks of the places that can be
// looked at now, half the longer taps before each frame. It reports whether any
// is over the ceiling. Where no sample that counts is beyond calmest, the peaks
// are not worth looking for: they could change nothing.
func (l *Limiter) measure(src []pcm.Frame) (over bool) {
	n := len(src)
	if l.end+n > len(l.line) {
		copy(l.line, l.line[l.end-l.past:l.end])
		l.end = l.past
	}
	copy(l.line[l.end:], src)
	l.end += n

	loudest := dsp.Peak(src)
	l.silent = min(l.silent+n, l.past)
	if loudest > 0 {
		l.silent = 0
	}
	calm := l.calm == dsp.EighthTaps && loudest <= l.calmest
	l.calm = min(l.calm+n, dsp.EighthTaps)
	if loudest > l.calmest {
		l.calm = 0
	}
	peaks := l.peaks[:n]
	if calm {
		clear(peaks)
		return false
	}
	if l.between {
		const after = (dsp.EighthTaps - dsp.QuarterTaps) / 2 // the longer taps reach so much further
		return dsp.PeaksBeyond(peaks, l.line[l.end-n-after-(dsp.QuarterTaps-1):l.end-after], l.ceiling)
	}
	for i := range src {
		peaks[i] = float64(dsp.Peak(src[i : i+1]))
		over = over || peaks[i] > l.ceiling
	}
	return over
}

// need returns the gain that peak i of n needs, which is over the ceiling. It is exact only near
// or below the gain that holds: another changes nothing.
func (l *Limiter) need(i, n int) int64 {
	peak := l.peaks[i]
	need := int64(l.target / peak * unity)
	if l.between && 8*need < 9*l.gains.held {
		newest := l.end - n + i
		peak = max(peak, dsp.FinePeak(l.line[newest-(dsp.EighthTaps-1):newest+1]))
		need = int64(l.target / peak * unity)
	}
	return need
}

// Skip lets n frames of silence pass, if all before them that matter were
// silent too: an idle mixer costs nothing.
func (l *Limiter) Skip(n int64) bool { return l.silent == l.past && l.gains.flat() }

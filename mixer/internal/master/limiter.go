package master

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// Limiter keeps the true peak of the master below its ceiling. A frame whose neighbourhood stays below the
// ceiling comes out unchanged, to the bit, with a delay. Audio side.
//
// Four-fold oversampling finds the suspects: positions between two frames whose peak exceeds 0.8 of the
// ceiling. Near the Nyquist frequency it misses peaks, so each suspect is measured again, eight-fold and with
// longer taps. A valley lowers the gain before a peak over the ceiling comes out.
type Limiter struct {
	between        bool // measures between the frames, too
	ahead          int
	ceiling        float64 // largest peak that passes unchanged
	target         float64 // peak after a gain reduction
	eightfoldLevel float64 // positions with a larger four-fold peak are also measured eight-fold
	suspectLevel   float32 // while no sample exceeds it, no four-fold peak exceeds eightfoldLevel

	line        []pcm.Frame // input up to end, at least past frames
	end         int
	past        int
	peaks       [limiterRun]float64 // 0 may represent any peak up to eightfoldLevel
	factors     [limiterRun]float32
	belowFrames int // consecutive frames up to now that do not exceed suspectLevel
	silent      int // consecutive silent frames up to now

	gains valley
}

const (
	// lowest rate in Hz with a measurement between frames. Lower rates are for tests: there the limiter
	// measures only samples, and its lookahead is too short for smooth gains.
	limiterLeastRate = 8000

	limiterAheadMicros   = 1500 // lookahead in addition to the taps of the meter
	limiterReleaseMillis = 80   // time constant of the release, to 63 %
	limiterCeiling       = pcm.Decibels(-1)
	limiterMargin        = pcm.Decibels(0.1) // distance below the ceiling after a gain reduction
	limiterRun           = 64                // frames per search for peaks
	limiterSuspect       = 0.8               // share of the ceiling; 0.7 finds no further peaks, 0.9 misses up to 1 dB
)

// MaxPeak is the largest magnitude of a sample of a mix, 180 dB over full scale: far beyond any mix of sounds
// within full scale. Frames beyond it become silence.
const MaxPeak = 1e9

// NewLimiter returns a limiter for a sample rate in Hz. Its output is delayed by Ahead frames, so the first Ahead
// frames are silent. Below limiterLeastRate it measures only the samples, not between them.
func NewLimiter(rate int) *Limiter {
	look := rate * limiterAheadMicros / 1000000
	l := &Limiter{
		between: rate >= limiterLeastRate,
		ahead:   look,
		ceiling: limiterCeiling.Linear(),
		target:  (limiterCeiling - limiterMargin).Linear(),
		gains:   newValley(look, min(1<<32*1000/(int64(rate)*limiterReleaseMillis), 1<<32)),
	}
	l.eightfoldLevel = l.ceiling
	if l.between {
		l.ahead += dsp.EighthTaps / 2
		l.eightfoldLevel = float64(l.ceiling * limiterSuspect)
	}
	l.suspectLevel = float32(l.eightfoldLevel * (1 - 0x1p-20)) // rounds to below eightfoldLevel
	if l.between {
		l.suspectLevel = float32(l.eightfoldLevel / dsp.TruePeakBound * (1 - 0x1p-20))
	}
	l.past = max(l.ahead, dsp.EighthTaps-1)
	l.line = make([]pcm.Frame, 2*l.past+4*limiterRun)
	l.end, l.belowFrames, l.silent = l.past, dsp.EighthTaps, l.past
	return l
}

// Ahead returns the delay of the output in frames.
func (l *Limiter) Ahead() int { return l.ahead }

// Limit replaces dst, the next frames, by the limited output, which is delayed by Ahead frames. The samples of dst
// must be finite. Blocks of any length give the same output.
func (l *Limiter) Limit(dst []pcm.Frame) {
	for len(dst) > 0 {
		n := min(len(dst), limiterRun)
		l.run(dst[:n])
		dst = dst[n:]
	}
}

// run replaces dst, at most limiterRun frames, by the limited output, which is delayed by l.ahead frames. While no
// gain reduction is needed or under way, it only delays the frames. Samples must be finite.
func (l *Limiter) run(dst []pcm.Frame) {
	n := len(dst)
	suspects := l.measure(dst)
	copy(dst, l.line[l.end-n-l.ahead:])
	if l.gains.flat() && !(suspects && l.anyOver(n)) {
		return
	}
	factors := l.factors[:n]
	for i := 0; i < n; i++ {
		needy := i // next place that may need a gain
		for needy < n && l.peaks[needy] <= l.eightfoldLevel {
			needy++
		}
		l.gains.glide(factors[i:needy])
		if i = needy; i < n {
			factors[i] = l.gains.next(l.need(i, n))
		}
	}
	dsp.Window(dst, factors)
}

// measure appends src, at most limiterRun frames, to the delay line. It also counts the latest silent frames, for Skip.
// It stores in l.peaks the peaks, linear, of as many places as src has frames. The places are earlier than src by half
// the longer filter, because a peak between samples depends on the samples on both sides. At low rates they are the
// samples of src. measure reports whether any peak exceeds l.eightfoldLevel, and may store smaller ones as 0. If all
// samples in reach are low, it stores 0 without a measurement.
func (l *Limiter) measure(src []pcm.Frame) (suspects bool) {
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
	below := l.belowFrames == dsp.EighthTaps && loudest <= l.suspectLevel
	l.belowFrames = min(l.belowFrames+n, dsp.EighthTaps)
	if loudest > l.suspectLevel {
		l.belowFrames = 0
	}
	peaks := l.peaks[:n]
	if below {
		clear(peaks)
		return false
	}
	if l.between {
		const after = (dsp.EighthTaps - dsp.QuarterTaps) / 2 // additional reach of the longer taps
		return dsp.PeaksAbove(peaks, l.line[l.end-n-after-(dsp.QuarterTaps-1):l.end-after], l.eightfoldLevel)
	}
	for i := range src {
		peaks[i] = float64(dsp.Peak(src[i : i+1]))
		suspects = suspects || peaks[i] > l.eightfoldLevel
	}
	return suspects
}

// anyOver reports whether any of the first n peaks in l.peaks is over the ceiling. measure has stored these peaks.
// Peaks over l.eightfoldLevel are measured again for this, with eight-fold oversampling.
func (l *Limiter) anyOver(n int) bool {
	for i, peak := range l.peaks[:n] {
		if peak > l.eightfoldLevel && l.fine(i, n) > l.ceiling {
			return true
		}
	}
	return false
}

// fine returns the true peak, linear, at position i of the n positions that measure has just measured. It is the
// larger of the stored peak and a peak measured with eight-fold oversampling. At low rates it is the stored peak.
func (l *Limiter) fine(i, n int) float64 {
	if !l.between {
		return l.peaks[i]
	}
	newest := l.end - n + i
	return max(l.peaks[i], dsp.FinePeak(l.line[newest-(dsp.EighthTaps-1):newest+1]))
}

// need returns the gain that position i of the n positions just measured needs, so that its peak stays below the
// ceiling. The gain is in units of 2^-30; unity means that no reduction is needed. The stored peak must exceed
// l.eightfoldLevel. need measures the peak precisely only if the result may be near or below the gain that is held
// now, because larger gains have no effect.
func (l *Limiter) need(i, n int) int64 {
	peak := l.peaks[i]
	if least := int64(l.target / peak * limiterSuspect * unity); 8*least < 9*l.gains.held {
		peak = l.fine(i, n)
	}
	if peak <= l.ceiling {
		return unity
	}
	return int64(l.target / peak * unity)
}

// Skip reports whether frames of silence would come out silent now, so that the caller may leave them out. It changes
// no state. The parameter n, their number, has no effect.
func (l *Limiter) Skip(n int64) bool { return l.silent == l.past && l.gains.flat() }

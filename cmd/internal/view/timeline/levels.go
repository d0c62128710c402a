package timeline

import (
	"math"
	"slices"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
)

// Levels records the audibility of voices over time, as the mixer compares it, and the peaks of the
// mix. Use it from one goroutine.
type Levels struct {
	rate   int
	step   int64 // frames between two samples
	ticks  int   // current number of samples
	peaks  []uint8
	tracks map[uint64]*track
	size   int // samples of all tracks
}

// track is the audibility of a voice in samples, one for each interval of Levels.step. first is the index of the
// first sample, counted from the beginning of the run.
type track struct {
	first int
	level []uint8 // in units of 0.5 dB above inaudible; 0: silence
}

// maxSamples is the maximum number of samples of all voices. Beyond it, the sample interval is
// doubled.
const maxSamples = 1 << 24

// NewLevels returns empty Levels, which record the audibility of voices over time. The parameter every is the interval
// between two samples of a voice; it is at least one frame. rate is the sample rate in Hz.
func NewLevels(rate int, every time.Duration) *Levels {
	return &Levels{rate: rate, step: max(pcm.Frames(every, rate), 1), tracks: map[uint64]*track{}}
}

// halfDecibels encodes the level db, in dB, as a byte in units of 0.5 dB above -115 dB, rounded. Levels above 12.5 dB
// give 255. A level below -114.75 dB, and NaN, gives 0.
func halfDecibels(db float64) uint8 {
	if !(db > inaudible) {
		return 0
	}
	return uint8(math.Round(min(2*(db-inaudible), 255)))
}

// fromHalf decodes a level that halfDecibels has encoded, and returns it in dB. For 0 it returns minus infinity.
func fromHalf(x uint8) float64 {
	if x == 0 {
		return math.Inf(-1)
	}
	return float64(x)/2 + inaudible
}

// AddPeak records the peak of the mix since the last call, a linear factor. The parameter frame is the total number of
// mixed frames. The peak applies to the interval of the last mixed frame; the higher of several peaks in an interval
// counts. Intervals since the last call that have no peak yet get the same peak.
func (l *Levels) AddPeak(frame int64, peak float32) {
	tick := int(max(frame-1, 0) / l.step)
	level := halfDecibels(float64(pcm.FromLinear(float64(peak))))
	for len(l.peaks) <= tick { // fills the time since the last call
		l.peaks = append(l.peaks, level)
	}
	l.peaks[tick] = max(l.peaks[tick], level)
}

// Sample records the audibility of all voices of m at its current frame. It records each interval only once: if the
// current interval already has a sample, it has no effect. A paused voice is recorded as silent. Voices that have not
// begun are left out. If intervals have passed without a call, a voice gets its last sample again for each of them.
//
// If there are more than 16 million samples of all voices, Sample doubles the interval and drops half of the samples.
func (l *Levels) Sample(m *mixer.Mixer) {
	frame := m.Now()
	tick := int(frame / l.step)
	if tick < l.ticks {
		return
	}
	for h := range m.Voices() {
		number, db := h.Number(), float64(h.Audibility())
		state := h.State()
		if number == 0 || state.Over() {
			continue
		}
		if state == mixer.StatePaused { // it keeps its audibility, but is not heard
			db = math.Inf(-1)
		}
		t := l.tracks[number]
		if t == nil {
			t = &track{first: tick}
			l.tracks[number] = t
		}
		before := len(t.level)
		if before == 0 {
			t.first = tick
		}
		for len(t.level) < tick-t.first { // samples were missed
			t.level = append(t.level, t.level[len(t.level)-1])
		}
		t.level = append(t.level, halfDecibels(db))
		l.size += len(t.level) - before
	}
	l.ticks = tick + 1
	if l.size > maxSamples {
		l.thin()
	}
}

// thin doubles the interval between recorded samples and halves their number. It removes every other sample of each
// voice. Of two neighbouring peaks of the mix it keeps the higher.
func (l *Levels) thin() {
	l.size = 0
	for _, t := range l.tracks {
		first := (t.first + 1) / 2
		samples := t.level[:0]
		for i := 2*first - t.first; i < len(t.level); i += 2 {
			samples = append(samples, t.level[i])
		}
		t.first, t.level = first, slices.Clip(slices.Clone(samples))
		l.size += len(t.level)
	}
	for i := range (len(l.peaks) + 1) / 2 {
		l.peaks[i] = max(l.peaks[2*i], l.peaks[min(2*i+1, len(l.peaks)-1)])
	}
	l.peaks = l.peaks[:(len(l.peaks)+1)/2]
	l.step *= 2
	l.ticks = (l.ticks + 1) / 2
}

// at returns the recorded audibility in dB of the voice with the given number, at the given frame. Silence is minus
// infinity. Before the first sample of the voice, at returns the first sample, and after the last sample it returns
// the last. If the voice has no samples, known is false.
func (l *Levels) at(number uint64, frame int64) (db float64, known bool) {
	t := l.tracks[number]
	if t == nil || len(t.level) == 0 {
		return 0, false
	}
	i := int(frame/l.step) - t.first
	return fromHalf(t.level[min(max(i, 0), len(t.level)-1)]), true
}

// peak returns the highest recorded peak of the mix in dB between two frames; the frame in the parameter to is
// excluded. The range is extended to whole intervals. For silence and beyond the recorded time, the result is minus
// infinity.
func (l *Levels) peak(from, to int64) float64 {
	highest := uint8(0)
	for i := from / l.step; i <= max(to-1, from)/l.step && i < int64(len(l.peaks)); i++ {
		highest = max(highest, l.peaks[i])
	}
	return fromHalf(highest)
}

// scale returns the audibilities in dB that are drawn with the least opacity, bottom, and with full opacity, top.
// About 1 % of the audible samples are at or above top. Without audible samples, top is -20. bottom is always 54 dB
// below top.
func (l *Levels) scale() (bottom, top float64) {
	var n [256]int
	sum := 0
	for _, t := range l.tracks {
		for _, x := range t.level {
			n[x]++
		}
		sum += len(t.level)
	}
	sum -= n[0]
	top = -20
	for x, above := 255, 0; x > 0; x-- {
		if above += n[x]; above*100 > sum {
			top = fromHalf(uint8(x))
			break
		}
	}
	top = math.Round(top)
	return top - 54, top
}

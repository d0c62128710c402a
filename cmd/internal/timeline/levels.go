package timeline

import (
	"math"
	"slices"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
)

// Levels is how loud voices were over time, as the pool compares them, and how
// high the peaks of the mix were. One goroutine records.
type Levels struct {
	rate   int
	step   int64 // frames between two samples
	ticks  int   // samples up to now
	peaks  []uint8
	tracks map[uint64]*track
	size   int // samples of all tracks
}

// track is how audible a voice was, from its first sample on.
type track struct {
	first int
	level []uint8 // half decibels above inaudible; 0: silence
}

// maxSamples bounds how many samples there are of all voices: beyond, every other
// one is given up.
const maxSamples = 1 << 24

// NewLevels returns levels that have a sample for each step of so long.
func NewLevels(rate int, every time.Duration) *Levels {
	return &Levels{rate: rate, step: max(pcm.Frames(every, rate), 1), tracks: map[uint64]*track{}}
}

// halfDecibels and fromHalf make bytes of decibels and back.
func halfDecibels(db float64) uint8 {
	if !(db > inaudible) {
		return 0
	}
	return uint8(math.Round(min(2*(db-inaudible), 255)))
}

func fromHalf(x uint8) float64 {
	if x == 0 {
		return math.Inf(-1)
	}
	return float64(x)/2 + inaudible
}

// Hear takes the highest sample of what has been mixed up to a frame, since it was
// last told.
func (l *Levels) Hear(frame int64, peak float32) {
	tick := int(max(frame-1, 0) / l.step)
	level := halfDecibels(float64(pcm.FromLinear(float64(peak))))
	for len(l.peaks) <= tick { // all since the last time
		l.peaks = append(l.peaks, level)
	}
	l.peaks[tick] = max(l.peaks[tick], level)
}

// Look asks the mixer how audible its voices are, unless it has been asked for
// this tick already.
func (l *Levels) Look(m *mixer.Mixer) {
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
		if state == mixer.StatePaused { // it keeps its audibility, but nothing of it is heard
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
		for len(t.level) < tick-t.first { // nobody has looked
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

// thin gives up every other sample.
func (l *Levels) thin() {
	l.size = 0
	for _, t := range l.tracks {
		first := (t.first + 1) / 2
		kept := t.level[:0]
		for i := 2*first - t.first; i < len(t.level); i += 2 {
			kept = append(kept, t.level[i])
		}
		t.first, t.level = first, slices.Clip(slices.Clone(kept))
		l.size += len(t.level)
	}
	for i := range (len(l.peaks) + 1) / 2 {
		l.peaks[i] = max(l.peaks[2*i], l.peaks[min(2*i+1, len(l.peaks)-1)])
	}
	l.peaks = l.peaks[:(len(l.peaks)+1)/2]
	l.step *= 2
	l.ticks = (l.ticks + 1) / 2
}

// at returns how audible a voice was at a frame, and whether anybody has looked
// while it lived. Before its first sample it is that one.
func (l *Levels) at(number uint64, frame int64) (db float64, known bool) {
	t := l.tracks[number]
	if t == nil || len(t.level) == 0 {
		return 0, false
	}
	i := int(frame/l.step) - t.first
	return fromHalf(t.level[min(max(i, 0), len(t.level)-1)]), true
}

// peak returns the highest of the mix's peaks in a stretch, in dB.
func (l *Levels) peak(from, to int64) float64 {
	highest := uint8(0)
	for i := from / l.step; i <= max(to-1, from)/l.step && i < int64(len(l.peaks)); i++ {
		highest = max(highest, l.peaks[i])
	}
	return fromHalf(highest)
}

// scale returns the levels between which opacity goes from its least to 1: 54 dB
// up to what one sample in a hundred exceeds.
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

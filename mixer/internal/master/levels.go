package master

import (
	"math"
	"sync/atomic"

	"voicepool/pcm"
)

// Levels is what a meter showed at the end of a step of 100 ms.
// Silence is -Inf in all of them.
type Levels struct {
	Frame     int64        // the first one after the step; 0: no step is over yet
	Peak      pcm.Decibels // the largest sample of either channel in the last 400 ms, dBFS
	RMS       pcm.Decibels // of both channels, in the last 400 ms
	ShortTerm pcm.LUFS     // of the last 3 s, ungated; below 8 kHz unweighted
}

const numLevels = 4

// levels is a Levels, not yet in decibels, that one goroutine writes and any
// read, all of one moment: readers try again when version changed meanwhile or
// is odd.
type levels struct {
	version atomic.Uint64
	values  [numLevels]atomic.Uint64
}

// publish makes values what readers see. Audio side.
func (l *levels) publish(values [numLevels]uint64) {
	v := l.version.Load()
	l.version.Store(v + 1)
	for i, x := range values {
		l.values[i].Store(x)
	}
	l.version.Store(v + 2)
}

// Levels returns what the meter showed last. Control side; it allocates nothing.
func (m *Meter) Levels() Levels { return m.levels.read() }

// read returns the latest of them.
func (l *levels) read() Levels {
	for {
		v := l.version.Load()
		var values [numLevels]uint64
		for i := range values {
			values[i] = l.values[i].Load()
		}
		if v&1 != 0 || l.version.Load() != v {
			continue
		}
		return Levels{
			Frame:     int64(values[0]),
			Peak:      pcm.FromLinear(math.Float64frombits(values[1])),
			RMS:       pcm.FromPower(math.Float64frombits(values[2])),
			ShortTerm: pcm.LoudnessOf(math.Float64frombits(values[3])),
		}
	}
}

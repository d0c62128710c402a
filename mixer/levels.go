package mixer

import (
	"math"
	"sync/atomic"

	"voicepool/internal/loudness"
	"voicepool/pcm"
)

// Levels is what the meter of a bus showed at the end of a step of 100 ms.
// Silence is -Inf in all of them.
type Levels struct {
	Frame     int64        // of the mix: the first one after the step; 0: no step is over yet
	Peak      pcm.Decibels // the largest sample of either channel in the last 400 ms, dBFS
	RMS       pcm.Decibels // of both channels, in the last 400 ms: a full-scale sine in both is -3 dBFS
	ShortTerm float64      // loudness of the last 3 s, LUFS, as EBU Tech 3341 has it: ungated; below 8 kHz unweighted
}

// Levels returns what a bus has given last, after its gains; of the master what
// is heard, after the limiter. Without Config.Meters it is silence. Control side;
// it allocates nothing.
func (m *Mixer) Levels(b BusRef) Levels {
	if b.mixer != nil && b.mixer != m || m.audio.buses[b.index].meter == nil {
		none := pcm.FromPower(0)
		return Levels{Peak: none, RMS: none, ShortTerm: float64(none)}
	}
	return m.audio.buses[b.index].meter.levels.read()
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

// read returns the latest of them. Control side; it allocates nothing.
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
			ShortTerm: float64(loudness.FromPower(math.Float64frombits(values[3]))),
		}
	}
}

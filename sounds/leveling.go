package sounds

import (
	"math"

	"voicepool/pcm"
	"voicepool/sounds/internal/source"
)

// leastLUFS is the lowest loudness that a sound can be brought to.
const leastLUFS = -70

// maxPeak is how far raising a sound may take its true peak: what EBU R 128
// allows.
const maxPeak pcm.Decibels = -1

// Leveling says how loud sounds are made when they are loaded. The zero value
// leaves them as they are.
type Leveling struct {
	// LUFS is the integrated loudness to bring a sound to, -70 to just below 0;
	// 0 means none. Silence stays silent.
	LUFS float64

	// Tags takes a sound's loudness from its ReplayGain or R128 tags, where it
	// has some, instead of measuring it. Without LUFS it brings what has tags to
	// -18, and leaves all else.
	Tags bool
}

// valid says what is wrong with it.
func (l Leveling) valid() error {
	if l.LUFS == 0 || l.LUFS >= leastLUFS && l.LUFS < 0 {
		return nil
	}
	return source.Beyond("a loudness of %v LUFS is not in %d..0", l.LUFS, leastLUFS)
}

// gain returns by how much a clip is to be changed. It is never raised so far
// that its true peak passes maxPeak.
func (l Leveling) gain(c *Clip, measured func() (pcm.LUFS, pcm.Decibels)) (pcm.Decibels, error) {
	if err := l.valid(); err != nil {
		return 0, err
	}
	tagged := l.Tags && c.Gain != nil
	if l.LUFS == 0 && !tagged {
		return 0, nil
	}
	level, peak := measured()
	if math.IsInf(float64(level), 0) {
		return 0, nil
	}
	gain := pcm.Decibels(l.LUFS - float64(level))
	if tagged {
		gain = *c.Gain
		if l.LUFS != 0 {
			gain += pcm.Decibels(l.LUFS - source.TagReference)
		}
	}
	return min(gain, max(0, maxPeak-peak)), nil
}

// amplify multiplies samples, each rounded once.
func amplify(samples []float32, factor float64) {
	if factor == 1 {
		return
	}
	for i, x := range samples {
		samples[i] = float32(float64(x) * factor)
	}
}

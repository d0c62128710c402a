package compressor

import (
	"math"

	"voicepool/pcm"
)

// settings are Values but for the makeup, in the units of the audio side. They move in straight lines.
type settings struct {
	threshold, knee float64 // octaves
	slope           float64 // 1 - 1/ratio
	times           times
}

func newSettings(v *Values, rate int) settings {
	fall := min(v.Attack, v.Release/fallShare)
	return settings{
		threshold: v.Threshold / octave,
		knee:      v.Knee / octave,
		slope:     1 - 1/v.Ratio,
		times:     times{release: share(v.Release-fall, rate), attack: share(v.Attack, rate), fall: share(fall, rate)},
	}
}

// share returns which part of its way a one-pole filter with a time constant in seconds goes in
// one frame: 1 - e^(-1/(time rate)).
func share(time float64, rate int) float64 {
	return 1 - pcm.Exp2(-1/math.Ln2/float64(time*float64(rate)))
}

// per returns the step of a straight line from one to s in so many frames.
func (s *settings) per(from *settings, frames float64) settings {
	return settings{
		threshold: (s.threshold - from.threshold) / frames,
		knee:      (s.knee - from.knee) / frames,
		slope:     (s.slope - from.slope) / frames,
		times: times{
			release: (s.times.release - from.times.release) / frames,
			attack:  (s.times.attack - from.times.attack) / frames,
			fall:    (s.times.fall - from.times.fall) / frames,
		},
	}
}

// less returns s less a number of steps.
func (s *settings) less(step *settings, steps float64) settings {
	return settings{
		threshold: s.threshold - float64(step.threshold*steps),
		knee:      s.knee - float64(step.knee*steps),
		slope:     s.slope - float64(step.slope*steps),
		times: times{
			release: s.times.release - float64(step.times.release*steps),
			attack:  s.times.attack - float64(step.times.attack*steps),
			fall:    s.times.fall - float64(step.times.fall*steps),
		},
	}
}

package master

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// SilenceFaults makes silence of the frames in dst of which a sample is not
// finite, or is beyond MaxPeak, and returns how many there were. Audio side.
func SilenceFaults(dst []pcm.Frame) (faults int64) {
	if dsp.Peak(dst) <= MaxPeak {
		return 0
	}
	for i := range dst {
		if !(dsp.Peak(dst[i:i+1]) <= MaxPeak) {
			dst[i] = pcm.Frame{}
			faults++
		}
	}
	return faults
}

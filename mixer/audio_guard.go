package mixer

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// silenceFaults makes silence of the frames in dst of which a sample is not
// finite, or is beyond maxPeak, and returns how many there were. Audio side.
func silenceFaults(dst []pcm.Frame) (faults int64) {
	if dsp.Peak(dst) <= maxPeak {
		return 0
	}
	for i := range dst {
		if !(dsp.Peak(dst[i:i+1]) <= maxPeak) {
			dst[i] = pcm.Frame{}
			faults++
		}
	}
	return faults
}

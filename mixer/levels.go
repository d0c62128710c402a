package mixer

import "voicepool/pcm"

// Levels is what the meter of a bus showed at the end of a step of 100 ms.
// Silence is -Inf in all of them.
type Levels struct {
	Frame     int64        // of the mix: the first one after the step; 0: no step is over yet
	Peak      pcm.Decibels // the largest sample of either channel in the last 400 ms, dBFS
	RMS       pcm.Decibels // of both channels, in the last 400 ms: a full-scale sine in both is -3 dBFS
	ShortTerm pcm.LUFS     // of the last 3 s, as EBU Tech 3341 has it: ungated; below 8 kHz unweighted
}

// Levels returns what the bus has given last, after its gains; of the master what is
// heard, after the limiter. Without Config.Meters, and of the zero Bus, it is silence. It
// allocates nothing.
func (b Bus) Levels() Levels {
	if b.mixer == nil || b.mixer.meters == nil {
		none := pcm.FromPower(0)
		return Levels{Peak: none, RMS: none, ShortTerm: pcm.LUFS(none)}
	}
	return Levels(b.mixer.meters[b.index].Levels())
}

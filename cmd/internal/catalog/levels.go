package catalog

import (
	"strings"

	"voicepool/cmd/internal/bar"
	"voicepool/cue/report"
	"voicepool/pcm"
	"voicepool/voice"
)

// levelsOf returns how loud a sound is from its start to its end, in so many
// parts: the mean power of each, in dB.
func levelsOf(s *voice.Sound, parts int) []report.Level {
	samples := s.Samples()
	levels := make([]report.Level, parts)
	for i := range levels {
		part := samples[i*len(samples)/parts : (i+1)*len(samples)/parts]
		power := 0.0
		for _, x := range part {
			power += float64(x) * float64(x)
		}
		if len(part) > 0 {
			power /= float64(len(part))
		}
		levels[i] = report.Level(pcm.FromPower(power))
	}
	return levels
}

// blocks draws each in a character; full is -6 dB.
func blocks(levels []report.Level) string {
	var out strings.Builder
	for _, l := range levels {
		out.WriteRune(bar.Block(float64(l) + 6))
	}
	return out.String()
}

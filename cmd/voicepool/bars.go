package main

import (
	"strings"

	"voicepool/pcm"
	"voicepool/voice"
)

// The ranges that bars show: full from the first on, empty from the second down.
const (
	barTop    = 0
	barBottom = -60
)

var eighths = [...]rune{' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'}

// block returns the block character of a level in dB: a space for silence, but
// never for what can be heard.
func block(db float64) rune {
	share := (db - barBottom) / (barTop - barBottom)
	switch {
	case !(share > 0):
		return eighths[0]
	case share >= 1:
		return eighths[8]
	}
	return eighths[1+int(share*8)]
}

// soundLevels returns how loud a sound is from its start to its end, in so many
// parts: the mean power of each, in dB.
func soundLevels(s *voice.Sound, parts int) []level {
	samples := s.Samples()
	levels := make([]level, parts)
	for i := range levels {
		part := samples[i*len(samples)/parts : (i+1)*len(samples)/parts]
		power := 0.0
		for _, x := range part {
			power += float64(x) * float64(x)
		}
		if len(part) > 0 {
			power /= float64(len(part))
		}
		levels[i] = level(pcm.FromPower(power))
	}
	return levels
}

// drawLevels draws each in a character; full is -6 dB.
func drawLevels(levels []level) string {
	var out strings.Builder
	for _, l := range levels {
		out.WriteRune(block(float64(l) + 6))
	}
	return out.String()
}

// leftEighths are none to seven eighths of a character from the left.
var leftEighths = [...]rune{' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'}

// bar draws a level in dB as a bar of so many characters, filled up with spaces.
func bar(db float64, width int) string {
	return gauge((db-barBottom)/(barTop-barBottom), width)
}

// gauge draws a share of 1 as bar does a level.
func gauge(share float64, width int) string {
	share = min(max(share, 0), 1)
	if !(share > 0) { // NaN too
		share = 0
	}
	n := int(share * float64(8*width))
	out := strings.Repeat("█", n/8)
	if n/8 < width {
		out += string(leftEighths[n%8]) + strings.Repeat(" ", width-n/8-1)
	}
	return out
}

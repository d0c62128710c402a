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

// drawSound draws how loud a sound is from its start to its end, in so many
// characters: the mean power of each part.
func drawSound(s *voice.Sound, width int) string {
	samples := s.Samples()
	var out strings.Builder
	for i := range width {
		part := samples[i*len(samples)/width : (i+1)*len(samples)/width]
		power := 0.0
		for _, x := range part {
			power += float64(x) * float64(x)
		}
		if len(part) > 0 {
			power /= float64(len(part))
		}
		out.WriteRune(block(float64(pcm.FromPower(power)) + 6))
	}
	return out.String()
}

// leftEighths are none to seven eighths of a character from the left.
var leftEighths = [...]rune{' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'}

// bar draws a level in dB as a bar of so many characters, filled up with spaces.
func bar(db float64, width int) string {
	share := min(max((db-barBottom)/(barTop-barBottom), 0), 1)
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

package report

import (
	"fmt"
	"strconv"

	"voicepool/internal/words"
)

// Called is what people call a cue: of the list, or with a number of its own. The zero value is that
// of a cue without one.
type Called struct {
	ListCue string `json:"list_cue,omitempty"` // its number, which may be any text
	CueName string `json:"cue_name,omitempty"`
	CueLine int    `json:"cue_line,omitempty"` // in the sheet
}

// CueText returns what messages call the cue of a place in the sheet: cue 2.5 "Thunder" (line 14),
// or cue 7, its place, where it has no number; what is below 0 was started by hand.
func (c *Called) CueText(cue int) string {
	switch {
	case c.ListCue == "" && cue < 0:
		return "by hand"
	case c.ListCue == "":
		return "cue " + strconv.Itoa(cue)
	}
	text := "cue " + words.OneLine(c.ListCue)
	if c.CueName != "" {
		text += " " + strconv.Quote(words.OneLine(c.CueName))
	}
	return fmt.Sprintf("%s (line %d)", text, c.CueLine)
}

package report

import (
	"fmt"
	"strconv"

	"voicepool/internal/words"
)

// Called holds the number, name and line of a cue. The zero value is for a cue without a number.
type Called struct {
	ListCue string `json:"list_cue,omitempty"` // its number, which may be any text
	CueName string `json:"cue_name,omitempty"`
	CueLine int    `json:"cue_line,omitempty"` // line in the sheet
}

// CueText returns the label of a cue in messages: cue 2.5 "Thunder" (line 14), or cue 7 (its index) if it has
// no number. A negative index means a start by hand.
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

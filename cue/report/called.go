package report

import (
	"fmt"
	"strconv"

	"voicepool/internal/words"
)

// CueLabel identifies a cue: its number, name and line in the sheet, and the id and bus of its voices. A cue without a
// number has only the id and the bus.
type CueLabel struct {
	ListCue string `json:"list_cue,omitempty"` // the number of the cue, such as "2.5"; may be any text
	CueName string `json:"cue_name,omitempty"`
	CueLine int    `json:"cue_line,omitempty"` // line in the sheet
	CueID   string `json:"cue_id,omitempty"`   // `id` of a cue that plays a sound, also without a number
	CueBus  string `json:"cue_bus,omitempty"`  // the bus of such a cue; "": master
}

// CueText returns a label of a cue for messages, such as cue 2.5 "Thunder" (line 14). Spaces at both ends of the number
// and the name are removed, and control characters become spaces. The argument cue is the index of the cue in the
// sheet. It is only used if c has no cue number. The label is then "cue 7" for the index 7, and "by hand" for a
// negative index.
func (c *CueLabel) CueText(cue int) string {
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

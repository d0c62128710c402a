package parse

import (
	"strconv"
	"strings"

	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/yaml"
)

// middleC is the MIDI note of C4.
const middleC = 60

// ParseNote parses a MIDI note: 0..127, or a name such as C4, F#3 or Bb-1. C4 is 60. ok is false for any other
// text and for a note outside 0..127.
func ParseNote(text string) (note int, ok bool) {
	if n, ok := fields.ParseWhole(text, 0, 127); ok {
		return int(n), true
	}
	if text == "" {
		return 0, false
	}
	at := strings.IndexByte("C D EF G A B", text[0]&^0x20)
	if at < 0 || text[0] == ' ' {
		return 0, false
	}
	text = text[1:]
	if natural, sharp := strings.CutPrefix(text, "#"); sharp {
		at, text = at+1, natural
	} else if natural, flat := strings.CutPrefix(text, "b"); flat {
		at, text = at-1, natural
	}
	octave, err := strconv.Atoi(text)
	if err != nil || octave < -1 || octave > 9 {
		return 0, false
	}
	note = middleC + 12*(octave-4) + at
	return note, note >= 0 && note <= 127
}

// Note is a destination for a MIDI note.
type Note struct{ To *int }

// Read parses the value of p, a number or a name as in ParseNote, into *n.To and reports whether it is valid. If not,
// it records an error.
func (n Note) Read(r *fields.Reader, p *yaml.Pair, _ fields.Limits) bool {
	text, ok := r.Scalar(p, noteFormat)
	if !ok {
		return false
	}
	if *n.To, ok = ParseNote(text); !ok {
		r.Fail(p.Value.Position, "note takes %s, not %s", noteFormat, yaml.Quote(text))
	}
	return ok
}

const noteFormat = "a number from 0 to 127, or a name such as C4, which is 60"

// Text returns the number, and always true.
func (n Note) Text() (string, bool) { return strconv.Itoa(*n.To), true }

// Schema returns the schema of a number or a name.
func (Note) Schema(fields.Limits) fields.Schema {
	return fields.Schema{"anyOf": []fields.Schema{
		{"type": "integer", "minimum": 0, "maximum": 127}, {"type": "string", "pattern": "^[A-Ga-g][#b]?-?[0-9]$"},
	}}
}

package webauth

import (
	"fmt"

	"voicepool/internal/words"
)

// Role is a permission level. Each role includes the roles before it.
type Role uint8

const (
	None    Role = iota
	Read         // hear, and see state, events, reports and metrics
	Operate      // play, GO, faders, panic
	Admin        // make and end rooms, upload sounds, make login links
)

var roleNames = []string{"none", "read-only", "operator", "admin"}

// String returns the role as it appears in token files.
func (r Role) String() string { return words.Name("Role", r, roleNames) }

// ParseRole returns the role whose name in token files is text: read-only, operator or admin. For any other text it
// returns the zero Role and an error that suggests the nearest role.
func ParseRole(text string) (Role, error) {
	for r := Read; r <= Admin; r++ {
		if text == r.String() {
			return r, nil
		}
	}
	return None, fmt.Errorf("unknown role %s (want read-only, operator or admin); the nearest is %s",
		words.OneLine(text), words.Nearest(text, roleNames[1:]))
}

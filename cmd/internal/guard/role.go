package guard

import (
	"fmt"

	"voicepool/internal/words"
)

// Role is what somebody may do. Each includes those before it.
type Role uint8

const (
	None    Role = iota
	Read         // hear, and see state, events, reports and metrics
	Operate      // play, GO, faders, panic
	Admin        // make and end rooms, give sounds, invite
)

var roleNames = []string{"none", "read-only", "operator", "admin"}

// String returns the role as token files have it.
func (r Role) String() string { return words.Name("Role", r, roleNames) }

// ParseRole reads a role of a token file.
func ParseRole(text string) (Role, error) {
	for r := Read; r <= Admin; r++ {
		if text == r.String() {
			return r, nil
		}
	}
	return None, fmt.Errorf("%s is no role, want read-only, operator or admin; the nearest is %s",
		words.OneLine(text), words.Nearest(text, roleNames[1:]))
}

package mixer

import (
	"fmt"
	"strings"
)

// String returns the event in one line, for logs and the messages of tests:
//
//	frame 480: "coin" #7 stolen in slot 3 by "bell" #9 (pool): -34.5 dB against -12.3 dB, 8 candidates
func (e Event) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "frame %d: ", e.Frame)
	if e.Sound != nil {
		fmt.Fprintf(&b, "%q ", e.Sound.Name())
	}
	if e.Voice != 0 {
		fmt.Fprintf(&b, "#%d ", e.Voice)
	}
	b.WriteString(e.Kind.String())
	if e.Slot >= 0 && e.Voice != 0 {
		fmt.Fprintf(&b, " in slot %d", e.Slot)
	}
	if e.By != 0 {
		b.WriteString(" by ")
		if e.BySound != nil {
			fmt.Fprintf(&b, "%q ", e.BySound.Name())
		}
		fmt.Fprintf(&b, "#%d", e.By)
	}
	if e.Reason != ReasonNone {
		fmt.Fprintf(&b, " (%v)", e.Reason)
	}
	if e.Candidates > 0 {
		fmt.Fprintf(&b, ": %.1f dB against %.1f dB, %d candidates", e.Audibility, e.Newcomer, e.Candidates)
	}
	return b.String()
}

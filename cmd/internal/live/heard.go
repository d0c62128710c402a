package live

import (
	"fmt"
	"time"

	"voicepool/cmd/internal/column"
)

// Heard is where a picture is heard, and whether it is.
type Heard struct {
	Device  string // as --device takes it; "" shows nothing
	Sink    string // "" where the device does not say
	State   string // playing, or another word
	Latency time.Duration
	Lost    string // why nothing is heard; "" while it is
}

// heard draws where it is heard: a line in red where nothing is.
func (v *View) heard(h *Heard) {
	switch {
	case h.Lost != "":
		v.screen.wrapped(red, "NO SOUND since "+h.Lost, true)
	case h.Device != "":
		on, latency := h.Device, fmt.Sprintf("latency %d ms", h.Latency.Milliseconds())
		if h.Sink != "" {
			on += " on " + h.Sink
		}
		v.screen.line(dim, "%s", column.First(v.screen.width, on+"   "+h.State+"   "+latency, on+"   "+h.State, h.Device+"   "+h.State+"   "+latency, h.Device+"   "+h.State, h.Device))
	}
}

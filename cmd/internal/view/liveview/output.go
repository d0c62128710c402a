package liveview

import (
	"fmt"
	"time"

	"voicepool/cmd/internal/view/cellwidth"
)

// Output is the state of the audio output.
type Output struct {
	Device  string // as in --device; if empty, the view does not show it
	Sink    string // empty if the device does not report it
	State   string // playing, or another word
	Latency time.Duration
	Lost    string // why the output is silent; empty if it works
}

// drawOutput draws a line about the audio output h on the screen: device, sink, state and latency, shortened to the
// width of the window. If the output is silent, it draws the reason in red instead. If h has neither a device nor a
// reason, it draws no line.
func (v *View) drawOutput(h *Output) {
	switch {
	case h.Lost != "":
		v.screen.wrapped(red, "NO SOUND since "+h.Lost, true)
	case h.Device != "":
		on, latency := h.Device, fmt.Sprintf("latency %d ms", h.Latency.Milliseconds())
		if h.Sink != "" {
			on += " on " + h.Sink
		}
		v.screen.line(dim, "%s", cellwidth.First(v.screen.width, on+"   "+h.State+"   "+latency, on+"   "+h.State, h.Device+"   "+h.State+"   "+latency, h.Device+"   "+h.State, h.Device))
	}
}

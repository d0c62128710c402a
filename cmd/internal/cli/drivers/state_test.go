package drivers

import (
	"testing"

	"voicepool/device/pulse"
)

// TestSinkState checks the description of a sink, with its channels if they are not two.
func TestSinkState(t *testing.T) {
	for _, c := range []struct {
		sink pulse.Sink
		want string
	}{
		{sink: pulse.Sink{Rate: 48000, Channels: 2, Default: true}, want: "48000 Hz, default"},
		{sink: pulse.Sink{Rate: 44100, Channels: 8}, want: "44100 Hz, 8 channels"},
		{sink: pulse.Sink{Rate: 48000, Channels: 32, Default: true, Muted: true}, want: "48000 Hz, 32 channels, default, muted"},
		{sink: pulse.Sink{Rate: 8000, Channels: 1, Suspended: true}, want: "8000 Hz, 1 channel, suspended"},
		{sink: pulse.Sink{Rate: 8000}, want: "8000 Hz"},
	} {
		if got := State(c.sink); got != c.want {
			t.Errorf("%+v: %q, want %q", c.sink, got, c.want)
		}
	}
}

package device_test

import (
	"errors"
	"testing"
	"time"

	"voicepool/device"
	"voicepool/pcm"
)

// silent renders silence, at an unspecified rate.
type silent struct{}

func (silent) Render(dst []pcm.Frame) { clear(dst) }

// rated renders silence at a rate.
type rated struct {
	silent
	rate int
}

func (r rated) Rate() int { return r.rate }

func TestCheck(t *testing.T) {
	const text = "device: another rate: the source renders 48000 frames per second, the device plays 44100; " +
		"open the device at 48000, or make the source at 44100"
	for _, c := range []struct {
		name string
		src  device.Source
		want error
		text string
	}{
		{name: "none", src: nil, want: device.ErrNoSource, text: device.ErrNoSource.Error()},
		{name: "no rate", src: silent{}},
		{name: "the same rate", src: rated{rate: 44100}},
		{name: "another rate", src: rated{rate: 48000}, want: device.ErrRate, text: text},
		{name: "another rate, measured", src: device.NewLoadMeter(rated{rate: 48000}, 44100), want: device.ErrRate, text: text},
		{name: "the rate of a meter", src: device.NewLoadMeter(silent{}, 44100)},
		{name: "another rate of a meter", src: device.NewLoadMeter(silent{}, 48000), want: device.ErrRate, text: text},
	} {
		if err := device.Check(c.src, 44100); !errors.Is(err, c.want) || err != nil && err.Error() != c.text {
			t.Errorf("%s: %v, want %s", c.name, err, c.text)
		}
	}
}

// told is a device with a method Latencies; untold is one without it.
type (
	untold struct{ device.Device }
	told   struct{ untold }
)

func (untold) Rate() int                 { return 48000 }
func (untold) Latency() int              { return 480 }
func (told) Latencies() device.Latencies { return device.Latencies{Driver: 1, Server: 2} }

func TestLatenciesOf(t *testing.T) {
	if got := device.LatenciesOf(told{}); got != (device.Latencies{Driver: 1, Server: 2}) {
		t.Errorf("of one that tells: %+v", got)
	}
	if got := device.LatenciesOf(untold{}); got != (device.Latencies{Driver: 10 * time.Millisecond}) {
		t.Errorf("of one that does not: %+v", got)
	}
}

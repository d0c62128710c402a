package device_test

import (
	"fmt"

	"voicepool/device"
	"voicepool/device/null"
	"voicepool/pcm"
)

// square is a source: 480 frames high, 480 frames low.
type square struct{ frame int }

func (s *square) Render(dst []pcm.Frame) {
	for i := range dst {
		x := float32(0.1)
		if s.frame/480%2 == 1 {
			x = -x
		}
		dst[i] = pcm.Frame{x, x}
		s.frame++
	}
}

// A device plays any Source. A LoadMeter measures the time that the source takes.
func Example() {
	meter := device.NewLoadMeter(&square{}, 48000)
	out := null.NewStepped(null.Config{})
	if err := out.Start(meter); err != nil {
		fmt.Println(err)
	}
	out.Step(960)
	fmt.Println(out.Rate(), "Hz")
	fmt.Println(out.Start(meter))
	fmt.Println(out.Close())
	// Output:
	// 48000 Hz
	// device: already started
	// <nil>
}

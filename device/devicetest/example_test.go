package devicetest_test

import (
	"testing"

	"voicepool/device"
	"voicepool/device/devicetest"
	"voicepool/device/null"
)

// The test of a driver that pulls by itself, so drive is nil.
func ExampleRun() {
	test := func(t *testing.T) {
		devicetest.Run(t, func(testing.TB) device.Device { return null.NewPaced(null.Config{}) }, nil)
	}
	_ = test // its name would be TestDevice
}

//go:build (darwin || android) && !nooto

package oto

import (
	"runtime"
	"time"
)

// driverTimeout returns two seconds as the time to wait for the driver, which looks for the card itself. Its error is
// nil.
func driverTimeout() (time.Duration, error) { return 2 * time.Second, nil }

// probe returns the driver of the system, which is always present.
func probe() []Driver {
	name := "coreaudio"
	if runtime.GOOS == "android" {
		name = "android"
	}
	return []Driver{{Name: name, Found: true, Detail: "part of the system"}}
}

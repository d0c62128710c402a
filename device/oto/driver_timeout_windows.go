//go:build !nooto

package oto

import (
	"syscall"
	"time"
)

// driverTimeout returns two seconds as the time to wait for the driver, or an error if Windows has no output: the
// driver would succeed without one.
func driverTimeout() (time.Duration, error) {
	if d := probe()[0]; !d.Found {
		return 0, unavailable("%s", d.Detail)
	}
	return 2 * time.Second, nil
}

// probe returns the driver of Windows. Found is false only if Windows counts no output devices.
func probe() []Driver {
	count := syscall.NewLazyDLL("winmm.dll").NewProc("waveOutGetNumDevs")
	if count.Find() == nil {
		if n, _, _ := count.Call(); n == 0 {
			return []Driver{{Name: "wasapi", Detail: "Windows has no sound output"}}
		}
	}
	return []Driver{{Name: "wasapi", Found: true, Detail: "found out by trying"}}
}

//go:build !nooto

package oto

import (
	"syscall/js"
	"time"
)

// driverTimeout returns no waiting time: a browser starts the sound only after the user has interacted with the page.
// Until then the device pulls in time by itself. Without an AudioContext it returns an error.
func driverTimeout() (time.Duration, error) {
	if d := probe()[0]; !d.Found {
		return 0, unavailable("%s", d.Detail)
	}
	return 0, nil
}

// probe returns the browser's audio context as the only driver. Found is false in a web worker, for example.
func probe() []Driver {
	for _, name := range []string{"AudioContext", "webkitAudioContext"} {
		if js.Global().Get(name).Truthy() && js.Global().Get("document").Truthy() {
			return []Driver{{Name: "webaudio", Found: true, Detail: name}}
		}
	}
	return []Driver{{Name: "webaudio", Detail: "no AudioContext here"}}
}

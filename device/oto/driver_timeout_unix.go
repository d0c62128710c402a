//go:build (linux || freebsd || netbsd || openbsd || dragonfly) && !android && !nooto

package oto

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"voicepool/device/internal/native"
)

const (
	// probeTimeout is the time limit for the server's answer.
	probeTimeout = 300 * time.Millisecond
	// cardTime is the time limit of the driver if there is a card but no server.
	cardTime = 450 * time.Millisecond
	// serverTime is the time limit of the driver after the server has answered.
	serverTime = 3 * time.Second
)

// driverTimeout returns how long to wait for the driver, or an error if trying is useless. Without a card it never
// lets the driver use ALSA: libasound would print errors, and a hung server would block the driver.
func driverTimeout() (time.Duration, error) {
	err := native.CheckOutput(probeTimeout)
	switch {
	case err == nil:
		return serverTime, nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		return 0, unavailable("%v", err)
	}
	if cards := alsaDriver(); cards.Found {
		return cardTime, nil
	} else {
		return 0, unavailable("%v, %s", err, cards.Detail)
	}
}

// probe returns the sound server and the sound cards of the kernel, without opening them.
func probe() []Driver {
	pulse := Driver{Name: "pulse"}
	pulse.Found, pulse.Detail = native.ProbeAny()
	return []Driver{pulse, alsaDriver()}
}

// alsaDriver returns the alsa driver. Found is set if the user may write to an output device; otherwise Detail is the
// reason. A configuration in ALSA_CONFIG_PATH also counts, since its default may need no card of the kernel. On
// FreeBSD and NetBSD the driver is found, on other systems except Linux it is not.
func alsaDriver() Driver {
	alsa := Driver{Name: "alsa"}
	if runtime.GOOS != "linux" {
		// Other systems have libasound only as a port, over their own devices.
		alsa.Found = runtime.GOOS == "freebsd" || runtime.GOOS == "netbsd"
		alsa.Detail = "found out by trying"
		if !alsa.Found {
			alsa.Detail = "not on " + runtime.GOOS
		}
		return alsa
	}
	paths, _ := filepath.Glob("/dev/snd/pcm*p")
	for _, path := range paths {
		if unix.Access(path, unix.R_OK|unix.W_OK) == nil { // checks without opening it
			return Driver{Name: "alsa", Found: true, Detail: path}
		}
	}
	alsa.Detail = "no sound card in /dev/snd"
	if len(paths) > 0 {
		alsa.Detail = "no permission for " + paths[0]
	}
	if path := os.Getenv("ALSA_CONFIG_PATH"); path != "" {
		alsa.Found = true
		alsa.Detail += "; ALSA_CONFIG_PATH is " + path
	}
	return alsa
}

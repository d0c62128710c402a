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
	// askTime is how long a server may take to say that it can play.
	askTime = 300 * time.Millisecond
	// cardTime is how long the driver may take where there is only a card.
	cardTime = 450 * time.Millisecond
	// serverTime is how long it may take after a server said it can play.
	serverTime = 3 * time.Second
)

// look returns how long to wait for the driver, or why there is no use in
// trying. It never lets the driver touch ALSA without a card: libasound would
// print what it did not find, and a server that hangs would hang the driver.
func look() (time.Duration, error) {
	err := native.Ask(askTime)
	switch {
	case err == nil:
		return serverTime, nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		return 0, unavailable("%v", err)
	}
	if cards := cards(); cards.Found {
		return cardTime, nil
	} else {
		return 0, unavailable("%v, %s", err, cards.Detail)
	}
}

func probe() []Driver {
	pulse := Driver{Name: "pulse"}
	pulse.Found, pulse.Detail = native.Look()
	return []Driver{pulse, cards()}
}

// cards looks for an output that this user may write to.
func cards() Driver {
	alsa := Driver{Name: "alsa"}
	if runtime.GOOS != "linux" {
		// The others have libasound only as a port, over devices of their own.
		alsa.Found = runtime.GOOS == "freebsd" || runtime.GOOS == "netbsd"
		alsa.Detail = "found out by trying"
		if !alsa.Found {
			alsa.Detail = "not on " + runtime.GOOS
		}
		return alsa
	}
	paths, _ := filepath.Glob("/dev/snd/pcm*p")
	if len(paths) == 0 {
		alsa.Detail = "no sound card in /dev/snd"
		return alsa
	}
	alsa.Detail = "no permission for " + paths[0]
	for _, path := range paths {
		if unix.Access(path, unix.R_OK|unix.W_OK) == nil { // without opening it
			return Driver{Name: "alsa", Found: true, Detail: path}
		}
	}
	return alsa
}

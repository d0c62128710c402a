//go:build (linux || freebsd || netbsd || openbsd || dragonfly) && !android && !nooto

package oto

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
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
	servers, err := pulseServers()
	for _, s := range servers {
		if err = s.ask(askTime); err == nil {
			return serverTime, nil
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return 0, unavailable("the sound server at %s does not answer", s.addr)
		}
		if errors.Is(err, errNoSink) {
			break // the driver takes the first server that lets it in
		}
	}
	if cards := cards(); cards.Found {
		return cardTime, nil
	} else {
		return 0, unavailable("%v, %s", err, cards.Detail)
	}
}

func probe() []Driver {
	pulse := Driver{Name: "pulse"}
	servers, err := pulseServers()
	if err != nil {
		pulse.Detail = err.Error()
	}
	for _, s := range servers {
		if pulse.Found, pulse.Detail = s.look(); pulse.Found {
			break
		}
	}
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

// pulseServers returns the places where the driver's PulseAudio client looks,
// by its rules: PULSE_SERVER, or the socket of the session. A name that would
// bring it down is an error here.
func pulseServers() ([]pulseServer, error) {
	list, asked := os.LookupEnv("PULSE_SERVER")
	if !asked {
		dir := os.Getenv("XDG_RUNTIME_DIR")
		if dir == "" {
			return nil, errors.New("no sound server (XDG_RUNTIME_DIR is not set)")
		}
		return []pulseServer{{network: "unix", addr: filepath.Join(dir, "pulse/native")}}, nil
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	var servers []pulseServer
	for _, word := range strings.Fields(list) {
		s, err := parseServer(word)
		if err != nil {
			return nil, err
		}
		if s.host == "" || s.host == host {
			servers = append(servers, s)
		}
	}
	if len(servers) == 0 {
		return nil, fmt.Errorf("no sound server in PULSE_SERVER=%q", list)
	}
	return servers, nil
}

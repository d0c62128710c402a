//go:build (linux || freebsd || netbsd || openbsd || dragonfly) && !android && !nooto

package oto

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"voicepool/device"
	"voicepool/internal/lateness"
)

// listen starts a server that never answers, and returns its socket.
func listen(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "vp") // t.TempDir may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, "native"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		l.Close()
		os.RemoveAll(dir)
	})
	return l.Addr().String()
}

// quiet simulates a machine without sound, as far as possible.
func quiet(t *testing.T, server string) {
	t.Helper()
	if paths, _ := filepath.Glob("/dev/snd/pcm*p"); len(paths) > 0 {
		t.Skip("this machine has a sound card")
	}
	t.Setenv("ALSA_CONFIG_PATH", "")
	t.Setenv("PULSE_SERVER", server)
	t.Setenv("PULSE_COOKIE", filepath.Join(t.TempDir(), "none"))
}

// timedOpen opens a device. The result took leaves out the time that the machine lost, by a control beside the call.
func timedOpen() (d *Device, took time.Duration, err error) {
	control := lateness.Start()
	defer control.Stop()
	start := time.Now()
	d, err = Open(Config{})
	end := time.Now()
	return d, end.Sub(start) - control.Lost(start, end), err
}

func TestOpenWithoutSound(t *testing.T) {
	silent := listen(t)
	for _, server := range []string{"/nowhere/native", "{broken", "", silent} {
		t.Run(server, func(t *testing.T) {
			quiet(t, server)
			d, took, err := timedOpen()
			for range 2 {
				if took > 500*time.Millisecond { // the machine may be busy
					d, took, err = timedOpen()
				}
			}
			if d != nil || !errors.Is(err, device.ErrUnavailable) || errors.Is(err, ErrSpent) || strings.Contains(err.Error(), "\n") {
				t.Errorf("Open = %v, %v, want one line that wraps %v", d, err, device.ErrUnavailable)
			}
			if took > 500*time.Millisecond {
				t.Errorf("Open took %v three times, want half a second at the most", took)
			}
			if server != silent && !strings.Contains(err.Error(), "no sound card in /dev/snd") {
				t.Errorf("Open = %v: the driver was asked though there is no card", err)
			}
		})
	}
}

func TestProbe(t *testing.T) {
	addr := listen(t)
	quiet(t, addr)
	got := Probe()
	if len(got) != 2 || got[0] != (Driver{"pulse", true, addr}) || got[1].Name != "alsa" || got[1].Found {
		t.Errorf("Probe = %+v, want pulse at %s and no alsa", got, addr)
	}
	t.Setenv("PULSE_SERVER", "/nowhere/native")
	if got := Probe()[0]; got.Found || got.Detail != "no sound server at /nowhere/native" {
		t.Errorf("Probe()[0] = %+v, want no sound server at /nowhere/native", got)
	}
	// The default of a private configuration may need no card of the kernel.
	t.Setenv("ALSA_CONFIG_PATH", "/etc/other.conf")
	want := Driver{"alsa", true, "no sound card in /dev/snd; ALSA_CONFIG_PATH is /etc/other.conf"}
	if got := Probe()[1]; got != want {
		t.Errorf("Probe()[1] = %+v, want %+v", got, want)
	}
}

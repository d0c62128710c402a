// Package systemd communicates with the service manager that started the program: it reports the
// state, feeds the watchdog, and receives sockets. Without a service manager it does nothing.
package systemd

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"
)

// maxSockets is the maximum number of sockets from the service manager.
const maxSockets = 64

// sendTimeout is the time limit for sending a message. It is a variable for the tests.
var sendTimeout = time.Second

// Ready reports to the service manager that the program serves. status is a line that the service manager shows.
// Without a service manager, Ready and the other reports return nil. If sending takes more than a second, they return
// os.ErrDeadlineExceeded.
func Ready(status string) error { return send(daemon.SdNotifyReady + "\nSTATUS=" + status) }

// Reloading reports that the program is reloading its configuration. Call Ready afterwards.
func Reloading() error {
	return send(strings.TrimSpace(daemon.SdNotifyReloading + "\n" + daemon.SdNotifyMonotonicUsec()))
}

// Stopping reports that the program is shutting down.
func Stopping() error { return send(daemon.SdNotifyStopping) }

// FeedWatchdog reports to the service manager's watchdog that the program works. Call it more often than the interval
// that Watchdog returns; otherwise the service manager restarts the program.
func FeedWatchdog() error { return send(daemon.SdNotifyWatchdog) }

// send sends message to the service manager and returns the error. Without a service manager it returns nil. If sending
// takes more than a second, it returns os.ErrDeadlineExceeded, and a goroutine keeps sending. The library itself would
// block while the queue of a hanging service manager is full.
func send(message string) error {
	sent := make(chan error, 1)
	go func() {
		_, err := daemon.SdNotify(false, message)
		sent <- err
	}()
	select {
	case err := <-sent:
		return err
	case <-time.After(sendTimeout):
		return os.ErrDeadlineExceeded
	}
}

// Watchdog returns the longest interval that may pass between calls of FeedWatchdog, from the environment. Without a
// watchdog, or with an interval outside 1 ms to 24 h, it returns 0. It removes the interval's variables from the
// environment, so call it only once.
func Watchdog() time.Duration {
	interval, err := daemon.SdWatchdogEnabled(true)
	if err != nil || interval < time.Millisecond || interval > 24*time.Hour { // an overflow in the library, or a mistake
		return 0
	}
	return interval
}

// Listener returns the first listening socket that the service manager has passed to this process. Without such a
// socket it returns nil. It closes the other sockets. Packet sockets are closed, too. It removes their variables from
// the environment, so call it only once. More than 64 sockets, and a descriptor that is not a socket, are an error.
func Listener() (net.Listener, error) {
	if n, _ := strconv.Atoi(os.Getenv("LISTEN_FDS")); n > maxSockets { // the library would allocate for all of them
		return nil, fmt.Errorf("LISTEN_FDS is %d, want at most %d", n, maxSockets)
	}
	var first net.Listener
	for _, file := range activation.Files(true) {
		l, err := listener(file)
		switch {
		case err != nil:
			if first != nil {
				first.Close()
			}
			return nil, err
		case first == nil:
			first = l
		case l != nil:
			l.Close()
		}
	}
	return first, nil
}

// listener converts file, a passed descriptor, to a listener with a descriptor of its own. If file is a packet socket,
// it returns nil. A descriptor of any other kind is an error. It always closes file.
func listener(file *os.File) (net.Listener, error) {
	defer file.Close()
	l, err := net.FileListener(file)
	if err == nil {
		return l, nil
	}
	p, err := net.FilePacketConn(file)
	if err != nil {
		return nil, fmt.Errorf("the socket %q that the service manager passes: %w", file.Name(), err)
	}
	return nil, p.Close()
}

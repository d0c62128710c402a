// Package systemd communicates with the service manager that started the program: it reports the
// state, feeds the watchdog, and receives sockets. Without a service manager it does nothing.
//
// It implements the protocols of sd_notify(3) and sd_listen_fds(3).
package systemd

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

// patience is the time limit for sending a message.
const patience = time.Second

// Manager is the service manager. The zero Manager does nothing. Safe for concurrent use.
type Manager struct {
	socket   string        // socket for messages; empty without a service manager
	watchdog time.Duration // watchdog interval; 0: off
}

// New returns the service manager that the environment names, or a Manager without effect. It removes the variables,
// so that child processes do not report for this process.
func New() Manager {
	m := Manager{socket: os.Getenv("NOTIFY_SOCKET"), watchdog: watchdog(os.Getenv("WATCHDOG_USEC"), os.Getenv("WATCHDOG_PID"), os.Getpid())}
	for _, name := range []string{"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"} {
		os.Unsetenv(name)
	}
	return m
}

// watchdog parses usec, the interval of the watchdog in microseconds. It returns 0 if usec is invalid, or if pid is
// set and not own, the id of this process.
func watchdog(usec, pid string, own int) time.Duration {
	n, err := strconv.ParseInt(usec, 10, 64)
	if err != nil || n <= 0 || n > int64(24*time.Hour/time.Microsecond) || pid != "" && pid != strconv.Itoa(own) {
		return 0
	}
	return time.Duration(n) * time.Microsecond
}

// Watchdog returns the longest permitted time between two calls of Alive, or 0 without a watchdog.
func (m Manager) Watchdog() time.Duration { return m.watchdog }

// Ready reports that the program is ready to serve. An empty status leaves the status line as it is. Without a
// service manager, it and the other reports return nil.
func (m Manager) Ready(status string) error { return m.send("READY=1", status) }

// Reloading reports that the program is reloading its configuration. Call Ready afterwards.
func (m Manager) Reloading() error {
	return m.send("RELOADING=1\nMONOTONIC_USEC="+strconv.FormatInt(monotonic().Microseconds(), 10), "")
}

// Stopping reports that the program is shutting down. An empty status leaves the status line as it is.
func (m Manager) Stopping(status string) error { return m.send("STOPPING=1", status) }

// Alive feeds the watchdog. Call it more often than the interval of Watchdog.
func (m Manager) Alive() error { return m.send("WATCHDOG=1", "") }

// Status sets the status line of the program.
func (m Manager) Status(status string) error { return m.send("", status) }

// send sends words, assignments of sd_notify such as READY=1, and a status line unless that is empty. Without a
// service manager it returns nil.
func (m Manager) send(words, status string) error {
	if m.socket == "" {
		return nil
	}
	if status != "" {
		words = strings.TrimPrefix(words+"\nSTATUS="+strings.ReplaceAll(status, "\n", " "), "\n")
	}
	name := m.socket
	if strings.HasPrefix(name, "@") { // in the abstract namespace
		name = "\x00" + name[1:]
	} else if !strings.HasPrefix(name, "/") {
		return fmt.Errorf("NOTIFY_SOCKET: %q is not a local socket", name)
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		return err
	}
	defer c.Close()
	c.SetWriteDeadline(time.Now().Add(patience))
	_, err = c.Write([]byte(words))
	return err
}

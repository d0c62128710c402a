// Package systemd speaks with the service manager that has started the program: it says that the
// program is ready, feeds the watchdog, and takes sockets over. Without a service manager all of it
// does nothing.
//
// The protocols are those of sd_notify(3) and sd_listen_fds(3).
package systemd

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

// patience is how long the service manager may take for a message.
const patience = time.Second

// Manager is the service manager. The zero Manager is none. Any goroutine.
type Manager struct {
	socket   string        // where messages go; empty: nowhere
	watchdog time.Duration // how often it wants to hear of the program; 0: never
}

// New returns the service manager that the environment names, and forgets what the environment says of
// it, so that other programs do not speak for this one.
func New() Manager {
	m := Manager{socket: os.Getenv("NOTIFY_SOCKET"), watchdog: watchdog(os.Getenv("WATCHDOG_USEC"), os.Getenv("WATCHDOG_PID"), os.Getpid())}
	for _, name := range []string{"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"} {
		os.Unsetenv(name)
	}
	return m
}

// watchdog reads how often the service manager wants to hear of this process.
func watchdog(usec, pid string, own int) time.Duration {
	n, err := strconv.ParseInt(usec, 10, 64)
	if err != nil || n <= 0 || n > int64(24*time.Hour/time.Microsecond) || pid != "" && pid != strconv.Itoa(own) {
		return 0
	}
	return time.Duration(n) * time.Microsecond
}

// Watchdog returns within what time Alive has to be called again; 0: it need not be.
func (m Manager) Watchdog() time.Duration { return m.watchdog }

// Ready says that the program serves.
func (m Manager) Ready(status string) error { return m.send("READY=1", status) }

// Reloading says that the program reads its configuration anew. Ready says that it has.
func (m Manager) Reloading() error {
	return m.send("RELOADING=1\nMONOTONIC_USEC="+strconv.FormatInt(monotonic().Microseconds(), 10), "")
}

// Stopping says that the program ends.
func (m Manager) Stopping(status string) error { return m.send("STOPPING=1", status) }

// Alive feeds the watchdog.
func (m Manager) Alive() error { return m.send("WATCHDOG=1", "") }

// Status says how the program stands, in a line.
func (m Manager) Status(status string) error { return m.send("", status) }

// send sends words, and a status where there is one.
func (m Manager) send(words, status string) error {
	if m.socket == "" {
		return nil
	}
	if status != "" {
		words = strings.TrimPrefix(words+"\nSTATUS="+strings.ReplaceAll(status, "\n", " "), "\n")
	}
	name := m.socket
	if strings.HasPrefix(name, "@") { // of the abstract namespace
		name = "\x00" + name[1:]
	} else if !strings.HasPrefix(name, "/") {
		return fmt.Errorf("NOTIFY_SOCKET: %q is no socket of this machine", name)
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

package systemd

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
)

// firstSocket is the descriptor of the first socket that is passed.
const firstSocket = 3

// mostSockets bounds what is believed of LISTEN_FDS.
const mostSockets = 64

// Socket is a socket that the service manager has opened for the program.
type Socket struct {
	Name string // as the unit calls it; "unknown" where it says nothing

	Listener net.Listener   // of TCP or a unix socket; nil: it is none
	Packets  net.PacketConn // of UDP; nil: it is none
}

// Sockets returns the sockets that the service manager has passed, and forgets what the environment
// says of them. It is called once.
func Sockets() ([]Socket, error) {
	names := passed(os.Getenv("LISTEN_PID"), os.Getenv("LISTEN_FDS"), os.Getenv("LISTEN_FDNAMES"), os.Getpid())
	for _, name := range []string{"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"} {
		os.Unsetenv(name)
	}
	var list []Socket
	for i, name := range names {
		s, err := take(os.NewFile(uintptr(firstSocket+i), name), name)
		if err != nil {
			for _, s := range list {
				s.Close()
			}
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// Close closes a socket that nobody needs.
func (s Socket) Close() error {
	if s.Listener != nil {
		return s.Listener.Close()
	}
	return s.Packets.Close()
}

// passed returns the names of the sockets that are passed to a process.
func passed(pid, count, names string, own int) []string {
	n, err := strconv.Atoi(count)
	if err != nil || n < 1 || n > mostSockets || pid != strconv.Itoa(own) {
		return nil
	}
	list := strings.Split(names, ":")
	out := make([]string, n)
	for i := range out {
		out[i] = "unknown"
		if i < len(list) && list[i] != "" {
			out[i] = list[i]
		}
	}
	return out
}

// take makes a socket of a descriptor. What net makes is a copy that programs started by this one do
// not inherit.
func take(file *os.File, name string) (Socket, error) {
	defer file.Close()
	if l, err := net.FileListener(file); err == nil {
		if u, ok := l.(*net.UnixListener); ok {
			u.SetUnlinkOnClose(false) // the service manager's
		}
		return Socket{Name: name, Listener: l}, nil
	}
	p, err := net.FilePacketConn(file)
	if err != nil {
		return Socket{}, fmt.Errorf("the socket %q that the service manager passes: %w", name, err)
	}
	return Socket{Name: name, Packets: p}, nil
}

package systemd

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
)

// firstSocket is the descriptor of the first passed socket.
const firstSocket = 3

// mostSockets is the largest accepted value of LISTEN_FDS.
const mostSockets = 64

// Socket is a socket that the service manager has opened for the program.
type Socket struct {
	Name string // its name in the unit, or "unknown"

	Listener net.Listener   // for TCP or a unix socket, else nil
	Packets  net.PacketConn // for UDP, else nil
}

// Sockets returns the sockets that the service manager has passed, in order, and removes their environment
// variables. Without passed sockets it returns nil and no error. Call it only once.
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

// Close closes the socket, if the program does not use it.
func (s Socket) Close() error {
	if s.Listener != nil {
		return s.Listener.Close()
	}
	return s.Packets.Close()
}

// passed returns the names of the sockets passed to the process with the id own, from the values of LISTEN_PID,
// LISTEN_FDS and LISTEN_FDNAMES. A missing name is "unknown". It returns nil if the values are invalid or for
// another process.
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

// take returns the Socket of file, a descriptor of the socket called name, and closes file. The Socket has its own
// descriptor, which child processes do not inherit.
func take(file *os.File, name string) (Socket, error) {
	defer file.Close()
	if l, err := net.FileListener(file); err == nil {
		if u, ok := l.(*net.UnixListener); ok {
			u.SetUnlinkOnClose(false) // the service manager removes it
		}
		return Socket{Name: name, Listener: l}, nil
	}
	p, err := net.FilePacketConn(file)
	if err != nil {
		return Socket{}, fmt.Errorf("the socket %q that the service manager passes: %w", name, err)
	}
	return Socket{Name: name, Packets: p}, nil
}

//go:build (linux || freebsd || netbsd || openbsd || dragonfly) && !android

// Package native is a client of the native protocol of PulseAudio, which PipeWire supports, too. It finds the
// server, authenticates, and limits every wait.
package native

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/jfreymuth/pulse/proto"
)

// Server is the address of a sound server.
type Server struct {
	host    string // if not empty, valid only on the machine with this name
	network string // unix, tcp, tcp4, tcp6
	addr    string
}

// String returns the address.
func (s Server) String() string { return s.addr }

// Servers returns the addresses that a PulseAudio client tries, in order: the list in PULSE_SERVER without
// entries for other hosts, or the socket of the session. It returns an error if a word is invalid or there is no
// session.
func Servers() ([]Server, error) {
	list, asked := os.LookupEnv("PULSE_SERVER")
	if !asked {
		dir := os.Getenv("XDG_RUNTIME_DIR")
		if dir == "" {
			return nil, errors.New("no sound server (XDG_RUNTIME_DIR is not set)")
		}
		return []Server{{network: "unix", addr: filepath.Join(dir, "pulse/native")}}, nil
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	var servers []Server
	for _, word := range strings.Fields(list) {
		s, err := parse(word)
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

// parse parses one word of PULSE_SERVER: an optional {host}, then a socket path or a TCP address. The default
// port is 4713.
func parse(word string) (Server, error) {
	var s Server
	rest := word
	if strings.HasPrefix(rest, "{") {
		host, after, closed := strings.Cut(rest[1:], "}")
		if !closed || after == "" {
			return s, fmt.Errorf("PULSE_SERVER: %q is not the name of a server", word)
		}
		s.host, rest = host, after
	}
	if rest[0] == '/' {
		s.network, s.addr = "unix", rest
		return s, nil
	}
	for _, network := range []string{"unix", "tcp", "tcp4", "tcp6"} {
		if addr, found := strings.CutPrefix(rest, network+":"); found {
			s.network, s.addr = network, addr
			return s, nil
		}
	}
	s.network, s.addr = "tcp", rest
	if _, _, err := net.SplitHostPort(rest); err != nil {
		s.addr = net.JoinHostPort(rest, "4713")
	}
	return s, nil
}

// Probe reports whether the server's socket exists, without connecting. A TCP server counts as found. detail is
// the address, or the reason why it is not found.
func (s Server) Probe() (found bool, detail string) {
	if s.network != "unix" {
		return true, s.addr + " (not asked)"
	}
	info, err := os.Stat(s.addr)
	switch {
	case err != nil:
		return false, "no sound server at " + s.addr
	case info.Mode()&fs.ModeSocket == 0:
		return false, s.addr + " is not a socket"
	}
	return true, s.addr
}

// ProbeAny reports whether any server of Servers exists, without connecting. detail is the address of the first one,
// or the reason why the last one was not found.
func ProbeAny() (found bool, detail string) {
	servers, err := Servers()
	if err != nil {
		return false, err.Error()
	}
	for _, s := range servers {
		if found, detail = s.Probe(); found {
			break
		}
	}
	return found, detail
}

// Silent is the error of a server that does not answer; it wraps os.ErrDeadlineExceeded.
type Silent struct{ Server string }

// Error returns a message with the address of the server.
func (e Silent) Error() string { return "the sound server at " + e.Server + " does not answer" }

// Unwrap returns os.ErrDeadlineExceeded.
func (e Silent) Unwrap() error { return os.ErrDeadlineExceeded }

// explain adds the address of the server to err. A timeout becomes Silent, an error code of the server a
// sentence; nil stays nil.
func (s Server) explain(err error) error {
	if err == nil {
		return nil
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return Silent{s.addr}
	}
	if code, ok := errors.AsType[proto.Error](err); ok {
		err = refusal(code)
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = op.Err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("no sound server at %s", s.addr)
	case errors.Is(err, ErrNoSink):
		return fmt.Errorf("%w (%s)", err, s.addr)
	}
	return fmt.Errorf("the sound server at %s: %w", s.addr, err)
}

// refusal translates an error code of the server into a sentence without its address. A missing sink becomes
// ErrNoSink.
func refusal(code proto.Error) error {
	switch code {
	case proto.ErrAccessDenied:
		return errors.New("it refuses access; PULSE_COOKIE names the file with its cookie")
	case proto.ErrNoSuchEntity:
		return ErrNoSink
	}
	return fmt.Errorf("it refuses: %s", strings.TrimPrefix(code.Error(), "pulseaudio: "))
}

// cookie returns the authentication cookie of the user, from PULSE_COOKIE or the home folder. If that file does
// not exist, it returns 256 zeros, for servers that need no cookie.
func cookie() ([]byte, error) {
	path := cmp.Or(os.Getenv("PULSE_COOKIE"), os.Getenv("HOME")+"/.config/pulse/cookie")
	cookie, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return make([]byte, 256), nil
	}
	return cookie, err
}

//go:build (linux || freebsd || netbsd || openbsd || dragonfly) && !android && !nooto

package oto

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"strings"
	"time"
)

// errNoSink says that a server is there and has nothing to play on.
var errNoSink = errors.New("the sound server has no output")

// pulseServer is where a PulseAudio server may be; PipeWire is one, too.
type pulseServer struct {
	host    string // where not empty, only on the machine of this name
	network string // unix, tcp, tcp4, tcp6
	addr    string
}

// parseServer reads one word of PULSE_SERVER.
func parseServer(word string) (pulseServer, error) {
	var s pulseServer
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

// look says whether there is something to ask, and asks nothing.
func (s pulseServer) look() (bool, string) {
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

// The commands of PulseAudio's native protocol that are needed here.
const (
	pulseError      = 0
	pulseReply      = 2
	pulseAuth       = 8
	pulseClientName = 9
	pulseLookupSink = 10

	pulseVersion  = 32
	pulseNoEntity = 5
	pulseLongest  = 64 << 10 // of an answer
)

// ask asks the server whether it lets us in and has an output, and returns nil
// if so. It takes no longer than limit: then the error wraps
// os.ErrDeadlineExceeded.
func (s pulseServer) ask(limit time.Duration) error {
	deadline := time.Now().Add(limit)
	cookie, err := pulseCookie()
	if err != nil {
		return err
	}
	conn, err := (&net.Dialer{Deadline: deadline}).Dial(s.network, s.addr)
	if err != nil {
		return s.explain(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(deadline); err != nil {
		return err
	}
	for tag, request := range [][]byte{
		pulseRequest(pulseAuth, 0, append(pulseNumber(pulseNumber(nil, 'L', pulseVersion), 'x', uint32(len(cookie))), cookie...)),
		pulseRequest(pulseClientName, 1, pulseProperty("application.name", "voicepool")),
		pulseRequest(pulseLookupSink, 2, []byte("t@DEFAULT_SINK@\x00")),
	} {
		if _, err := conn.Write(request); err != nil {
			return s.explain(err)
		}
		if err := pulseAnswer(conn, uint32(tag)); err != nil {
			return s.explain(err)
		}
	}
	return nil
}

// explain says which server it was that did not do.
func (s pulseServer) explain(err error) error {
	timeout, ok := errors.AsType[net.Error](err)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("no sound server at %s", s.addr)
	case ok && timeout.Timeout():
		return fmt.Errorf("the sound server at %s: %w", s.addr, os.ErrDeadlineExceeded)
	case errors.Is(err, errNoSink):
		return fmt.Errorf("%w (%s)", errNoSink, s.addr)
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = op.Err
	}
	return fmt.Errorf("the sound server at %s: %w", s.addr, err)
}

// pulseCookie returns what lets us in, as the driver's client finds it; a
// server that asks for none takes any.
func pulseCookie() ([]byte, error) {
	path, asked := os.LookupEnv("PULSE_COOKIE")
	if !asked {
		path = os.Getenv("HOME") + "/.config/pulse/cookie"
	}
	cookie, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return make([]byte, 256), nil
	}
	return cookie, err
}

// pulseRequest makes a packet of a command.
func pulseRequest(command, tag uint32, args []byte) []byte {
	body := append(pulseNumber(pulseNumber(nil, 'L', command), 'L', tag), args...)
	packet := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	packet = binary.BigEndian.AppendUint32(packet, 0xffffffff) // no stream: a command
	packet = append(packet, make([]byte, 12)...)               // no offset, no flags
	return append(packet, body...)
}

func pulseNumber(b []byte, kind byte, n uint32) []byte {
	return binary.BigEndian.AppendUint32(append(b, kind), n)
}

// pulseProperty makes a list of one property.
func pulseProperty(key, value string) []byte {
	b := append([]byte("Pt"+key), 0)
	b = pulseNumber(b, 'L', uint32(len(value)+1))
	b = pulseNumber(b, 'x', uint32(len(value)+1))
	return append(append(b, value...), 0, 'N')
}

// pulseAnswer reads packets up to the one that answers tag.
func pulseAnswer(r io.Reader, tag uint32) error {
	for {
		var head [20]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return err
		}
		size := binary.BigEndian.Uint32(head[:])
		if size > pulseLongest {
			return errors.New("not a sound server")
		}
		body := make([]byte, size)
		if _, err := io.ReadFull(r, body); err != nil {
			return err
		}
		// Numbers, each after an L: the command, the tag, and the code of an error.
		be := binary.BigEndian
		if len(body) < 10 || body[0] != 'L' || body[5] != 'L' {
			return errors.New("not a sound server")
		}
		if be.Uint32(body[6:]) != tag {
			continue // an event
		}
		switch be.Uint32(body[1:]) {
		case pulseReply:
			return nil
		case pulseError:
			if len(body) < 15 || body[10] != 'L' {
				return errors.New("not a sound server")
			}
			if code := be.Uint32(body[11:]); code != pulseNoEntity {
				return fmt.Errorf("refused with code %d", code)
			}
			return errNoSink
		}
	}
}

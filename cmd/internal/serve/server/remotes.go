package server

import (
	"fmt"
	"net/netip"
	"time"

	"voicepool/cmd/internal/serve/service"
	"voicepool/cmd/internal/serve/webauth"
	"voicepool/cmd/internal/show/qlab"
	"voicepool/internal/words"
)

// remotes serves remote controls that use OSC.
type remotes struct {
	server            *qlab.Server
	counters          qlab.Counters
	received, dropped int64 // already reported to the service
	malformed         logThrottle
}

// open starts an OSC server for the rooms of s, at the OSC address of the configuration. The guard of s checks the
// passcodes of clients. In a cluster, rooms that accept no orders at the moment are hidden from clients. If the
// configuration has no OSC address, open returns nil. An address that cannot be used is an error.
func (m *remotes) open(s *server) error {
	if s.config.OSC == "" {
		return nil
	}
	m.server = qlab.New(qlab.Options{
		Main: mainRoom,
		Rooms: func(name string) qlab.Room {
			if f := s.clusterNode.Load(); f != nil && f.checkOperable(name) != nil {
				return nil // remotes retry
			}
			if r := s.service.Room(name); r != nil {
				return r
			}
			return nil
		},
		Names: func() (names []string) {
			for _, r := range s.service.Rooms() {
				names = append(names, r.Name())
			}
			return names
		},
		Check: func(passcode string, rooms []string, from netip.Addr) qlab.Role {
			role, err := s.guard.Passcode(netip.AddrPortFrom(from, 0).String(), passcode, rooms...)
			if err != nil {
				return qlab.None
			}
			return qlab.Role(min(role, webauth.Operate)) // the values are equal, except that qlab has no Admin
		},
		Counters: &m.counters,
	})
	if err := m.server.Listen(s.config.OSC); err != nil {
		return listenError("osc", s.config.OSC, err)
	}
	return nil
}

// count adds to the metrics of h how many OSC messages were received and dropped since the last call. Only one
// goroutine may call it.
func (m *remotes) count(h *service.Server) {
	c := &m.counters
	dropped := c.Malformed.Load() + c.Unanswered.Load() + c.Refused.Load() + c.Slow.Load()
	received := c.Messages.Load() + c.Malformed.Load()
	h.OSC(int(received-m.received), int(dropped-m.dropped))
	m.received, m.dropped = received, dropped
}

// logMalformed logs how many OSC packets could not be read since the last such line, and the reason of the last one. It
// writes the line by a call of log. It has no effect if all packets could be read, or if the last line is less than a
// minute old. now is the current time.
func (m *remotes) logMalformed(now time.Time, log func(string)) {
	n, allowed := m.malformed.allow(now, m.counters.Malformed.Load())
	if !allowed {
		return
	}
	why := ""
	if fault := m.counters.Fault.Load(); fault != nil {
		why = "; the last: " + *fault
	}
	log(fmt.Sprintf("osc: %s not read%s", words.Count(int(n), "packet"), why))
}

// close stops listening for OSC. It may be called without open.
func (m *remotes) close() {
	if m.server != nil {
		m.server.Close()
	}
}

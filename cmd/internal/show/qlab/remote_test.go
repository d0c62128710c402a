package qlab

import (
	"encoding/json"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/cmd/internal/serve/pipenet"
	"voicepool/cmd/internal/show/osc"
	"voicepool/cue"
)

// bound is the longest time that a test waits for an immediate event. It only ends a test that hangs: a busy machine
// can stall a test for a minute.
const bound = 5 * time.Minute

// remote is a client of a server.
type remote struct {
	t       testing.TB
	out     net.Conn
	tcp     bool
	replies chan *cue.Message
	updates chan *cue.Message
	closed  chan struct{}
	earlier []*cue.Message // updates that no call has waited for
}

// newRemote returns a remote that reads from a connection or a socket.
func newRemote(t testing.TB, out, in net.Conn, tcp bool) *remote {
	r := &remote{t: t, out: out, tcp: tcp, replies: make(chan *cue.Message, 5000), updates: make(chan *cue.Message, 5000), closed: make(chan struct{})}
	var read sync.WaitGroup
	read.Go(func() { r.read(in) })
	t.Cleanup(func() {
		out.Close()
		in.Close()
		read.Wait()
	})
	return r
}

func (r *remote) read(in net.Conn) {
	defer close(r.closed)
	take := func(packet []byte) {
		all, err := osc.Decode(packet)
		if err != nil {
			r.t.Errorf("%q: %v", packet, err)
			return
		}
		for _, m := range all {
			to := r.replies
			if strings.HasPrefix(m.Address, "/update/") {
				to = r.updates
			}
			select {
			case to <- m:
			default:
				r.t.Error("nobody reads what comes")
			}
		}
	}
	var frames osc.Frames
	piece := make([]byte, 1<<16)
	for {
		n, err := in.Read(piece)
		if err != nil {
			return
		}
		if !r.tcp {
			take(piece[:n])
		} else if bad := frames.Feed(piece[:n], take); bad > 0 {
			r.t.Errorf("%d frames are bad", bad)
		}
	}
}

// send sends bytes as a packet.
func (r *remote) send(packet []byte) {
	if r.tcp {
		packet = osc.AppendFrame(nil, packet)
	}
	if _, err := r.out.Write(packet); err != nil {
		r.t.Helper()
		r.t.Fatal(err)
	}
}

// say sends a message.
func (r *remote) say(address string, args ...any) {
	r.t.Helper()
	r.send(osc.Append(nil, &cue.Message{Address: address, Args: args}))
}

// answer is a reply that was read.
type answer struct {
	Workspace string `json:"workspace_id"`
	Address   string `json:"address"`
	Status    string `json:"status"`
	Data      any    `json:"data"`
}

// heard returns the next reply.
func (r *remote) heard() (m *cue.Message, a answer) {
	r.t.Helper()
	select {
	case m = <-r.replies:
	case <-time.After(bound):
		r.t.Fatal("no reply comes")
	}
	if len(m.Args) != 1 || json.Unmarshal([]byte(m.Args[0].(string)), &a) != nil {
		r.t.Fatalf("%s has %v", m.Address, m.Args)
	}
	return m, a
}

// ask sends a message, and returns its answer.
func (r *remote) ask(address string, args ...any) answer {
	r.t.Helper()
	r.say(address, args...)
	m, a := r.heard()
	if m.Address != "/reply"+address || a.Address != address {
		r.t.Fatalf("%s is answered with %s, %v", address, m.Address, a)
	}
	return a
}

// told waits for an update, which may have arrived before others.
func (r *remote) told(address string, args ...any) {
	r.t.Helper()
	is := func(m *cue.Message) bool {
		return m.Address == address && len(m.Args) == len(args) && (len(args) == 0 || m.Args[0] == args[0])
	}
	if i := slices.IndexFunc(r.earlier, is); i >= 0 {
		r.earlier = slices.Delete(r.earlier, i, i+1)
		return
	}
	end := time.After(bound)
	for {
		select {
		case m := <-r.updates:
			if is(m) {
				return
			}
			r.earlier = append(r.earlier, m)
		case <-end:
			r.t.Fatalf("%s %v does not come", address, args)
		}
	}
}

// serve starts a server, which ends with the test.
func serve(t testing.TB, o Options, change ...func(*Server)) *Server {
	t.Helper()
	s := New(o)
	for _, c := range change {
		c(s)
	}
	if err := s.Listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// inBubble runs a test with a server on a network in memory, in a bubble of testing/synctest. Its time limits then
// pass at once, and no stall of the machine can exceed them.
func inBubble(t *testing.T, o Options, test func(*testing.T, *Server)) {
	synctest.Test(t, func(t *testing.T) {
		s := New(o)
		if err := s.Serve(pipenet.New(), &network{in: make(chan datagram)}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		test(t, s)
	})
}

// one returns the options of a server of one room.
func one(r Room) Options {
	return Options{Rooms: func(name string) Room {
		if name == "main" {
			return r
		}
		return nil
	}}
}

// overTCP returns a remote over TCP.
func overTCP(t testing.TB, s *Server) *remote {
	t.Helper()
	conn := dial(t, s)
	return newRemote(t, conn, conn, true)
}

// dial connects to the TCP listener of a server.
func dial(t testing.TB, s *Server) net.Conn {
	t.Helper()
	var conn net.Conn
	var err error
	if n, memory := s.tcp.(*pipenet.Network); memory {
		conn, err = n.Dial(t.Context(), "", "")
	} else {
		conn, err = net.Dial("tcp", s.Addr().String())
	}
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// overUDP returns a remote that sends from one port and receives at another, as Companion does, with a server
// that answers there.
func overUDP(t testing.TB, o Options, change ...func(*Server)) (*remote, *Server) {
	t.Helper()
	in, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	o.ReplyPort = in.LocalAddr().(*net.UDPAddr).Port
	s := serve(t, o, change...)
	out, err := net.Dial("udp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return newRemote(t, out, in, false), s
}

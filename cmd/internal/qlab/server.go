// Package qlab answers remotes: programs that play on rooms by Open Sound Control, over UDP and over
// TCP with SLIP, by addresses of their own and by those of QLab.
//
//	s := qlab.New(qlab.Options{Rooms: rooms, Main: "main"})
//	err := s.Listen("127.0.0.1:53000")
//	defer s.Close()
//
// A message acts when it arrives; time tags are ignored. Each is answered with /reply and its address,
// and one text of JSON. Over UDP an answer goes to port 53001 of the sender.
//
// A sender of UDP can be forged, so that answers would flood somebody else. Another machine is answered
// only after its /connect, with the passcode where one is needed, and each packet with 64 KiB at most.
package qlab

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"voicepool/cmd/internal/osc"
	"voicepool/cmd/internal/room"
	"voicepool/cmd/internal/show"
	"voicepool/cue"
	"voicepool/internal/words"
)

// Room is what a server needs of a room: a *room.Room.
type Room interface {
	State() *room.State
	Levels() (l *room.Levels, revision int64, still bool)
	Show() *show.Show
	Sheet() *cue.Sheet
	Play(o room.Order) (room.Verdict, error)
	Set(target string, m room.Move) ([]uint64, error)
	Stop(target string, over time.Duration, when room.Moment) ([]uint64, error)
	SetBus(bus string, f room.Fader) (room.Bus, error)
	CheckScene(name string, over time.Duration) error
	Scene(name string, over time.Duration) error
	Later(when room.Moment, what string, do func() error) (frame int64, later bool, err error)
	Done() <-chan struct{}
}

// Role is what somebody may do in a room.
type Role uint8

const (
	None    Role = iota
	Read         // see how it stands
	Operate      // play
)

// Options say who is answered, and for whom.
type Options struct {
	Rooms func(name string) Room // the room of a name; nil: there is none
	Names func() []string        // of all rooms; nil: there is Main alone
	Main  string                 // the room of addresses without a room; empty: main

	// Check says what a passcode allows in some rooms, the most of it; it is empty where none was given. nil: everybody
	// may operate. It is asked for each message, by any goroutine.
	Check func(passcode string, rooms []string, from netip.Addr) Role

	ReplyPort     int       // of answers over UDP; 0: 53001
	ReplyToSender bool      // UDP is also answered at the sender's own port
	Counters      *Counters // nil: nobody looks
}

// Counters count what a server does. Any goroutine.
type Counters struct {
	Messages   atomic.Int64 // that were read
	Malformed  atomic.Int64 // packets and frames that were not
	Failed     atomic.Int64 // messages answered with error
	Denied     atomic.Int64 // messages answered with denied
	Unanswered atomic.Int64 // messages of senders that may be forged, and answers that UDP cannot carry
	Refused    atomic.Int64 // connections and senders beyond the limit
	Slow       atomic.Int64 // connections dropped because they did not read, or did not end a frame; packets of UDP dropped because too many wait
	Clients    atomic.Int64 // connected now

	Fault atomic.Pointer[string] // why the last malformed packet was not read; nil: there was none
}

const (
	maxConns = 64  // of TCP
	maxPeers = 256 // of UDP

	expires = 61 * time.Second       // a sender of UDP is forgotten after so long without a message
	tick    = 50 * time.Millisecond  // from look to look for what has changed
	goodbye = 200 * time.Millisecond // for the last message of a server that ends

	replyPort = 53001
)

// Server answers remotes.
type Server struct {
	options  Options
	counters *Counters
	prove    time.Duration // until somebody has said something that is allowed
	finish   time.Duration // from the first byte of a frame to its last, and for a write
	now      func() time.Time

	mutex   sync.Mutex
	tcp     net.Listener
	udp     net.PacketConn
	conns   map[*client]bool
	peers   map[netip.AddrPort]*client
	lanes   map[netip.AddrPort]*lane
	queued  int // bytes of packets that wait in lanes
	watches map[watched]*picture
	looking bool // somebody looks for what has changed
	ended   chan struct{}
	all     sync.WaitGroup

	idsMutex sync.Mutex
	ids      map[string]string // of workspaces, by the names of rooms: a hash of each for each message takes too long
}

// New returns a server that listens nowhere yet.
func New(o Options) *Server {
	if o.Main == "" {
		o.Main = "main"
	}
	if o.ReplyPort == 0 {
		o.ReplyPort = replyPort
	}
	if o.Counters == nil {
		o.Counters = new(Counters)
	}
	return &Server{
		options: o, counters: o.Counters, prove: time.Minute, finish: 10 * time.Second, now: time.Now,
		conns: map[*client]bool{}, peers: map[netip.AddrPort]*client{}, lanes: map[netip.AddrPort]*lane{}, watches: map[watched]*picture{}, ids: map[string]string{}, ended: make(chan struct{}),
	}
}

// Listen has the server answer at an address, such as 127.0.0.1:53000, over TCP and UDP. Port 0 takes
// a port that is free for both.
func (s *Server) Listen(address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("%s is no address; write HOST:PORT", strconv.Quote(address))
	}
	for range 20 {
		var tcp net.Listener
		if tcp, err = new(net.ListenConfig).Listen(context.Background(), "tcp", address); err != nil {
			return err
		}
		at := net.JoinHostPort(host, strconv.Itoa(tcp.Addr().(*net.TCPAddr).Port))
		var udp net.PacketConn
		if udp, err = net.ListenPacket("udp", at); err == nil {
			return s.Serve(tcp, udp)
		}
		tcp.Close()
		if port != "0" {
			break
		}
	}
	return err
}

// Serve has the server answer on sockets that are open. It closes them at its end.
func (s *Server) Serve(tcp net.Listener, udp net.PacketConn) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	select {
	case <-s.ended:
		tcp.Close()
		udp.Close()
		return errors.New("the server has ended")
	default:
	}
	s.tcp, s.udp = tcp, udp
	s.all.Go(func() { s.accept(tcp) })
	s.all.Go(func() { s.receive(udp) })
	return nil
}

// Addr returns where the server listens, over TCP and UDP alike.
func (s *Server) Addr() net.Addr {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.tcp.Addr()
}

// Close tells those who asked for updates that their workspace has gone, and ends the server and all
// connections. Closing twice is harmless.
func (s *Server) Close() error {
	s.mutex.Lock()
	select {
	case <-s.ended:
		s.mutex.Unlock()
		s.all.Wait()
		return nil
	default:
	}
	close(s.ended)
	for w := range s.watches {
		w.client.update("/update/workspace/"+workspaceID(w.room)+"/disconnect", nil)
	}
	clear(s.watches)
	for c := range s.conns {
		c.conn.conn.SetDeadline(time.Now().Add(goodbye))
		c.end()
	}
	tcp, udp := s.tcp, s.udp
	s.mutex.Unlock()
	var err error
	if tcp != nil {
		err = errors.Join(tcp.Close(), udp.Close())
	}
	s.all.Wait()
	return err
}

// pause waits for a time, or for the end of the server, which it reports.
func (s *Server) pause(d time.Duration) (ended bool) {
	select {
	case <-s.ended:
		return true
	case <-time.After(d):
		return false
	}
}

// read has the messages of a packet carried out. It reports whether the packet could be read.
func (s *Server) read(c *client, packet []byte) bool {
	all, ok := s.decode(packet)
	for _, m := range all {
		c.handle(m)
	}
	return ok
}

// decode returns the messages of a packet, and whether it could be read. It counts both.
func (s *Server) decode(packet []byte) ([]*cue.Message, bool) {
	all, err := osc.Decode(packet)
	if err != nil {
		why := words.OneLine(err.Error())
		s.counters.Fault.Store(&why)
		s.counters.Malformed.Add(1)
		return nil, false
	}
	s.counters.Messages.Add(int64(len(all)))
	return all, true
}

// Package qlab answers remote controls: programs that operate rooms with Open Sound Control over UDP, or over
// TCP with SLIP. It supports its own addresses and QLab's.
//
//	s := qlab.New(qlab.Options{Rooms: rooms, Main: "main"})
//	err := s.Listen("127.0.0.1:53000")
//	defer s.Close()
//
// A message acts when it arrives; time tags are ignored. Each message is answered with /reply, its address,
// and one JSON string. Over UDP the answer goes to port 53001 of the sender.
//
// UDP source addresses can be forged, and answers could then flood a third party. Therefore another machine
// is answered only after its /connect, with the passcode if required, and with at most 64 KiB per packet.
package qlab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"voicepool/cmd/internal/serve/room"
	"voicepool/cmd/internal/show/osc"
	"voicepool/cmd/internal/show/showrun"
	"voicepool/cue"
	"voicepool/internal/words"
)

// Room is the part of *room.Room that a server uses.
type Room interface {
	State() *room.State
	Levels() (l *room.Levels, revision int64, still bool)
	Show() *showrun.Show
	Sheet() *cue.Sheet
	Play(o room.PlayRequest) (room.PlayResult, error)
	Set(target string, m room.VoiceChange) ([]uint64, error)
	Stop(target string, over time.Duration, when room.Moment) ([]uint64, error)
	SetBus(bus string, f room.BusChange) (room.Bus, error)
	CheckScene(name string, over time.Duration) error
	Scene(name string, over time.Duration) error
	Schedule(when room.Moment, what string, do func() error) (frame int64, later bool, err error)
	Done() <-chan struct{}
}

// Role is the permission of a client in a room.
type Role uint8

const (
	None    Role = iota
	Read         // read its state
	Operate      // operate it
)

// Options configures a server.
type Options struct {
	Rooms func(name string) Room // returns the room with a name, or nil
	Names func() []string        // returns the names of all rooms; nil: only Main
	Main  string                 // the room of addresses without a room; default main

	// Check returns the highest role that a passcode has in any of the rooms. passcode is empty if the client
	// sent no passcode. If Check is nil, every client may operate. It is called for each message, by any
	// goroutine.
	Check func(passcode string, rooms []string, from netip.Addr) Role

	ReplyPort     int       // for answers over UDP; 0: 53001
	ReplyToSender bool      // also answer UDP at the sender's own port
	Counters      *Counters // may be nil
}

// Counters count the work of a server. Any goroutine.
type Counters struct {
	Messages   atomic.Int64 // messages parsed
	Malformed  atomic.Int64 // packets and frames that could not be parsed
	Failed     atomic.Int64 // messages answered with error
	Denied     atomic.Int64 // messages answered with denied
	Unanswered atomic.Int64 // messages of possibly forged senders, and answers too large for UDP
	Refused    atomic.Int64 // connections and senders beyond the limit
	Slow       atomic.Int64 // connections closed because they did not read or did not finish a frame; UDP packets dropped from a full queue
	Clients    atomic.Int64 // currently connected

	Fault atomic.Pointer[string] // error of the last malformed packet; may be nil
}

const (
	maxConns = 64  // TCP connections
	maxPeers = 256 // UDP senders

	peerTimeout  = 61 * time.Second       // a UDP sender is forgotten after this time without a message
	pollInterval = 50 * time.Millisecond  // polling interval for changes
	closeTimeout = 200 * time.Millisecond // time limit for the last message of a closing server
	loginTimeout = time.Minute            // time limit for the first permitted message of a connection
	frameTimeout = 10 * time.Second       // time limit for a frame, and for a write

	replyPort = 53001
)

// Server answers remotes.
type Server struct {
	options  Options
	counters *Counters
	now      func() time.Time

	mutex         sync.Mutex
	tcp           net.Listener
	udp           net.PacketConn
	conns         map[*client]bool
	peers         map[netip.AddrPort]*client
	senderQueues  map[netip.AddrPort]*senderQueue
	queued        int // bytes waiting in senderQueues
	subscriptions map[subscription]*roomState
	polling       bool // the goroutine that polls for changes is running
	ended         chan struct{}
	all           sync.WaitGroup

	idsMutex sync.Mutex
	ids      map[string]string // workspace ids by room name, because a hash per message would be slow
}

// New returns a server with the options o. Zero fields of o get their defaults. New opens no socket; call Listen or
// Serve for that.
func New(o Options) *Server {
	o.Main = cmp.Or(o.Main, "main")
	o.ReplyPort = cmp.Or(o.ReplyPort, replyPort)
	o.Counters = cmp.Or(o.Counters, new(Counters))
	return &Server{
		options: o, counters: o.Counters, now: time.Now,
		conns: map[*client]bool{}, peers: map[netip.AddrPort]*client{}, senderQueues: map[netip.AddrPort]*senderQueue{}, subscriptions: map[subscription]*roomState{}, ids: map[string]string{}, ended: make(chan struct{}),
	}
}

// Listen opens a TCP and a UDP socket at address, such as 127.0.0.1:53000. It serves remotes on both sockets in
// goroutines, and returns at once. Port 0 chooses a port that is free for both. After an error no socket is open. Call
// it at most once, and not together with Serve.
func (s *Server) Listen(address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("invalid address %s (want HOST:PORT)", strconv.Quote(address))
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

// Serve serves remotes on the open sockets tcp and udp in goroutines, and returns at once. Close closes the sockets. If
// Close was called before, Serve closes them and returns an error. Call it at most once.
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

// Addr returns the TCP address of the server; Listen opens UDP at the same one. Call it after Listen or Serve.
func (s *Server) Addr() net.Addr {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.tcp.Addr()
}

// Close notifies the clients that receive updates, closes all sockets, and waits for the goroutines of the server. A
// TCP client has 200 ms to read the notification. Close returns the errors of closing the sockets. A second call only
// waits and returns nil.
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
	for w := range s.subscriptions {
		w.client.notify("/update/workspace/"+workspaceID(w.room)+"/disconnect", nil)
	}
	clear(s.subscriptions)
	for c := range s.conns {
		c.conn.conn.SetDeadline(time.Now().Add(closeTimeout))
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

// pause waits for the time d or until the server is closed. The result is true if the server is closed.
func (s *Server) pause(d time.Duration) (ended bool) {
	select {
	case <-s.ended:
		return true
	case <-time.After(d):
		return false
	}
}

// read carries out the messages in packet, which the client c has sent, and sends the answers. It returns false if the
// packet is not valid OSC; such a packet is only counted.
func (s *Server) read(c *client, packet []byte) bool {
	all, ok := s.decode(packet)
	for _, m := range all {
		c.handle(m)
	}
	return ok
}

// decode parses packet and returns its OSC messages and true. It adds their number to the counters. If the packet is
// not valid OSC, the result is nil and false. The packet then counts as malformed, and Counters.Fault has the reason.
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

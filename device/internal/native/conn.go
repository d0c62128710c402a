//go:build (linux || freebsd || netbsd || openbsd || dragonfly) && !android

package native

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jfreymuth/pulse/proto"
)

const (
	// answers is how long a server may take for an answer.
	answers = time.Second
	// takes is how long it may take to read what it has asked for.
	takes = 100 * time.Millisecond
	// name is how long a name may be, in bytes: package proto puts a request into 1024.
	name = 120
)

// ErrGone says that a server has closed the connection, or has ended.
var ErrGone = errors.New("the sound server is gone")

// ErrNoSink says that a server is there and has nothing to play on.
var ErrNoSink = errors.New("the sound server has no output")

// Conn is a connection to a server that has let us in. Its methods may be called by any
// goroutine.
type Conn struct {
	client proto.Client
	conn   net.Conn
	server string
	gone   func(error)

	once sync.Once
	mu   sync.Mutex
	err  error // what ended it
}

// Client is who connects.
type Client struct {
	Name string // of the application; "" means the name of the program
	Icon string // of the application; "" means audio-x-generic
	// Told is called with the messages of package proto, by one goroutine; Gone once, when
	// the connection ends, unless Close ends it. Both may be nil.
	Told func(message any)
	Gone func(error)
}

// Dial connects to the first of Servers that lets the client in, until ctx ends.
func Dial(ctx context.Context, c Client) (*Conn, error) {
	servers, err := Servers()
	if err != nil {
		return nil, err
	}
	for _, s := range servers {
		var conn net.Conn
		if conn, err = (&net.Dialer{}).DialContext(ctx, s.network, s.addr); err == nil {
			var opened *Conn
			if opened, err = Open(ctx, conn, s.addr, c); err == nil {
				return opened, nil
			}
		} else {
			err = s.explain(err)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, err
}

// Open makes a connection of conn, which becomes its own, until ctx ends.
func Open(ctx context.Context, conn net.Conn, server string, c Client) (*Conn, error) {
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	opened, err := open(conn, server, c)
	if err != nil {
		conn.Close()
		if ctx.Err() != nil {
			err = os.ErrDeadlineExceeded
		}
		return nil, Server{addr: server}.explain(err)
	}
	return opened, nil
}

func open(conn net.Conn, server string, c Client) (*Conn, error) {
	cookie, err := cookie()
	if err != nil {
		return nil, err
	}
	version, err := letIn(conn, cookie)
	if err != nil {
		return nil, err
	}
	n := &Conn{conn: conn, server: server, gone: c.Gone}
	n.client.SetTimeout(answers)
	n.client.Callback = func(message any) {
		if c.Told != nil {
			c.Told(message)
		}
	}
	n.client.Open((*wire)(n))
	n.client.SetVersion(version)
	program := filepath.Base(os.Args[0])
	if err := n.Request(&proto.SetClientName{Props: Properties(map[string]string{
		"application.name":           or(c.Name, program),
		"application.icon_name":      or(c.Icon, "audio-x-generic"),
		"application.process.id":     strconv.Itoa(os.Getpid()),
		"application.process.binary": program,
	})}, &proto.SetClientNameReply{}); err != nil {
		n.Close()
		return nil, err
	}
	return n, nil
}

func or(name, other string) string {
	if name == "" {
		return other
	}
	return name
}

// Properties makes a list of properties, each cut to what a request can hold.
func Properties(of map[string]string) proto.PropList {
	list := proto.PropList{}
	for key, value := range of {
		value = strings.ReplaceAll(value, "\x00", "")
		list[key] = proto.PropListString(strings.ToValidUTF8(value[:min(len(value), name)], ""))
	}
	return list
}

// Explain says of an error of Request which server it came from; nil stays nil.
func (n *Conn) Explain(err error) error { return Server{addr: n.server}.explain(err) }

// Server returns the address of the server.
func (n *Conn) Server() string { return n.server }

// Request asks the server, and waits a second at the most.
func (n *Conn) Request(request proto.RequestArgs, reply proto.Reply) error {
	err := n.client.Request(request, reply)
	if gone := n.ended(); gone != nil {
		return gone
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return os.ErrDeadlineExceeded
	}
	return err
}

// Send gives data to a stream. It reports whether the connection stands.
func (n *Conn) Send(stream uint32, data []byte) bool {
	return n.client.Send(stream, data) == nil && n.ended() == nil
}

// Close ends the connection, and tells nobody.
func (n *Conn) Close() {
	n.once.Do(func() { n.end(net.ErrClosed) })
}

// fail ends the connection.
func (n *Conn) fail(err error) {
	n.once.Do(func() {
		n.end(err)
		if n.gone != nil {
			n.gone(err)
		}
	})
}

func (n *Conn) end(err error) {
	n.mu.Lock()
	n.err = err
	n.mu.Unlock()
	n.conn.Close()
}

func (n *Conn) ended() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.err
}

// wire is the connection as package proto sees it: proto does not look at the errors of
// its writes, and tells of no other end than EOF.
type wire Conn

func (w *wire) Read(p []byte) (int, error) {
	size, err := w.conn.Read(p)
	if err != nil {
		(*Conn)(w).fail(ErrGone)
		err = io.EOF
	}
	return size, err
}

func (w *wire) Write(p []byte) (int, error) {
	w.conn.SetWriteDeadline(time.Now().Add(takes))
	size, err := w.conn.Write(p)
	if err != nil {
		if errors.Is(err, os.ErrDeadlineExceeded) {
			err = errors.New("the sound server has stopped reading")
		} else {
			err = ErrGone
		}
		(*Conn)(w).fail(err)
	}
	return size, err
}

// Ask returns nil where the first of Servers that lets us in has an output, and else why
// not, within limit.
func Ask(limit time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	conn, err := Dial(ctx, Client{})
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, conn.Close)()
	err = conn.Request(&proto.LookupSink{SinkName: "@DEFAULT_SINK@"}, &proto.LookupSinkReply{})
	if ctx.Err() != nil {
		err = os.ErrDeadlineExceeded
	}
	return conn.Explain(err)
}

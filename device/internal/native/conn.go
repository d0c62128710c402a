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
	// answerTimeout is the time limit for an answer of the server.
	answerTimeout = time.Second
	// writeTimeout is the time limit for the server to read data.
	writeTimeout = 100 * time.Millisecond
	// maxName is the maximum length of a name in bytes: package proto limits a request to 1024.
	maxName = 120
)

// ErrGone reports that the server has closed the connection or ended.
var ErrGone = errors.New("the sound server is gone")

// ErrNoSink reports that the server has no output.
var ErrNoSink = errors.New("the sound server has no output")

// Conn is an authenticated connection to a sound server. Its methods may be called by any goroutine.
type Conn struct {
	client proto.Client
	conn   net.Conn
	server string
	gone   func(error)

	once sync.Once
	mu   sync.Mutex
	err  error // the error that ended it
}

// Client describes the connecting application.
type Client struct {
	Name string // of the application; "" means the name of the program
	Icon string // of the application; "" means audio-x-generic
	// OnMessage is called with the messages of package proto, from one goroutine. OnClose is called once, when the
	// connection ends without Close. Both may be nil.
	OnMessage func(message any)
	OnClose   func(error)
}

// Dial connects to the first of Servers that accepts the client, or returns the last error. ctx limits the time
// of the whole call.
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

// Open authenticates on conn, and takes it over: if it fails, it closes conn. server is the address for errors.
// ctx limits the time; when it ends, the error wraps os.ErrDeadlineExceeded.
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

// open authenticates with the cookie of the user and sends the names of the client. It returns the raw error and
// does not close conn.
func open(conn net.Conn, server string, c Client) (*Conn, error) {
	cookie, err := cookie()
	if err != nil {
		return nil, err
	}
	version, err := letIn(conn, cookie)
	if err != nil {
		return nil, err
	}
	n := &Conn{conn: conn, server: server, gone: c.OnClose}
	n.client.SetTimeout(answerTimeout)
	n.client.Callback = func(message any) {
		if c.OnMessage != nil {
			c.OnMessage(message)
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

// or returns name, or other if name is empty.
func or(name, other string) string {
	if name == "" {
		return other
	}
	return name
}

// Properties makes a property list from keys and values. It removes NUL bytes from the values, and truncates
// each to the size limit of a request.
func Properties(of map[string]string) proto.PropList {
	list := proto.PropList{}
	for key, value := range of {
		value = strings.ReplaceAll(value, "\x00", "")
		list[key] = proto.PropListString(strings.ToValidUTF8(value[:min(len(value), maxName)], ""))
	}
	return list
}

// Explain adds the address of the server to an error of Request; nil stays nil.
func (n *Conn) Explain(err error) error { return Server{addr: n.server}.explain(err) }

// Server returns the address of the server.
func (n *Conn) Server() string { return n.server }

// Request sends a request, waits at most a second for the answer and decodes it into reply, which may be nil.
// After the end of the connection it returns the cause; a missing answer is os.ErrDeadlineExceeded.
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

// Send sends data to the stream with the given index. It reports whether the data was sent and the connection is
// still open.
func (n *Conn) Send(stream uint32, data []byte) bool {
	return n.client.Send(stream, data) == nil && n.ended() == nil
}

// Close ends the connection without calling Client.OnClose.
func (n *Conn) Close() {
	n.once.Do(func() { n.end(net.ErrClosed) })
}

// fail ends the connection because of err, and calls Client.OnClose with it. It has no effect on a connection that
// has already ended.
func (n *Conn) fail(err error) {
	n.once.Do(func() {
		n.end(err)
		if n.gone != nil {
			n.gone(err)
		}
	})
}

// end stores err as the cause of the end and closes the connection.
func (n *Conn) end(err error) {
	n.mu.Lock()
	n.err = err
	n.mu.Unlock()
	n.conn.Close()
}

// ended returns the error that ended the connection, or nil while it is open.
func (n *Conn) ended() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.err
}

// wire is the connection for package proto, which ignores write errors, and recognizes only EOF as the end.
type wire Conn

// Read reads from the server. Each error ends the connection with ErrGone, and the caller sees io.EOF.
func (w *wire) Read(p []byte) (int, error) {
	size, err := w.conn.Read(p)
	if err != nil {
		(*Conn)(w).fail(ErrGone)
		err = io.EOF
	}
	return size, err
}

// Write writes to the server, for a limited time. Each error ends the connection: a timeout as a server that has
// stopped reading, others as ErrGone.
func (w *wire) Write(p []byte) (int, error) {
	w.conn.SetWriteDeadline(time.Now().Add(writeTimeout))
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

// CheckOutput returns nil if the first of Servers that accepts a client has an output, otherwise the reason. It takes
// at most limit.
func CheckOutput(limit time.Duration) error {
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

package webauth

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"syscall"
	"time"

	"voicepool/cmd/internal/serve/problemjson"
)

// connections counts the open connections.
type connections struct {
	limits    Limits
	mutex     sync.Mutex
	open      int
	addresses map[netip.Prefix]int
	refusing  int // refused connections that are receiving an answer
}

// count returns the number of connections that are open now.
func (c *connections) count() int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.open
}

// enter counts a new connection of the client at a and returns nil. If the connection would exceed a limit, enter does
// not count it and returns a *problemjson.Problem. Its status is 503 for the limit of the server, and 429 for the limit
// per address. Loopback addresses have only the limit of the server. An IPv6 /64 network counts as one address.
func (c *connections) enter(a address) *problemjson.Problem {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.open >= c.limits.Connections {
		n := c.limits.Connections
		return problemjson.New(503, "the server has its %d connections", n).WithLimit(int64(n)).WithRetry(time.Second)
	}
	if !a.loopback {
		if c.addresses[a.block] >= c.limits.PerAddress {
			n := c.limits.PerAddress
			return problemjson.New(429, "this address has its %d connections", n).WithLimit(int64(n)).WithRetry(time.Second)
		}
		if c.addresses == nil {
			c.addresses = map[netip.Prefix]int{}
		}
		c.addresses[a.block]++
	}
	c.open++
	return nil
}

// leave removes a connection of the client at a from the counts. enter must have counted it.
func (c *connections) leave(a address) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.open--
	if !a.loopback {
		if c.addresses[a.block]--; c.addresses[a.block] <= 0 {
			delete(c.addresses, a.block)
		}
	}
}

// Listener returns a listener that accepts connections from l within the limits of the Guard. It refuses further
// connections: the client gets an HTTP error that names the limit. Under TLS a refused connection is only closed,
// because the client could not read the error. It is also only closed while Limits.Refusals clients are receiving
// errors.
func (g *Guard) Listener(l net.Listener) net.Listener { return &listener{l, g} }

type listener struct {
	net.Listener
	guard *Guard
}

// Accept waits for a connection within the limits and returns it. Closing the connection removes it from the counts.
// Connections above the limits are refused and counted, and Accept waits for the next. It returns an error of the
// underlying listener, and counts the errors that are caused by too many open files.
func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
			l.guard.counts.files.Add(1)
		}
		if err != nil {
			return nil, err
		}
		a := addressOf(c.RemoteAddr().String())
		why := l.guard.connections.enter(a)
		if why == nil {
			return &conn{Conn: c, leave: sync.OnceFunc(func() { l.guard.connections.leave(a) })}, nil
		}
		if why.Status == http.StatusTooManyRequests {
			l.guard.counts.crowded.Add(1)
		} else {
			l.guard.counts.connections.Add(1)
		}
		l.guard.refuse(c, why)
	}
}

// conn is a counted connection.
type conn struct {
	net.Conn
	leave func()
}

// Close closes the connection. The first call also removes it from the counts of open connections.
func (c *conn) Close() error {
	c.leave()
	return c.Conn.Close()
}

// CloseWrite closes the writing side of the connection. If the connection does not support that, CloseWrite returns nil
// without an effect.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// refuse sends the error why to the client of c and closes c within one second. A browser gets an HTML page, other
// clients JSON. A client that sends no request within half a second gets JSON, too. refuse does not block; another
// goroutine does the work. Under TLS, or if Limits.Refusals clients are being answered already, it only closes c.
func (g *Guard) refuse(c net.Conn, why *problemjson.Problem) {
	g.connections.mutex.Lock()
	full := g.connections.refusing >= g.limits.Refusals || g.rules.Load().Secure
	if !full {
		g.connections.refusing++
	}
	g.connections.mutex.Unlock()
	if full {
		c.Close()
		return
	}
	go func() {
		defer func() {
			c.Close()
			g.connections.mutex.Lock()
			g.connections.refusing--
			g.connections.mutex.Unlock()
		}()
		startTime := time.Now()
		c.SetReadDeadline(startTime.Add(time.Second / 2))
		head := make([]byte, maxHeader)
		n, _ := c.Read(head) // a client that sends no request gets JSON
		c.SetDeadline(startTime.Add(time.Second))
		kind, text := problemjson.Type, why.JSON()
		if r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(head[:n]))); err == nil && showsPage(r) {
			kind, text = "text/html; charset=utf-8", errorPage(text, why.Status, strconv.Itoa(why.RetrySeconds()), "")
		}
		fmt.Fprintf(c, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nRetry-After: %d\r\nConnection: close\r\n\r\n%s",
			why.Status, http.StatusText(why.Status), kind, len(text), why.RetrySeconds(), text)
		if half, ok := c.(interface{ CloseWrite() error }); ok {
			half.CloseWrite()
		}
		io.CopyN(io.Discard, c, 2*maxHeader)
	}()
}

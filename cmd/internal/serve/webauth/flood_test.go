package webauth_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/cmd/internal/serve/pipenet"
	"voicepool/cmd/internal/serve/webauth"
	"voicepool/internal/leak"
)

// bound is the time limit of waits in tests. It only ends a test that hangs: a busy machine can stall a test for a
// minute.
const bound = 5 * time.Minute

// inBubble runs a test on a network in memory, in a bubble of testing/synctest. Time limits then pass at once, and no
// stall of the machine can exceed them.
func inBubble(t *testing.T, test func(*testing.T, *pipenet.Network)) {
	synctest.Test(t, func(t *testing.T) { test(t, pipenet.New()) })
}

// dialer opens a connection to a server.
type dialer func() (net.Conn, error)

// serveOn serves the connections of n until the test ends.
func serveOn(t *testing.T, g *webauth.Guard, n *pipenet.Network) dialer {
	t.Helper()
	serve(t, g, n)
	return inMemory(n)
}

func inMemory(n *pipenet.Network) dialer {
	return func() (net.Conn, error) { return n.Dial(context.Background(), "", "") }
}

// serve serves the connections of a listener until the test ends.
func serve(t *testing.T, g *webauth.Guard, l net.Listener) {
	t.Helper()
	s := g.Server(g.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		if err != nil {
			w.WriteHeader(http.StatusRequestTimeout)
			return
		}
		fmt.Fprintf(w, "%d bytes", n)
	})))
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Serve(g.Listener(l))
	}()
	t.Cleanup(func() {
		s.Close()
		<-done
		g.Close()
		if err := leak.Find(nil); err != nil {
			t.Error(err)
		}
		if n := g.Counts().Open; n != 0 {
			t.Errorf("%d connections are counted after the end", n)
		}
	})
}

// client returns a client that makes each request on a new connection.
func client(d dialer) *http.Client {
	open := func(context.Context, string, string) (net.Conn, error) { return d() }
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: open}, Timeout: bound}
}

// get makes a request on a new connection.
func get(d dialer) (int, string, error) {
	r, err := client(d).Get("http://localhost/")
	if err != nil {
		return 0, "", err
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	return r.StatusCode, string(text), err
}

func served(t *testing.T, d dialer) {
	t.Helper()
	if code, text, err := get(d); code != 200 || text != "0 bytes" || err != nil {
		t.Fatalf("others get %d %q, %v", code, text, err)
	}
}

func dial(t *testing.T, d dialer) net.Conn {
	t.Helper()
	c, err := d()
	if err != nil {
		t.Fatal(err)
	}
	c.SetDeadline(time.Now().Add(bound))
	t.Cleanup(func() { c.Close() })
	return c
}

// ended waits until the server has closed a connection, and returns the received text.
func ended(t *testing.T, c net.Conn) string {
	t.Helper()
	text, err := io.ReadAll(c)
	if e, ok := err.(net.Error); ok && e.Timeout() {
		t.Errorf("the server keeps a connection, having said %q", text)
	}
	return string(text)
}

// TestSlow checks that connections with no request, half a request or slow headers are closed after 5 s, and idle ones
// after 2 min, and that other clients are served in between.
func TestSlow(t *testing.T) { inBubble(t, testSlow) }

func testSlow(t *testing.T, n *pipenet.Network) {
	d := serveOn(t, webauth.New(webauth.Options{Loopback: true}), n)
	var group sync.WaitGroup
	for _, one := range []struct {
		begin string
		after time.Duration
	}{
		{"", 5 * time.Second},
		{"GET / HT", 5 * time.Second},
		{"GET / HTTP/1.1\r\nHost: localhost\r\nX: ", 5 * time.Second},
		{"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 2 * time.Minute},
	} {
		for range 40 {
			c, begun := dial(t, d), time.Now()
			if _, err := io.WriteString(c, one.begin); err != nil {
				t.Fatal(err)
			}
			group.Go(func() {
				if ended(t, c); time.Since(begun) != one.after {
					t.Errorf("a connection with %q ends after %v, want %v", one.begin, time.Since(begun), one.after)
				}
			})
		}
	}
	drip, begun := dial(t, d), time.Now()
	group.Go(func() {
		io.WriteString(drip, "GET / HTTP/1.1\r\nHost: localhost\r\nX: ")
		for {
			if _, err := io.WriteString(drip, "x"); err != nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if took := time.Since(begun); took < 5*time.Second || took > 5010*time.Millisecond {
			t.Errorf("headers come a byte at a time for %v, want 5s", took)
		}
	})
	served(t, d)
	group.Wait()
	served(t, d)
}

// TestHalf checks that a connection that announces the end of its input in half a request is closed.
func TestHalf(t *testing.T) {
	l := listen(t)
	serve(t, webauth.New(webauth.Options{Loopback: true}), l)
	half := dial(t, overTCP(l))
	io.WriteString(half, "GET / HTTP/1.1\r\n")
	half.(*net.TCPConn).CloseWrite()
	ended(t, half)
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func overTCP(l net.Listener) dialer {
	return func() (net.Conn, error) { return net.Dial("tcp", l.Addr().String()) }
}

// TestSlowBody checks that a missing body ends its request after 14 s.
func TestSlowBody(t *testing.T) { inBubble(t, testSlowBody) }

func testSlowBody(t *testing.T, n *pipenet.Network) {
	d := serveOn(t, webauth.New(webauth.Options{Loopback: true}), n)
	c, begun := dial(t, d), time.Now()
	io.WriteString(c, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n0123456789")
	served(t, d)
	line, err := bufio.NewReader(c).ReadString('\n')
	if took := time.Since(begun); !strings.HasPrefix(line, "HTTP/1.1 408 ") || took != 14*time.Second {
		t.Errorf("it says %q, %v, after %v, want 408 after 14s", line, err, took)
	}
	served(t, d)
}

// TestHeader checks that large headers are refused.
func TestHeader(t *testing.T) { inBubble(t, testHeader) }

func testHeader(t *testing.T, n *pipenet.Network) {
	d := serveOn(t, webauth.New(webauth.Options{Loopback: true}), n)
	for _, size := range []int{8 << 10, 64 << 10} {
		c := dial(t, d)
		go fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX: %s\r\n\r\n", strings.Repeat("x", size))
		want := "HTTP/1.1 200 OK"
		if size > 16<<10 {
			want = "HTTP/1.1 431 Request Header Fields Too Large"
		}
		line, err := bufio.NewReader(c).ReadString('\n')
		if strings.TrimSpace(line) != want {
			t.Errorf("%d bytes: %q, %v, want %s", size, line, err, want)
		}
	}
}

// TestConnections checks that connections above the limit get an error, and succeed when others
// have left.
func TestConnections(t *testing.T) { inBubble(t, testConnections) }

func testConnections(t *testing.T, n *pipenet.Network) {
	g := webauth.New(webauth.Options{Loopback: true, Limits: webauth.Limits{Connections: 10}})
	d := serveOn(t, g, n)
	var list []net.Conn
	for range 10 {
		c := dial(t, d)
		io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
		if _, err := bufio.NewReader(c).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	code, text, err := get(d)
	var problem struct {
		Status, Limit int
		Detail        string
	}
	if json.Unmarshal([]byte(text), &problem); code != 503 || problem.Status != 503 || problem.Limit != 10 || err != nil {
		t.Errorf("the eleventh gets %d %q, %v", code, text, err)
	}
	if n := g.Counts().Connections; n != 1 {
		t.Errorf("%d are counted, want 1", n)
	}
	for _, c := range list {
		c.Close()
	}
	synctest.Wait() // until the server has seen the ends
	served(t, d)
}

// strangers is a listener whose connections come from other machines.
type strangers struct {
	net.Listener
	addresses []string
}

type stranger struct {
	net.Conn
	from net.Addr
}

func (c stranger) RemoteAddr() net.Addr { return c.from }

func (l *strangers) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	from := net.TCPAddrFromAddrPort(netip.MustParseAddrPort(l.addresses[0]))
	l.addresses = l.addresses[1:]
	return stranger{c, from}, nil
}

// TestConnectionsPerAddress checks that the counts of refused connections per address and in total
// are separate.
func TestConnectionsPerAddress(t *testing.T) { inBubble(t, testConnectionsPerAddress) }

func testConnectionsPerAddress(t *testing.T, inner *pipenet.Network) {
	defer inner.Close()
	g := webauth.New(webauth.Options{Limits: webauth.Limits{Connections: 3, PerAddress: 2}})
	defer g.Close()
	l := g.Listener(&strangers{inner, []string{"10.0.0.1:1", "10.0.0.1:2", "10.0.0.1:3", "10.0.0.1:4", "10.0.0.2:1", "10.0.0.3:1", "127.0.0.1:9"}})
	open := make(chan net.Conn, 3)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				close(open)
				return
			}
			open <- c
		}
	}()
	codes := ""
	for i := range 6 {
		c := dial(t, inMemory(inner))
		if i != 2 && i != 3 && i != 5 {
			defer (<-open).Close()
			continue
		}
		io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
		line, _ := bufio.NewReader(c).ReadString('\n')
		codes += line[9:13]
	}
	if n := g.Counts(); codes != "429 429 503 " || n.Crowded != 2 || n.Connections != 1 {
		t.Errorf("refused with %q, and counted as %d of one address and %d in all; want 2 and 1", codes, n.Crowded, n.Connections)
	}
}

// TestRefusedOnceAsked checks that a refused client gets the answer after its request, because Go's
// client treats an earlier answer as an error. A client without a request gets it, too.
func TestRefusedOnceAsked(t *testing.T) { inBubble(t, testRefusedOnceAsked) }

func testRefusedOnceAsked(t *testing.T, n *pipenet.Network) {
	d := serveOn(t, webauth.New(webauth.Options{Loopback: true, Limits: webauth.Limits{Connections: 1}}), n)
	first := dial(t, d)
	io.WriteString(first, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if _, err := bufio.NewReader(first).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	for _, asks := range []bool{true, false} {
		c := dial(t, d)
		if asks {
			c.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
			if n, err := c.Read(make([]byte, 1)); n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("it is told before it asks: %d bytes, %v", n, err)
			}
			io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
		}
		c.SetReadDeadline(time.Now().Add(bound))
		if line, err := bufio.NewReader(c).ReadString('\n'); err != nil || !strings.HasPrefix(line, "HTTP/1.1 503 ") {
			t.Errorf("asks %v: it hears %q, %v", asks, line, err)
		}
	}
}

// far is a listener whose clients come from another machine.
type far struct{ net.Listener }

func (l far) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return farConn{c}, err
}

type farConn struct{ net.Conn }

func (farConn) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 4000} }

// TestPerAddress checks the limit of connections per address.
func TestPerAddress(t *testing.T) { inBubble(t, testPerAddress) }

func testPerAddress(t *testing.T, n *pipenet.Network) {
	serve(t, webauth.New(webauth.Options{Limits: webauth.Limits{PerAddress: 2}}), far{n})
	d := inMemory(n)
	for range 2 {
		c := dial(t, d)
		io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
		if _, err := bufio.NewReader(c).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	if code, text, err := get(d); code != 429 || !strings.Contains(text, `"limit":2`) {
		t.Errorf("the third gets %d %q, %v", code, text, err)
	}
}

// TestFlood opens thousands of connections, breaks them off or sends nonsense. Other clients must
// be served in between, and no connection may be left.
func TestFlood(t *testing.T) {
	g, l := webauth.New(webauth.Options{Loopback: true, Limits: webauth.Limits{Connections: 64}}), listen(t)
	serve(t, g, l)
	d := overTCP(l)
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for i := range 300 {
				c, err := d()
				if err != nil {
					t.Error(err)
					return
				}
				c.SetDeadline(time.Now().Add(bound))
				switch (worker + i) % 4 {
				case 0: // close without a request
				case 1:
					io.WriteString(c, "\x16\x03\x01\x02\x00\x01\x00")
				case 2:
					io.WriteString(c, "GET / HTTP/1.1\r\nHost: \x00evil\r\n\r\n")
				case 3:
					c.(*net.TCPConn).SetLinger(0) // it breaks off
					io.WriteString(c, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\nx")
				}
				c.Close()
			}
		})
	}
	good := 0
	for range 50 {
		code, _, err := get(d)
		switch {
		case code == 200:
			good++
		case code != 503 && err == nil:
			t.Errorf("others get %d", code)
		}
	}
	group.Wait()
	if good == 0 {
		t.Error("others are not served at all during the flood")
	}
	// A client that is served comes after all of the flood: the server accepts connections in their order.
	begin := time.Now()
	for code := 0; code != 200; time.Sleep(time.Millisecond) {
		if time.Since(begin) > bound {
			t.Fatalf("after the flood, others get %d", code)
		}
		code, _, _ = get(d)
	}
	for g.Counts().Open > 0 {
		if time.Since(begin) > bound {
			t.Fatalf("%d connections stay", g.Counts().Open)
		}
		time.Sleep(time.Millisecond)
	}
	served(t, d)
}

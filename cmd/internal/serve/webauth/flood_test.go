package webauth_test

import (
	"bufio"
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
	"time"

	"voicepool/cmd/internal/serve/webauth"
	"voicepool/internal/leak"
	"voicepool/internal/longtest"
)

// bound is the time limit of waits in tests.
const bound = 30 * time.Second

// serve serves on loopback until the test ends, and returns the address.
func serve(t *testing.T, g *webauth.Guard, l net.Listener, change func(*http.Server)) string {
	t.Helper()
	if l == nil {
		l = listen(t)
	}
	s := g.Server(g.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		if err != nil {
			w.WriteHeader(http.StatusRequestTimeout)
			return
		}
		fmt.Fprintf(w, "%d bytes", n)
	})))
	if change != nil {
		change(s)
	}
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
	return l.Addr().String()
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// get makes a request on a new connection.
func get(addr string) (int, string, error) {
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: bound}
	r, err := c.Get("http://" + addr + "/")
	if err != nil {
		return 0, "", err
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	return r.StatusCode, string(text), err
}

func served(t *testing.T, addr string) {
	t.Helper()
	if code, text, err := get(addr); code != 200 || text != "0 bytes" || err != nil {
		t.Fatalf("others get %d %q, %v", code, text, err)
	}
}

func dial(t *testing.T, addr string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
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
		t.Fatalf("the server keeps a connection, having said %q", text)
	}
	return string(text)
}

// TestSlow checks that connections with no request, half a request, slow headers or half a body are
// closed, and that other clients are served in between.
func TestSlow(t *testing.T) {
	t.Parallel() // it waits for limits
	g := webauth.New(webauth.Options{Loopback: true})
	addr := serve(t, g, nil, func(s *http.Server) { s.ReadHeaderTimeout, s.IdleTimeout = 500*time.Millisecond, 500*time.Millisecond })
	var list []net.Conn
	for range 40 {
		for _, begin := range []string{"", "GET / HT", "GET / HTTP/1.1\r\nHost: localhost\r\nX: ", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"} {
			c := dial(t, addr)
			if _, err := io.WriteString(c, begin); err != nil {
				t.Fatal(err)
			}
			list = append(list, c)
		}
	}
	half := dial(t, addr) // it announces the end of its input
	io.WriteString(half, "GET / HTTP/1.1\r\n")
	half.(*net.TCPConn).CloseWrite()
	list = append(list, half)
	drip := dial(t, addr)
	over := make(chan struct{})
	go func() {
		defer close(over)
		io.WriteString(drip, "GET / HTTP/1.1\r\nHost: localhost\r\nX: ")
		for tick := time.NewTicker(10 * time.Millisecond); ; <-tick.C {
			if _, err := io.WriteString(drip, "x"); err != nil {
				tick.Stop()
				return
			}
		}
	}()
	served(t, addr)
	for _, c := range list {
		ended(t, c)
	}
	select {
	case <-over:
	case <-time.After(bound):
		t.Error("headers come a byte at a time for ever")
	}
	served(t, addr)
}

// TestSlowBody checks that a missing body ends its request.
func TestSlowBody(t *testing.T) {
	if !longtest.Enabled() {
		t.Skip("it waits for a body for ten seconds")
	}
	t.Parallel()
	g := webauth.New(webauth.Options{Loopback: true})
	addr := serve(t, g, nil, nil)
	c := dial(t, addr)
	io.WriteString(c, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n0123456789")
	served(t, addr)
	if text := ended(t, c); !strings.HasPrefix(text, "HTTP/1.1 408 ") {
		t.Errorf("it says %q", text)
	}
	served(t, addr)
}

// TestHeader checks that large headers are refused.
func TestHeader(t *testing.T) {
	t.Parallel() // it waits for limits
	g := webauth.New(webauth.Options{Loopback: true})
	addr := serve(t, g, nil, nil)
	for _, size := range []int{8 << 10, 64 << 10} {
		c := dial(t, addr)
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
func TestConnections(t *testing.T) {
	g := webauth.New(webauth.Options{Loopback: true, Limits: webauth.Limits{Connections: 10}})
	addr := serve(t, g, nil, nil)
	var list []net.Conn
	for range 10 {
		c := dial(t, addr)
		io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
		if _, err := bufio.NewReader(c).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	code, text, err := get(addr)
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
	for begin := time.Now(); ; {
		if code, _, _ := get(addr); code == 200 {
			break
		}
		if time.Since(begin) > bound {
			t.Fatal("there is no place again")
		}
	}
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
func TestConnectionsPerAddress(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
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
		c := dial(t, inner.Addr().String())
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
func TestRefusedOnceAsked(t *testing.T) {
	t.Parallel() // it waits for limits
	g := webauth.New(webauth.Options{Loopback: true, Limits: webauth.Limits{Connections: 1}})
	addr := serve(t, g, nil, nil)
	first := dial(t, addr)
	io.WriteString(first, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if _, err := bufio.NewReader(first).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	for _, asks := range []bool{true, false} {
		c := dial(t, addr)
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
func TestPerAddress(t *testing.T) {
	g := webauth.New(webauth.Options{Limits: webauth.Limits{PerAddress: 2}})
	addr := serve(t, g, far{listen(t)}, nil)
	for range 2 {
		c := dial(t, addr)
		io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
		if _, err := bufio.NewReader(c).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	if code, text, err := get(addr); code != 429 || !strings.Contains(text, `"limit":2`) {
		t.Errorf("the third gets %d %q, %v", code, text, err)
	}
}

// TestFlood opens thousands of connections, breaks them off or sends nonsense. Other clients must
// be served in between, and no connection may be left.
func TestFlood(t *testing.T) {
	g := webauth.New(webauth.Options{Loopback: true, Limits: webauth.Limits{Connections: 64}})
	addr := serve(t, g, nil, nil)
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for i := range 300 {
				c, err := net.Dial("tcp", addr)
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
		code, _, err := get(addr)
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
		code, _, _ = get(addr)
	}
	for g.Counts().Open > 0 {
		if time.Since(begin) > bound {
			t.Fatalf("%d connections stay", g.Counts().Open)
		}
		time.Sleep(time.Millisecond)
	}
	served(t, addr)
}

//go:build linux

package systemd

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestMain is also the child process that receives sockets, if the environment requests it.
func TestMain(m *testing.M) {
	if os.Getenv("SYSTEMD_TEST_CHILD") == "" {
		os.Exit(m.Run())
	}
	os.Setenv("LISTEN_PID", strconv.Itoa(os.Getpid())) // as the service manager does between fork and exec
	l, err := Listener()
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	if l != nil {
		fmt.Println(l.Addr().Network(), l.Addr())
		c, err := l.Accept()
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Fprintln(c, "hello")
		c.Close()
	}
	fmt.Println("left:", os.Getenv("LISTEN_FDS")+os.Getenv("LISTEN_FDNAMES")+os.Getenv("LISTEN_PID"))
}

// patience is the time limit of a read. It only ends a test that hangs: a busy machine can stall a test for a minute.
const patience = 5 * time.Minute

// manager listens like a service manager.
func manager(t *testing.T, name string) *net.UnixConn {
	t.Helper()
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetReadDeadline(time.Now().Add(patience))
	return c
}

func heard(t *testing.T, c *net.UnixConn) string {
	t.Helper()
	p := make([]byte, 4096)
	n, err := c.Read(p)
	if err != nil {
		t.Fatal(err)
	}
	return string(p[:n])
}

func TestMessages(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notify")
	abstract := fmt.Sprintf("@voicepool-test-%d", os.Getpid())
	for _, name := range []string{file, abstract} {
		c := manager(t, name)
		t.Setenv("NOTIFY_SOCKET", name)
		for _, step := range []struct {
			send func() error
			want string
		}{
			{func() error { return Ready("1 room") }, "READY=1\nSTATUS=1 room"},
			{FeedWatchdog, "WATCHDOG=1"},
			{Stopping, "STOPPING=1"},
		} {
			if err := step.send(); err != nil {
				t.Fatal(err)
			}
			if got := heard(t, c); got != step.want {
				t.Errorf("it hears %q, want %q", got, step.want)
			}
		}
		if err := Reloading(); err != nil {
			t.Fatal(err)
		}
		text, found := strings.CutPrefix(heard(t, c), "RELOADING=1\nMONOTONIC_USEC=")
		if usec, err := strconv.ParseInt(text, 10, 64); !found || err != nil || usec <= 0 {
			t.Errorf("it reloads at %q, want a time", text)
		}
	}
}

// TestFullQueue checks that a service manager that reads no messages delays a report only until the time limit.
func TestFullQueue(t *testing.T) {
	name := filepath.Join(t.TempDir(), "notify")
	c := manager(t, name)
	t.Setenv("NOTIFY_SOCKET", name)
	defer func(before time.Duration) { sendTimeout = before }(sendTimeout)
	sendTimeout = 200 * time.Millisecond
	for range 100_000 {
		if err := FeedWatchdog(); errors.Is(err, os.ErrDeadlineExceeded) {
			heard(t, c) // so that the blocked message ends, too
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
	t.Error("100,000 messages fit into the queue")
}

func TestNoManager(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "")
	if err := Ready("all"); err != nil {
		t.Error(err)
	}
	for _, socket := range []string{"relative", filepath.Join(t.TempDir(), "none")} {
		t.Setenv("NOTIFY_SOCKET", socket)
		if FeedWatchdog() == nil {
			t.Errorf("%s hears something", socket)
		}
	}
}

func TestWatchdog(t *testing.T) {
	own := strconv.Itoa(os.Getpid())
	for _, c := range []struct {
		usec, pid string
		want      time.Duration
	}{
		{usec: "", want: 0},
		{usec: "x", want: 0},
		{usec: "-5", want: 0},
		{usec: "0", want: 0},
		{usec: "9223372036854775807", want: 0},
		{usec: "1500", want: 1500 * time.Microsecond},
		{usec: "1500", pid: own, want: 1500 * time.Microsecond},
		{usec: "1500", pid: own + "1", want: 0},
		{usec: "999", pid: own, want: 0},
		{usec: "86400000001", pid: own, want: 0},
		{usec: "18446744073709552", pid: own, want: 0}, // overflows to a few nanoseconds
	} {
		t.Setenv("WATCHDOG_USEC", c.usec)
		t.Setenv("WATCHDOG_PID", c.pid)
		if got := Watchdog(); got != c.want {
			t.Errorf("%q for %q: %v, want %v", c.usec, c.pid, got, c.want)
		}
		if os.Getenv("WATCHDOG_USEC")+os.Getenv("WATCHDOG_PID") != "" {
			t.Error("the environment still has the watchdog")
		}
	}
}

// TestTooManySockets checks that a number of sockets that would take gigabytes is an error.
func TestTooManySockets(t *testing.T) {
	t.Setenv("LISTEN_PID", strconv.Itoa(os.Getpid()))
	t.Setenv("LISTEN_FDS", "2000000000")
	if l, err := Listener(); l != nil || err == nil || !strings.Contains(err.Error(), "want at most 64") {
		t.Errorf("%v, %v", l, err)
	}
}

// TestSockets passes sockets to another process, like a service manager.
func TestSockets(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	one, err := l.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	two, err := p.(*net.UDPConn).File()
	if err != nil {
		t.Fatal(err)
	}
	defer two.Close()
	child := func(files ...*os.File) (*exec.Cmd, *bufio.Reader) {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), "SYSTEMD_TEST_CHILD=1", fmt.Sprintf("LISTEN_FDS=%d", len(files)), "LISTEN_FDNAMES=osc:http")
		c.ExtraFiles = files
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		return c, bufio.NewReader(out)
	}
	c, out := child(two, one)
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetReadDeadline(time.Now().Add(patience))
	if line, err := bufio.NewReader(conn).ReadString('\n'); line != "hello\n" {
		t.Errorf("the socket says %q, %v", line, err)
	}
	for _, want := range []string{fmt.Sprintf("tcp %v\n", l.Addr()), "left: \n"} {
		if line, err := out.ReadString('\n'); line != want {
			t.Errorf("the program says %q, %v, want %q", line, err, want)
		}
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	c, out = child(file)
	if line, _ := out.ReadString('\n'); !strings.HasPrefix(line, `the socket "osc" that the service manager passes: `) {
		t.Errorf("of what is no socket it says %q", line)
	}
	if c.Wait() == nil {
		t.Error("it takes what is no socket")
	}
}

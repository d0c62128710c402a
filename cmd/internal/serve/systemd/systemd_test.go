//go:build linux

package systemd

import (
	"bufio"
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
	list, err := Sockets()
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for _, s := range list {
		switch {
		case s.Listener != nil:
			fmt.Println(s.Name, s.Listener.Addr().Network(), s.Listener.Addr())
			c, err := s.Listener.Accept()
			if err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
			fmt.Fprintln(c, "hello")
			c.Close()
		default:
			fmt.Println(s.Name, s.Packets.LocalAddr().Network(), s.Packets.LocalAddr())
		}
	}
	fmt.Println("left:", os.Getenv("LISTEN_FDS")+os.Getenv("LISTEN_FDNAMES")+os.Getenv("LISTEN_PID"))
}

// manager listens like a service manager.
func manager(t *testing.T, name string) *net.UnixConn {
	t.Helper()
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetReadDeadline(time.Now().Add(30 * time.Second))
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
		t.Setenv("WATCHDOG_USEC", "2000000")
		t.Setenv("WATCHDOG_PID", strconv.Itoa(os.Getpid()))
		m := New()
		if os.Getenv("NOTIFY_SOCKET") != "" || os.Getenv("WATCHDOG_USEC") != "" {
			t.Error("the environment still names the service manager")
		}
		if m.Watchdog() != 2*time.Second {
			t.Errorf("the watchdog waits %v, want 2s", m.Watchdog())
		}
		for _, step := range []struct {
			send func() error
			want string
		}{
			{func() error { return m.Ready("1 room\nmain") }, "READY=1\nSTATUS=1 room main"},
			{func() error { return m.Ready("") }, "READY=1"},
			{m.Alive, "WATCHDOG=1"},
			{func() error { return m.Status("2 rooms") }, "STATUS=2 rooms"},
			{func() error { return m.Stopping("bye") }, "STOPPING=1\nSTATUS=bye"},
		} {
			if err := step.send(); err != nil {
				t.Fatal(err)
			}
			if got := heard(t, c); got != step.want {
				t.Errorf("it hears %q, want %q", got, step.want)
			}
		}
		before := monotonic()
		if err := m.Reloading(); err != nil {
			t.Fatal(err)
		}
		text, found := strings.CutPrefix(heard(t, c), "RELOADING=1\nMONOTONIC_USEC=")
		usec, err := strconv.ParseInt(text, 10, 64)
		if at := time.Duration(usec) * time.Microsecond; !found || err != nil || at < before.Truncate(time.Microsecond) || at > monotonic() {
			t.Errorf("it reloads at %q, want a time from %v on", text, before)
		}
	}
}

func TestNoManager(t *testing.T) {
	if err := (Manager{}).Ready("all"); err != nil {
		t.Error(err)
	}
	for _, socket := range []string{"relative", filepath.Join(t.TempDir(), "none")} {
		if err := (Manager{socket: socket}).Alive(); err == nil {
			t.Errorf("%s hears something", socket)
		}
	}
}

func TestWatchdog(t *testing.T) {
	for _, c := range []struct {
		usec, pid string
		want      time.Duration
	}{
		{usec: "", want: 0},
		{usec: "x", want: 0},
		{usec: "-5", want: 0},
		{usec: "0", want: 0},
		{usec: "99999999999999999", want: 0},
		{usec: "1500", want: 1500 * time.Microsecond},
		{usec: "1500", pid: "7", want: 1500 * time.Microsecond},
		{usec: "1500", pid: "8", want: 0},
	} {
		if got := watchdog(c.usec, c.pid, 7); got != c.want {
			t.Errorf("%q for %q: %v, want %v", c.usec, c.pid, got, c.want)
		}
	}
}

func TestPassed(t *testing.T) {
	for _, c := range []struct{ pid, count, names, want string }{
		{"", "", "", "[]"},
		{"7", "x", "", "[]"},
		{"7", "-1", "", "[]"},
		{"7", "65", "", "[]"},
		{"8", "1", "", "[]"},
		{"7", "1", "", "[unknown]"},
		{"7", "3", "http:osc", "[http osc unknown]"},
		{"7", "1", "http:osc", "[http]"},
	} {
		if got := fmt.Sprint(passed(c.pid, c.count, c.names, 7)); got != c.want {
			t.Errorf("%v: %s", c, got)
		}
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
		c.Env = append(os.Environ(), "SYSTEMD_TEST_CHILD=1", fmt.Sprintf("LISTEN_FDS=%d", len(files)), "LISTEN_FDNAMES=http:osc")
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
	c, out := child(one, two)
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetReadDeadline(time.Now().Add(30 * time.Second))
	if line, err := bufio.NewReader(conn).ReadString('\n'); line != "hello\n" {
		t.Errorf("the socket says %q, %v", line, err)
	}
	for _, want := range []string{fmt.Sprintf("http tcp %v\n", l.Addr()), fmt.Sprintf("osc udp %v\n", p.LocalAddr()), "left: \n"} {
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
	if line, _ := out.ReadString('\n'); !strings.HasPrefix(line, `the socket "http" that the service manager passes: `) {
		t.Errorf("of what is no socket it says %q", line)
	}
	if c.Wait() == nil {
		t.Error("it takes what is no socket")
	}
}

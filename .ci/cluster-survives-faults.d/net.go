package cluster

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Net is a network of namespaces on a bridge. The bridge has its own namespace, so no packet reaches the
// machine's network. All namespaces are removed at the end of the test.
type Net struct {
	t      testing.TB
	hub    string
	spaces []*Space
}

// Space is a network namespace: a machine on a Net.
type Space struct {
	Name    string // for `ip netns`
	Address string // without a port
}

// nets counts the networks of this process, for their names.
var nets atomic.Int64

// Split makes a network of n namespaces. It skips the test without root or without `ip`.
func Split(t testing.TB, n int) *Net {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("network namespaces need root, which CI is; elsewhere the other proofs run all the same")
	}
	for _, program := range []string{"ip", "bridge"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("network namespaces need %s, of Debian's iproute2", program)
		}
	}
	name := fmt.Sprintf("vp%d-%d", os.Getpid(), nets.Add(1))
	w := &Net{t: t, hub: name + "-hub"}
	all := []string{w.hub}
	for i := range n {
		all = append(all, fmt.Sprintf("%s-%d", name, i))
	}
	w.sweep(all)
	w.ip("netns", "add", w.hub)
	w.ip("-n", w.hub, "link", "add", "br0", "type", "bridge")
	w.ip("-n", w.hub, "addr", "add", "10.77.0.254/24", "dev", "br0") // the test's own address
	w.ip("-n", w.hub, "link", "set", "br0", "up")
	for i := range n {
		s := &Space{Name: fmt.Sprintf("%s-%d", name, i), Address: fmt.Sprintf("10.77.0.%d", i+1)}
		w.ip("netns", "add", s.Name)
		port := fmt.Sprintf("port%d", i)
		w.ip("-n", w.hub, "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", s.Name)
		w.ip("-n", w.hub, "link", "set", port, "master", "br0", "up")
		w.ip("-n", s.Name, "addr", "add", s.Address+"/24", "dev", "eth0")
		w.ip("-n", s.Name, "link", "set", "eth0", "up")
		w.ip("-n", s.Name, "link", "set", "lo", "up")
		w.spaces = append(w.spaces, s)
	}
	return w
}

// sweep starts a process that removes the namespaces at the end of the test. If this process dies, the pipe
// closes, and the sweeper removes them too.
func (w *Net) sweep(names []string) {
	w.t.Helper()
	sweeper := exec.Command("sh", append([]string{"-c", `read -r end; for n; do ip netns del "$n" 2>/dev/null; done`, "sh"}, names...)...)
	sweeper.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // signals to this process group do not reach it
	pipe, err := sweeper.StdinPipe()
	if err == nil {
		err = sweeper.Start()
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		pipe.Close()
		_ = sweeper.Wait() // remaining namespaces are reported below
		for _, name := range names {
			if _, err := os.Stat(filepath.Join("/run/netns", name)); err == nil {
				w.t.Errorf("the namespace %s is left", name)
			}
		}
	})
}

func (w *Net) ip(args ...string) { w.t.Helper(); w.call("ip", args...) }

func (w *Net) call(program string, args ...string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), hangs) // the kernel may need many seconds for a namespace
	defer cancel()
	if out, err := exec.CommandContext(ctx, program, args...).CombinedOutput(); err != nil {
		w.t.Fatalf("%s %s: %v: %s", program, strings.Join(args, " "), err, out)
	}
}

// Hub returns the namespace of the bridge, which reaches every namespace that is not cut off.
func (w *Net) Hub() *Space { return &Space{Name: w.hub, Address: "10.77.0.254"} }

// Space returns the i-th namespace.
func (w *Net) Space(i int) *Space { return w.spaces[i] }

// Spaces returns all namespaces.
func (w *Net) Spaces() []*Space { return w.spaces }

// Cut drops all packets between the i-th namespace and the others. The links stay up, and connections are
// neither closed nor refused.
func (w *Net) Cut(i int) { w.t.Helper(); w.port(i, "0") }

// Heal ends Cut.
func (w *Net) Heal(i int) { w.t.Helper(); w.port(i, "3") }

// port sets the spanning-tree state of a port of the bridge: 0 drops all packets, 3 forwards them.
func (w *Net) port(i int, state string) {
	w.t.Helper()
	w.call("bridge", "-n", w.hub, "link", "set", "dev", fmt.Sprintf("port%d", i), "state", state)
}

// DialContext connects from inside the namespace. A nil Space is the machine itself.
func (s *Space) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	var d net.Dialer
	if s == nil {
		return d.DialContext(ctx, network, address)
	}
	var conn net.Conn
	var err error
	var dialling sync.WaitGroup
	dialling.Go(func() {
		// A socket belongs to the namespace of the thread that creates it. The thread ends with this goroutine,
		// which never unlocks it.
		runtime.LockOSThread()
		var file *os.File
		if file, err = os.Open(filepath.Join("/run/netns", s.Name)); err != nil {
			return
		}
		defer file.Close()
		if err = unix.Setns(int(file.Fd()), unix.CLONE_NEWNET); err != nil {
			err = fmt.Errorf("setns %s: %w", s.Name, err)
			return
		}
		conn, err = d.DialContext(ctx, network, address)
	})
	dialling.Wait() // ends with ctx at the latest
	return conn, err
}

// Dial implements the dialer of nats.SetCustomDialer.
func (s *Space) Dial(network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	return s.DialContext(ctx, network, address)
}

// Client returns an HTTP client inside the namespace or, for a nil Space, on the machine itself. It follows no
// redirects, since they lead to other nodes.
func (s *Space) Client() *http.Client {
	return &http.Client{
		Timeout:       10 * time.Second,
		Transport:     &http.Transport{DialContext: s.DialContext, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Setup configures NATS servers. The zero value means loopback, no MQTT, and the default sync interval of two
// minutes.
type Setup struct {
	MQTT bool
	Sync bool // sync each message to disk before it is acknowledged
	Net  *Net // the i-th server runs in its i-th namespace; nil: on loopback
}

// NATS is a cluster of NATS servers with JetStream, each a process. They are killed at the end of the test.
type NATS struct {
	t       testing.TB
	setup   Setup
	configs []config
	running []*Process
	nc      *nats.Conn // of the harness
}

// Servers starts n servers on loopback and waits until they are ready. More than one server form a cluster.
func Servers(t testing.TB, n int) *NATS {
	t.Helper()
	return Setup{}.Servers(t, n)
}

// Servers starts n servers with the setup and waits until they are ready.
func (s Setup) Servers(t testing.TB, n int) *NATS {
	t.Helper()
	folder := t.TempDir()
	for try := range 5 {
		c := &NATS{t: t, setup: s, running: make([]*Process, n)}
		c.lay(n, filepath.Join(folder, fmt.Sprint(try)))
		var err error
		for i := range n {
			c.running[i] = c.launch(i)
		}
		for i := range n {
			_, one := c.running[i].line(begun, time.Minute)
			err = errors.Join(err, one)
		}
		if err == nil {
			c.connect()
			c.Ready()
			Await(t, time.Minute, "the leader of JetStream sees all servers", c.complete)
			return c
		}
		for i := range n {
			c.running[i].Kill()
		}
		t.Logf("NATS servers begin anew: %v: %s", err, c.running[0].Stderr.Tail(3))
	}
	t.Fatal("the NATS servers do not start")
	return nil
}

// lay makes the configurations of n servers.
func (c *NATS) lay(n int, folder string) {
	c.t.Helper()
	var free []int
	if c.setup.Net == nil {
		free = ports(c.t, 4*n)
	}
	var peers []string
	for i := range n {
		one := config{
			Name: fmt.Sprintf("n%d", i), Host: "127.0.0.1", Store: filepath.Join(folder, fmt.Sprint(i)),
			Port: 4222, Routes: 6222, Monitor: 8222, MQTT: 1883, Sync: c.setup.Sync,
		}
		if c.setup.Net != nil {
			one.Host = c.setup.Net.Space(i).Address
		} else {
			one.Port, one.Routes, one.Monitor, one.MQTT = free[4*i], free[4*i+1], free[4*i+2], free[4*i+3]
		}
		if !c.setup.MQTT {
			one.MQTT = 0
		}
		peers = append(peers, fmt.Sprintf("%s:%d", one.Host, one.Routes))
		c.configs = append(c.configs, one)
	}
	for i := range c.configs {
		if c.configs[i].Peers = peers; n == 1 {
			c.configs[i].Routes = 0
		}
	}
}

// launch starts the process of a server.
func (c *NATS) launch(i int) *Process {
	c.t.Helper()
	text, err := json.Marshal(c.configs[i])
	if err != nil {
		c.t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		c.t.Fatal(err)
	}
	return Command{Path: self, Env: []string{serverEnv + "=" + string(text)}, Space: c.space(i)}.Run(c.t)
}

func (c *NATS) space(i int) *Space {
	if c.setup.Net == nil {
		return nil
	}
	return c.setup.Net.Space(i)
}

// given holds the ports that this process has handed out.
var given struct {
	sync.Mutex
	ports map[int]bool
}

// ports returns free ports of loopback. They are below the range for outgoing connections, so that they are
// still free when a server restarts.
func ports(t testing.TB, n int) []int {
	t.Helper()
	given.Lock()
	defer given.Unlock()
	if given.ports == nil {
		given.ports = map[int]bool{}
	}
	var all []int
	var held []net.Listener
	for range 100 * n {
		if len(all) == n {
			break
		}
		port := 10000 + rand.IntN(20000)
		if given.ports[port] {
			continue
		}
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue
		}
		given.ports[port] = true
		all, held = append(all, port), append(held, l)
	}
	for _, l := range held {
		l.Close()
	}
	if len(all) < n {
		t.Fatal("there are no free ports")
	}
	return all
}

// Port returns a free port of loopback.
func Port(t testing.TB) int { t.Helper(); return ports(t, 1)[0] }

// Len returns the number of servers, running or not.
func (c *NATS) Len() int { return len(c.configs) }

// URL returns the addresses of all servers, separated by commas.
func (c *NATS) URL() string {
	var all []string
	for i := range c.configs {
		all = append(all, c.URLOf(i))
	}
	return strings.Join(all, ",")
}

// URLOf returns the address of one server.
func (c *NATS) URLOf(i int) string {
	return fmt.Sprintf("nats://%s:%d", c.configs[i].Host, c.configs[i].Port)
}

// MQTT returns the MQTT address of a server: host and port.
func (c *NATS) MQTT(i int) string { return fmt.Sprintf("%s:%d", c.configs[i].Host, c.configs[i].MQTT) }

// Monitor returns the address of a server's HTTP monitoring.
func (c *NATS) Monitor(i int) string {
	return fmt.Sprintf("http://%s:%d", c.configs[i].Host, c.configs[i].Monitor)
}

// Process returns the process of a server.
func (c *NATS) Process(i int) *Process { return c.running[i] }

// Kill ends a server with SIGKILL.
func (c *NATS) Kill(i int) { c.t.Helper(); c.running[i].Kill() }

// Term ends a server with SIGTERM: it hands over its leaderships first.
func (c *NATS) Term(i int) {
	c.t.Helper()
	c.running[i].Term()
	c.running[i].Wait(hangs)
}

// Stop pauses a server with SIGSTOP.
func (c *NATS) Stop(i int) { c.t.Helper(); c.running[i].Pause() }

// Continue resumes a paused server.
func (c *NATS) Continue(i int) { c.t.Helper(); c.running[i].Continue() }

// Start restarts a killed server at the same addresses with the same data. It does not wait until the server
// has caught up; Ready does.
func (c *NATS) Start(i int) {
	c.t.Helper()
	c.running[i].Kill()
	for range 5 {
		c.running[i] = c.launch(i)
		if _, err := c.running[i].line(begun, time.Minute); err == nil {
			return
		}
		c.running[i].Kill()
		time.Sleep(200 * time.Millisecond) // its port may still be in use
	}
	c.t.Fatalf("the server %d does not come back: %s", i, c.running[i].Stderr.Tail(5))
}

// Connect returns a connection to the running servers. It is closed at the end of the test.
func (c *NATS) Connect(options ...nats.Option) *nats.Conn {
	c.t.Helper()
	base := []nats.Option{
		nats.MaxReconnects(-1), nats.ReconnectWait(50 * time.Millisecond), nats.Timeout(2 * time.Second), nats.ReconnectBufSize(-1),
		nats.PingInterval(time.Second), nats.MaxPingsOutstanding(2),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // each call returns its own error
	}
	if c.setup.Net != nil {
		base = append(base, nats.SetCustomDialer(c.Hub()))
	}
	nc, err := nats.Connect(c.URL(), slices.Concat(base, options)...)
	if err != nil {
		c.t.Fatalf("%s: %v", c.URL(), err)
	}
	c.t.Cleanup(nc.Close)
	return nc
}

func (c *NATS) connect() { c.t.Helper(); c.nc = c.Connect(nats.Name("harness")) }

// JetStream returns the JetStream of the harness's connection.
func (c *NATS) JetStream() jetstream.JetStream {
	c.t.Helper()
	js, err := jetstream.New(c.nc, jetstream.WithDefaultTimeout(2*time.Second))
	if err != nil {
		c.t.Fatal(err)
	}
	return js
}

// Bucket creates and returns a key-value bucket, with three replicas in a cluster and one on a single server. If ctx
// has no deadline, it retries requests without an answer, as Patiently does.
func (c *NATS) Bucket(ctx context.Context, name string) (jetstream.KeyValue, error) {
	replicas := 1
	if len(c.configs) > 1 {
		replicas = 3
	}
	js := c.JetStream()
	var kv jetstream.KeyValue
	open := func() (err error) {
		kv, err = js.KeyValue(ctx, name)
		if errors.Is(err, jetstream.ErrBucketNotFound) {
			kv, err = js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: name, Replicas: replicas})
		}
		return err
	}
	if _, limited := ctx.Deadline(); limited {
		err := open()
		return kv, err
	}
	err := Patiently(ctx, open)
	return kv, err
}

// tooFewServers is the error code of JetStream for a bucket that needs more servers than its leader sees.
const tooFewServers = 10005

// Patiently calls do until NATS carries it out or rejects it for good, for at most a minute. A cluster that has just
// started on a busy machine may not answer within the seconds that a client waits, or may not see all its servers.
func Patiently(ctx context.Context, do func() error) (err error) {
	for end := time.Now().Add(time.Minute); ; {
		err = do()
		unanswered := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, nats.ErrNoResponders)
		api, _ := errors.AsType[*jetstream.APIError](err)
		if api != nil && api.ErrorCode == tooFewServers {
			time.Sleep(50 * time.Millisecond)
			unanswered = true
		}
		if !unanswered || ctx.Err() != nil || time.Now().After(end) {
			return err
		}
	}
}

// Ready waits until a put into a bucket is acknowledged. It fails the test after the time hangs.
func (c *NATS) Ready() {
	c.t.Helper()
	var last error
	Await(c.t, hangs, "JetStream takes a put", func() bool {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		kv, err := c.Bucket(ctx, "ready")
		if err == nil {
			_, err = kv.PutString(ctx, "ready", "yes")
		}
		last = err
		return err == nil
	})
	if last != nil {
		c.t.Fatal(last)
	}
}

// Leader returns the index of the server that leads a stream, or -1. The stream of a bucket is KV_ and its
// name.
func (c *NATS) Leader(stream string) int {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	s, err := c.JetStream().Stream(ctx, stream)
	if err != nil || s.CachedInfo().Cluster == nil {
		return -1
	}
	return c.named(s.CachedInfo().Cluster.Leader)
}

// Meta returns the index of the JetStream meta leader according to server i, or -1.
func (c *NATS) Meta(i int) int { return c.named(c.meta(i).Leader) }

// complete reports whether the JetStream meta leader sees all servers. It then can choose servers for a new bucket.
func (c *NATS) complete() bool {
	leader := c.Meta(0)
	if len(c.configs) == 1 || leader < 0 {
		return len(c.configs) == 1
	}
	others := c.meta(leader).Replicas
	return len(others) == len(c.configs)-1 && !slices.ContainsFunc(others, func(r replica) bool { return r.Offline || !r.Current })
}

// metaGroup is the group of all servers with JetStream. Only its leader lists the other servers.
type metaGroup struct {
	Leader   string    `json:"leader"`
	Replicas []replica `json:"replicas"`
}

// replica is a server as the leader of its group sees it.
type replica struct {
	Current bool `json:"current"` // it has all records
	Offline bool `json:"offline"`
}

// meta returns the meta group according to server i; empty if the server does not answer.
func (c *NATS) meta(i int) metaGroup {
	answer, err := c.Hub().Client().Get(c.Monitor(i) + "/jsz")
	if err != nil {
		return metaGroup{}
	}
	defer answer.Body.Close()
	var told struct {
		Meta metaGroup `json:"meta_cluster"`
	}
	if answer.StatusCode != http.StatusOK || json.NewDecoder(answer.Body).Decode(&told) != nil {
		return metaGroup{}
	}
	return told.Meta
}

// Hub returns the namespace that reaches all servers: the hub of the Net, or nil for the machine itself.
func (c *NATS) Hub() *Space {
	if c.setup.Net == nil {
		return nil
	}
	return c.setup.Net.Hub()
}

func (c *NATS) named(name string) int {
	return slices.IndexFunc(c.configs, func(one config) bool { return one.Name == name })
}

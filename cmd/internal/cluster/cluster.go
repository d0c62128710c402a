// Package cluster connects to NATS, by which rooms and renders go past one machine. It has the names of
// the subjects, buckets and streams; what they hold is in the packages that use them.
//
//	c, err := cluster.Dial(ctx, cluster.Flags{NATS: "nats://stage-a:4222,nats://stage-b:4222"}, nil)
//	defer c.Close()
package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"voicepool/internal/words"
)

// Names of what lies in JetStream. All begin alike, so that one server may have other users.
const (
	Placement = "voicepool_placement" // key-value: nodes, rooms and how these stand
	Farm      = "voicepool_farm"      // key-value: jobs
	Jobs      = "VOICEPOOL_JOBS"      // stream: the queue of jobs
	JobsOn    = "voicepool.farm.jobs" // its subject
	Objects   = "voicepool_objects"   // object store: sheets, sounds and results, by their content
)

// Command is the subject on which a room answers; Event is that on which it tells what happens.
func Command(room string) string { return "voicepool.room." + room + ".cmd" }

// Event returns the subject on which a room tells what happens.
func Event(room string) string { return "voicepool.room." + room + ".event" }

// CheckName returns an error for what neither a room nor a node on NATS may be called: the names are
// parts of subjects and keys.
func CheckName(name string) error {
	if name == "" || len(name) > 64 || strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	}) {
		return fmt.Errorf("%q: a name on NATS is 1 to 64 of a-z, A-Z, 0-9, _ and -", words.OneLine(name))
	}
	return nil
}

// NodeName returns the name of a node; empty: that of the host.
func NodeName(name string) (string, error) {
	if name == "" {
		host, err := os.Hostname()
		if err != nil {
			return "", errors.New("this host has no name; give the node one")
		}
		name = strings.ReplaceAll(host, ".", "-")
	}
	return name, CheckName(name)
}

// Flags are those of the commands that use NATS.
type Flags struct {
	NATS  string `name:"nats" placeholder:"URL" env:"VOICEPOOL_NATS" help:"NATS servers with JetStream: nats://HOST:4222, several separated by commas."`
	Creds string `name:"nats-creds" predictor:"file" placeholder:"FILE" env:"VOICEPOOL_NATS_CREDS" help:"Credentials for NATS, as nsc writes them."`
}

// Check returns an error for a URL that cannot be meant.
func (f *Flags) Check() error {
	if f.NATS == "" {
		return errors.New("--nats is missing: write nats://HOST:4222, or set VOICEPOOL_NATS")
	}
	for one := range strings.SplitSeq(f.NATS, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		schemes := map[string]bool{"nats": true, "tls": true, "ws": true, "wss": true}
		if err != nil || !schemes[u.Scheme] || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" {
			return fmt.Errorf("--nats: %q is no address of a NATS server, want nats://HOST:4222 (or tls://, ws://, wss://)", words.OneLine(hidden(one)))
		}
	}
	return nil
}

// hidden returns an address without its password.
func hidden(address string) string {
	if _, host, found := strings.Cut(address, "@"); found {
		return host
	}
	return address
}

// Patience is how long a call of NATS may take.
const Patience = 5 * time.Second

// Oldest is the oldest version of a NATS server that works: older ones have no consumers with several filters, which
// nodes watch each other by.
const Oldest = "2.10.0"

// ErrTooOld is the error of a NATS server that is older than Oldest.
var ErrTooOld = errors.New("the NATS server is too old")

// tooOld returns an error for the version of a server that is too old, or that cannot be read.
func tooOld(version string) error {
	var have, need [3]int
	if n, _ := fmt.Sscanf(version, "%d.%d.%d", &have[0], &have[1], &have[2]); n == 3 {
		fmt.Sscanf(Oldest, "%d.%d.%d", &need[0], &need[1], &need[2])
		if slices.Compare(have[:], need[:]) >= 0 {
			return nil
		}
	}
	return plain{fmt.Sprintf("the NATS server has version %s, and voicepool needs %s or newer", words.OneLine(cmp.Or(version, "unknown")), Oldest), ErrTooOld}
}

// Conn is a connection. All methods may be called by any goroutine.
type Conn struct {
	NC *nats.Conn
	JS jetstream.JetStream

	denied atomic.Pointer[denial] // the last that NATS did not permit; nil: nothing
}

// denial is something that the permissions of the user do not allow.
type denial struct {
	says string
	when time.Time
}

// deny notes an error that NATS reports by itself, if it is of permissions: the call that it belongs to gets no
// answer.
func (c *Conn) deny(err error) {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		return
	}
	does, subject := "use", "a subject"
	if m := violation.FindStringSubmatch(err.Error()); m != nil {
		does, subject = map[string]string{"publish": "publish to", "subscription": "subscribe to"}[strings.ToLower(m[1])], m[2]
	}
	c.denied.Store(&denial{fmt.Sprintf("NATS does not permit this user to %s %s; docs/cluster.md lists the permissions that voicepool needs", does, words.OneLine(subject)), time.Now()})
}

// violation finds what a server does not permit in its message.
var violation = regexp.MustCompile(`(?i)permissions violation for (publish|subscription) to "([^"]+)"`)

// Plain is the function Plain, and names the permission that is missing where a call got no answer because of it.
func (c *Conn) Plain(err error) error {
	d := c.denied.Load()
	if d != nil && time.Since(d.when) < 2*Patience && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, nats.ErrPermissionViolation)) {
		return plain{d.says, err}
	}
	return Plain(err)
}

// Unopened returns why something of JetStream cannot be opened. Where nothing answers, it asks whether there is a
// JetStream at all.
func (c *Conn) Unopened(ctx context.Context, err error) error {
	if errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrNoStreamResponse) {
		ctx, cancel := context.WithTimeout(ctx, Patience)
		defer cancel()
		if _, why := c.JS.AccountInfo(ctx); errors.Is(why, jetstream.ErrJetStreamNotEnabled) || errors.Is(why, jetstream.ErrJetStreamNotEnabledForAccount) {
			err = why
		}
	}
	return c.Plain(err)
}

// Dial connects, and fails where no server answers at once. lost is told when the connection goes (with
// an error) and when it is back (nil), by a goroutine of the connection; nil: nobody. It reconnects for ever, and never
// sends late what could not be sent at once.
func Dial(ctx context.Context, f Flags, lost func(error)) (*Conn, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	tell := func(err error) {
		if lost != nil {
			lost(err)
		}
	}
	c := &Conn{}
	options := []nats.Option{
		nats.Name("voicepool"), nats.MaxReconnects(-1), nats.ReconnectWait(200 * time.Millisecond), nats.ReconnectJitter(50*time.Millisecond, 50*time.Millisecond),
		nats.ReconnectBufSize(-1), nats.Timeout(2 * time.Second), nats.FlusherTimeout(2 * time.Second), nats.PingInterval(time.Second), nats.MaxPingsOutstanding(2), nats.DontRandomize(),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				tell(err)
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { tell(nil) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { c.deny(err) }), // each call returns its own error, but not this
	}
	if f.Creds != "" {
		options = append(options, nats.UserCredentials(f.Creds))
	}
	type dialled struct {
		nc  *nats.Conn
		err error
	}
	done := make(chan dialled, 1)
	go func() {
		nc, err := nats.Connect(f.NATS, options...)
		done <- dialled{nc, err}
	}()
	select {
	case <-ctx.Done():
		go func() {
			if late := <-done; late.nc != nil {
				late.nc.Close()
			}
		}()
		return nil, ctx.Err()
	case d := <-done:
		if d.err != nil {
			return nil, fmt.Errorf("--nats %s: %w", words.OneLine(hidden(f.NATS)), Plain(d.err))
		}
		err := tooOld(d.nc.ConnectedServerVersion())
		if err == nil {
			c.NC = d.nc
			c.JS, err = jetstream.New(d.nc, jetstream.WithDefaultTimeout(Patience))
		}
		if err != nil {
			d.nc.Close()
			return nil, fmt.Errorf("--nats %s: %w", words.OneLine(hidden(f.NATS)), err)
		}
		return c, nil
	}
}

// Close ends the connection, after what was asked for has been sent.
func (c *Conn) Close() {
	_ = c.NC.FlushTimeout(time.Second) // it may be lost
	c.NC.Close()
}

// Replicas returns how many copies of all that lies in JetStream there are: three on a cluster, one on a
// server alone.
func (c *Conn) Replicas() int {
	if c.NC.ConnectedClusterName() != "" {
		return 3
	}
	return 1
}

// Bucket opens a key-value bucket, and makes it where it is not there.
func (c *Conn) Bucket(ctx context.Context, name string, history uint8) (jetstream.KeyValue, error) {
	kv, err := c.JS.KeyValue(ctx, name)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		kv, err = c.JS.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: name, History: history, Replicas: c.Replicas()})
	}
	if errors.Is(err, jetstream.ErrBucketExists) { // another was faster
		kv, err = c.JS.KeyValue(ctx, name)
	}
	if err != nil {
		return nil, fmt.Errorf("the bucket %s: %w", name, c.Unopened(ctx, err))
	}
	return kv, nil
}

// Plain returns an error of NATS as a sentence of its own words. errors.Is finds the first in it.
func Plain(err error) error {
	for _, known := range []struct {
		is   error
		says string
	}{
		{nats.ErrNoServers, "no NATS server answers there"},
		{nats.ErrReconnectBufExceeded, "the connection to NATS is lost"},
		{io.EOF, "the connection to NATS is lost"},
		{nats.ErrAuthorization, "NATS refuses the name, the password or the credentials"},
		{jetstream.ErrJetStreamNotEnabled, "this NATS server has no JetStream; start it with -js"},
		{jetstream.ErrJetStreamNotEnabledForAccount, "this account of NATS has no JetStream"},
		{nats.ErrMaxPayload, "it is larger than a message of this NATS server may be; raise max_payload in the server's configuration"},
		{context.DeadlineExceeded, "NATS does not answer in time; maybe too few of its servers run"},
		{nats.ErrTimeout, "NATS does not answer in time; maybe too few of its servers run"},
		{jetstream.ErrNoStreamResponse, "JetStream does not answer; maybe too few of its servers run"},
		{nats.ErrNoResponders, "JetStream does not answer; maybe too few of its servers run"},
	} {
		if api, is := errors.AsType[*jetstream.APIError](err); is && apiErrors[api.ErrorCode] != "" {
			return plain{apiErrors[api.ErrorCode], err}
		}
		if errors.Is(err, known.is) {
			return plain{known.says, err}
		}
	}
	return plain{strings.TrimPrefix(strings.TrimPrefix(words.Plain(err), "nats: "), "API error: "), err}
}

// Replaced reports whether JetStream refused a write because it was for what is not the last any more. Of its
// two codes the second is that of streams with copies, which also refuse a write while another to the same
// place is under way.
func Replaced(err error) bool {
	api, is := errors.AsType[*jetstream.APIError](err)
	return is && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

const full = "the storage of JetStream is full; raise max_file_store in the server's configuration or the limit of the account, or free its disk"

// apiErrors are sentences for codes of JetStream.
var apiErrors = map[jetstream.ErrorCode]string{
	10002: full, // the limit of the account
	10005: "this NATS cluster has too few servers with JetStream for three copies; it needs three, or one server that is no cluster",
	10023: full, // the limit of the server
	10028: "the memory of JetStream is full; raise max_memory_store in the server's configuration or the limit of the account",
	10047: full, // of a stream that is made
	10077: full, // a message that cannot be stored
}

// plain is an error in other words.
type plain struct {
	says string
	err  error
}

func (p plain) Error() string { return p.says }
func (p plain) Unwrap() error { return p.err }

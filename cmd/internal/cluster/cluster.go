// Package cluster connects to NATS, which joins several machines for rooms and renders. It defines
// the names of the subjects, buckets and streams. Other packages define their contents.
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

// Names in JetStream. They share a prefix, so that other programs can use the same server.
const (
	Placement = "voicepool_placement" // key-value: nodes, rooms and their state
	Farm      = "voicepool_farm"      // key-value: jobs
	Jobs      = "VOICEPOOL_JOBS"      // stream: the queue of jobs
	JobsOn    = "voicepool.farm.jobs" // its subject
	Objects   = "voicepool_objects"   // object store: sheets, sounds and results, by content hash
)

// Command returns the NATS subject that carries orders to the room called room.
func Command(room string) string { return "voicepool.room." + room + ".cmd" }

// Event returns the NATS subject that carries the events of the room called room.
func Event(room string) string { return "voicepool.room." + room + ".event" }

// CheckName returns an error unless name is a valid name for a room or a node on NATS. A valid name has 1 to 64 ASCII
// letters, digits, _ and -.
func CheckName(name string) error {
	if name == "" || len(name) > 64 || strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	}) {
		return fmt.Errorf("%q: a name on NATS is 1 to 64 of a-z, A-Z, 0-9, _ and -", words.OneLine(name))
	}
	return nil
}

// NodeName returns the name for a node. That is name, or if name is "", the name of this host with "-" in place of each
// ".". A host without a name is an error. A name that CheckName rejects is an error, too.
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

// Flags are the flags of all commands that use NATS.
type Flags struct {
	NATS  string `name:"nats" placeholder:"URL" env:"VOICEPOOL_NATS" help:"NATS servers with JetStream: nats://HOST:4222, several separated by commas."`
	Creds string `name:"nats-creds" predictor:"file" placeholder:"FILE" env:"VOICEPOOL_NATS_CREDS" help:"Credentials for NATS, as nsc writes them."`
}

// Check returns an error if the flag --nats is missing or has an invalid address. An address must have a host, no path,
// and the scheme nats, tls, ws or wss. The error shows the address without user and password. Check does not connect.
func (f *Flags) Check() error {
	if f.NATS == "" {
		return errors.New("--nats is missing: write nats://HOST:4222, or set VOICEPOOL_NATS")
	}
	for one := range strings.SplitSeq(f.NATS, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		schemes := map[string]bool{"nats": true, "tls": true, "ws": true, "wss": true}
		if err != nil || !schemes[u.Scheme] || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" {
			return fmt.Errorf("--nats: invalid address %q of a NATS server (want nats://HOST:4222, or tls://, ws://, wss://)", words.OneLine(withoutPassword(one)))
		}
	}
	return nil
}

// withoutPassword removes the user and password from addresses, a list separated by commas. Of each address it keeps
// the part after the last "@", so the scheme is removed, too. An address without "@" is unchanged.
func withoutPassword(addresses string) string {
	list := strings.Split(addresses, ",")
	for i, one := range list {
		list[i] = one[strings.LastIndex(one, "@")+1:]
	}
	return strings.Join(list, ",")
}

// Patience is the time limit of a NATS call.
const Patience = 5 * time.Second

// OldestServer is the oldest supported version of the NATS server. Older servers lack consumers with
// several filters, which nodes need to watch each other.
const OldestServer = "2.10.0"

// ErrTooOld is the error of a NATS server older than OldestServer.
var ErrTooOld = errors.New("the NATS server is too old")

// checkVersion returns an error if a NATS server is older than OldestServer. The parameter version is the version of
// the server, such as "2.10.4". The error wraps ErrTooOld. An unreadable version is the same error. Text after the
// third number is ignored, so "2.10.0-RC.1" is new enough.
func checkVersion(version string) error {
	var have, need [3]int
	if n, _ := fmt.Sscanf(version, "%d.%d.%d", &have[0], &have[1], &have[2]); n == 3 {
		fmt.Sscanf(OldestServer, "%d.%d.%d", &need[0], &need[1], &need[2])
		if slices.Compare(have[:], need[:]) >= 0 {
			return nil
		}
	}
	return readableError{fmt.Sprintf("the NATS server has version %s, and voicepool needs %s or newer", words.OneLine(cmp.Or(version, "unknown")), OldestServer), ErrTooOld}
}

// Conn is a connection to NATS. All methods are safe for concurrent use.
type Conn struct {
	NC *nats.Conn
	JS jetstream.JetStream

	denied atomic.Pointer[denial] // the last missing permission; nil before the first
}

// denial is an operation that the user's permissions do not allow.
type denial struct {
	message string
	when    time.Time
}

// recordDenial stores a missing permission for Plain. NATS reports a missing permission asynchronously as err, but the
// refused call only times out. If err is another error, recordDenial has no effect.
func (c *Conn) recordDenial(err error) {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		return
	}
	does, subject := "use", "a subject"
	if m := violation.FindStringSubmatch(err.Error()); m != nil {
		does, subject = map[string]string{"publish": "publish to", "subscription": "subscribe to"}[strings.ToLower(m[1])], m[2]
	}
	c.denied.Store(&denial{fmt.Sprintf("NATS does not permit this user to %s %s; docs/cluster.md lists the permissions that voicepool needs", does, words.OneLine(subject)), time.Now()})
}

// violation matches the server's message about a missing permission.
var violation = regexp.MustCompile(`(?i)permissions violation for (publish|subscription) to "([^"]+)"`)

// Plain returns an error that wraps err and has a message for operators, like the function Plain. If a call got no
// answer because of a missing permission, the message names the permission. That is assumed if err is a timeout or a
// denied permission, and if any permission was denied within the last 10 s. err must not be nil.
func (c *Conn) Plain(err error) error {
	d := c.denied.Load()
	if d != nil && time.Since(d.when) < 2*Patience && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, nats.ErrPermissionViolation)) {
		return readableError{d.message, err}
	}
	return Plain(err)
}

// OpenError returns an error with a message for operators. It wraps err, the reason why a resource of JetStream cannot
// be opened. If JetStream did not answer, OpenError first requests from NATS whether JetStream is enabled. If it is not
// enabled, the result wraps that reason instead.
func (c *Conn) OpenError(ctx context.Context, err error) error {
	if errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrNoStreamResponse) {
		ctx, cancel := context.WithTimeout(ctx, Patience)
		defer cancel()
		if _, why := c.JS.AccountInfo(ctx); errors.Is(why, jetstream.ErrJetStreamNotEnabled) || errors.Is(why, jetstream.ErrJetStreamNotEnabledForAccount) {
			err = why
		}
	}
	return c.Plain(err)
}

// Dial connects to the NATS servers of the flags f. The caller must call Close. If no server answers at once, Dial
// returns an error. If the server is older than OldestServer, the error wraps ErrTooOld.
//
// A connection that is lost later is restored without a time limit; publishing fails until then. The function lost, if
// it is not nil, is called with an error when the connection is lost, and with nil when it is restored. It is called on
// a goroutine of the connection.
func Dial(ctx context.Context, f Flags, lost func(error)) (*Conn, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	report := func(err error) {
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
				report(err)
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { report(nil) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { c.recordDenial(err) }), // a call returns its other errors itself
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
			return nil, fmt.Errorf("--nats %s: %w", words.OneLine(withoutPassword(f.NATS)), Plain(d.err))
		}
		err := checkVersion(d.nc.ConnectedServerVersion())
		if err == nil {
			c.NC = d.nc
			c.JS, err = jetstream.New(d.nc, jetstream.WithDefaultTimeout(Patience))
		}
		if err != nil {
			d.nc.Close()
			return nil, fmt.Errorf("--nats %s: %w", words.OneLine(withoutPassword(f.NATS)), err)
		}
		return c, nil
	}
}

// Close sends all pending messages, for at most 1 s, and closes the connection.
func (c *Conn) Close() {
	_ = c.NC.FlushTimeout(time.Second) // the connection may be lost
	c.NC.Close()
}

// Replicas returns the number of copies for new JetStream data: three on a NATS cluster, one on a single server.
func (c *Conn) Replicas() int {
	if c.NC.ConnectedClusterName() != "" {
		return 3
	}
	return 1
}

// Bucket opens the JetStream key-value bucket called name. If it does not exist, Bucket creates it. A new bucket keeps
// the last history values of each key, and Replicas copies of its data. An existing bucket is not changed. An error has
// a message for operators and the name of the bucket.
func (c *Conn) Bucket(ctx context.Context, name string, history uint8) (jetstream.KeyValue, error) {
	kv, err := c.JS.KeyValue(ctx, name)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		kv, err = c.JS.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: name, History: history, Replicas: c.Replicas()})
	}
	if errors.Is(err, jetstream.ErrBucketExists) { // another client has created it at the same time
		kv, err = c.JS.KeyValue(ctx, name)
	}
	if err != nil {
		return nil, fmt.Errorf("the bucket %s: %w", name, c.OpenError(ctx, err))
	}
	return kv, nil
}

// Plain returns an error that wraps err, an error of NATS, and has a message for operators. If Plain has no message for
// err, it only removes the prefix of the NATS package. err must not be nil.
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
		{nats.ErrMaxPayload, "it is larger than this NATS server allows; raise max_payload in the server's configuration"},
		{context.DeadlineExceeded, "NATS does not answer in time; maybe too few of its servers run"},
		{nats.ErrTimeout, "NATS does not answer in time; maybe too few of its servers run"},
		{jetstream.ErrNoStreamResponse, "JetStream does not answer; maybe too few of its servers run"},
		{nats.ErrNoResponders, "JetStream does not answer; maybe too few of its servers run"},
	} {
		if api, is := errors.AsType[*jetstream.APIError](err); is && apiErrors[api.ErrorCode] != "" {
			return readableError{apiErrors[api.ErrorCode], err}
		}
		if errors.Is(err, known.is) {
			return readableError{known.says, err}
		}
	}
	return readableError{strings.TrimPrefix(strings.TrimPrefix(words.Plain(err), "nats: "), "API error: "), err}
}

// Replaced reports whether JetStream has refused a write because the record has changed since the writer read it. err
// is the error of the write.
func Replaced(err error) bool {
	api, is := errors.AsType[*jetstream.APIError](err)
	return is && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

const storageFull = "the storage of JetStream is full; raise max_file_store in the server's configuration or the limit of the account, or free its disk"

// apiErrors maps JetStream error codes to readable messages.
var apiErrors = map[jetstream.ErrorCode]string{
	10002: storageFull, // the limit of the account
	10005: "this NATS cluster has too few servers with JetStream for three copies; use three, or one server without a cluster",
	10023: storageFull, // the limit of the server
	10028: "the memory of JetStream is full; raise max_memory_store in the server's configuration or the limit of the account",
	10047: storageFull, // while a stream is created
	10077: storageFull, // a message cannot be stored
}

// readableError is an error with a different message.
type readableError struct {
	message string
	err     error
}

// Error returns the readable message.
func (p readableError) Error() string { return p.message }

// Unwrap returns the original error.
func (p readableError) Unwrap() error { return p.err }

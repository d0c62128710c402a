package cluster

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// pretend starts a fake NATS server with a version. For each message that a client publishes it
// sends the result of reply, a line of the protocol, unless that is empty.
func pretend(t *testing.T, version string, reply func(subject string) string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { c.Close() })
			go func() {
				fmt.Fprintf(c, "INFO {\"server_id\":\"x\",\"version\":%q,\"max_payload\":1048576,\"headers\":true,\"proto\":1}\r\n", version)
				for lines := bufio.NewScanner(c); lines.Scan(); {
					words := strings.Fields(lines.Text())
					switch {
					case len(words) == 0:
					case words[0] == "PING":
						fmt.Fprint(c, "PONG\r\n")
					case words[0] == "PUB" || words[0] == "HPUB":
						if line := reply(words[1]); line != "" {
							fmt.Fprint(c, line+"\r\n")
						}
					}
				}
			}()
		}
	}()
	return "nats://" + l.Addr().String()
}

// TestOldest checks that a server that is too old is rejected with a clear error, and that newer
// ones are accepted.
func TestOldest(t *testing.T) {
	for version, works := range map[string]bool{
		"2.9.10": false, "2.9.25": false, "1.4.1": false, "0.0.0": false, "": false, "x": false, "2.1": false,
		OldestServer: true, "2.10.0-beta.1": true, "2.10.29": true, "2.15.2": true, "3.0.0": true, "10.0.0": true,
	} {
		c, err := Dial(t.Context(), Flags{NATS: pretend(t, version, func(string) string { return "" })}, nil)
		if (err == nil) != works {
			t.Errorf("version %q: %v", version, err)
		}
		if err == nil {
			c.Close()
			continue
		}
		if !errors.Is(err, ErrTooOld) || !strings.Contains(err.Error(), "needs "+OldestServer+" or newer") || version != "" && !strings.Contains(err.Error(), "version "+version) {
			t.Errorf("version %q: %v", version, err)
		}
	}
}

// TestPermission checks that a call without an answer names the missing permission.
func TestPermission(t *testing.T) {
	const subject = "$JS.API.STREAM.INFO.KV_" + Placement
	url := pretend(t, OldestServer, func(to string) string {
		return fmt.Sprintf("-ERR 'Permissions Violation for Publish to %q'", to)
	})
	c, err := Dial(t.Context(), Flags{NATS: url}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for denied := false; !denied; { // a busy machine may hear of the permission after the time limit of a call
		denied = c.denied.Load() != nil
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		_, err = c.Bucket(ctx, Placement, 1)
		cancel()
	}
	if want := "the bucket " + Placement + ": NATS does not permit this user to publish to " + subject + "; docs/cluster.md lists the permissions that voicepool needs"; err == nil || err.Error() != want {
		t.Errorf("it says %v, want %s", err, want)
	}
	c.recordDenial(fmt.Errorf("%w: Permissions Violation for Subscription to \"_INBOX.x.*\"", nats.ErrPermissionViolation))
	if err := c.Plain(nats.ErrTimeout); !strings.Contains(err.Error(), "subscribe to _INBOX.x.*") {
		t.Errorf("it says %v", err)
	}
	if err := c.Plain(nats.ErrNoServers); strings.Contains(err.Error(), "permit") {
		t.Errorf("another error becomes %v", err)
	}
}

// TestPlain checks that errors with a remedy name it.
func TestPlain(t *testing.T) {
	for _, c := range []struct {
		err  error
		says string
	}{
		{jetstream.ErrJetStreamNotEnabled, "start it with -js"},
		{nats.ErrMaxPayload, "max_payload"},
		{&jetstream.APIError{ErrorCode: 10002}, "storage of JetStream is full"},
		{&jetstream.APIError{ErrorCode: 10023}, "max_file_store"},
		{&jetstream.APIError{ErrorCode: 10047}, "storage of JetStream is full"},
		{&jetstream.APIError{ErrorCode: 10077}, "storage of JetStream is full"},
		{&jetstream.APIError{ErrorCode: 10028}, "max_memory_store"},
		{&jetstream.APIError{ErrorCode: 10005}, "too few servers"},
		{nats.ErrAuthorization, "credentials"},
		{context.DeadlineExceeded, "does not answer in time"},
	} {
		for _, err := range []error{c.err, fmt.Errorf("wrapped: %w", c.err)} {
			if got := Plain(err); !strings.Contains(got.Error(), c.says) || !errors.Is(got, c.err) {
				t.Errorf("%v becomes %v, want %q in it", err, got, c.says)
			}
		}
	}
}

// TestWithoutPassword checks that messages show neither users nor passwords of any address.
func TestWithoutPassword(t *testing.T) {
	for addresses, want := range map[string]string{
		"":                              "",
		"nats://a:4222":                 "nats://a:4222",
		"nats://ann:secret@a:4222":      "a:4222",
		"nats://ann:se@cret@a:4222":     "a:4222",
		"nats://token@a,nats://b:4222":  "a,nats://b:4222",
		"nats://ann:s@a,tls://bob:t@b":  "a,b",
		"nats://a, nats://ann:s@b:4222": "nats://a,b:4222",
	} {
		if got := withoutPassword(addresses); got != want {
			t.Errorf("withoutPassword(%q) = %q, want %q", addresses, got, want)
		}
	}
}

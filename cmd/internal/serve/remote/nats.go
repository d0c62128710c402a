package remote

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"voicepool/cmd/internal/cluster"
	"voicepool/cmd/internal/view/liveview"
	"voicepool/internal/words"
)

const (
	// pollInterval is the interval between state requests while a room is watched.
	pollInterval = 100 * time.Millisecond

	// eventBuffer is the number of events that may wait for the next state.
	eventBuffer = 1024
)

// natsConnection is a connection to one room, over NATS.
type natsConnection struct {
	servers string // without a password
	room    string
	dial    func(context.Context) (natsConn, error)
}

// natsConn is a connection to NATS. Tests replace it.
type natsConn interface {
	request(ctx context.Context, subject string, data []byte) ([]byte, error)
	follow(subject string, events chan<- []byte) error // drops events that do not fit
	close()
}

// natsClient returns a client for the room at address, such as nats://a:4222,b:4222/ROOM. It does not connect yet.
// Without a room in address, the room is Main. creds is the path of a file with credentials, or "". An invalid address
// or room name is an error, whose message has no passwords.
func natsClient(address, creds string) (*Client, error) {
	scheme, _, _ := strings.Cut(address, "://")
	var servers, hosts []string
	room, parts := "", strings.Split(address, ",")
	for i, one := range parts {
		if !strings.Contains(one, "://") {
			one = scheme + "://" + one
		}
		u, err := url.Parse(one)
		if err != nil || u.Scheme != scheme || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" || i < len(parts)-1 && u.Path != "" {
			return nil, fmt.Errorf("invalid NATS address %s (want nats://HOST:4222, nats://HOST:4222/ROOM or nats://HOST,HOST/ROOM)", words.OneLine(withoutPasswords(address)))
		}
		room = strings.Trim(u.Path, "/")
		hosts = append(hosts, u.Host)
		u.Path, u.RawPath = "", ""
		servers = append(servers, u.String())
	}
	room = cmp.Or(room, Main)
	if err := cluster.CheckName(room); err != nil {
		return nil, fmt.Errorf("%s: %w", words.OneLine(withoutPasswords(address)), err)
	}
	n := &natsConnection{servers: scheme + "://" + strings.Join(hosts, ","), room: room}
	flags := cluster.Flags{NATS: strings.Join(servers, ","), Creds: creds}
	n.dial = func(ctx context.Context) (natsConn, error) {
		conn, err := cluster.Dial(ctx, flags, nil)
		if err != nil {
			return nil, err
		}
		return clusterConn{conn}, nil
	}
	return &Client{n, room}, nil
}

// withoutPasswords returns address, a list of URLs separated by commas, without user names and passwords.
func withoutPasswords(address string) string {
	all := strings.Split(address, ",")
	for i, one := range all {
		scheme, rest, found := strings.Cut(one, "://")
		if !found {
			scheme, rest = "", one
		}
		if at := strings.LastIndexByte(rest, '@'); at >= 0 {
			rest = rest[at+1:]
		}
		if all[i] = rest; found {
			all[i] = scheme + "://" + rest
		}
	}
	return strings.Join(all, ",")
}

// address returns the addresses of the NATS servers, without passwords.
func (n *natsConnection) address() string { return n.servers }

// open connects to NATS. The caller must close the connection. If ctx has ended, the error is unchanged; any other
// error names the address.
func (n *natsConnection) open(ctx context.Context) (natsConn, error) {
	p, err := n.dial(ctx)
	if err == nil || ctx.Err() != nil {
		return p, err
	}
	if why := errors.Unwrap(err); why != nil { // without the name of a flag of other commands
		err = why
	}
	return nil, fmt.Errorf("%s: %w", n.servers, err)
}

// send sends the order o to the room and returns the body of the answer. It connects to NATS for that and closes the
// connection afterwards. Its errors are as in open and order.
func (n *natsConnection) send(ctx context.Context, o *Order) (json.RawMessage, error) {
	p, err := n.open(ctx)
	if err != nil {
		return nil, err
	}
	defer p.close()
	return n.order(ctx, p, o)
}

// order sends the order o to the room over the connection p and returns the body of the reply. It waits at most 10 s. A
// status other than 2xx is a *Refusal, and order also returns the body then. If no server plays the room, the error is
// a noServerError, and the caller may retry. If ctx has ended, order returns the error of ctx. Any other error of NATS
// names the address.
func (n *natsConnection) order(ctx context.Context, p natsConn, o *Order) (json.RawMessage, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	soon, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	answer, err := p.request(soon, cluster.Command(n.room), text)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, nats.ErrNoResponders):
		return nil, noServerError{fmt.Sprintf("%s: no room %s answers there", n.servers, n.room), retryInterval}
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("%s: no answer within %v", n.servers, answerTimeout)
	case errors.Is(err, nats.ErrPermissionViolation):
		return nil, fmt.Errorf("%s: NATS does not let this user play on %s", n.servers, cluster.Command(n.room))
	case err != nil:
		return nil, fmt.Errorf("%s: %w", n.servers, cluster.Plain(err))
	}
	var r struct {
		Type   string
		Status int
		Body   json.RawMessage
	}
	if json.Unmarshal(answer, &r) != nil || r.Type != "reply" {
		return nil, fmt.Errorf("%s: the reply is not from a voicepool server", n.servers)
	}
	if r.Status/100 != 2 {
		return r.Body, refusal(r.Status, r.Body)
	}
	return r.Body, nil
}

// watch follows the room and calls show with each new picture of it, and with false. Every 100 ms it requests the state
// of the room. It adds the states and the room's events to w, which makes the pictures. It uses one connection, which
// it closes. watch always returns an error: the error of ctx or of the connection, a *Refusal with a status 4xx, or an
// error that wraps errEnd.
func (n *natsConnection) watch(ctx context.Context, w *roomView, show func(liveview.Picture, bool)) error {
	p, err := n.open(ctx)
	if err != nil {
		return err
	}
	defer p.close()
	events := make(chan []byte, eventBuffer)
	if err := p.follow(cluster.Event(n.room), events); err != nil {
		return fmt.Errorf("%s: %w", n.servers, cluster.Plain(err))
	}
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		state, err := n.order(ctx, p, &Order{Do: "state"})
		if refused, is := errors.AsType[*Refusal](err); is && refused.Status/100 != 4 {
			return fmt.Errorf("%s: %s", n.servers, refused.Detail) // the condition may be temporary
		}
		if err != nil {
			return err
		}
		for len(events) > 0 {
			if _, err := w.addMessage(<-events); err != nil {
				return fmt.Errorf("%s: %w", n.servers, err)
			}
		}
		if _, err := w.addMessage(bytes.Join([][]byte{[]byte(`{"type":"state","state":`), state, []byte("}")}, nil)); err != nil {
			return fmt.Errorf("%s: %w", n.servers, err)
		}
		show(w.picture(), false)
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// clusterConn is a connection to a real NATS.
type clusterConn struct{ *cluster.Conn }

// request sends data to subject, the address of a NATS message, and returns the data of the reply. It waits until ctx
// ends. If NATS does not permit the request, or if no client has subscribed to subject (nats.ErrNoResponders), it
// returns an error at once.
func (o clusterConn) request(ctx context.Context, subject string, data []byte) ([]byte, error) {
	inbox := o.NC.NewInbox()
	sub, err := o.NC.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	defer func() { _ = sub.Unsubscribe() }() // the connection may be lost
	if err := o.NC.PublishRequest(subject, inbox, data); err != nil {
		return nil, err
	}
	if err := o.NC.FlushWithContext(ctx); err != nil {
		return nil, err
	}
	if err := o.NC.LastError(); errors.Is(err, nats.ErrPermissionViolation) && (strings.Contains(err.Error(), `"`+subject+`"`) || strings.Contains(err.Error(), `"`+inbox+`"`)) {
		return nil, err
	}
	m, err := sub.NextMsgWithContext(ctx)
	if err != nil {
		return nil, err
	}
	return m.Data, nil
}

// follow subscribes to subject, the address of NATS messages. From then on, another goroutine sends the data of each
// message to the channel events, until close. If the channel is full, the message is dropped. follow returns at once.
func (o clusterConn) follow(subject string, events chan<- []byte) error {
	_, err := o.NC.Subscribe(subject, func(m *nats.Msg) {
		select {
		case events <- m.Data:
		default:
		}
	})
	return err
}

// close closes the connection.
func (o clusterConn) close() { o.Close() }

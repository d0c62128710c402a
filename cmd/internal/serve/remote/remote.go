// Package remote plays on a room of another server, over HTTP or NATS. It implements the commands
// that take --to.
//
//	c, err := remote.New("http://127.0.0.1:7700/main", token, "")
//	c, err := remote.New("nats://stage-a,stage-b/main", "", credentials)
//	answer, err := c.Run(ctx, "go", "2.5")   // the words of control
//	err = c.Watch(ctx, show)                 // pictures for a live view
package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"voicepool/cmd/internal/view/liveview"
	"voicepool/internal/words"
)

// Main is the room of an address without a room.
const Main = "main"

const (
	// answerTimeout is the time limit of an answer.
	answerTimeout = 10 * time.Second

	// maxAnswer is the maximum size of an answer in bytes.
	maxAnswer = 16 << 20
)

// Client plays on one room of a server. Safe for concurrent use.
type Client struct {
	connection
	room string
}

// connection is a connection to the room of a server.
type connection interface {
	// send sends an order to the room and returns the body of the answer.
	send(ctx context.Context, o *Order) (json.RawMessage, error)

	// watch follows the room over one connection.
	watch(ctx context.Context, w *roomView, show func(liveview.Picture, bool)) error

	// address returns the server's address for messages.
	address() string
}

// New returns a client for the room at address. It does not connect yet. address is http://HOST:PORT/ROOM or, for a
// cluster, nats://HOST:PORT/ROOM; the schemes https, tls, ws and wss are valid, too. The path may also be
// /v1/rooms/ROOM over HTTP. Without a room in address, the room is Main. token is for HTTP. creds is the path of a file
// with credentials for NATS. Both may be "". An invalid address is an error, also an HTTP address with a user or a
// query.
func New(address, token, creds string) (*Client, error) {
	scheme, _, _ := strings.Cut(address, "://")
	switch scheme {
	case "nats", "tls", "ws", "wss":
		return natsClient(address, creds)
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("invalid server address %s (want http://HOST:PORT or http://HOST:PORT/ROOM)", words.OneLine(address))
	}
	room := strings.TrimPrefix(strings.Trim(u.Path, "/"), "v1/rooms/")
	if u.RawQuery != "" || u.Fragment != "" || u.User != nil || strings.Contains(room, "/") {
		return nil, fmt.Errorf("invalid server address %s: a room may follow the port, but no query or user (want http://HOST:PORT or http://HOST:PORT/ROOM)", words.OneLine(address))
	}
	room = cmp.Or(room, Main)
	// The room's name is escaped once, here.
	base := &url.URL{Scheme: u.Scheme, Host: u.Host}
	return &Client{newWeb(base.JoinPath("v1", "rooms", url.PathEscape(room)), token), room}, nil
}

// Room returns the name of the room in the client's address.
func (c *Client) Room() string { return c.room }

// send sends the order o to the room and returns the body of the answer. In two cases it retries every 200 ms. While
// the room moves from one node to another, it retries for at most 10 s. If no server plays the room, it retries for the
// time in the noServerError. In the end it returns the result of the last try, or the error of ctx.
func (c *Client) send(ctx context.Context, o *Order) (json.RawMessage, error) {
	for began := time.Now(); ; {
		answer, err := c.connection.send(ctx, o)
		retryFor := time.Duration(0)
		if refused, is := errors.AsType[*Refusal](err); is && refused.reason == moving {
			retryFor = answerTimeout
		} else if none, is := errors.AsType[noServerError](err); is {
			retryFor = none.retryFor
		}
		if time.Since(began) >= retryFor {
			return answer, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(retryInterval):
		}
	}
}

const (
	moving        = "moving"               // the reason of a refusal while a room moves
	retryInterval = 200 * time.Millisecond // interval of retries; during a move, a room is unreachable over NATS for less than this
	takeoverTime  = 5 * time.Second        // time for another node to take over the room of a dead node
)

// noServerError is the error of a room that no server plays. The order was not carried out.
type noServerError struct {
	message  string
	retryFor time.Duration // how long to retry
}

// Error returns the message.
func (n noServerError) Error() string { return n.message }

// Refusal is an error status of the server, with the server's message.
type Refusal struct {
	Status int
	Detail string
	reason string
}

// Error returns Detail.
func (r *Refusal) Error() string { return r.Detail }

// refusal returns the error for an answer with an HTTP status. text is the body of the answer, a problem in JSON. The
// message of the error is the detail of the problem, or else its title. If text has neither, the message names the
// status instead.
func refusal(status int, text []byte) *Refusal {
	var p struct {
		Title, Detail, Reason string
	}
	if json.Unmarshal(text, &p) != nil || p.Detail == "" && p.Title == "" {
		p.Detail = strings.TrimSpace(fmt.Sprintf("the server answers %d %s", status, http.StatusText(status)))
	}
	return &Refusal{status, words.OneLine(cmp.Or(p.Detail, p.Title)), p.Reason}
}

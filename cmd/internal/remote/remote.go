// Package remote plays on a room of a server that runs somewhere else, over HTTP: what the commands
// do that take --to.
//
//	c, err := remote.New("http://127.0.0.1:7700/main", token)
//	answer, err := c.Say(ctx, "go", "2.5")   // the words of control
//	err = c.Watch(ctx, show)                 // pictures for a live view
package remote

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"voicepool/internal/words"
)

// Main is the room of an address that names none.
const Main = "main"

const (
	// patience is how long a server may take for an answer.
	patience = 10 * time.Second

	// most is how many bytes an answer may have.
	most = 16 << 20
)

// Client plays on one room of a server. Any goroutine.
type Client struct {
	base  *url.URL // of the room, without a slash at the end
	room  string
	token string
	http  *http.Client
}

// New returns a client of the room of an address, http://HOST:PORT or http://HOST:PORT/ROOM, with a
// token; empty: none. It does not connect.
func New(address, token string) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%s is no address of a server; write http://HOST:PORT, or http://HOST:PORT/ROOM", words.OneLine(address))
	}
	room := strings.TrimPrefix(strings.Trim(u.Path, "/"), "v1/rooms/")
	if u.RawQuery != "" || u.Fragment != "" || u.User != nil || strings.Contains(room, "/") {
		return nil, fmt.Errorf("%s: write http://HOST:PORT, or http://HOST:PORT/ROOM, and nothing behind it", words.OneLine(address))
	}
	room = cmp.Or(room, Main)
	// The path of the room is escaped once, where it is made.
	base := &url.URL{Scheme: u.Scheme, Host: u.Host}
	return &Client{base: base.JoinPath("v1", "rooms", url.PathEscape(room)), room: room, token: token, http: &http.Client{
		Timeout:       patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Room returns the room's name.
func (c *Client) Room() string { return c.room }

// Refusal is an answer that is none of success. Its text is the server's sentence.
type Refusal struct {
	Status int
	Detail string
}

// Error returns the sentence.
func (r *Refusal) Error() string { return r.Detail }

// call asks for something of the room, and returns the answer's body.
func (c *Client) call(ctx context.Context, method, path string, body any) (json.RawMessage, error) {
	var send io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		send = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.base.String()+path, send)
	if err != nil {
		return nil, err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	c.sign(r.Header)
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, c.unreachable(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, most))
	if err != nil {
		return nil, c.unreachable(err)
	}
	if answer.StatusCode/100 != 2 {
		return text, c.refusal(answer, text)
	}
	return text, nil
}

// sign adds the token.
func (c *Client) sign(h http.Header) {
	if c.token != "" {
		h.Set("Authorization", "Bearer "+c.token)
	}
}

// refusal reads a problem.
func (c *Client) refusal(answer *http.Response, text []byte) error {
	var p struct {
		Title, Detail string
	}
	if json.Unmarshal(text, &p) != nil || p.Detail == "" && p.Title == "" {
		p.Detail = "the server answers " + answer.Status
	}
	detail := words.OneLine(cmp.Or(p.Detail, p.Title))
	if answer.StatusCode == http.StatusUnauthorized {
		detail += "; give a token by VOICEPOOL_TOKEN"
	}
	return &Refusal{answer.StatusCode, detail}
}

// unreachable says where nobody answers, and why.
func (c *Client) unreachable(err error) error {
	if deadline, ok := errors.AsType[net.Error](err); ok && deadline.Timeout() {
		return fmt.Errorf("%s: no answer within %v", c.base.Host, patience)
	}
	if at, ok := errors.AsType[*url.Error](err); ok {
		err = at.Err
	}
	if at, ok := errors.AsType[*net.OpError](err); ok {
		err = at.Err
	}
	return fmt.Errorf("%s: no server answers there (%w)", c.base.Host, words.Cause(err))
}

package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"

	"voicepool/cmd/internal/view/liveview"
	"voicepool/internal/words"
)

// webConnection is a connection to one room, over HTTP.
type webConnection struct {
	base  *url.URL // of the room, without a slash at the end
	token string
	http  *http.Client
}

// maxRedirects is the maximum number of redirects to the server that plays the room.
const maxRedirects = 2

// newWeb returns a connection to the room at roomURL over HTTP. It does not connect yet. Each request may take at most
// 10 s. token may be "", for a server without tokens.
func newWeb(roomURL *url.URL, token string) *webConnection {
	c := &webConnection{base: roomURL, token: token}
	c.http = &http.Client{Timeout: answerTimeout, CheckRedirect: c.checkRedirect}
	return c
}

// checkRedirect is the CheckRedirect of the HTTP client. r is the next request, and via holds the requests before it.
// It follows at most two redirects, and adds the token to r. A redirect must have the status 307 and keep the path and
// the query. It must not lead from https to http, and its URL must have no user. Other redirects are not followed, and
// their response becomes the answer.
func (c *webConnection) checkRedirect(r *http.Request, via []*http.Request) error {
	last := via[len(via)-1]
	if r.Response.StatusCode != http.StatusTemporaryRedirect || len(via) > maxRedirects || r.URL.User != nil ||
		r.URL.Scheme != "http" && r.URL.Scheme != "https" || r.URL.Scheme == "http" && last.URL.Scheme == "https" ||
		r.URL.EscapedPath() != last.URL.EscapedPath() || r.URL.RawQuery != last.URL.RawQuery {
		return http.ErrUseLastResponse
	}
	c.addToken(r.Header)
	return nil
}

// address returns the host and port of the server in the room's URL, for messages.
func (c *webConnection) address() string { return c.base.Host }

// send sends the order o to the room as an HTTP request and returns the body of the answer. It waits at most 10 s, and
// reads at most 16 MiB of the body; the rest is dropped without an error. If the status is not 2xx, it returns the body
// and a *Refusal. The fields of a DELETE become its query; a GET has no fields. Errors of the connection are converted
// by unreachable.
func (c *webConnection) send(ctx context.Context, o *Order) (json.RawMessage, error) {
	method, path := o.Call()
	var send io.Reader
	switch {
	case method == http.MethodDelete && len(o.With) > 0:
		query := url.Values{}
		for key, value := range o.With {
			query.Set(key, fmt.Sprint(value))
		}
		path += "?" + query.Encode()
	case method == http.MethodPost || method == http.MethodPatch:
		body := o.With
		if body == nil {
			body = map[string]any{}
		}
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
	if send != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	c.addToken(r.Header)
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, c.unreachable(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return nil, c.unreachable(err)
	}
	if answer.StatusCode/100 != 2 {
		return text, webRefusal(answer.StatusCode, text)
	}
	return text, nil
}

// addToken adds the token, if the client has one, to h as the header Authorization.
func (c *webConnection) addToken(h http.Header) {
	if c.token != "" {
		h.Set("Authorization", "Bearer "+c.token)
	}
}

// webRefusal returns the *Refusal for an answer with an HTTP status. text is the body of the answer; it may be nil. For
// the status 401 the message also explains how to give a token.
func webRefusal(status int, text []byte) error {
	r := refusal(status, text)
	if status == http.StatusUnauthorized {
		r.Detail += "; give a token by VOICEPOOL_TOKEN"
	}
	return r
}

// unreachable converts err, an error of the HTTP client, to an error whose message names the host. err must not be nil.
// The result does not wrap err, also if err is the end of a context. If a redirect led to another server that accepts
// no connections, the result is a noServerError. The caller may then retry for 5 s, because the first server soon names
// another server.
func (c *webConnection) unreachable(err error) error {
	host := c.base.Host
	if at, ok := errors.AsType[*url.Error](err); ok {
		if u, err := url.Parse(at.URL); err == nil && u.Host != "" {
			host = u.Host
		}
	}
	if deadline, ok := errors.AsType[net.Error](err); ok && deadline.Timeout() {
		return fmt.Errorf("%s: no answer within %v", host, answerTimeout)
	}
	if at, ok := errors.AsType[*url.Error](err); ok {
		err = at.Err
	}
	at, unsent := errors.AsType[*net.OpError](err)
	if unsent {
		err = at.Err
	}
	message := fmt.Sprintf("%s: no server answers there (%v)", host, words.Cause(err))
	if unsent && at.Op == "dial" && host != c.base.Host {
		return noServerError{message, takeoverTime}
	}
	return errors.New(message)
}

// watch follows the room over one WebSocket and calls show with each new picture of it, and with false. It adds the
// messages of the server to w, which makes the pictures. watch always returns an error: an error of the connection, a
// *Refusal with a status 4xx, or an error that wraps errEnd. The end of ctx is an error of the connection, too.
func (c *webConnection) watch(ctx context.Context, w *roomView, show func(liveview.Picture, bool)) error {
	conn, answer, err := c.dial(ctx, c.base.String()+"/ws")
	if err != nil {
		if answer != nil && answer.StatusCode/100 == 4 {
			return webRefusal(answer.StatusCode, nil)
		}
		return c.unreachable(err)
	}
	defer conn.CloseNow()
	conn.SetReadLimit(maxMessage)
	for {
		_, text, err := conn.Read(ctx)
		if err != nil {
			return fmt.Errorf("%s: the connection is lost", c.base.Host)
		}
		changed, err := w.addMessage(text)
		if err != nil {
			return fmt.Errorf("%s: %w", c.base.Host, err)
		}
		if changed {
			show(w.picture(), false)
		}
	}
}

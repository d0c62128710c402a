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

	"voicepool/cmd/internal/live"
	"voicepool/internal/words"
)

// web is a line over HTTP.
type web struct {
	base  *url.URL // of the room, without a slash at the end
	token string
	http  *http.Client
}

// detours is the maximum number of redirects to the server that plays the room.
const detours = 2

// newWeb returns a line to the room at base, without connecting. token may be "".
func newWeb(base *url.URL, token string) *web {
	c := &web{base: base, token: token}
	c.http = &http.Client{Timeout: patience, CheckRedirect: c.elsewhere}
	return c
}

// elsewhere decides about a redirect: nil follows it, http.ErrUseLastResponse does not. It permits at most
// two redirects to the server of a cluster that plays the room: status 307 with the same path. The token is
// sent along, so https must not become http.
func (c *web) elsewhere(r *http.Request, via []*http.Request) error {
	last := via[len(via)-1]
	if r.Response.StatusCode != http.StatusTemporaryRedirect || len(via) > detours || r.URL.User != nil ||
		r.URL.Scheme != "http" && r.URL.Scheme != "https" || r.URL.Scheme == "http" && last.URL.Scheme == "https" ||
		r.URL.EscapedPath() != last.URL.EscapedPath() || r.URL.RawQuery != last.URL.RawQuery {
		return http.ErrUseLastResponse
	}
	c.sign(r.Header)
	return nil
}

func (c *web) where() string { return c.base.Host }

// ask makes the HTTP call of an order and returns the body. A status other than 2xx is a *Refusal.
func (c *web) ask(ctx context.Context, o *Order) (json.RawMessage, error) {
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
		return text, unsigned(answer.StatusCode, text)
	}
	return text, nil
}

// sign adds the token, if there is one, as the header Authorization.
func (c *web) sign(h http.Header) {
	if c.token != "" {
		h.Set("Authorization", "Bearer "+c.token)
	}
}

// unsigned returns a Refusal with a status and the body text. For status 401 it explains how to give a
// token.
func unsigned(status int, text []byte) error {
	r := refusal(status, text)
	if status == http.StatusUnauthorized {
		r.Detail += "; give a token by VOICEPOOL_TOKEN"
	}
	return r
}

// unreachable describes a connection error, with the host. If a redirect led to a server that does not
// accept connections, the error permits retries, because the first server soon names another.
func (c *web) unreachable(err error) error {
	host := c.base.Host
	if at, ok := errors.AsType[*url.Error](err); ok {
		if u, err := url.Parse(at.URL); err == nil && u.Host != "" {
			host = u.Host
		}
	}
	if deadline, ok := errors.AsType[net.Error](err); ok && deadline.Timeout() {
		return fmt.Errorf("%s: no answer within %v", host, patience)
	}
	if at, ok := errors.AsType[*url.Error](err); ok {
		err = at.Err
	}
	at, unsent := errors.AsType[*net.OpError](err)
	if unsent {
		err = at.Err
	}
	says := fmt.Sprintf("%s: no server answers there (%v)", host, words.Cause(err))
	if unsent && at.Op == "dial" && host != c.base.Host {
		return nobody{says, succession}
	}
	return errors.New(says)
}

// watch follows the room over a WebSocket and calls show for each new picture. It returns only with an
// error: of the connection, a refusal, or errEnd.
func (c *web) watch(ctx context.Context, w *watching, show func(live.Picture, bool)) error {
	conn, answer, err := c.dial(ctx, c.base.String()+"/ws")
	if err != nil {
		if answer != nil && answer.StatusCode/100 == 4 {
			return unsigned(answer.StatusCode, nil)
		}
		return c.unreachable(err)
	}
	defer conn.CloseNow()
	conn.SetReadLimit(longest)
	for {
		_, text, err := conn.Read(ctx)
		if err != nil {
			return fmt.Errorf("%s: the connection is lost", c.base.Host)
		}
		moved, err := w.take(text)
		if err != nil {
			return fmt.Errorf("%s: %w", c.base.Host, err)
		}
		if moved {
			show(w.picture(), false)
		}
	}
}

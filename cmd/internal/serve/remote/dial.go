//go:build !js

package remote

import (
	"context"
	"net/http"

	"github.com/coder/websocket"
)

// dial opens a WebSocket at address with the token, and follows redirects as checkRedirect permits. If the server
// answers with an error status, the error and the response are not nil.
func (c *webConnection) dial(ctx context.Context, address string) (*websocket.Conn, *http.Response, error) {
	head := http.Header{}
	c.addToken(head)
	return websocket.Dial(ctx, address, &websocket.DialOptions{HTTPHeader: head, HTTPClient: &http.Client{Transport: c.http.Transport, CheckRedirect: c.checkRedirect}})
}

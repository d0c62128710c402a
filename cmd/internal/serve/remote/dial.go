//go:build !js

package remote

import (
	"context"
	"net/http"

	"github.com/coder/websocket"
)

// dial opens a WebSocket at address with the token of c. It follows redirects that checkRedirect permits. If the server
// answers with an error status, both the error and the response are set.
func (c *webConnection) dial(ctx context.Context, address string) (*websocket.Conn, *http.Response, error) {
	head := http.Header{}
	c.addToken(head)
	return websocket.Dial(ctx, address, &websocket.DialOptions{HTTPHeader: head, HTTPClient: &http.Client{Transport: c.http.Transport, CheckRedirect: c.checkRedirect}})
}

package remote

import (
	"context"
	"net/http"

	"github.com/coder/websocket"
)

// dial opens a WebSocket at address. In a browser, the cookie of the page authenticates the WebSocket.
func (c *webConnection) dial(ctx context.Context, address string) (*websocket.Conn, *http.Response, error) {
	return websocket.Dial(ctx, address, nil)
}

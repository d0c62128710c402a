package remote

import (
	"context"
	"net/http"

	"github.com/coder/websocket"
)

// dial opens a WebSocket at address. A browser authenticates it with its cookie.
func (c *web) dial(ctx context.Context, address string) (*websocket.Conn, *http.Response, error) {
	return websocket.Dial(ctx, address, nil)
}

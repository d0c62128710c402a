package service

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// webSocket is a WebSocket that closes in order. The library waits without a limit for the rest of a message
// that arrives during the closing handshake. And it closes connections with unread input, which the kernel then
// resets, so that the client may never read the close frame.
type webSocket struct {
	*websocket.Conn
	network  *network
	patience time.Duration // time limit for the client's part of the closing handshake
}

// Close sends a close frame with code and reason, and waits until the client has closed, at most for w.patience.
func (w *webSocket) Close(code websocket.StatusCode, reason string) error {
	w.network.drainFor(w.patience)
	return w.Conn.Close(code, reason)
}

// network is the connection below a WebSocket.
type network struct {
	net.Conn
	drains atomic.Bool
}

// drainFor makes Close discard input until the client closes, at most for d from now. Reads fail after that time,
// too.
func (n *network) drainFor(d time.Duration) {
	_ = n.SetReadDeadline(time.Now().Add(d)) // the connection may be closed already
	n.drains.Store(true)
}

// Close closes the connection. After drainFor it first closes the sending side and discards input.
func (n *network) Close() error {
	if half, ok := n.Conn.(interface{ CloseWrite() error }); ok && n.drains.Load() && half.CloseWrite() == nil {
		_, _ = io.Copy(io.Discard, n.Conn) // it ends with an error or at the deadline
	}
	return n.Conn.Close()
}

// hijacker is a ResponseWriter that keeps the connection which the library takes over.
type hijacker struct {
	http.ResponseWriter
	network *network
}

// Hijack implements http.Hijacker. It also stores the connection in h.network.
func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffer, err := http.NewResponseController(h.ResponseWriter).Hijack()
	h.network = &network{Conn: conn}
	return h.network, buffer, err
}

// upgrade turns a request into a WebSocket, runs do, and then closes the socket. kind is its label in the metrics,
// "orders" or "audio". The context of do ends with the server, and with the request's context when the caller's
// token ends. Once the response has begun, the error is nil.
func (s *Server) upgrade(w http.ResponseWriter, r *http.Request, kind string, do func(context.Context, *webSocket)) error {
	done, err := s.enter()
	if err != nil {
		return err
	}
	defer done()
	// The guard checks the Origin header, because it has the names of the server.
	h := &hijacker{ResponseWriter: w}
	conn, err := websocket.Accept(h, r, &websocket.AcceptOptions{InsecureSkipVerify: s.options.Allow != nil})
	if err != nil {
		return nil // Accept has answered the request
	}
	c := &webSocket{conn, h.network, s.patience}
	s.metrics.sockets(kind).Inc()
	defer s.metrics.sockets(kind).Dec()
	ctx, cancel := context.WithCancel(s.ctx)
	defer c.CloseNow()
	defer cancel() // before CloseNow, so that CloseNow does not wait
	// The guard cancels the request's context when the token is revoked or the session expires.
	defer context.AfterFunc(r.Context(), func() {
		_ = c.Close(websocket.StatusPolicyViolation, "the token has expired") // Close has sent the last frame
		cancel()
	})()
	c.SetReadLimit(s.options.Limits.BodyBytes)
	do(ctx, c)
	return nil
}

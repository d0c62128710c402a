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
	network          *network
	handshakeTimeout time.Duration // time limit for the client's part of the closing handshake
}

// Close sends a close frame with code and reason. It then waits until the client has closed, too, but at most for
// w.handshakeTimeout.
func (w *webSocket) Close(code websocket.StatusCode, reason string) error {
	w.network.drainFor(w.handshakeTimeout)
	return w.Conn.Close(code, reason)
}

// network is the connection below a WebSocket.
type network struct {
	net.Conn
	draining atomic.Bool
}

// drainFor prepares the connection for a clean Close. It returns at once and starts a time limit of d. Close will then
// discard input until the client closes or the limit ends. All reads of the connection fail after the limit, too.
func (n *network) drainFor(d time.Duration) {
	_ = n.SetReadDeadline(time.Now().Add(d)) // the connection may be closed already
	n.draining.Store(true)
}

// Close closes the connection. If drainFor was called before and the connection can be half closed, Close first closes
// only the sending side, so that the client sees the end. It then discards input until the client closes or the time
// limit of drainFor ends.
func (n *network) Close() error {
	if half, ok := n.Conn.(interface{ CloseWrite() error }); ok && n.draining.Load() && half.CloseWrite() == nil {
		_, _ = io.Copy(io.Discard, n.Conn) // it ends with an error or at the deadline
	}
	return n.Conn.Close()
}

// hijacker is a ResponseWriter that keeps the connection which the library takes over.
type hijacker struct {
	http.ResponseWriter
	network *network
}

// Hijack implements http.Hijacker. It returns the connection of the request, wrapped in a network. It also stores the
// network in h.network. After an error, that network is not nil but has no connection.
func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffer, err := http.NewResponseController(h.ResponseWriter).Hijack()
	h.network = &network{Conn: conn}
	return h.network, buffer, err
}

// upgrade turns the request r into a WebSocket and runs do with it. When do returns, upgrade closes the connection
// without a close frame. kind is the label of the socket in the metrics, "orders" or "audio".
//
// The context of do ends with the server. It also ends with the context of r, when the caller's token ends. Only in
// this case upgrade first sends a close frame, with code 1008. If too many sockets are open or the server is closing,
// upgrade returns an error with an HTTP status. Otherwise the error is nil, even if the handshake fails, because the
// response has begun.
func (s *Server) upgrade(w http.ResponseWriter, r *http.Request, kind string, do func(context.Context, *webSocket)) error {
	done, err := s.countStream()
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
	c := &webSocket{conn, h.network, s.writeTimeout}
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

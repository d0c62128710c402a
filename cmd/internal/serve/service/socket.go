package service

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"

	"voicepool/cmd/internal/serve/problemjson"
)

const (
	maxQueuedMessages = 8192                  // messages of a socket that may wait for its reader: a batch with all its stolen voices
	maxQueuedBytes    = 8 << 20               // limit of their total size; the sockets of a room share the same bytes
	ping              = 20 * time.Second      // interval of pings
	maxInvalid        = 100                   // unreadable messages before a socket is closed
	rateLimitPause    = 10 * time.Millisecond // pause after a message above the rate limit
)

// socket is a WebSocket of orders and events. One goroutine reads and carries out orders, another
// one writes.
type socket struct {
	server *Server
	conn   *webSocket
	cancel context.CancelFunc
	wake   chan struct{} // there is something to write

	mutex     sync.Mutex
	out       [][]byte // replies and events
	bytes     int
	state     []byte // the newest state that is not written yet
	levels    []byte
	roomEnded bool // the room has ended
	slow      bool
}

// socket answers a request with a WebSocket for one room. The client sends orders; the server sends replies, events,
// state and levels. With the query parameter tell=replies, the server sends only replies and the end of the room.
// socket returns nil when the WebSocket has ended.
//
// socket returns an error only before the upgrade: for an unknown room, an invalid parameter, a missing Upgrade header,
// or too many sockets.
func (s *Server) socket(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("room")
	h, err := s.entry(name)
	if err != nil {
		return err
	}
	messages := r.URL.Query().Get("tell")
	if messages != "" && messages != "all" && messages != "replies" {
		return problemjson.New(http.StatusBadRequest, "tell: want all or replies").WithField("tell")
	}
	if err := requireUpgrade(w, r); err != nil {
		return err
	}
	caller := r.Context() // carries the caller's identity
	return s.upgrade(w, r, "orders", func(ctx context.Context, conn *webSocket) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		c := &socket{server: s, conn: conn, cancel: cancel, wake: make(chan struct{}, 1)}
		var writer sync.WaitGroup
		defer writer.Wait()
		defer cancel()
		writer.Go(func() { c.write(ctx) })
		if messages == "replies" {
			writer.Go(func() {
				select {
				case <-h.room.Done():
					c.end()
				case <-ctx.Done():
				}
			})
		} else {
			h.hub.add(c)
			defer h.hub.remove(c)
		}
		c.read(ctx, caller, name)
	})
}

// setState makes state and levels the next messages of their kind to send, and wakes the writing goroutine. Both are
// encoded messages; nil means unchanged. They replace older messages that are not sent yet, so that a slow client skips
// some. setState does not block.
func (c *socket) setState(state, levels []byte) {
	c.mutex.Lock()
	if state != nil {
		c.state = state
	}
	if levels != nil {
		c.levels = levels
	}
	c.mutex.Unlock()
	c.wakeWriter()
}

// queue adds message to the messages that wait for the client, and wakes the writing goroutine. It does not block. If
// 8,192 messages are waiting, or message would make them longer than 8 MiB, the client reads too slowly. Then queue
// drops message and all waiting messages, cancels the socket, and counts a slow client. After that, queue has no
// effect. If no message is waiting, message may be longer than 8 MiB.
func (c *socket) queue(message []byte) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.slow {
		return
	}
	if len(c.out) >= maxQueuedMessages || c.bytes+len(message) > maxQueuedBytes && len(c.out) > 0 {
		c.slow, c.out = true, nil
		c.server.metrics.countSlow("orders")
		c.cancel()
		return
	}
	c.out, c.bytes = append(c.out, message), c.bytes+len(message)
	c.wakeWriter()
}

// end makes the writing goroutine send the queued messages and a message about the end of the room, and then close the
// socket. It does not block.
func (c *socket) end() {
	c.mutex.Lock()
	c.roomEnded = true
	c.mutex.Unlock()
	c.wakeWriter()
}

// wakeWriter wakes the writing goroutine, which then sends all waiting messages. It does not block.
func (c *socket) wakeWriter() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// popMessages removes all waiting messages from the socket and returns before, extended by them. Replies and events
// come first. The newest state and the newest levels follow, if they have not been sent yet. over reports whether end
// was called.
func (c *socket) popMessages(before [][]byte) (all [][]byte, over bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	all = append(before, c.out...)
	clear(c.out)
	c.out, c.bytes = c.out[:0], 0
	if c.state != nil {
		all = append(all, c.state)
	}
	if c.levels != nil {
		all = append(all, c.levels)
	}
	c.state, c.levels = nil, nil
	return all, c.roomEnded
}

// write sends queued messages to the client, whenever wakeWriter wakes it. It returns when ctx ends, a message cannot
// be sent, or end was called, and then cancels the socket. After end it also sends a message about the end of the room
// and closes with code 1001. write pings the client every 20 s. If the client does not answer within 10 s, it is
// counted as slow, and write returns. write runs on its own goroutine.
func (c *socket) write(ctx context.Context) {
	defer c.cancel()
	timer := time.NewTimer(ping)
	defer timer.Stop()
	var all [][]byte
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
			soon, cancel := context.WithTimeout(ctx, writeTimeout)
			err := c.conn.Ping(soon)
			cancel()
			if err != nil {
				c.server.metrics.countDropped("orders", ctx)
				return
			}
			timer.Reset(ping)
			continue
		case <-c.wake:
		}
		var over bool
		all, over = c.popMessages(all[:0])
		for _, message := range all {
			if !c.server.push(ctx, c.conn, websocket.MessageText, message, "orders") {
				return
			}
		}
		clear(all)
		if over {
			c.server.push(ctx, c.conn, websocket.MessageText, []byte(`{"type":"end"}`), "orders")
			_ = c.conn.Close(websocket.StatusGoingAway, "the room has ended")
			return
		}
	}
}

// push sends message to the client of c and reports whether that succeeded. If not, the caller must drop the client.
// kind is text or binary. A client that does not accept the message within 10 s is counted as slow in the metrics. Its
// label there, "orders" or "audio", is the parameter what.
func (s *Server) push(ctx context.Context, c *webSocket, kind websocket.MessageType, message []byte, what string) bool {
	soon, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	err := c.Write(soon, kind, message)
	if err != nil && errors.Is(soon.Err(), context.DeadlineExceeded) {
		s.metrics.countSlow(what)
	}
	return err == nil
}

// send sends value as JSON to the client of the audio socket c and reports whether that succeeded. kind is the type of
// the message, text or binary. A client that does not accept it within 10 s is counted as slow.
func (s *Server) send(ctx context.Context, c *webSocket, kind websocket.MessageType, value any) bool {
	text, err := json.Marshal(value)
	return err == nil && s.push(ctx, c, kind, text, "audio")
}

// read reads orders from the client until ctx or the connection ends. It carries them out one after another in the room
// called name, and queues the replies. The context caller carries the identity of the client, for its role and its rate
// limit. A message above the rate limit is rejected, and read then pauses for 10 ms. A message that is not UTF-8 text,
// or is longer than Limits.BodyBytes, closes the socket. So does the hundredth message that is not a JSON object.
func (c *socket) read(ctx, caller context.Context, name string) {
	for invalid := 0; invalid < maxInvalid; {
		kind, message, err := c.conn.Read(ctx)
		switch {
		case err != nil: // the library has answered a message above the limit with 1009, most protocol errors with 1002
			if strings.Contains(err.Error(), "unmasked") {
				_ = c.conn.Close(websocket.StatusProtocolError, "a client must mask its frames")
			}
			if ctx.Err() == nil {
				c.conn.network.drainFor(c.conn.handshakeTimeout) // the client may still be sending the rest
			}
			return
		case kind != websocket.MessageText:
			_ = c.conn.Close(websocket.StatusUnsupportedData, "messages must be text")
			return
		case !utf8.Valid(message):
			_ = c.conn.Close(websocket.StatusInvalidFramePayloadData, "messages must be UTF-8")
			return
		}
		over := c.server.count(caller, 1)
		text, readable := c.server.reply(caller, name, message, over)
		if !readable {
			invalid++
		}
		c.queue(text)
		if over != nil {
			sleep(ctx, rateLimitPause)
		}
	}
	_ = c.conn.Close(websocket.StatusPolicyViolation, "too many invalid messages")
}

// reply is the answer to a message.
type reply struct {
	Type   string          `json:"type"`
	Ref    json.RawMessage `json:"ref,omitempty"`
	Status int             `json:"status"`
	Body   any             `json:"body"`
}

// sleep waits for the time d. If ctx ends earlier, it returns then.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// reply carries out message, a JSON order for the room called name, and returns the JSON reply. The context caller
// carries the caller's role. The reply repeats the field ref of message. If over is not nil, for example because of a
// rate limit, reply does not carry out message and reports over in the reply. A panic of the order becomes a 500.
// readable is false if message is not a JSON object.
func (s *Server) reply(caller context.Context, name string, message []byte, over error) (text []byte, readable bool) {
	f := parseObject(message, "", "ref", "key", "do", "voice", "bus", "with")
	out := reply{Type: "reply", Ref: f.ref()}
	readable = f.err == nil || f.err.Field != ""
	o := Order{Key: f.text("key"), Do: f.text("do"), Voice: f.text("voice"), Bus: f.text("bus"), With: f.raw("with")}
	f.require("do")
	switch {
	case over != nil:
		out.Status, out.Body = errorReply(over)
	case f.err != nil:
		out.Status, out.Body = errorReply(f.err)
	default:
		out.Status, out.Body = s.recoverPanics(func() (int, any) { return s.Do(caller, name, o) })
	}
	text, err := json.Marshal(&out)
	if err != nil {
		out.Status, out.Body = errorReply(err)
		text, _ = json.Marshal(&out)
	}
	return text, readable
}

// ref returns the field ref of o, the sender's own number or name of a message. The reply repeats it. A valid ref is
// any JSON value with at most 256 bytes, except an object and a list. If the field is absent or invalid, ref returns
// nil; an invalid ref is recorded in o.err, in place of an earlier error. Unlike other fields, ref can be read even if
// o has an error.
func (o *jsonObject) ref() json.RawMessage {
	i := slices.Index(o.keys, "ref") // also if another field is wrong
	if i < 0 {
		return nil
	}
	v := o.values[i]
	if len(v) > maxNameLength || v[0] == '{' || v[0] == '[' {
		o.err = problemjson.New(http.StatusBadRequest, "ref: want a number or a short string").WithField("ref")
		return nil
	}
	return v
}

// recoverPanics runs do, an order, and returns its HTTP status and body. If do panics, recoverPanics writes a line to
// the log and returns a 500, so that one order does not end the server. The line does not contain the value of the
// panic.
func (s *Server) recoverPanics(do func() (int, any)) (status int, body any) {
	defer func() {
		if p := recover(); p != nil {
			s.logLine("internal error in an order: this is a fault of the program")
			status, body = errorReply(errors.New("a fault"))
		}
	}()
	return do()
}

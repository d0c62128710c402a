package qlab

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"time"

	"voicepool/cmd/internal/serve/room"
	"voicepool/cmd/internal/show/osc"
	"voicepool/cue"
	"voicepool/internal/words"
)

// client is a remote: a TCP connection or a UDP sender.
type client struct {
	server *Server
	from   netip.AddrPort
	conn   *connection // nil: over UDP

	mutex    sync.Mutex
	passcode string // the last passcode of /connect

	// For UDP; guarded by the server's mutex.
	seen time.Time

	// Owned by the goroutine that handles the messages.
	mayAnswer     bool // it is local or has sent /connect, so it may be answered over UDP
	budget        int  // bytes left for answers to the current packet
	authenticated bool // it has sent a permitted message
}

// reply is an answer in the format of QLab.
type reply struct {
	Workspace string `json:"workspace_id,omitempty"`
	Address   string `json:"address"`
	Status    string `json:"status"`
	Data      any    `json:"data,omitempty"`
}

// errDenied answers a request that is not permitted.
var errDenied = errors.New("denied")

// maxAddress is the longest accepted address, which occurs twice in the answer.
const maxAddress = 1024

// handle carries out the OSC message m of the client and sends the answer, with the data or the error. Denied and
// failed messages are counted. If the address is longer than 1024 bytes, the message counts as malformed and gets no
// answer. Call it only on the goroutine that handles the client's packets.
func (c *client) handle(m *cue.Message) {
	if len(m.Address) > maxAddress {
		why := fmt.Sprintf("an address has more than %d bytes", maxAddress)
		c.server.counters.Fault.Store(&why)
		c.server.counters.Malformed.Add(1)
		return
	}
	one := call{client: c, args: m.Args}
	data, err := any(nil), readable(m.Args)
	if err == nil {
		data, err = one.route(strings.Split(m.Address[1:], "/"))
	}
	r := reply{Address: m.Address, Status: "ok", Data: data}
	if one.room != nil {
		r.Workspace = workspaceID(one.name)
	}
	switch {
	case errors.Is(err, errDenied):
		c.server.counters.Denied.Add(1)
		r.Status = "denied"
	case err != nil:
		c.server.counters.Failed.Add(1)
		r.Status, r.Data = "error", errorMessage(err)
	}
	c.answer(m.Address, &r)
}

// errorMessage returns the message of err for a remote, in one line. For a *room.Error that is the detail. If a refusal
// has a reason that the detail lacks, the reason is added. From other errors the prefixes of Go packages are removed.
func errorMessage(err error) string {
	if at, ok := errors.AsType[*room.Error](err); ok {
		if at.Kind == room.Refused && at.Reason != "" && !strings.Contains(at.Detail, at.Reason) {
			return words.OneLine(at.Detail + ": " + at.Reason)
		}
		return words.OneLine(at.Detail)
	}
	text := words.Plain(err)
	return strings.TrimPrefix(text, "no action: ")
}

// answer sends r to the client as JSON text. The OSC address of the answer is "/reply" followed by address. Over TCP,
// answer waits until it is written.
//
// Over UDP, an answer above 65507 bytes is replaced by an error. c.budget, the bytes left for answers to the current
// packet, is reduced by the length. If the budget is too small, or if c.mayAnswer is false, the answer is not sent,
// only counted.
func (c *client) answer(address string, r *reply) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		text.Reset()
		_ = e.Encode(reply{Workspace: r.Workspace, Address: r.Address, Status: "error", Data: "the answer cannot be written"}) // cannot fail: it contains only strings
	}
	encode := func(text string) []byte {
		return osc.Append(nil, &cue.Message{Address: "/reply" + address, Args: []any{text}})
	}
	packet := encode(strings.TrimSuffix(text.String(), "\n"))
	if c.conn != nil {
		c.conn.write(packet)
		return
	}
	if len(packet) > maxDatagram {
		text.Reset()
		_ = e.Encode(reply{Workspace: r.Workspace, Address: r.Address, Status: "error", Data: "the answer is longer than a UDP packet; use TCP"})
		packet = encode(strings.TrimSuffix(text.String(), "\n"))
	}
	if !c.mayAnswer || len(packet) > c.budget {
		c.server.counters.Unanswered.Add(1)
		return
	}
	c.budget -= len(packet)
	c.server.send(c.from, packet)
}

// notify sends an OSC message to the client that the client does not answer. address is the OSC address and args the
// arguments. notify does not wait for the client. Over TCP it queues the message; if the queue is full, it closes the
// connection. Any goroutine.
func (c *client) notify(address string, args []any) {
	packet := osc.Append(nil, &cue.Message{Address: address, Args: args})
	if c.conn != nil {
		c.conn.enqueue(packet)
		return
	}
	c.server.send(c.from, packet)
}

// role returns the permission of the client in the room called name. It depends on the passcode of the client's last
// /connect; a client may have no passcode. Any goroutine.
func (c *client) role(name string) Role {
	c.mutex.Lock()
	passcode := c.passcode
	c.mutex.Unlock()
	return c.server.check(passcode, c.from.Addr(), name)
}

// check returns the highest permission that a client with the given passcode has in any of the rooms. passcode may be
// "". The parameter from is the address of the client's machine. Without Options.Check the result is always Operate.
func (s *Server) check(passcode string, from netip.Addr, rooms ...string) Role {
	if s.options.Check == nil {
		return Operate
	}
	return s.options.Check(passcode, rooms, from)
}

// end closes the TCP connection of the client after its queued updates are sent, and does not wait for that. For a UDP
// client it has no effect. Any goroutine.
func (c *client) end() {
	if c.conn != nil {
		c.conn.end()
	}
}

package service

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"voicepool/cmd/internal/serve/problemjson"
	"voicepool/cmd/internal/serve/room"
	"voicepool/internal/words"
)

// Order is a command for a room, independent of the protocol.
type Order struct {
	Do    string          // play, set, stop, bus, go, standby, panic, stopall, pause, scene, batch or state
	Voice string          // for set and stop: the number of a start, or an id
	Bus   string          // for bus: the bus name
	With  json.RawMessage // the request body, as in HTTP; nil if absent
	Key   string          // idempotency key; optional

	more func(n int) error // counts n more commands against the caller's rate limit
}

// command describes how an order is carried out.
type command struct {
	name   string
	role   Role
	target string // the target in the Order: "voice", "bus" or empty
	act    func(*room.Room, *Order) (int, any)
}

// commands is the only table of orders, in the order that messages list them.
var commands = [...]command{
	{"play", Operate, "", play},
	{"set", Operate, "voice", set},
	{"stop", Operate, "voice", stop},
	{"bus", Operate, "bus", bus},
	{"go", Operate, "", goCue},
	{"standby", Operate, "", standby},
	{"panic", Operate, "", panicShow},
	{"stopall", Operate, "", stopAll},
	{"pause", Operate, "", pause},
	{"scene", Operate, "", scene},
	{"batch", Operate, "", batch},
	{"state", Read, "", state},
}

// Do carries out the order o on the room called name. It returns the HTTP status and the body of the answer, for
// json.Marshal. If the status is 400 or above, the body is a *problemjson.Problem.
//
// Options.Allow checks the role of the caller in ctx. Options.CheckOperable checks orders that change the room. If
// o.Key is set and an order with this key and the same target was carried out before, Do returns the stored answer. The
// order "state" ignores the key. In a batch, the commands after the first count against the caller's rate limit. The
// caller of Do counts the order itself.
func (s *Server) Do(ctx context.Context, name string, o Order) (status int, body any) {
	i := slices.IndexFunc(commands[:], func(d command) bool { return d.name == o.Do })
	if i < 0 {
		names := words.Names(commands[:], func(d *command) string { return d.name })
		return errorReply(problemjson.New(http.StatusBadRequest, "unknown order %q", words.OneLine(o.Do)).WithField("do").WithNearest(words.Nearest(o.Do, names)))
	}
	d := &commands[i]
	if err := s.allow(ctx, d.role, name); err != nil {
		return errorReply(err)
	}
	find := s.activeRoom
	if d.role == Read {
		find = s.entry
	}
	h, err := find(name)
	if err == nil && d.role != Read && s.options.CheckOperable != nil {
		err = s.options.CheckOperable(name)
	}
	if err != nil {
		return errorReply(err)
	}
	switch {
	case d.target == "voice" && (o.Voice == "" || len(o.Voice) > maxNameLength):
		return errorReply(problemjson.New(http.StatusBadRequest, "voice: want the number of a start, or an id").WithField("voice"))
	case d.target == "bus" && (o.Bus == "" || len(o.Bus) > maxNameLength):
		return errorReply(problemjson.New(http.StatusBadRequest, "bus: want the name of a bus").WithField("bus"))
	}
	o.more = func(n int) error { return s.count(ctx, n) }
	key := o.Key
	if d.role == Read { // a read changes nothing: a stored answer would only be outdated and use up an entry
		key = ""
	}
	status, body = s.idempotency.do(ctx, key, name+"\x00"+o.Do+"\x00"+o.Voice+"\x00"+o.Bus, string(o.With), func() (int, any) {
		return d.act(h.room, &o)
	})
	if d.role != Read {
		h.notifyChange()
	}
	return status, body
}

// state carries out the order "state". It returns the HTTP status 200 and the state of the room r. If o.With has
// fields, it returns the status 400 and a problem instead.
func state(r *room.Room, o *Order) (int, any) {
	if f := parseObject(o.With, ""); f.err != nil {
		return errorReply(f.err)
	}
	return http.StatusOK, r.State()
}

package service

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"voicepool/cmd/internal/problem"
	"voicepool/cmd/internal/room"
	"voicepool/internal/words"
)

// Order is what a program asks of a room, over any protocol.
type Order struct {
	Do    string          // play, set, stop, bus, go, standby, panic, stopall, pause, scene, batch or state
	Voice string          // of set and stop: the number of a start, or an id
	Bus   string          // of bus: its name
	With  json.RawMessage // the body that the call has over HTTP; nil: none
	Key   string          // of idempotency; empty: none

	more func(n int) error // counts n commands more of who asks
}

// deed is how an order is carried out.
type deed struct {
	name string
	role Role
	on   string // what it is on: voice, bus or nothing
	act  func(*room.Room, *Order) (int, any)
}

// deeds is the one table of orders, in the order in which messages have them.
var deeds = [...]deed{
	{"play", Operate, "", play},
	{"set", Operate, "voice", set},
	{"stop", Operate, "voice", stop},
	{"bus", Operate, "bus", bus},
	{"go", Operate, "", fire},
	{"standby", Operate, "", standby},
	{"panic", Operate, "", panicked},
	{"stopall", Operate, "", stopAll},
	{"pause", Operate, "", pause},
	{"scene", Operate, "", scene},
	{"batch", Operate, "", batch},
	{"state", Read, "", state},
}

// Do carries out an order on a room and returns what HTTP answers: the status, and the body, which
// json.Marshal takes. A body of a status from 400 on is a *problem.Problem. What ctx may do is asked
// of Options.Allow. Any goroutine.
func (s *Server) Do(ctx context.Context, name string, o Order) (status int, body any) {
	i := slices.IndexFunc(deeds[:], func(d deed) bool { return d.name == o.Do })
	if i < 0 {
		var names []string
		for _, d := range deeds {
			names = append(names, d.name)
		}
		return answer(problem.New(http.StatusBadRequest, "there is no order %q", words.OneLine(o.Do)).Of("do").Near(words.Nearest(o.Do, names)))
	}
	d := &deeds[i]
	if err := s.allow(ctx, d.role, name); err != nil {
		return answer(err)
	}
	find := s.stays
	if d.role == Read {
		find = s.house
	}
	h, err := find(name)
	if err == nil && d.role != Read && s.options.Barred != nil {
		err = s.options.Barred(name)
	}
	if err != nil {
		return answer(err)
	}
	switch {
	case d.on == "voice" && (o.Voice == "" || len(o.Voice) > longestName):
		return answer(problem.New(http.StatusBadRequest, "voice: the number of a start or an id is wanted").Of("voice"))
	case d.on == "bus" && (o.Bus == "" || len(o.Bus) > longestName):
		return answer(problem.New(http.StatusBadRequest, "bus: the name of a bus is wanted").Of("bus"))
	}
	o.more = func(n int) error { return s.count(ctx, n) }
	key := o.Key
	if d.role == Read { // it changes nothing: a first answer would only be old, and take the place of a key
		key = ""
	}
	status, body = s.keys.once(ctx, key, name+"\x00"+o.Do+"\x00"+o.Voice+"\x00"+o.Bus, string(o.With), func() (int, any) {
		return d.act(h.room, &o)
	})
	if d.role != Read {
		h.stir()
	}
	return status, body
}

// state returns how a room stands.
func state(r *room.Room, o *Order) (int, any) {
	if f := read(o.With, ""); f.wrong != nil {
		return answer(f.wrong)
	}
	return http.StatusOK, r.State()
}

package qlab

import (
	"errors"
	"fmt"
	"strings"
)

// call is a message being handled.
type call struct {
	*client
	args []any
	name string // name of the room
	room Room
}

// method handles an address. rest is the remaining path.
type method struct {
	needs Role
	do    func(c *call, rest []string) (any, error)
}

// route finds the handler for an OSC address, runs it and returns the data of the answer. path is the address, split at
// its slashes, without the first slash. First route selects the room: the room that the address names, or else the main
// room. It stores the room in c.
//
// An unknown room is an error, an unknown address is errUnknown, and a denied request is errDenied.
func (c *call) route(path []string) (any, error) {
	switch {
	case path[0] == "voicepool" && len(path) > 2:
		if !c.setRoom(path[1]) {
			return nil, noRoom(path[1])
		}
		return c.run(roomMethods, path[2:])
	case path[0] == "workspace" && len(path) > 2:
		if !c.setRoom(c.workspace(path[1])) {
			return nil, noRoom(path[1])
		}
		path = path[2:]
	default:
		c.setRoom(c.server.options.Main)
	}
	if len(path) > 2 && path[0] == "cue_id" && strings.EqualFold(path[1], listID(c.name)) {
		if _, found := workspaceMethods[path[2]]; found || path[2] == "cue" {
			path = path[2:] // a room has one list
		}
	}
	if path[0] == "cue" || path[0] == "cue_id" {
		return c.run(cues, path)
	}
	return c.run(workspaceMethods, path)
}

// cues maps the addresses of cues to methods.
var cues = map[string]method{
	"cue":    {Read, func(c *call, rest []string) (any, error) { return c.cue(rest, (*list).byNumber) }},
	"cue_id": {Read, func(c *call, rest []string) (any, error) { return c.cue(rest, (*list).byID) }},
}

// noRoom returns the error for name, a room name or workspace id that does not exist.
func noRoom(name string) error { return fmt.Errorf("unknown room %q", name) }

// setRoom makes the room called name the room of the call and returns true. If that room does not exist or is closed,
// it returns false, and the call is unchanged.
func (c *call) setRoom(name string) bool {
	if r := c.server.room(name); r != nil {
		c.name, c.room = name, r
		return true
	}
	return false
}

// room returns the room called name, or nil if it does not exist or has been closed.
func (s *Server) room(name string) Room {
	r := s.options.Rooms(name)
	if r == nil {
		return nil
	}
	select {
	case <-r.Done():
		return nil
	default:
		return r
	}
}

// roomNames returns the names of all rooms. If Options.Names is nil, the result is only the name of the main room, even
// if that room does not exist.
func (s *Server) roomNames() []string {
	if s.options.Names == nil {
		return []string{s.options.Main}
	}
	return s.options.Names()
}

// workspace returns the name of the room for a QLab workspace id. Upper and lower case of id are equal. If id is a
// room's name or unknown, it is returned unchanged. The ids of the rooms are computed as needed and kept in s.ids for
// later calls.
func (c *call) workspace(id string) string {
	s := c.server
	if len(id) != idLength || s.room(id) != nil {
		return id
	}
	s.idsMutex.Lock()
	defer s.idsMutex.Unlock()
	names := s.roomNames()
	if len(s.ids) > 2*len(names)+16 { // most belong to rooms that have ended
		clear(s.ids)
	}
	for _, name := range names {
		one, known := s.ids[name]
		if !known {
			one = workspaceID(name)
			s.ids[name] = one
		}
		if strings.EqualFold(id, one) {
			return name
		}
	}
	return id
}

// run calls the handler for an OSC address and returns the data of the answer. The first element of path selects the
// method in methods; its handler gets the other elements. An unknown element is errUnknown.
//
// If the method needs a permission, the room must exist, and a client with too low a role gets errDenied. If the role
// suffices, run marks the client as authenticated.
func (c *call) run(methods map[string]method, path []string) (any, error) {
	m, found := methods[path[0]]
	if !found {
		return nil, errUnknown
	}
	if m.needs > None {
		if c.room == nil {
			return nil, noRoom(c.server.options.Main)
		}
		role := c.role(c.name)
		if role < m.needs {
			return nil, errDenied
		}
		c.authenticated = true
	}
	return m.do(c, path[1:])
}

var errUnknown = errors.New("unknown address")

// plainMethod returns a handler for an OSC address without further elements. It calls do. If the address has further
// elements, it returns errUnknown instead.
func plainMethod(do func(c *call) (any, error)) func(*call, []string) (any, error) {
	return func(c *call, rest []string) (any, error) {
		if len(rest) > 0 {
			return nil, errUnknown
		}
		return do(c)
	}
}

// buttonMethod returns a handler for a button of a remote. A press of the button calls do, and a release has no effect.
// The answer has no data. An argument that is neither a press nor a release is an error; see call.pressed. If the
// address has further elements, the error is errUnknown.
func buttonMethod(do func(c *call) error) func(*call, []string) (any, error) {
	return plainMethod(func(c *call) (any, error) {
		if pressed, err := c.pressed(); err != nil || !pressed {
			return nil, err
		}
		return nil, do(c)
	})
}

// fixedMethod returns a handler for a setting of QLab that voicepool cannot change. The setting is always the parameter
// value, which is also the data of the answer. If the first argument of the message is another value, or not a bool,
// the error is errFixed. If the address has further elements, it is errUnknown.
func fixedMethod(value bool) func(*call, []string) (any, error) {
	return plainMethod(func(c *call) (any, error) {
		if len(c.args) > 0 {
			if on, err := c.boolean(0); err != nil || on != value {
				return nil, errFixed
			}
		}
		return value, nil
	})
}

var errFixed = errors.New("voicepool cannot change this property")

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

// route runs the method of the address path, split at slashes without the first slash, and returns the data of the
// answer. It first selects the room in c: the room that the address names, or the main room. An unknown room, an
// unknown address (errUnknown) and a denied request (errDenied) are errors.
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

// setRoom makes the room called name the room of the call and reports whether that room exists. If it does not, the
// call is unchanged.
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

// roomNames returns the names of all rooms, by Options.Names. Without that function it returns only the main room,
// even if that room does not exist.
func (s *Server) roomNames() []string {
	if s.options.Names == nil {
		return []string{s.options.Main}
	}
	return s.options.Names()
}

// workspace returns the name of the room whose workspaceID is id, in upper or lower case. A room's name or an unknown
// id is returned unchanged. It keeps computed ids in s.ids for the next call.
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

// run calls the method in methods for the first element of path, with the rest of path, and returns its data. An
// unknown element is errUnknown. If the method needs a role, a missing room is an error and too low a role is
// errDenied; otherwise the client counts as authenticated from then on.
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

// plainMethod returns a function for a method that calls do. If the address has further path elements, the function
// returns errUnknown instead.
func plainMethod(do func(c *call) (any, error)) func(*call, []string) (any, error) {
	return func(c *call, rest []string) (any, error) {
		if len(rest) > 0 {
			return nil, errUnknown
		}
		return do(c)
	}
}

// buttonMethod returns a function for a method that calls do when a button is pressed and has no effect on the button's
// release. The answer has no data. Further path elements are errUnknown.
func buttonMethod(do func(c *call) error) func(*call, []string) (any, error) {
	return plainMethod(func(c *call) (any, error) {
		if pressed, err := c.pressed(); err != nil || !pressed {
			return nil, err
		}
		return nil, do(c)
	})
}

// fixedMethod returns a function for the method of a setting that is always value, which is also the data of the
// answer. A message whose first argument is another value gets errFixed.
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

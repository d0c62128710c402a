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

// route runs the method of an address, split at slashes without the first, and returns the data of the answer. It
// selects the room that the address names, or the main room. An unknown address is errUnknown.
func (c *call) route(path []string) (any, error) {
	switch {
	case path[0] == "voicepool" && len(path) > 2:
		if !c.enter(path[1]) {
			return nil, noRoom(path[1])
		}
		return c.run(roomMethods, path[2:])
	case path[0] == "workspace" && len(path) > 2:
		if !c.enter(c.workspace(path[1])) {
			return nil, noRoom(path[1])
		}
		path = path[2:]
	default:
		c.enter(c.server.options.Main)
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

// noRoom returns the error for a room name or workspace id that does not exist.
func noRoom(name string) error { return fmt.Errorf("unknown room %q", name) }

// enter selects the room of the call by its name and reports whether the room exists. If it does not, the call is
// unchanged.
func (c *call) enter(name string) bool {
	if r := c.server.room(name); r != nil {
		c.name, c.room = name, r
		return true
	}
	return false
}

// room returns the room with a name, or nil if it does not exist or has been closed.
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

// names returns the names of all rooms. Without Options.Names it returns only the main room, even if that room does
// not exist.
func (s *Server) names() []string {
	if s.options.Names == nil {
		return []string{s.options.Main}
	}
	return s.options.Names()
}

// workspace returns the name of the room with an id from workspaceID, in upper or lower case. A room's name or an
// unknown id is returned unchanged.
func (c *call) workspace(id string) string {
	s := c.server
	if len(id) != idLength || s.room(id) != nil {
		return id
	}
	s.idsMutex.Lock()
	defer s.idsMutex.Unlock()
	names := s.names()
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

// run runs the method of the first path element and returns its data; the method gets the rest of the path. An
// unknown element is errUnknown, too low a role errDenied, and a missing room an error.
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

// plainMethod returns a method that runs do, and errUnknown for an address with further path elements.
func plainMethod(do func(c *call) (any, error)) func(*call, []string) (any, error) {
	return func(c *call, rest []string) (any, error) {
		if len(rest) > 0 {
			return nil, errUnknown
		}
		return do(c)
	}
}

// buttonMethod returns a method that runs do when a button is pressed and has no effect on its release. The answer
// has no data.
func buttonMethod(do func(c *call) error) func(*call, []string) (any, error) {
	return plainMethod(func(c *call) (any, error) {
		if pressed, err := c.pressed(); err != nil || !pressed {
			return nil, err
		}
		return nil, do(c)
	})
}

// fixedMethod returns a method for a setting that always is value. A message that sets it to another value gets
// errFixed.
func fixedMethod(value bool) func(*call, []string) (any, error) {
	return plainMethod(func(c *call) (any, error) {
		if len(c.args) > 0 {
			if on, err := c.truth(0); err != nil || on != value {
				return nil, errFixed
			}
		}
		return value, nil
	})
}

var errFixed = errors.New("voicepool cannot change this property")

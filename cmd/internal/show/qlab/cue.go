package qlab

import (
	"encoding/json"
	"errors"
	"strings"
	"time"
)

// panicTime is the fade of a cue's panic.
const panicTime = time.Second

// active selects all running cues.
const active = "active"

// cue handles /cue/{number}/... and /cue_id/{id}/...: properties and actions of a cue. find returns the
// index of a cue, or -1.
func (c *call) cue(rest []string, find func(*list, string) int) (any, error) {
	if len(rest) < 2 {
		return nil, errUnknown
	}
	l := c.snapshot()
	if strings.EqualFold(rest[0], listID(c.name)) {
		return c.tell(l.lists()[0], rest[1:])
	}
	if rest[0] == active {
		return c.all(l, rest[1:])
	}
	i := find(l, rest[0])
	if i < 0 {
		return nil, errNoCue
	}
	if do, found := commands[rest[1]]; found && len(rest) == 2 {
		return nil, c.act(do, l, i)
	}
	return c.tell(l.cue(i), rest[1:])
}

// all applies an address, without its prefix, to all running cues. For an action it returns nil, otherwise
// a list of the values.
func (c *call) all(l *list, rest []string) (any, error) {
	if do, found := commands[rest[0]]; found && len(rest) == 1 {
		for i := range l.state.List {
			if _, runs := l.runs[l.state.List[i].Cue]; runs {
				if err := c.act(do, l, i); err != nil {
					return nil, err
				}
			}
		}
		return nil, nil
	}
	all := []any{}
	for _, v := range l.running(true) {
		one, err := c.tell(v, rest)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// tell returns a property, selected properties or the children of a cue. An unknown property is errUnknown,
// and an argument (an attempt to change it) is an error.
func (c *call) tell(v cueProperties, rest []string) (any, error) {
	switch rest[0] {
	case "valuesForKeys":
		if len(rest) > 1 {
			return nil, errUnknown
		}
		text, err := c.text(0)
		if err != nil {
			return nil, err
		}
		var keys []string
		if json.Unmarshal([]byte(text), &keys) != nil {
			return nil, errors.New("the keys are not a JSON list")
		}
		return v.only(keys), nil
	case "children":
		return selectForm(v["cues"].([]cueProperties), rest[1:])
	}
	value, found := v[rest[0]]
	switch {
	case !found || len(rest) > 1:
		return nil, errUnknown
	case len(c.args) > 0:
		return nil, errors.New(rest[0] + " can only be changed in the sheet")
	}
	return value, nil
}

// command is an action on a cue.
type command func(c *call, l *list, i int) error

// act runs an action on the cue with list index i. Without the role Operate it returns errDenied.
func (c *call) act(do command, l *list, i int) error {
	if c.role(c.name) < Operate {
		return errDenied
	}
	return do(c, l, i)
}

// ceases returns an action that fades a cue out within over.
func ceases(over time.Duration) command {
	return func(c *call, l *list, i int) error { return c.room.Show().Cease(l.state.List[i].Cue, over) }
}

// starts starts the cue with list index i and keeps the standby cue.
func starts(c *call, l *list, i int) error { return c.room.Show().Start(l.state.List[i].Cue) }

// onPress returns an action that runs do when a button is pressed. The release of the button has no effect
// and is not an error.
func onPress(do command) command {
	return func(c *call, l *list, i int) error {
		if pressed, err := c.pressed(); err != nil || !pressed {
			return err
		}
		return do(c, l, i)
	}
}

var commands = map[string]command{
	"start":       onPress(starts),
	"go":          onPress(starts),
	"preview":     onPress(starts),
	"load":        onPress(func(*call, *list, int) error { return nil }), // every cue is always loaded
	"loadAt":      loadAt,
	"stop":        onPress(ceases(stopFade)),
	"hardStop":    onPress(ceases(hardStopFade)),
	"reset":       onPress(ceases(hardStopFade)),
	"panic":       onPress(ceases(panicTime)),
	"panicInTime": panicIn,
	"pause":       onPress(func(c *call, l *list, i int) error { return c.pause(l, i, true) }),
	"resume":      onPress(func(c *call, l *list, i int) error { return c.pause(l, i, false) }),
	"togglePause": onPress(func(c *call, l *list, i int) error { return c.pause(l, i, !l.state.Paused) }),
}

// panicIn fades a cue out within the time of the first argument.
func panicIn(c *call, l *list, i int) error {
	over, err := c.time(0)
	if err != nil {
		return err
	}
	return ceases(over)(c, l, i)
}

// loadAt sets the start time of the standby cue to the first argument. Another cue is an error.
func loadAt(c *call, l *list, i int) error {
	at, err := c.time(0)
	if err != nil {
		return err
	}
	if l.state.List[i].Cue != l.state.Standby {
		return errors.New("only the cue on standby can be loaded to a time")
	}
	return c.room.Show().Load(at)
}

// pause pauses (on) or resumes a running cue. If other cues run, it returns an error, because a pause
// affects the whole show. It has no effect on a cue that does not run.
func (c *call) pause(l *list, i int, on bool) error {
	if _, runs := l.runs[l.state.List[i].Cue]; !runs || on == l.state.Paused {
		return nil
	}
	if len(l.runs) > 1 {
		return errors.New("other cues are running too; use /pause and /resume for all of them")
	}
	c.room.Show().Pause(on)
	return nil
}

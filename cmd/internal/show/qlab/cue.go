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

// cue handles the rest of /cue/{number}/... and /cue_id/{id}/..., from the number or id on, and returns the data of
// the answer. find returns the list index of the cue with a number or id, or -1, which is errNoCue.
func (c *call) cue(rest []string, find func(*list, string) int) (any, error) {
	if len(rest) < 2 {
		return nil, errUnknown
	}
	l := c.snapshot()
	if strings.EqualFold(rest[0], listID(c.name)) {
		return c.property(l.lists()[0], rest[1:])
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
	return c.property(l.cue(i), rest[1:])
}

// all applies rest, the address after /cue/active, to all running cues. For an action it returns nil, and the first
// error ends it. Otherwise it returns a list with the property of each cue.
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
		one, err := c.property(v, rest)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// property returns the property of v that rest requests: one value, the values of a JSON list of keys
// (valuesForKeys), or the children. An unknown property is errUnknown, and an argument, which would change it, is an
// error.
func (c *call) property(v cueProperties, rest []string) (any, error) {
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

// act runs an action on the cue with list index i. If the client's role is below Operate, it returns errDenied.
func (c *call) act(do command, l *list, i int) error {
	if c.role(c.name) < Operate {
		return errDenied
	}
	return do(c, l, i)
}

// ceases returns an action that fades the running voices of a cue out within over and ends the cue.
func ceases(over time.Duration) command {
	return func(c *call, l *list, i int) error { return c.room.Show().Cease(l.state.List[i].Cue, over) }
}

// starts starts the cue with list index i at once. The standby cue stays the same.
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

// panicIn fades the cue with list index i out within the time of the first argument, in seconds.
func panicIn(c *call, l *list, i int) error {
	over, err := c.time(0)
	if err != nil {
		return err
	}
	return ceases(over)(c, l, i)
}

// loadAt sets where the standby cue will start, in seconds from its beginning, to the first argument. An error if
// the cue with list index i is not on standby.
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

// pause pauses the show (on) or resumes it, for the cue with list index i. If other cues run too, it returns an
// error, because a pause affects all of them. It has no effect if the cue does not run or is already in that state.
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

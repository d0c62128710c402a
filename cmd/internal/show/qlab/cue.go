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

// cue handles the rest of /cue/{number}/... and /cue_id/{id}/..., from the number or id on, and returns the data of the
// answer. find returns the list index of the cue with a number or id, or -1, which is errNoCue. "active" means all
// running cues, and the id of the cue list the list itself. The next element is an action or a property.
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

// all applies rest, the address after /cue/active, to all running cues of l, also in a paused show. For an action it
// returns nil data, and the first error ends it. Otherwise it returns a list with the property of each cue.
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

// property returns the property of v, a cue or the cue list, that rest requests: the value of one key, the values for a
// JSON list of keys (valuesForKeys), or the children. An unknown key is errUnknown, and an argument, which would change
// the property, is an error.
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

// command is an action on the cue with index i in the list l. It may read the arguments of c.
type command func(c *call, l *list, i int) error

// act runs do on the cue with index i in l and returns its error. If the client's role in the room is below Operate, it
// returns errDenied instead.
func (c *call) act(do command, l *list, i int) error {
	if c.role(c.name) < Operate {
		return errDenied
	}
	return do(c, l, i)
}

// stopCommand returns an action that fades the running voices of a cue out in the time over and ends the cue. If the
// cue does not run, the action has no effect.
func stopCommand(over time.Duration) command {
	return func(c *call, l *list, i int) error { return c.room.Show().StopCue(l.state.List[i].Cue, over) }
}

// startCue starts the cue with index i in l at once, and does not move standby. It returns the errors of
// showrun.Show.Start.
func startCue(c *call, l *list, i int) error { return c.room.Show().Start(l.state.List[i].Cue) }

// onPress returns an action that runs do if the message is the press of a button, by call.pressed. The release of the
// button has no effect and is not an error.
func onPress(do command) command {
	return func(c *call, l *list, i int) error {
		if pressed, err := c.pressed(); err != nil || !pressed {
			return err
		}
		return do(c, l, i)
	}
}

var commands = map[string]command{
	"start":       onPress(startCue),
	"go":          onPress(startCue),
	"preview":     onPress(startCue),
	"load":        onPress(func(*call, *list, int) error { return nil }), // every cue is always loaded
	"loadAt":      loadAt,
	"stop":        onPress(stopCommand(stopFade)),
	"hardStop":    onPress(stopCommand(hardStopFade)),
	"reset":       onPress(stopCommand(hardStopFade)),
	"panic":       onPress(stopCommand(panicTime)),
	"panicInTime": panicCue,
	"pause":       onPress(func(c *call, l *list, i int) error { return c.pause(l, i, true) }),
	"resume":      onPress(func(c *call, l *list, i int) error { return c.pause(l, i, false) }),
	"togglePause": onPress(func(c *call, l *list, i int) error { return c.pause(l, i, !l.state.Paused) }),
}

// panicCue fades the cue with index i in l out and ends it. The first argument of the message is the time of the fade
// in seconds; without it the result is an error.
func panicCue(c *call, l *list, i int) error {
	over, err := c.time(0)
	if err != nil {
		return err
	}
	return stopCommand(over)(c, l, i)
}

// loadAt makes the next GO of the standby cue start at a time within that cue: the first argument, in seconds. If the
// cue with index i in l is not on standby, it returns an error.
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

// pause pauses the show if on is true, otherwise resumes it, on behalf of the cue with index i in l. If other cues run
// too, it returns an error, because a pause affects all of them. If the cue does not run or the show is already in that
// state, it has no effect.
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

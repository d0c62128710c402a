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

// cue handles an OSC message to a cue and returns the data of the answer. The address is /cue/{number}/... or
// /cue_id/{id}/..., and rest is the part from the number or id on. The element after that is an action, such as start,
// or a property to read. If that element is missing, the error is errUnknown.
//
// The function find returns the list index of the cue, or -1; then the error is errNoCue. In place of a number,
// "active" means all running cues, and the id of the cue list means the list itself.
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

// all applies a message to all running cues of l, also in a paused show. rest is the address after /cue/active. For an
// action, such as stop, it runs the action on each cue until one fails, and returns nil data. For a property it returns
// a list with the value of each cue.
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

// property returns the requested property of v, a cue or the cue list. rest is the end of the OSC address: the key of
// the property, children, or valuesForKeys. An unknown key is errUnknown. An argument after a key would change the
// property, so it is an error.
//
// For children the result is a list of cues, and rest may continue with a form; see selectForm. For valuesForKeys the
// first argument of the message is a JSON list of keys. The result has the values of these keys, and unknown keys are
// left out.
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

// act runs the action do on the cue with index i in the list l and returns its error. If the client may not operate the
// room, act returns errDenied instead.
func (c *call) act(do command, l *list, i int) error {
	if c.role(c.name) < Operate {
		return errDenied
	}
	return do(c, l, i)
}

// stopCommand returns an action that fades the voices of a cue out and ends the cue. The parameter over is the length
// of the fade. A cue that follows it automatically still begins. If the cue is neither running nor waiting, the action
// has no effect.
func stopCommand(over time.Duration) command {
	return func(c *call, l *list, i int) error { return c.room.Show().StopCue(l.state.List[i].Cue, over) }
}

// startCue starts the cue with index i in the list l at once. It does not change which cue is on standby. It returns
// the errors of showrun.Show.Start.
func startCue(c *call, l *list, i int) error { return c.room.Show().Start(l.state.List[i].Cue) }

// onPress returns an action for a button of a remote. If the message is the press of the button, the action runs do and
// returns its error. For the release of the button the action has no effect. A message that is neither is an error.
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

// panicCue fades out and ends the cue with index i in the list l. The first argument of the message is the time of the
// fade, in seconds or as a text such as "500ms". If it is missing or invalid, the result is an error.
func panicCue(c *call, l *list, i int) error {
	over, err := c.time(0)
	if err != nil {
		return err
	}
	return stopCommand(over)(c, l, i)
}

// loadAt makes the next GO start the standby cue at a time within that cue. The first argument of the message is that
// time in seconds. The cue with index i in the list l must be the standby cue, otherwise the result is an error.
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

// pause handles the pause or the resumption of a single cue, which has the index i in the list l. Only the whole show
// can be paused, so pause pauses the show if on is true, otherwise resumes it. If other cues run too, the result is an
// error. If the cue does not run, or if the show is in that state already, pause has no effect.
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

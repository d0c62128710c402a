package qlab

import (
	"errors"
	"strings"
	"time"
)

// version is reported as QLab's version. Remotes parse the number before the point.
const version = "5.4 (voicepool)"

const (
	stopFade     = 50 * time.Millisecond // fade of QLab's stop, which is immediate there
	hardStopFade = 5 * time.Millisecond  // fade of QLab's hardStop and reset
)

// workspaceMethods maps QLab's addresses to methods, with and without /workspace/{id}.
var workspaceMethods = map[string]method{
	"version":     {None, plainMethod(func(c *call) (any, error) { return version, nil })},
	"workspaces":  {None, plainMethod((*call).workspaces)},
	"connect":     {None, plainMethod((*call).connect)},
	"disconnect":  {None, plainMethod((*call).disconnect)},
	"alwaysReply": {None, fixedMethod(true)},
	"thump":       {None, plainMethod((*call).thump)},
	"updates":     {Read, plainMethod((*call).updates)},

	"cueLists":            {Read, listMethod((*list).lists)},
	"selectedCues":        {Read, listMethod((*list).selected)},
	"runningCues":         {Read, listMethod(func(l *list) []cueProperties { return l.running(false) })},
	"runningOrPausedCues": {Read, listMethod(func(l *list) []cueProperties { return l.running(true) })},
	"currentCueList":      {Read, plainMethod(func(c *call) (any, error) { return c.snapshot().header(), nil })},
	"currentCueListID":    {Read, plainMethod(func(c *call) (any, error) { return listID(c.name), nil })},
	"playheadID":          {Read, (*call).playheadID},
	"playheadId":          {Read, (*call).playheadID},

	"showMode":                {Read, fixedMethod(true)},
	"alwaysAudition":          {Read, fixedMethod(false)},
	"auditionMonitors":        {Read, fixedMethod(false)},
	"auditionWindow":          {Read, fixedMethod(false)},
	"overrideWindow":          {Read, fixedMethod(false)},
	"liveFadePreview":         {Read, fixedMethod(false)},
	"settings":                {Read, (*call).settings},
	"overrides":               {Read, (*call).overrides},
	"doubleGoWindowRemaining": {Read, plainMethod((*call).remaining)},

	"go":          {Operate, plainMethod((*call).goCue)},
	"stop":        {Operate, buttonMethod(func(c *call) error { c.room.Show().Stop(stopFade); return nil })},
	"hardStop":    {Operate, buttonMethod(func(c *call) error { c.room.Show().Stop(hardStopFade); return nil })},
	"pause":       {Operate, buttonMethod(func(c *call) error { return c.setPaused(true) })},
	"resume":      {Operate, buttonMethod(func(c *call) error { return c.setPaused(false) })},
	"togglePause": {Operate, buttonMethod(func(c *call) error { return c.setPaused(!c.room.Show().Paused()) })},
	"panic":       {Operate, buttonMethod((*call).panic)},
	"panicInTime": {Operate, plainMethod(func(c *call) (any, error) { return nil, c.panicIn() })},
	"reset":       {Operate, buttonMethod((*call).reset)},
	"playhead":    {Operate, (*call).playhead},
	"select":      {Operate, (*call).playhead},
	"select_id":   {Operate, (*call).playheadID},
}

// workspaces returns a list with the id, name and version of all rooms that exist, and whether this client needs a
// passcode for the room. The error is always nil.
func (c *call) workspaces() (any, error) {
	type workspace struct {
		ID       string `json:"uniqueID"`
		Name     string `json:"displayName"`
		Passcode bool   `json:"hasPasscode"`
		Version  string `json:"version"`
	}
	all := []workspace{}
	for _, name := range c.server.roomNames() {
		if c.server.room(name) != nil {
			all = append(all, workspace{workspaceID(name), name, c.server.check("", c.from.Addr(), name) == None, version})
		}
	}
	return all, nil
}

// connect stores the passcode in the client, registers a UDP client, and returns the role in QLab's words: "ok:view" or
// "ok:view|control". Without a passcode it returns "badpass" if one is required, because remotes try that first. A
// wrong passcode is errDenied, and replaces the earlier passcode too.
func (c *call) connect() (any, error) {
	passcode := ""
	if len(c.args) > 0 {
		var err error
		if passcode, err = c.text(0); err != nil {
			return nil, err
		}
	}
	role := c.grantedRole(passcode)
	if role == None && passcode == "" {
		return "badpass", nil
	}
	c.mutex.Lock()
	c.passcode = passcode
	c.mutex.Unlock()
	if role == None {
		return nil, errDenied
	}
	if !c.server.register(c.client) {
		return nil, errors.New("too many remotes are connected")
	}
	c.mayAnswer, c.authenticated = true, true
	if role == Read {
		return "ok:view", nil
	}
	return "ok:view|control", nil
}

// grantedRole returns the role that passcode, which may be "", has in the room of the call, or the highest role in any
// room if the call has no room.
func (c *call) grantedRole(passcode string) Role {
	if c.room != nil {
		return c.server.check(passcode, c.from.Addr(), c.name)
	}
	return c.server.check(passcode, c.from.Addr(), c.server.roomNames()...)
}

// disconnect deletes the client's passcode and ends its updates of all rooms. It keeps the connection open. The answer
// has no data, and the error is always nil.
func (c *call) disconnect() (any, error) {
	c.mutex.Lock()
	c.passcode = ""
	c.mutex.Unlock()
	c.server.unsubscribe(c.client, "")
	return nil, nil
}

// thump returns "thump", the answer to a keep-alive message, and marks the client as authenticated. If its passcode
// gives no role in the room, or in any room for a call without a room, thump returns errDenied.
func (c *call) thump() (any, error) {
	c.mutex.Lock()
	passcode := c.passcode
	c.mutex.Unlock()
	if c.grantedRole(passcode) == None {
		return nil, errDenied
	}
	c.authenticated = true
	return "thump", nil
}

// updates turns updates of the call's room to the client on or off by the first argument, and returns the new state.
// Without an argument it returns the present state. A UDP client from another machine must have sent /connect,
// otherwise the result is an error.
func (c *call) updates() (any, error) {
	if len(c.args) == 0 {
		return c.server.isSubscribed(c.client, c.name), nil
	}
	on, err := c.boolean(0)
	if err != nil {
		return nil, err
	}
	if !on {
		c.server.unsubscribe(c.client, c.name)
		return false, nil
	}
	if !c.mayAnswer || !c.server.register(c.client) {
		return nil, errors.New("send /connect first")
	}
	c.server.subscribe(c.client, c.name, c.room)
	return true, nil
}

// settings handles rest, the address after /settings. For general/minGoTime it returns the guard in seconds, the time
// after a GO during which further GOs are ignored. An attempt to change it is errFixed, and another setting errUnknown.
func (c *call) settings(rest []string) (any, error) {
	if strings.Join(rest, "/") != "general/minGoTime" {
		return nil, errUnknown
	}
	if len(c.args) > 0 {
		return nil, errFixed
	}
	guard, _ := c.room.Show().Guarded()
	return guard.Seconds(), nil
}

// overrides handles rest, the address after /overrides: for {name}Enabled it returns true, whatever the name. An
// attempt to set false is errFixed, and another address errUnknown.
func (c *call) overrides(rest []string) (any, error) {
	if len(rest) != 1 || !strings.HasSuffix(rest[0], "Enabled") {
		return nil, errUnknown
	}
	return fixedMethod(true)(c, nil)
}

// remaining returns the time in seconds until another GO is accepted, or 0. The error is always nil.
func (c *call) remaining() (any, error) {
	_, left := c.room.Show().Guarded()
	return left.Seconds(), nil
}

// panicIn fades all sounds of the room out; the first argument is the time of the fade in seconds. A missing or a
// second argument is an error.
func (c *call) panicIn() error {
	over, err := c.time(0)
	if err == nil {
		err = c.maxArgs(1)
	}
	if err == nil {
		c.room.Show().PanicIn(over)
	}
	return err
}

// reset fades all running cues out within 5 ms and puts the first armed cue on standby. Without an armed cue the
// standby stays the same.
func (c *call) reset() error {
	c.room.Show().Stop(hardStopFade)
	for _, one := range c.room.State().List {
		if one.Armed {
			return c.room.Show().Standby(one.Cue)
		}
	}
	return nil
}

// playhead handles rest, the address after /playhead or /select: next, previous or the number of a cue, which move the
// standby. The number may be the only argument instead; another argument is a button's, whose release has no effect. At
// either end of the list it acts as showrun.Show.Step. It returns no data.
func (c *call) playhead(rest []string) (any, error) {
	if len(rest) == 0 && len(c.args) == 1 {
		number, err := c.text(0)
		if err != nil {
			return nil, err
		}
		rest = []string{number}
	} else if pressed, err := c.pressed(); err != nil || !pressed {
		return nil, err
	}
	if len(rest) != 1 {
		return nil, errUnknown
	}
	switch rest[0] {
	case "next", "nextSequence":
		return nil, c.room.Show().Step(1)
	case "previous", "previousSequence":
		return nil, c.room.Show().Step(-1)
	}
	return nil, c.room.Show().Standby(rest[0])
}

// playheadID returns the id of the standby cue; see list.idOf. If rest or the only argument has an id, it moves the
// standby to that cue instead and returns no data; this needs the role Operate, otherwise errDenied. An unknown id is
// errNoCue.
func (c *call) playheadID(rest []string) (any, error) {
	l := c.snapshot()
	if len(rest) == 0 && len(c.args) == 1 {
		text, err := c.text(0)
		if err != nil {
			return nil, err
		}
		rest = []string{text}
	}
	switch len(rest) {
	case 0:
		return l.idOf(l.state.Standby), nil
	case 1:
		i := l.byID(rest[0])
		if i < 0 {
			return nil, errNoCue
		}
		if c.role(c.name) < Operate {
			return nil, errDenied
		}
		return nil, c.room.Show().Standby(l.state.List[i].Cue)
	}
	return nil, errUnknown
}

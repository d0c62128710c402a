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

// workspaces answers with the list of all rooms that exist. Each element has the id, the name and the version, and
// whether this client needs a passcode for the room. The error is always nil.
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

// connect handles the message /connect [passcode]. It stores the passcode in the client, registers a UDP client, and
// marks the client as authenticated. The answer is QLab's "ok:view" or, if the client may operate the room,
// "ok:view|control".
//
// If the message lacks a required passcode, the answer is "badpass", and the client is unchanged. A wrong passcode
// replaces the earlier passcode, too, and the error is errDenied. If too many UDP clients are registered, the result is
// an error, and the passcode stays stored.
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

// grantedRole returns the permission that passcode gives in the room of the call. passcode may be "". If the call has
// no room, the result is the highest permission in any room.
func (c *call) grantedRole(passcode string) Role {
	if c.room != nil {
		return c.server.check(passcode, c.from.Addr(), c.name)
	}
	return c.server.check(passcode, c.from.Addr(), c.server.roomNames()...)
}

// disconnect handles the message /disconnect: it deletes the client's passcode and ends the client's updates of all
// rooms. The connection stays open. The answer has no data, and the error is always nil.
func (c *call) disconnect() (any, error) {
	c.mutex.Lock()
	c.passcode = ""
	c.mutex.Unlock()
	c.server.unsubscribe(c.client, "")
	return nil, nil
}

// thump handles QLab's keep-alive message. It marks the client as authenticated and answers "thump". If the client's
// passcode gives no permission in the room, thump returns errDenied. For a call without a room, a permission in any
// room suffices.
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

// updates handles the message /updates [0|1], which turns updates of the room to the client off or on. The answer is
// the new state. Without an argument the state is only returned. To get updates, a UDP client from another machine must
// have sent /connect before, otherwise the result is an error. A UDP client is registered; if too many are registered,
// the result is the same error.
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

// settings answers a request for a setting of QLab. rest is the address after /settings. The only known setting is
// general/minGoTime: the time in seconds after a GO during which further GOs are ignored. An attempt to change it is
// errFixed, and another setting is errUnknown.
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

// overrides answers a request for an override of QLab. rest is the address after /overrides. The answer to
// {name}Enabled is true for any name. An attempt to set false is errFixed, and another address is errUnknown.
func (c *call) overrides(rest []string) (any, error) {
	if len(rest) != 1 || !strings.HasSuffix(rest[0], "Enabled") {
		return nil, errUnknown
	}
	return fixedMethod(true)(c, nil)
}

// remaining returns the time in seconds until the show accepts another GO, as a float64. It is 0 if a GO is accepted
// now. The error is always nil.
func (c *call) remaining() (any, error) {
	_, left := c.room.Show().Guarded()
	return left.Seconds(), nil
}

// panicIn fades out all sounds of the room. The first argument of the message is the time of the fade, in seconds or as
// a text such as "500ms". A missing or invalid argument and a second argument are errors, and then no sound fades.
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

// reset fades out all running cues within 5 ms. Then it puts the first armed cue of the list on standby, that is, the
// first cue that is not disabled in the sheet. Without an armed cue the standby stays the same.
func (c *call) reset() error {
	c.room.Show().Stop(hardStopFade)
	for _, one := range c.room.State().List {
		if one.Armed {
			return c.room.Show().Standby(one.Cue)
		}
	}
	return nil
}

// playhead moves the standby of the show. rest is the address after /playhead or /select: next, previous, or the number
// of a cue. If rest is empty, the only argument of the message has the same meaning. Otherwise an argument is from a
// button, whose release has no effect.
//
// The answer has no data. An unknown or disabled cue is an error. At either end of the list the error is the same as
// for showrun.Show.Step. Without a cue or direction the error is errUnknown.
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

// playheadID reads or moves the standby of the show by the id of a cue. The id is in rest, the end of the address, or
// in the only argument of the message. Without an id, playheadID returns the id of the standby cue; see list.idOf.
//
// With an id, it puts that cue on standby and returns no data. If the client may not operate the room, the error is
// then errDenied. An unknown id is errNoCue. If rest has the id, the arguments are ignored, also the release of a
// button.
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

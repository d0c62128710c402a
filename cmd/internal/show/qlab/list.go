package qlab

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"voicepool/cmd/internal/serve/room"
	"voicepool/cmd/internal/show/showrun"
	"voicepool/cue"
)

// list is a snapshot of the cue list of a room. Its methods number the cues by their index in state.List, and do not
// change the snapshot.
type list struct {
	room      string
	state     *room.State
	sheet     *cue.Sheet
	runs      map[string]showrun.Running // by cue number
	indexes   map[string]int             // index in the sheet by cue number
	durations map[string]float64         // durations of sounds in seconds
}

// cueProperties holds the properties of a cue, or of the cue list, by QLab's keys. The key cues has the children, a
// []cueProperties.
type cueProperties map[string]any

var errNoCue = errors.New("no such cue")

// snapshot returns a snapshot of the cue list of the call's room. It has the state, the sheet, the running cues, and
// the durations of sounds. c.room must not be nil.
func (c *call) snapshot() *list {
	l := &list{room: c.name, state: c.room.State(), sheet: c.room.Sheet(), runs: map[string]showrun.Running{}, durations: map[string]float64{}}
	for _, r := range l.state.Running {
		l.runs[r.Cue] = r
	}
	delete(l.runs, "") // no longer in the sheet
	l.indexes = make(map[string]int, len(l.sheet.List))
	for i := range l.sheet.List {
		l.indexes[l.sheet.List[i].Number] = i
	}
	for _, s := range l.state.Sounds {
		l.durations[s.Sound] = s.Seconds
	}
	return l
}

// indexOf returns the list index of the cue called number. Numbers are compared by value, so 2.50 is the same as 2.5.
// For an unknown or empty number the result is -1.
func (l *list) indexOf(number string) int {
	if number == "" {
		return -1
	}
	same := func(one showrun.ListCue) bool { return one.Cue == number }
	if i := slices.IndexFunc(l.state.List, same); i >= 0 {
		return i
	}
	if i, err := l.sheet.ListIndex(number); err == nil { // 2.50 equals 2.5
		number = l.sheet.List[i].Number
		return slices.IndexFunc(l.state.List, same)
	}
	return -1
}

// byNumber returns the list index of the cue called number. The words selected, playhead and playbackPosition mean the
// standby cue. For an unknown number the result is -1.
func (l *list) byNumber(number string) int {
	switch number {
	case "selected", "playhead", "playbackPosition":
		return l.indexOf(l.state.Standby)
	}
	return l.indexOf(number)
}

// byID returns the list index of the cue whose QLab id, made by cueID, is id. Upper and lower case are equal. For an
// unknown id the result is -1.
func (l *list) byID(id string) int {
	return slices.IndexFunc(l.state.List, func(one showrun.ListCue) bool { return strings.EqualFold(id, cueID(l.room, one.Cue)) })
}

// idOf returns the QLab id of the cue called number, as cueID makes it. If the cue does not exist or number is "", the
// result is QLab's word for a missing cue.
func (l *list) idOf(number string) string {
	if i := l.indexOf(number); i >= 0 {
		return cueID(l.room, l.state.List[i].Cue)
	}
	return "none"
}

// cue returns the properties of the cue with list index i, under the keys that QLab uses. Times are in seconds; they
// are from the sheet, or measured if the cue runs. A property without a counterpart in a voicepool sheet has a fixed
// value. The key cues has an empty list, because a cue has no children.
func (l *list) cue(i int) cueProperties {
	one := &l.state.List[i]
	run, runs := l.runs[one.Cue]
	v := cueProperties{
		"uniqueID": cueID(l.room, one.Cue), "number": one.Cue, "name": one.Name, "displayName": one.Name, "listName": one.Name,
		"type": "Memo", "mode": 0, "colorName": colour(one.Colour), "notes": one.Note, "parent": listID(l.room), "cues": []cueProperties{},
		"isRunning": runs && !l.state.Paused, "isPaused": runs && l.state.Paused, "isLoaded": one.Cue == l.state.Standby && l.state.Loaded > 0,
		"isBroken": false, "isAuditioning": false, "flagged": false, "armed": one.Armed, "autoLoad": false,
		"continueMode": continueMode(one.Then), "infiniteLoop": false, "holdLastFrame": false, "cartPosition": []int{0, 0},
		"preWait": 0.0, "postWait": 0.0, "actionElapsed": 0.0, "percentActionElapsed": 0.0,
	}
	duration := 0.0
	if j, there := l.indexes[one.Cue]; there {
		c := &l.sheet.List[j]
		actions := l.sheet.Cues[c.First : c.First+c.Count]
		v["preWait"] = c.PreWait.Duration(1e6).Seconds()
		v["postWait"] = c.PostWait.Duration(1e6).Seconds()
		v["type"] = kind(c, actions)
		for k := range actions {
			if p, is := actions[k].Action.(*cue.Play); is && p.Loop && p.Rounds == 0 {
				v["infiniteLoop"] = true
			}
			duration = max(duration, l.duration(&actions[k]))
		}
	}
	if runs {
		if run.Remaining != nil {
			duration = run.Elapsed + *run.Remaining
		}
		v["actionElapsed"] = run.Elapsed
		if duration > 0 {
			v["percentActionElapsed"] = min(run.Elapsed/duration, 1)
		}
	}
	v["duration"] = duration
	return v
}

// duration returns the time in seconds from the start of a cue to the end of its action c. The action ends with its
// fade; a play ends with its sound, or after its own time limit if it has one. A sound of unknown duration counts as 0
// s. Repetitions of a loop are ignored.
func (l *list) duration(c *cue.Cue) float64 {
	over := c.Over().Duration(1e6).Seconds()
	if p, is := c.Action.(*cue.Play); is {
		if p.Sound < len(l.sheet.Sounds) {
			over = l.durations[l.sheet.Sounds[p.Sound].Name]
		}
		if p.For != nil {
			over = p.For.Duration(1e6).Seconds()
		}
	}
	return c.At.Duration(1e6).Seconds() + over
}

// kind returns the type that QLab would give to the cue c. actions has the actions of c. A single action decides the
// type, such as Audio for a play or Fade for a fade. Several actions are a Group. A cue that starts the timeline is a
// Start. An empty cue and other actions are a Memo.
func kind(c *cue.ListCue, actions []cue.Cue) string {
	switch {
	case c.Timeline:
		return "Start"
	case len(actions) > 1:
		return "Group"
	case len(actions) == 0:
		return "Memo"
	}
	switch actions[0].Action.(type) {
	case *cue.Play:
		return "Audio"
	case *cue.Stop:
		return "Stop"
	case *cue.Set, *cue.Move, *cue.SetScene, *cue.SetDuck:
		return "Fade"
	case *cue.Pause:
		return "Pause"
	case *cue.Resume:
		return "Start"
	case *cue.Seek:
		return "Load"
	case *cue.Message:
		return "Network"
	}
	return "Memo"
}

// continueMode returns QLab's number for the parameter then, the continue mode of a cue in a sheet. It is 1 for
// "continue" and 2 for "follow". For "wait" and unknown modes it is 0.
func continueMode(then string) int {
	return max(slices.Index([]string{"wait", "continue", "follow"}, then), 0)
}

// colour returns QLab's name for the color of a cue. name is the color in the sheet; the result is name in lower case.
// If name is "", the result is QLab's word for a cue without a color.
func colour(name string) string {
	if name == "" {
		return "none"
	}
	return strings.ToLower(name)
}

// header returns the properties of the cue list itself, under the keys that QLab uses, without its cues. The list
// counts as running or paused if a cue runs. The key cues has an empty list here; see lists.
func (l *list) header() cueProperties {
	return cueProperties{
		"uniqueID": listID(l.room), "number": "", "name": "Main Cue List", "displayName": "Main Cue List", "listName": "Main Cue List",
		"type": "Cue List", "mode": 0, "colorName": "none", "notes": l.state.Title, "parent": root, "cues": []cueProperties{},
		"isRunning": len(l.state.Running) > 0 && !l.state.Paused, "isPaused": len(l.state.Running) > 0 && l.state.Paused,
		"isLoaded": false, "isBroken": false, "isAuditioning": false, "flagged": false, "armed": true, "autoLoad": false,
		"continueMode": 0, "infiniteLoop": false, "holdLastFrame": false, "cartPosition": []int{0, 0},
		"preWait": 0.0, "postWait": 0.0, "actionElapsed": 0.0, "percentActionElapsed": 0.0, "duration": 0.0,
	}
}

// children returns the properties of all cues under QLab's keys, in the order of the list. Without cues the result is
// an empty slice, not nil.
func (l *list) children() []cueProperties {
	all := []cueProperties{}
	for i := range l.state.List {
		all = append(all, l.cue(i))
	}
	return all
}

// lists returns the cue lists of the room in the form of QLab. A room has one list, so the result has one element. The
// key cues of that element has the properties of all cues.
func (l *list) lists() []cueProperties {
	one := l.header()
	one["cues"] = l.children()
	return []cueProperties{one}
}

// selected returns the properties of the selected cues. Here the standby cue is always the selection, so the result has
// one element. Without a standby cue it is an empty slice.
func (l *list) selected() []cueProperties {
	if i := l.indexOf(l.state.Standby); i >= 0 {
		return []cueProperties{l.cue(i)}
	}
	return []cueProperties{}
}

// running returns the properties of the running and waiting cues in the order of the list. While the show is paused, it
// returns them only if the parameter paused is true. Otherwise the result is an empty slice.
func (l *list) running(paused bool) []cueProperties {
	all := []cueProperties{}
	for i := range l.state.List {
		if _, runs := l.runs[l.state.List[i].Cue]; runs && (paused || !l.state.Paused) {
			all = append(all, l.cue(i))
		}
	}
	return all
}

// listMethod returns a handler for an address whose answer is a list of cues. The handler calls the function which with
// a new snapshot of the cue list. It returns the cues in the form that the rest of the address requests; see
// selectForm. Arguments of the message are an error.
func listMethod(which func(*list) []cueProperties) func(*call, []string) (any, error) {
	return func(c *call, rest []string) (any, error) {
		if err := c.maxArgs(0); err != nil {
			return nil, err
		}
		return selectForm(which(c.snapshot()), rest)
	}
}

// selectForm returns the cues in all in the form that rest, the end of an OSC address, requests. Without rest, all
// properties stay. "shallow" replaces the children by an empty list. "uniqueIDs" removes all properties except the ids
// and the children, which have only their ids, too. "uniqueIDs/shallow" does both. Another form is errUnknown.
// selectForm changes the slice all, and with "shallow" its elements.
func selectForm(all []cueProperties, rest []string) (any, error) {
	form := strings.Join(rest, "/")
	ids, shallow := false, false
	switch form {
	case "":
	case "shallow":
		shallow = true
	case "uniqueIDs":
		ids = true
	case "uniqueIDs/shallow":
		ids, shallow = true, true
	default:
		return nil, errUnknown
	}
	for i, v := range all {
		if shallow {
			v["cues"] = []cueProperties{}
		}
		if ids {
			all[i] = onlyIDs(v)
		}
	}
	return all, nil
}

// onlyIDs returns a copy of v, a cue or cue list, that has only the key uniqueID and the key cues. Under cues are its
// children in the same reduced form. It does not change v.
func onlyIDs(v cueProperties) cueProperties {
	inside := []cueProperties{}
	for _, one := range v["cues"].([]cueProperties) {
		inside = append(inside, onlyIDs(one))
	}
	return cueProperties{"uniqueID": v["uniqueID"], "cues": inside}
}

// only returns a copy of v that has only the given keys. Keys that v lacks are ignored.
func (v cueProperties) only(keys []string) cueProperties {
	out := maps.Clone(v)
	maps.DeleteFunc(out, func(key string, _ any) bool { return !slices.Contains(keys, key) })
	return out
}

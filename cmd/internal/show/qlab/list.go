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

// snapshot returns a snapshot of the cue list of the call's room: state, sheet, running cues and the durations of
// sounds. c.room must not be nil.
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

// indexOf returns the list index of the cue called number; 2.50 is the same number as 2.5. It returns -1 for an unknown
// or empty number.
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

// byNumber returns the list index of the cue called number, or -1 if it does not exist. The words selected, playhead
// and playbackPosition mean the standby cue.
func (l *list) byNumber(number string) int {
	switch number {
	case "selected", "playhead", "playbackPosition":
		return l.indexOf(l.state.Standby)
	}
	return l.indexOf(number)
}

// byID returns the list index of the cue whose cueID is id, in upper or lower case, or -1.
func (l *list) byID(id string) int {
	return slices.IndexFunc(l.state.List, func(one showrun.ListCue) bool { return strings.EqualFold(id, cueID(l.room, one.Cue)) })
}

// idOf returns the cueID of the cue called number, or QLab's word for a missing cue if it does not exist or number is
// "".
func (l *list) idOf(number string) string {
	if i := l.indexOf(number); i >= 0 {
		return cueID(l.room, l.state.List[i].Cue)
	}
	return "none"
}

// cue returns QLab's properties of the cue with list index i, by key. Times are in seconds, from the sheet, or measured
// if the cue runs. Properties without a counterpart here have fixed values, and the children are always empty.
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
			if a := &actions[k]; a.Verb == cue.Play && a.Loop && a.Rounds == 0 {
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

// duration returns the time in seconds from the beginning of a cue to the end of its action a: the end of the sound or
// of the fade. A sound of unknown duration counts as 0 s, and loops are ignored.
func (l *list) duration(a *cue.Cue) float64 {
	over := a.Over.Duration(1e6).Seconds()
	if a.Verb == cue.Play {
		if over = 0; a.Sound < len(l.sheet.Sounds) {
			over = l.durations[l.sheet.Sounds[a.Sound].Name]
		}
		if a.For != nil {
			over = a.For.Duration(1e6).Seconds()
		}
	}
	return a.At.Duration(1e6).Seconds() + over
}

// kind returns QLab's type of the cue c, whose actions are given: the type of its single action, such as Audio or Fade,
// Group for several, Memo for an empty cue or another action, and Start if c starts the timeline.
func kind(c *cue.ListCue, actions []cue.Cue) string {
	switch {
	case c.Timeline:
		return "Start"
	case len(actions) > 1:
		return "Group"
	case len(actions) == 0:
		return "Memo"
	}
	switch actions[0].Verb {
	case cue.Play:
		return "Audio"
	case cue.Stop:
		return "Stop"
	case cue.Fade, cue.Set, cue.Move, cue.SetScene, cue.SetDuck:
		return "Fade"
	case cue.Pause:
		return "Pause"
	case cue.Resume:
		return "Start"
	case cue.Seek:
		return "Load"
	case cue.Send:
		return "Network"
	}
	return "Memo"
}

// continueMode returns QLab's number for then, the continue mode of a cue: 1 for continue, 2 for follow, and 0 for wait
// and unknown modes.
func continueMode(then string) int {
	return max(slices.Index([]string{"wait", "continue", "follow"}, then), 0)
}

// colour returns QLab's name of a cue's color: name in lower case, or QLab's word for no color if name is "".
func colour(name string) string {
	if name == "" {
		return "none"
	}
	return strings.ToLower(name)
}

// header returns QLab's properties of the cue list itself, which counts as running or paused with its cues. The key
// cues has an empty list; see lists.
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

// children returns QLab's properties of all cues, in list order. Without cues it returns an empty slice, not nil.
func (l *list) children() []cueProperties {
	all := []cueProperties{}
	for i := range l.state.List {
		all = append(all, l.cue(i))
	}
	return all
}

// lists returns the cue lists of the room: always one element, with the properties of its cues under the key cues.
func (l *list) lists() []cueProperties {
	one := l.header()
	one["cues"] = l.children()
	return []cueProperties{one}
}

// selected returns the properties of the standby cue as the only element, because the selection is always the playhead
// here. Without a standby cue it returns an empty slice.
func (l *list) selected() []cueProperties {
	if i := l.indexOf(l.state.Standby); i >= 0 {
		return []cueProperties{l.cue(i)}
	}
	return []cueProperties{}
}

// running returns the properties of the running and waiting cues in list order. In a paused show it returns them only
// if paused is true, otherwise an empty slice.
func (l *list) running(paused bool) []cueProperties {
	all := []cueProperties{}
	for i := range l.state.List {
		if _, runs := l.runs[l.state.List[i].Cue]; runs && (paused || !l.state.Paused) {
			all = append(all, l.cue(i))
		}
	}
	return all
}

// listMethod returns a function for a method that answers with cues: it calls which with a new snapshot and returns the
// result in the form that the rest of the address requests; see selectForm. Arguments are an error.
func listMethod(which func(*list) []cueProperties) func(*call, []string) (any, error) {
	return func(c *call, rest []string) (any, error) {
		if err := c.maxArgs(0); err != nil {
			return nil, err
		}
		return selectForm(which(c.snapshot()), rest)
	}
}

// selectForm returns all in the form that rest, the end of an address, requests: all properties (empty rest), without
// children (shallow), or only ids (uniqueIDs, uniqueIDs/shallow). It changes all and its elements. Another form is
// errUnknown.
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

// onlyIDs returns a copy of v, a cue or cue list, with only its uniqueID and, under the key cues, the same of its
// children.
func onlyIDs(v cueProperties) cueProperties {
	inside := []cueProperties{}
	for _, one := range v["cues"].([]cueProperties) {
		inside = append(inside, onlyIDs(one))
	}
	return cueProperties{"uniqueID": v["uniqueID"], "cues": inside}
}

// only returns a copy of v with only the given keys. Keys that v lacks are ignored.
func (v cueProperties) only(keys []string) cueProperties {
	out := maps.Clone(v)
	maps.DeleteFunc(out, func(key string, _ any) bool { return !slices.Contains(keys, key) })
	return out
}

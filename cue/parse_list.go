package cue

import (
	"slices"
	"strings"
	"unicode"

	"voicepool/bank/rules"
	"voicepool/cue/report"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/yaml"
	"voicepool/internal/words"
)

// number is the schema of a cue number, which may be any text.
var number = fields.Schema{"type": []string{"string", "number"}}

// endOf is the prefix of an `at` that waits for the end of an id.
const endOf = "end of "

// release is the list verb that releases an id from its loop.
const release = "release"

// crossfade is the list verb that fades one sound out and another in.
const crossfade = "crossfade"

// parsedListCue is a list cue with its keys other than actions.
type parsedListCue struct {
	ListCue
	start   string
	actions *yaml.Node
	enabled bool
}

// fields returns the keys of a list cue, except the keys of its action. Each field points into l, where its value is
// stored when it is parsed. The key `do` has no destination; parseListCue parses its value.
func (l *parsedListCue) fields() []fields.Field {
	return []fields.Field{
		{Key: "cue", To: &l.Number, Shape: number},
		{Key: "name", To: &l.Name},
		{Key: "note", To: &l.Note},
		{Key: "colour", To: &l.Colour},
		{Key: "pre", To: &l.PreWait},
		{Key: "then", To: fields.Choice(&l.Then, ThenWait, ThenContinue, ThenFollow)},
		{Key: "wait", To: &l.PostWait},
		{Key: "arm", To: &l.enabled},
		{Key: "start", To: &l.start, Shape: fields.Schema{"enum": []string{"timeline"}}},
		{Key: "do"},
	}
}

// parseList parses n, the YAML list of cues that wait for GO. The list cues are appended to d.sheet.List and their
// actions to d.sheet.Cues. It records errors. If the waits together are longer than 10^12 seconds, it stops there.
func (d *draft) parseList(n *yaml.Node) {
	if !d.entries(n, "list", "[{cue: 1, play: ...}]") {
		return
	}
	timeline := 0
	var totalWait rules.Time // sum of pre and wait
	for _, item := range n.Items {
		var l *parsedListCue
		d.WithPrefix(labelOf(item), func() { l = d.parseListCue(item) })
		if l == nil {
			continue
		}
		if p := fields.Find(item, "cue"); p != nil && l.Number != "" {
			d.registerNumber(item, l.Number)
		}
		if l.Timeline {
			if timeline > 0 {
				d.Fail(fields.Find(item, "start").Position, "start: the cue of line %d starts the timeline already", timeline)
			}
			timeline = item.Line
		}
		sum, ok := totalWait.Repeat(1, l.PreWait)
		sum, ok2 := sum.Repeat(1, l.PostWait)
		if !ok || !ok2 {
			d.Fail(item.Position, "the waits of the list are together more than 10^12 seconds")
			return
		}
		totalWait = sum
		d.sheet.List = append(d.sheet.List, l.ListCue)
	}
	if last := len(n.Items) - 1; last >= 0 && len(d.sheet.List) > last {
		if l := &d.sheet.List[last]; l.Then != ThenWait {
			d.Fail(fields.Find(n.Items[last], "then").Position, "then: %v: no cue comes after this one; leave it out", l.Then)
		}
	}
}

// registerNumber checks number, the number of the cue with the YAML node n, and keeps it for later calls. It records an
// error if the number is blank, has control characters, or belongs to another cue already; 2.50 and 2.5 are the same.
func (d *draft) registerNumber(n *yaml.Node, number string) {
	if strings.ContainsFunc(number, unicode.IsControl) || strings.TrimSpace(number) == "" {
		d.Fail(fields.Find(n, "cue").Value.Position, "cue: %s cannot be the number of a cue; write one line without control characters, such as 2.5", yaml.Quote(number))
		return
	}
	if line, some := d.lineByNumber[words.CueNumber(number)]; some {
		d.Fail(fields.Find(n, "cue").Value.Position, "cue: %s is in line %d already; each cue has a number of its own", yaml.Quote(number), line)
		return
	}
	d.lineByNumber[words.CueNumber(number)] = n.Line
}

// parseListCue parses the YAML node n as one cue of the list and returns it; the caller appends it to the list. Its
// actions are appended to the cues of the sheet. It records errors. The result is nil only if n is not a mapping.
func (d *draft) parseListCue(n *yaml.Node) *parsedListCue {
	if n.Kind != yaml.Mapping {
		d.Fail(n.Position, "a cue of the list is a mapping, such as {cue: 1, play: ...}, not %s", n.Kind)
		return nil
	}
	l := &parsedListCue{enabled: true, ListCue: ListCue{Line: n.Line, Column: n.Column, First: len(d.sheet.Cues)}}
	own := l.fields()
	var keys []string
	for i := range own {
		keys = append(keys, own[i].Key)
	}
	ownCount := len(keys)
	for _, key := range append([]string{release, crossfade}, d.keys[0]...) {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	action := &yaml.Node{Position: n.Position, Kind: yaml.Mapping}
	unknown := d.EachOf(n, "a cue of the list", keys, d.keysToSuggest(n, keys[:ownCount]), func(i int, p *yaml.Pair) {
		switch {
		case i >= ownCount:
			action.Pairs = append(action.Pairs, *p)
		case p.Key == "do":
			l.actions = p.Value
		default:
			d.Value(p, &own[i])
		}
	})
	l.Disabled = !l.enabled
	if p := fields.Find(n, "start"); p != nil && l.start != "" {
		if l.Timeline = l.start == "timeline"; !l.Timeline {
			d.Fail(p.Value.Position, "start: a cue starts the `timeline`, not %s", yaml.Quote(l.start))
		}
	}
	if fields.Missing(n, "cue") && !unknown {
		d.Fail(n.Position, "a cue of the list needs `cue`, its number")
	}
	if p := fields.Find(n, "wait"); p != nil && l.Then != ThenContinue {
		d.Fail(p.Position, "wait needs `then: continue`: it is the time from this cue to the next")
	}
	switch {
	case l.actions != nil && len(action.Pairs) > 0:
		d.Fail(action.Pairs[0].Position, "%s: this cue has `do`; put the action into it", yaml.Quote(action.Pairs[0].Key))
	case l.actions != nil && l.actions.Kind != yaml.List:
		d.Fail(l.actions.Position, "do is a list, such as [{play: ...}, {at: 1s, stop: ...}], not %s", l.actions.Kind)
	case l.actions != nil:
		for _, item := range l.actions.Items {
			d.parseAction(item, l)
		}
	case len(action.Pairs) > 0:
		d.parseAction(action, l)
	case l.start == "" && !unknown && fields.Missing(n, "do"):
		d.Fail(n.Position, "a cue of the list needs something to do: play, stop, fade, crossfade, release and so on, `do: [...]`, or `start: timeline`")
	}
	l.Count = len(d.sheet.Cues) - l.First
	return l
}

// parseAction parses the YAML node n as an action of the list cue l and appends the action to the cues of the sheet. A
// crossfade becomes two actions. An action is like a cue with a time, but its `at` is optional and may be the end of an
// id. Errors are recorded. An action that is not a mapping or has the key `cue` is not appended.
func (d *draft) parseAction(n *yaml.Node, l *parsedListCue) {
	if p := fields.Find(n, crossfade); p != nil {
		for _, one := range d.expandCrossfade(n, p) {
			d.parseAction(one, l)
		}
		return
	}
	isRelease, c := false, Cue{
		Line: n.Line, Column: n.Column, Times: 1, Number: l.Number, Name: l.Name, List: len(d.sheet.List) + 1,
	}
	if n.Kind != yaml.Mapping {
		d.Fail(n.Position, "an action is a mapping, such as {play: ...}, not %s", n.Kind)
		return
	}
	mapping := &yaml.Node{Position: n.Position, Kind: yaml.Mapping, Pairs: slices.Clone(n.Pairs)}
	zero := func(at yaml.Position) *yaml.Node { return &yaml.Node{Position: at, Kind: yaml.Scalar, Text: "0"} }
	if fields.Missing(n, "at") {
		mapping.Pairs = append(mapping.Pairs, yaml.Pair{Position: n.Position, Key: "at", Value: zero(n.Position)})
	}
	for i := range mapping.Pairs {
		p := &mapping.Pairs[i]
		switch {
		case p.Key == "at" && p.Value.Kind == yaml.Scalar && strings.HasPrefix(p.Value.Text, strings.TrimSpace(endOf)):
			c.EndOf = strings.TrimSpace(strings.TrimPrefix(p.Value.Text, strings.TrimSpace(endOf)))
			d.endWaits = append(d.endWaits, endWait{p.Value, len(d.sheet.Cues)})
			p.Value = zero(p.Value.Position)
		case p.Key == "cue":
			d.Fail(p.Position, "cue: an action of `do` has no number of its own; the cue has one")
			return
		case p.Key == release && !d.isOption(n, release):
			p.Key, isRelease = VerbSet.String(), true
			mapping.Pairs = append(mapping.Pairs, yaml.Pair{
				Position: p.Position, Key: "loop", Value: &yaml.Node{Position: p.Position, Kind: yaml.Scalar, Text: "false"},
			})
		}
	}
	d.addCue(mapping, c, isRelease)
}

// isOption reports whether key is an option of the action with the YAML node n, and not a verb. For example, `release`
// is a verb of the list, but a time in an action that has the verb `duck`.
func (d *draft) isOption(n *yaml.Node, key string) bool {
	return slices.ContainsFunc(n.Pairs, func(p yaml.Pair) bool {
		verb := Verb(slices.Index(verbNames[:], p.Key) + 1)
		return verb > 0 && slices.Contains(d.keys[verb], key)
	})
}

// keysToSuggest returns the keys to suggest for an unknown key of the list cue with the YAML node n. They depend on the
// action of the cue. own lists the keys that every list cue takes.
func (d *draft) keysToSuggest(n *yaml.Node, own []string) []string {
	has := func(key string) bool { return !fields.Missing(n, key) }
	switch verb := Verb(slices.IndexFunc(verbNames[:], has) + 1); {
	case has("do"), has(crossfade):
		return own
	case has(release) && verb == 0:
		return append([]string{"at"}, own...)
	case verb != 0:
		return slices.Concat(own, d.keys[verb])
	}
	return slices.Concat(own, []string{release, crossfade}, d.keys[0])
}

// labelOf returns the text that names a list cue in messages, such as cue 2.5 "Thunder" (line 14). n is the YAML node
// of the cue. If the cue has no number, the result is "".
func labelOf(n *yaml.Node) string {
	called := report.CueLabel{CueLine: n.Line}
	if p := fields.Find(n, "cue"); p != nil {
		called.ListCue = p.Value.Text
	}
	if p := fields.Find(n, "name"); p != nil {
		called.CueName = p.Value.Text
	}
	if called.ListCue == "" {
		return ""
	}
	return called.CueText(0)
}

// endWait is an `at` that waits for the end of an id.
type endWait struct {
	at  *yaml.Node
	cue int
}

// checkEndWaits checks the actions that wait for the end of an id. It records an error for an unknown id and for an end
// that can never come. It also rejects `then: follow` after a list cue that never ends. It must run after all targets
// are resolved.
func (d *draft) checkEndWaits() {
	s := d.sheet
	plays := map[string][]int{} // by id
	ends := loopEnds{map[string][]string{}, s.Parents()}
	for i := range s.Cues {
		c := &s.Cues[i]
		switch a := c.Action.(type) {
		case *Play:
			if a.ID != "" && len(d.endWaits) > 0 {
				plays[a.ID] = append(plays[a.ID], i)
			}
		case *Stop, *Set:
			set, is := a.(*Set)
			if c.Chance == 0 && (!is || set.Change.Rounds > 0 && !c.LoopsForever()) {
				ends.add(c.VoiceTarget(), c.EndOf)
			}
		}
	}
	for _, e := range d.endWaits {
		c := &s.Cues[e.cue]
		fail := func(at yaml.Position, format string, args ...any) {
			d.WithPrefix(c.ListLabel(), func() { d.Fail(at, format, args...) })
		}
		if !d.known[c.EndOf] {
			fail(e.at.Position, "at: no cue has the id %s, whose end this waits for%s", yaml.Quote(c.EndOf),
				d.Suggest(c.EndOf, func() []string { return d.ids }))
			continue
		}
		others, endless := false, false
		for _, i := range plays[c.EndOf] {
			if o := &s.Cues[i]; o.EndOf != c.EndOf {
				others, endless = true, endless || ends.loopsForever(o, c.EndOf)
			}
		}
		switch {
		case !others:
			fail(e.at.Position, "at: %s is played only by cues that wait for its end; start it elsewhere, or give a time", yaml.Quote(c.EndOf))
		case endless:
			fail(e.at.Position, "at: %s loops without end and nothing stops or releases it; give it `for` or `loop: 4`, or stop it",
				yaml.Quote(c.EndOf))
		}
	}
	for _, e := range d.endWaits {
		if c := &s.Cues[e.cue]; s.waitsInCycle(e.cue, e.cue, map[int]bool{}) {
			d.WithPrefix(c.ListLabel(), func() {
				d.Fail(e.at.Position, "at: %s waits for an end that waits for its own end; give one of them a time", yaml.Quote(c.Action.(*Play).ID))
			})
			break
		}
	}
	for i := range s.List {
		l := &s.List[i]
		for j := l.First; l.Then == ThenFollow && j < l.First+l.Count; j++ {
			if ends.loopsForever(&s.Cues[j], "") {
				d.Fail(yaml.Position{Line: l.Line, Column: l.Column},
					"then: follow: this cue loops without end and nothing stops or releases it; give it `for` or `loop: 4`, or `then: wait`")
				break
			}
		}
	}
}

// waitsInCycle reports whether the cue from waits for an end that depends on the cue to, directly or through other
// waiting actions of the same list cue. from and to are indexes in s.Cues. seen holds the cues visited already, and
// waitsInCycle adds to it. The first caller passes an empty map.
func (s *Sheet) waitsInCycle(from, to int, seen map[int]bool) bool {
	l := &s.List[s.Cues[from].List-1]
	for i := l.First; i < l.First+l.Count; i++ {
		c := &s.Cues[i]
		p, plays := c.Action.(*Play)
		if !plays || p.ID != s.Cues[from].EndOf || c.EndOf == "" || p.ID == c.EndOf || seen[i] {
			continue
		}
		seen[i] = true
		if i == to || s.waitsInCycle(i, to, seen) {
			return true
		}
	}
	return false
}

// loopEnds holds the cues that stop voices or release them from their loops.
type loopEnds struct {
	after   map[string][]string // by target: the ids that the stopping cues wait for (may be ""); at most two different ids
	parents map[string]string
}

// add records that a cue stops the voices of target or releases them from their loops. after is the id whose end that
// cue waits for, or "". A third different id for a target is ignored, because two are enough for loopsForever.
func (e *loopEnds) add(target, after string) {
	if all := e.after[target]; len(all) < 2 && !slices.Contains(all, after) {
		e.after[target] = append(all, after)
	}
}

// loopsForever reports whether a voice of the cue start loops without end and no recorded cue stops it or releases it
// from its loop. Recorded cues that wait for the end of the id awaited do not count. If awaited is "", all recorded
// cues count. The times of the cues are not compared, so a stop before the start counts, too.
func (e *loopEnds) loopsForever(start *Cue, awaited string) bool {
	ended := func(target string) bool {
		return slices.ContainsFunc(e.after[target], func(after string) bool { return after == "" || after != awaited })
	}
	for _, c := range start.Starts() {
		if !c.Loop || c.Rounds > 0 || c.For != nil || ended("all") || c.ID != "" && ended(c.ID) {
			continue
		}
		bus := c.Bus
		for bus != "" && !ended(bus) {
			bus = e.parents[bus]
		}
		if bus == "" {
			return true
		}
	}
	return false
}

// parseGoes parses n, a YAML list of times, and appends a scheduled GO to d.sheet.Goes for each. It stops at the first
// invalid time and records an error. It also records an error for the first GO that is out of order or after the end of
// the list. The list must be parsed before.
func (d *draft) parseGoes(n *yaml.Node) {
	if n.Kind != yaml.List {
		d.Fail(n.Position, "goes is a list of times, such as [2s, 5.5s], not %s", n.Kind)
		return
	}
	for _, item := range n.Items {
		g := Go{Line: item.Line, Column: item.Column}
		if !d.Value(&yaml.Pair{Position: item.Position, Key: "goes", Value: item}, &fields.Field{To: &g.At}) {
			return
		}
		d.sheet.Goes = append(d.sheet.Goes, g)
	}
	d.checkGoes(d.sheet, d.sheet.Goes)
}

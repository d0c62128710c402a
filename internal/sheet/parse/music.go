package parse

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"voicepool/bank/rules"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/yaml"
	"voicepool/mixer"
)

// Ranges of musical time. The beats in ramps and the
// entries of a tempo map are limited because the exact times of beats become long fractions.
const (
	maxBar      = 100000
	maxTempoMap = 4096 // entries and beats in ramps, together
	maxMeter    = 64
	maxLength   = 1000 // beats or bars of a pickup or a crossfade

	maxTransitions = 10000
	defaultTempo   = 120 // as in MIDI files
)

var (
	tempi = fields.Limits{From: 1, To: 1000, Unit: " of quarter notes a minute"}
	bars  = fields.Limits{From: 1, To: maxBar}
)

// segmentSoundKeys are the keys of a sound that a segment has too. Keys that change its speed are missing, because a
// segment keeps time.
var segmentSoundKeys = []string{"gain", "pan", "lowpass", "highpass", "sends", "bus", "loop", "quality", "stream", "counts_as", "lufs", "replaygain"}

// musicParts are the values of a theme or a segment that are parsed after its other keys. Each may be nil.
type musicParts struct{ tempo, meter, segments, next, markers, file, transitions *yaml.Pair }

// storePair returns a destination that stores the pair in *to.
func storePair(to **yaml.Pair) func(*yaml.Pair) bool {
	return func(p *yaml.Pair) bool { *to = p; return true }
}

// timeFields returns the keys that a theme and its segments share. Parsing stores in p and offset.
func timeFields(p *musicParts, offset *rules.Time) []fields.Field {
	entry := fields.Mapping{Fields: tempoFields(&rules.TempoChange{}), Required: []string{"bar"}}
	return []fields.Field{
		{Key: "tempo", To: storePair(&p.tempo), Shape: fields.Either{fields.Ranged{Of: new(float64), Within: tempi}, fields.List{Of: entry, Min: 1, Max: maxTempoMap}}},
		{Key: "meter", To: storePair(&p.meter), Shape: (*meter)(nil)},
		{Key: "offset", To: offset},
		{Key: "markers", To: storePair(&p.markers), Shape: fields.Names{Of: (*marker)(nil)}},
	}
}

// themeFields returns the fields of a theme.
func (r *Reader) themeFields(p *musicParts, offset *rules.Time, busName *string) []fields.Field {
	segment := fields.Deferred(func() fields.Shape {
		return fields.Names{Of: fields.Either{new(string), fields.Mapping{Fields: r.segmentFields(&musicParts{}, &rules.Segment{}, &rules.Sound{}), Required: []string{"file"}}}}
	})
	return append(timeFields(p, offset), []fields.Field{
		{Key: "bus", To: bus(busName, r.Buses)},
		{Key: "segments", To: storePair(&p.segments), Shape: segment},
		{Key: "transitions", To: storePair(&p.transitions), Shape: fields.List{Of: fields.Mapping{Fields: r.transitionFields(&rules.Transition{}, nil), Required: []string{"from", "to"}}, Max: maxTransitions}},
	}...)
}

// segmentFields returns the fields of a segment, which include fields of its sound.
func (r *Reader) segmentFields(p *musicParts, s *rules.Segment, sound *rules.Sound) []fields.Field {
	all := slices.DeleteFunc(Sound(sound, r.Buses), func(f fields.Field) bool { return !slices.Contains(segmentSoundKeys, f.Key) })
	return slices.Concat(all, timeFields(p, &s.Offset), []fields.Field{
		{Key: "file", To: storePair(&p.file), Shape: new(string)},
		{Key: "next", To: storePair(&p.next), Shape: new(string)},
		{Key: "exits", To: exits{&s.Exits}},
		{Key: "pickup", To: (*musicLength)(&s.Pickup)},
	})
}

// anySegment matches every segment in a transition.
const anySegment = "any"

// transitionFields returns the fields of a row of transitions. segments has the names of the segments and anySegment.
func (r *Reader) transitionFields(t *rules.Transition, segments map[string]bool) []fields.Field {
	return []fields.Field{
		{Key: "from", To: fields.Name{To: &t.From, Kind: "segment", Known: segments}},
		{Key: "to", To: fields.Name{To: &t.To, Kind: "segment", Known: segments}},
		{Key: "at", To: (*musicPoint)(&t.At)},
		{Key: "fade_out", To: &t.FadeOut},
		{Key: "crossfade", To: (*musicLength)(&t.Crossfade)},
		{Key: "stinger", To: storeSound{r, &t.Stinger}},
	}
}

// tempoFields returns the fields of an entry of a tempo map.
func tempoFields(c *rules.TempoChange) []fields.Field {
	return []fields.Field{
		{Key: "bar", To: &c.Bar, Within: bars},
		{Key: "bpm", To: &c.BPM, Within: tempi},
		{Key: "ramp", To: &c.Ramp},
		{Key: "meter", To: (*meter)(&c.Meter)},
	}
}

// parseMusic parses n, the mapping of all themes, into the rules, and adds the sounds of their segments. Errors are
// recorded. The buses and sounds must have been parsed before.
func (r *Reader) parseMusic(n *yaml.Node) {
	r.Named(n, "music", func(p *yaml.Pair) {
		m := rules.Music{Line: p.Line, Column: p.Column, Name: p.Key}
		var (
			parts   musicParts
			common  rules.Segment
			busName string
		)
		r.Read(p.Value, "a theme", r.themeFields(&parts, &common.Offset, &busName))
		common.HasOffset = fields.Find(p.Value, "offset") != nil
		common.Tempo = r.parseTempo(&parts, []rules.TempoChange{{Bar: 1, BPM: defaultTempo, Meter: rules.Meter{Beats: 4, Unit: 4}}})
		common.Markers = r.parseMarkers(parts.markers, nil)
		if parts.segments == nil {
			if p.Value.Kind == yaml.Mapping && fields.Missing(p.Value, "segments") {
				r.Fail(p.Position, "the theme %s needs `segments`, such as {intro: intro.ogg}", yaml.Quote(p.Key))
			}
			return
		}
		next := make(map[string]*yaml.Pair)
		r.Named(parts.segments.Value, "segments", func(p *yaml.Pair) {
			if p.Key == anySegment || strings.Contains(p.Key, ".") {
				r.Fail(p.Position, "the name of a segment has no points and is not %s; this is %s", anySegment, yaml.Quote(p.Key))
			}
			s := common
			s.Line, s.Column, s.Name, s.Sound = p.Line, p.Column, p.Key, m.Name+"."+p.Key
			r.parseSegment(p, &s, busName, next)
			m.Segments = append(m.Segments, s)
		})
		if len(m.Segments) == 0 {
			r.Fail(parts.segments.Position, "the theme %s needs at least one segment", yaml.Quote(p.Key))
			return
		}
		r.linkSegments(&m, next)
		r.parseTransitions(parts.transitions, &m)
		r.checkMarkers(&m, &parts)
		r.rules.Music = append(r.rules.Music, m)
	})
}

// parseSegment parses the segment p into s, which has the defaults of its theme, and adds its sound on the bus busName.
// It stores its key `next` in next. Errors are recorded.
func (r *Reader) parseSegment(p *yaml.Pair, s *rules.Segment, busName string, next map[string]*yaml.Pair) {
	sound := rules.Sound{Name: s.Sound, Speed: 1, Bus: busName, Protect: true, Priority: mixer.MaxPriority}
	s.Exits = []rules.MusicPoint{{Bars: 1}}
	var parts musicParts
	if p.Value.Kind == yaml.Scalar { // intro: intro.ogg
		sound.Files = r.AddFile(p.Value, nil)
	} else {
		r.Read(p.Value, "a segment", r.segmentFields(&parts, s, &sound))
		s.HasOffset = s.HasOffset || fields.Find(p.Value, "offset") != nil
		if parts.file != nil {
			r.parseFiles(parts.file, &sound)
		} else {
			r.Fail(p.Position, "the segment %s needs a file, such as {file: %s.ogg}", yaml.Quote(p.Key), p.Key)
		}
		if p := fields.Find(p.Value, "counts_as"); p != nil {
			r.checkCountsAs(p, &sound)
		}
		if sound.Rounds != 0 {
			r.Fail(fields.Find(p.Value, "loop").Value.Position, "loop: a segment repeats until another one follows; write true, or {from: 1.5s, to: 61.5s}")
		}
		if parts.next != nil {
			next[s.Name] = parts.next
			if sound.Loop {
				r.Fail(parts.next.Position, "next is for a segment that ends; %s has a `loop`", yaml.Quote(p.Key))
			}
		}
	}
	s.Tempo = r.parseTempo(&parts, s.Tempo)
	s.Markers = r.parseMarkers(parts.markers, s.Markers)
	if _, exists := r.Sounds[s.Sound]; exists {
		r.Fail(p.Position, "a sound is already called %s, the name of the sound of this segment", yaml.Quote(s.Sound))
		return
	}
	r.Add(sound)
}

// linkSegments sets the successors of the segments of m by their keys `next`, and records errors for unknown segments
// and circles.
func (r *Reader) linkSegments(m *rules.Music, next map[string]*yaml.Pair) {
	names := map[string]bool{}
	for i := range m.Segments {
		names[m.Segments[i].Name] = true
	}
	for i := range m.Segments {
		p := next[m.Segments[i].Name]
		to := ""
		if p == nil || !r.Value(p, &fields.Field{To: fields.Name{To: &to, Kind: "segment", Known: names}}) {
			continue
		}
		for at, n := to, 0; next[at] != nil && n <= len(next); n++ {
			if at = next[at].Value.Text; at == to {
				r.Fail(p.Value.Position, "next: %s follows itself; repeat one segment by `loop: true`", yaml.Quote(to))
				return
			}
		}
		r.rules.Sounds[r.Sounds[m.Segments[i].Sound]].Then = m.Name + "." + to
	}
}

// parseTempo returns the tempo map of the keys tempo and meter of a theme or segment. defaults replaces a wrong value.
// It is also the map without a tempo, and has the meter without a meter. Errors are recorded.
func (r *Reader) parseTempo(parts *musicParts, defaults []rules.TempoChange) []rules.TempoChange {
	all := slices.Clone(defaults)
	if p := parts.tempo; p != nil {
		all = []rules.TempoChange{{Bar: 1}}
		if p.Value.Kind == yaml.List {
			all = r.parseTempoMap(p)
		} else if !r.Value(p, &fields.Field{To: &all[0].BPM, Within: tempi}) || !r.checkTempo(p.Value, "tempo", all[0].BPM) {
			all = nil
		}
		if all == nil {
			all = slices.Clone(defaults)
		}
		all[0].Meter = cmp.Or(all[0].Meter, defaults[0].Meter)
	}
	if parts.meter != nil {
		_ = (*meter)(&all[0].Meter).Read(&r.Reader, parts.meter, fields.Limits{})
	}
	if n := tempoMapSize(all); n > maxTempoMap {
		r.Fail(cmp.Or(parts.tempo, parts.meter).Value.Position, "tempo: %d entries and beats in ramps are more than a map can have, %d", n, maxTempoMap)
		return defaults
	}
	return all
}

// tempoMapSize returns the number of entries of a tempo map plus the number of beats in its ramps.
func tempoMapSize(all []rules.TempoChange) int {
	size, beats, meter := len(all), 0, all[0].Meter
	for i, c := range all[1:] {
		beats += (c.Bar - all[i].Bar) * meter.Beats
		if c.Ramp {
			size += beats
		}
		if c.BPM != 0 {
			beats = 0
		}
		meter = cmp.Or(c.Meter, meter)
	}
	return size
}

// parseTempoMap parses the value of p, a list of changes. It records errors, and returns nil after one.
func (r *Reader) parseTempoMap(p *yaml.Pair) []rules.TempoChange {
	before := r.Count()
	all := make([]rules.TempoChange, len(p.Value.Items))
	for i, n := range p.Value.Items {
		c := &all[i]
		r.Read(n, "an entry of a tempo map", tempoFields(c))
		if n.Kind != yaml.Mapping {
			continue
		}
		switch {
		case i == 0 && c.Bar != 1:
			r.Fail(n.Position, "a tempo map begins at bar 1: {bar: 1, bpm: 120}")
		case c.Bar == 0:
			r.Fail(n.Position, "an entry of a tempo map needs its bar: {bar: 9, bpm: 140}")
		case i > 0 && c.Bar <= all[i-1].Bar:
			r.Fail(n.Position, "bar: %d is not after bar %d of the entry before; a tempo map goes forward", c.Bar, all[i-1].Bar)
		case c.Ramp && (i == 0 || c.BPM == 0):
			r.Fail(n.Position, "ramp needs a bpm to reach, and an entry before: {bar: 9, bpm: 140, ramp: true}")
		case i > 0 && c.BPM == 0 && c.Meter == (rules.Meter{}):
			r.Fail(n.Position, "an entry of a tempo map changes the bpm or the meter: {bar: 17, meter: 7/8}")
		}
		r.checkTempo(n, "bpm", c.BPM)
		if i == 0 {
			c.BPM = cmp.Or(c.BPM, defaultTempo)
		}
	}
	if len(all) == 0 {
		r.Fail(p.Value.Position, "tempo takes a number, or a list of changes such as [{bar: 1, bpm: 120}]")
	}
	if r.Count() > before {
		return nil
	}
	return all
}

// checkTempo reports whether bpm, the value n of key, has at most 6 decimals. If not, it records an error.
func (r *Reader) checkTempo(n *yaml.Node, key string, bpm float64) bool {
	millionths := float64(bpm * 1e6)
	if math.Abs(millionths-math.Round(millionths)) > 1e-6*bpm {
		r.Fail(n.Position, "%s: %v has more than 6 decimals", key, bpm)
		return false
	}
	return true
}

// parseMarkers parses the value of p, a mapping from names to places, and returns defaults and these markers. A marker
// replaces a default of the same name. p may be nil. Errors are recorded.
func (r *Reader) parseMarkers(p *yaml.Pair, defaults []rules.Marker) []rules.Marker {
	all := slices.Clone(defaults)
	if p == nil {
		return all
	}
	r.Named(p.Value, "markers", func(p *yaml.Pair) {
		m := marker{Line: p.Line, Column: p.Column, Name: p.Key}
		if strings.ContainsAny(p.Key, ". ") {
			r.Fail(p.Position, "the name of a marker has no points and spaces; this is %s", yaml.Quote(p.Key))
		}
		if !m.Read(&r.Reader, p, fields.Limits{}) {
			return
		}
		if i := slices.IndexFunc(all, func(old rules.Marker) bool { return old.Name == m.Name }); i >= 0 {
			all[i] = rules.Marker(m)
		} else {
			all = append(all, rules.Marker(m))
		}
	})
	return all
}

// checkMarkers records an error for each marker in the exits and transitions of m, which parts has, that no segment of
// m has.
func (r *Reader) checkMarkers(m *rules.Music, parts *musicParts) {
	known := map[string]bool{}
	for i := range m.Segments {
		for _, k := range m.Segments[i].Markers {
			known[k.Name], known[m.Segments[i].Name+"."+k.Name] = true, true
		}
	}
	check := func(n *yaml.Node) {
		p, err := rules.ParseMusicPoint(n.Text)
		if err == nil && p.Marker != "" && !known[p.Marker] {
			r.Fail(n.Position, "unknown marker %s%s", yaml.Quote(p.Marker), r.Suggest(p.Marker, func() []string { return fields.Sorted(known) }))
		}
	}
	for i := range parts.segments.Value.Pairs {
		if p := fields.Find(parts.segments.Value.Pairs[i].Value, "exits"); p != nil {
			for _, n := range p.Value.Items {
				check(n)
			}
		}
	}
	if parts.transitions == nil {
		return
	}
	for _, n := range parts.transitions.Value.Items {
		if p := fields.Find(n, "at"); p != nil {
			check(p.Value)
		}
	}
}

// meter is a destination for a time signature, such as 7/8.
type meter rules.Meter

// Read parses the value of p into *m and reports whether it is valid. If not, it records an error.
func (m *meter) Read(r *fields.Reader, p *yaml.Pair, _ fields.Limits) bool {
	beats, unit, _ := strings.Cut(p.Value.Text, "/")
	n, ok1 := fields.ParseWhole(beats, 1, maxMeter)
	d, ok2 := fields.ParseWhole(unit, 1, maxMeter)
	if p.Value.Kind != yaml.Scalar || !ok1 || !ok2 || d&(d-1) != 0 {
		return r.RejectValue(p, "1 to 64 beats and a note value of 1, 2, 4, 8, 16, 32 or 64, such as 7/8")
	}
	*m = meter{int(n), int(d)}
	return true
}

// Text returns "" and false, because music is never written.
func (m *meter) Text() (string, bool) { return "", false }

// Schema returns the schema of a time signature.
func (m *meter) Schema(fields.Limits) fields.Schema {
	return fields.Schema{"type": "string", "pattern": "^[1-9][0-9]?/(1|2|4|8|16|32|64)$"}
}

// marker is a destination for a place in a segment: a time, "bar 17" or "bar 17 beat 3".
type marker rules.Marker

// Read parses the value of p into *m and reports whether it is valid. If not, it records an error.
func (m *marker) Read(r *fields.Reader, p *yaml.Pair, _ fields.Limits) bool {
	after, isBar := strings.CutPrefix(p.Value.Text, "bar ")
	if p.Value.Kind != yaml.Scalar || !isBar {
		return r.Value(p, &fields.Field{To: &m.Time})
	}
	bar, beat, hasBeat := strings.Cut(after, " beat ")
	if !hasBeat {
		beat = "1"
	}
	n, ok1 := fields.ParseWhole(bar, 1, maxBar)
	k, ok2 := fields.ParseWhole(beat, 1, maxMeter)
	if !ok1 || !ok2 {
		return r.RejectValue(p, "a time in the file, bar 17 or bar 17 beat 3")
	}
	m.Bar, m.Beat = int(n), int(k)
	return true
}

// Text returns "" and false, because music is never written.
func (m *marker) Text() (string, bool) { return "", false }

// Schema returns the schema of a time or the text of a bar.
func (m *marker) Schema(within fields.Limits) fields.Schema {
	return fields.Either{new(rules.Time), fields.Schema{"type": "string", "pattern": "^bar [1-9][0-9]*( beat [1-9][0-9]?)?$"}}.Schema(within)
}

// parseTransitions parses the value of p, a list of transitions, into m, whose segments must be complete. p may be nil.
// Errors are recorded.
func (r *Reader) parseTransitions(p *yaml.Pair, m *rules.Music) {
	if p == nil {
		return
	}
	if p.Value.Kind != yaml.List || len(p.Value.Items) > maxTransitions {
		r.Fail(p.Value.Position, "transitions takes a list of at most %d rows, such as [{from: any, to: %s, at: next bar}]", maxTransitions, m.Segments[0].Name)
		return
	}
	names := map[string]bool{anySegment: true}
	for i := range m.Segments {
		names[m.Segments[i].Name] = true
	}
	for _, n := range p.Value.Items {
		t := rules.Transition{}
		r.Read(n, "a transition", r.transitionFields(&t, names))
		if n.Kind != yaml.Mapping {
			continue
		}
		if fields.Missing(n, "from") || fields.Missing(n, "to") {
			r.Fail(n.Position, "a transition needs `from` and `to`, names of segments or any")
		}
		if f := fields.Find(n, "crossfade"); f != nil && fields.Find(n, "fade_out") != nil {
			r.Fail(f.Position, "crossfade includes a fade-out; omit fade_out")
		}
		if t.From == anySegment {
			t.From = ""
		}
		if t.To == anySegment {
			t.To = ""
		}
		m.Transitions = append(m.Transitions, t)
	}
}

// musicPoint is a destination for a point in musical time, such as "next bar".
type musicPoint rules.MusicPoint

// Read parses the value of p into *m and reports whether it is valid. If not, it records an error.
func (m *musicPoint) Read(r *fields.Reader, p *yaml.Pair, _ fields.Limits) bool {
	text, ok := r.Scalar(p, "a point such as next bar")
	if !ok {
		return false
	}
	point, err := rules.ParseMusicPoint(text)
	if err != nil {
		r.Fail(p.Value.Position, "%s: %v", p.Key, err)
		return false
	}
	*m = musicPoint(point)
	return true
}

// Text returns "" and false, because music is never written.
func (m *musicPoint) Text() (string, bool) { return "", false }

// Schema returns the schema of the text of a point.
func (m *musicPoint) Schema(fields.Limits) fields.Schema {
	return fields.Schema{"type": "string", "pattern": "^(next )?(beat|bar|[1-9][0-9]* bars|marker .+)$"}
}

// exits is a destination for a list of points.
type exits struct{ to *[]rules.MusicPoint }

// Read parses the value of p, a list of points, into *e.to and reports whether it is valid. If not, it records an
// error.
func (e exits) Read(r *fields.Reader, p *yaml.Pair, _ fields.Limits) bool {
	if p.Value.Kind != yaml.List || len(p.Value.Items) == 0 {
		r.Fail(p.Value.Position, "exits takes a list of points, such as [bar] or [4 bars, marker out]")
		return false
	}
	*e.to = make([]rules.MusicPoint, len(p.Value.Items))
	ok := true
	for i, n := range p.Value.Items {
		one := *p
		one.Value = n
		ok = (*musicPoint)(&(*e.to)[i]).Read(r, &one, fields.Limits{}) && ok
	}
	return ok
}

// Text returns "" and false, because music is never written.
func (e exits) Text() (string, bool) { return "", false }

// Schema returns the schema of a list of points.
func (e exits) Schema(within fields.Limits) fields.Schema {
	return fields.List{Of: (*musicPoint)(nil), Min: 1, Max: maxTransitions}.Schema(within)
}

// musicLength is a destination for a length: "1 bar", "3 beats" or a time.
type musicLength rules.MusicLength

// Read parses the value of p into *m and reports whether it is valid. If not, it records an error.
func (m *musicLength) Read(r *fields.Reader, p *yaml.Pair, _ fields.Limits) bool {
	count, unit, _ := strings.Cut(p.Value.Text, " ")
	n, ok := fields.ParseWhole(count, 1, maxLength)
	unit = strings.TrimSuffix(unit, "s")
	switch {
	case p.Value.Kind == yaml.Scalar && ok && unit == "bar":
		*m = musicLength{Bars: int(n)}
	case p.Value.Kind == yaml.Scalar && ok && unit == "beat":
		*m = musicLength{Beats: int(n)}
	default:
		*m = musicLength{}
		return r.Value(p, &fields.Field{To: &m.Time})
	}
	return true
}

// Text returns "" and false, because music is never written.
func (m *musicLength) Text() (string, bool) { return "", false }

// Schema returns the schema of a time or a number of bars or beats.
func (m *musicLength) Schema(within fields.Limits) fields.Schema {
	return fields.Either{new(rules.Time), fields.Schema{"type": "string", "pattern": "^[1-9][0-9]* (beats?|bars?)$"}}.Schema(within)
}

// storeSound is a destination for the name of a sound of `sounds`.
type storeSound struct {
	reader *Reader
	to     *string
}

// Read parses the value of p into *s.to and reports whether it names a sound. If not, it records an error.
func (s storeSound) Read(r *fields.Reader, p *yaml.Pair, _ fields.Limits) bool {
	if !r.Word(p, s.to) {
		return false
	}
	if _, ok := s.reader.Sounds[*s.to]; !ok {
		r.Fail(p.Value.Position, "%s: unknown sound %s in `sounds`%s", p.Key, yaml.Quote(*s.to), r.Suggest(*s.to, func() []string { return fields.Sorted(s.reader.Sounds) }))
		return false
	}
	return true
}

// Text returns "" and false, because music is never written.
func (s storeSound) Text() (string, bool) { return "", false }

// Schema returns the schema of a name.
func (s storeSound) Schema(within fields.Limits) fields.Schema { return fields.Name{}.Schema(within) }

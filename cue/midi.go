package cue

import (
	"fmt"
	"slices"
	"strings"

	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/parse"
	"voicepool/internal/sheet/yaml"
	"voicepool/internal/words"
)

// Midi maps a message of a MIDI device to a command of a live show.
type Midi struct {
	Line, Column int
	Kind         MidiKind
	Number       int    // note, programme or controller number, 0..127
	Channel      int    // 1..16; 0: any
	Action       string // an entry of MidiActions; empty: start Cue
	Cue          string // number of a list cue
}

// MidiKind is a kind of MIDI message.
type MidiKind uint8

const (
	MidiNote    MidiKind = iota // note on
	MidiProgram                 // programme change
	MidiControl                 // controller change to 64 or more
)

// String returns the key of the kind in a sheet: note, program or control. It panics for other values of k.
func (k MidiKind) String() string { return midiKinds[k] }

var midiKinds = [...]string{"note", "program", "control"}

// MidiActions lists the valid values of Midi.Action.
var MidiActions = []string{"go", "panic", "stop", "pause", "resume", "next", "back"}

// midiKey identifies a MIDI message: two entries with the same key conflict.
type midiKey struct {
	kind            MidiKind
	number, channel int
}

// fields returns the keys that an entry of `midi` in a sheet may have. Each returned field points into m. When the
// parser reads a key, it stores the value there. m.Kind is not set by them, but by the method check.
func (m *Midi) fields() []fields.Field {
	byte7 := fields.Limits{From: 0, To: 127}
	return []fields.Field{
		{Key: "note", To: parse.Note{To: &m.Number}},
		{Key: "program", To: &m.Number, Within: byte7},
		{Key: "control", To: &m.Number, Within: byte7},
		{Key: "channel", To: &m.Channel, Within: fields.Limits{From: 1, To: 16}},
		{Key: "do", To: &m.Action, Shape: fields.Schema{"enum": MidiActions}},
		{Key: "cue", To: &m.Cue, Shape: number},
	}
}

// parseMidi parses n, the list of MIDI messages in a sheet, and appends its entries to d.sheet.Midi. For each invalid
// entry it records an error. An entry with an unknown action or cue is appended nevertheless. After an earlier error in
// the sheet, an entry with another invalid value may be appended, too. The list of cues must have been parsed, because
// entries refer to it.
func (d *draft) parseMidi(n *yaml.Node) {
	if !d.entries(n, "midi", "[{note: 60, do: go}]") {
		return
	}
	lines, numbers := map[midiKey]int{}, d.sheet.List.Numbers()
	for _, item := range n.Items {
		if item.Kind != yaml.Mapping {
			d.Fail(item.Position, "an entry of midi is a mapping, such as {note: 60, do: go}, not %s", item.Kind)
			continue
		}
		m := Midi{Line: item.Line, Column: item.Column}
		before := d.Failed()
		d.Read(item, "an entry of midi", m.fields())
		if d.Failed() && !before {
			continue
		}
		if err := m.check(item); err != "" {
			d.Fail(item.Position, "%s", err)
			continue
		}
		if p := fields.Find(item, "do"); p != nil && !slices.Contains(MidiActions, m.Action) {
			d.Fail(p.Value.Position, "do: unknown value %s; want one of %s%s", yaml.Quote(m.Action), fields.Join(MidiActions), d.Suggest(m.Action, func() []string { return MidiActions }))
		}
		if p := fields.Find(item, "cue"); p != nil {
			i, some := numbers[words.CueNumber(m.Cue)]
			switch {
			case !some:
				d.Fail(p.Value.Position, "cue: no cue of the list has the number %s%s", yaml.Quote(m.Cue), d.Suggest(m.Cue, func() []string { return fields.Sorted(numbers) }))
			case d.sheet.List[i].Disabled:
				d.Fail(p.Value.Position, "cue: cue %s has `arm: false`, so nothing fires it", yaml.Quote(m.Cue))
			}
		}
		key := midiKey{m.Kind, m.Number, m.Channel}
		if line, twice := lines[key]; twice {
			d.Fail(item.Position, "midi: %s %d is used in line %d already", m.Kind, m.Number, line)
			continue
		}
		lines[key] = item.Line
		d.sheet.Midi = append(d.sheet.Midi, m)
	}
}

// check sets m.Kind from n, the node of the entry m. The entry must have exactly one kind of message, and either `do`
// or `cue`. If it does not, the result is an error text, otherwise "".
func (m *Midi) check(n *yaml.Node) string {
	kinds := 0
	for i, key := range midiKinds {
		if fields.Find(n, key) != nil {
			m.Kind = MidiKind(i)
			kinds++
		}
	}
	switch does, cue := fields.Find(n, "do") != nil, fields.Find(n, "cue") != nil; {
	case kinds != 1:
		return "a MIDI message is one of " + fields.Join(midiKinds[:]) + ": give one of them, such as {note: 60, do: go}"
	case does && cue:
		return "do and cue both say what it does; give one"
	case !does && !cue:
		return fmt.Sprintf("it needs what to do: `do: go` (%s), or the number of a `cue`", strings.Join(MidiActions[1:], ", "))
	}
	return ""
}

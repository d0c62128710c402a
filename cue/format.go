package cue

import (
	"slices"

	"voicepool/bank/rules"
	"voicepool/effect"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/parse"
)

// Formatter writes cues as text, for recordings. NewFormatter makes one. One Formatter is for any number of cues, one
// goroutine at a time.
type Formatter struct{ draft *draft }

// NewFormatter returns a Formatter.
func NewFormatter() *Formatter { return &Formatter{newDraft(&reader{Reader: &parse.Reader{}})} }

// Format returns the keys of c and their values in one line of YAML, without braces. Parse reads {...} with that line
// as the same cue. Keys with their default values are left out, except `at`, `id`, `to`, `by` and the keys that a set
// changes. If explicitLoop is true, the key `loop` of a start is written in any case, because the sound may have a loop
// of its own.
//
// sound is the name of the sound of a start. c must act once, and it must not be a scene, a message or a change of
// parameters. r has the effects of the buses. Format panics if c changes an effect that its bus does not have.
func (f *Formatter) Format(c *Cue, r *rules.Rules, sound string, explicitLoop bool) string {
	d := f.draft
	d.Cue = *c
	d.setAction(c.Action)
	name, sends := c.Target().Name, d.set.Sends
	if d.verb == VerbPlay {
		name, sends = sound, d.play.Sends
	}
	var l fields.Line
	for i := range d.table {
		switch f := &d.table[i]; {
		case !slices.Contains(f.verbs, d.verb):
		case f.Key == d.verb.String() && d.verb != VerbResize && d.verb != VerbSetListener:
			l.Raw(f.Key, fields.Quoted(name))
		case f.Key == "id":
			l.Raw(f.Key, fields.Quoted(d.play.ID))
		case f.Key == "sends":
			if len(sends) > 0 {
				l.Raw(f.Key, parse.WriteSends(sends))
			}
		case f.Key == "effects":
			if d.set.Effects != nil {
				all := r.EffectsOf(name)
				l.Raw(f.Key, parse.WriteMoves(d.set.Effects, func(name string) *effect.Kind {
					return all[slices.IndexFunc(all, func(e effect.Effect) bool { return e.Name() == name })].Kind()
				}))
			}
		case f.Key == "loop" && d.verb == VerbPlay && explicitLoop:
			l.Fields([]fields.Field{f.Field}, f.Key)
		case d.verb != VerbSet || f.property == 0:
			l.Fields([]fields.Field{f.Field}, "at", "to", "by")
		case d.set.Change.Fields&f.property != 0:
			l.Fields([]fields.Field{f.Field}, f.Key)
		}
	}
	return l.String()
}

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

// Format returns the keys of c and their values in one line of YAML, without braces. Parse reads {...} with that line as
// the same cue. Keys with their default values are left out, except `at`, `id`, `to`, `by` and the keys that a set
// changes. If explicitLoop is true, the key `loop` of a start is written in any case, because the sound may have a loop
// of its own.
//
// c.Target is the value of the verb, except for Resize and SetListener; for Play it must be the name of the sound. c must
// act once, and it must not be a scene, a message or a change of parameters. r has the effects of the buses. Format
// panics if c changes an effect that its bus does not have.
func (f *Formatter) Format(c *Cue, r *rules.Rules, explicitLoop bool) string {
	d := f.draft
	d.Cue, d.duck = *c, rules.Duck{}
	if c.Duck != nil {
		d.duck = *c.Duck
	}
	var l fields.Line
	for i := range d.table {
		switch f := &d.table[i]; {
		case !slices.Contains(f.verbs, c.Verb):
		case f.Key == c.Verb.String() && c.Verb != Resize && c.Verb != SetListener:
			l.Raw(f.Key, fields.Quoted(c.Target))
		case f.Key == "id":
			l.Raw(f.Key, fields.Quoted(c.ID))
		case f.Key == "sends":
			if len(c.Sends) > 0 {
				l.Raw(f.Key, parse.WriteSends(c.Sends))
			}
		case f.Key == "effects":
			if c.Effects != nil {
				all := r.EffectsOf(c.Target)
				l.Raw(f.Key, parse.WriteMoves(c.Effects, func(name string) *effect.Kind {
					return all[slices.IndexFunc(all, func(e effect.Effect) bool { return e.Name() == name })].Kind()
				}))
			}
		case f.Key == "loop" && c.Verb == Play && explicitLoop:
			l.Fields([]fields.Field{f.Field}, f.Key)
		case c.Verb != Set || f.property == 0:
			l.Fields([]fields.Field{f.Field}, "at", "to", "by")
		case c.Change.Fields&f.property != 0:
			l.Fields([]fields.Field{f.Field}, f.Key)
		}
	}
	return l.String()
}

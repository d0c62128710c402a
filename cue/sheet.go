package cue

import (
	"iter"

	"voicepool/bank/rules"
	"voicepool/cue/report"
	"voicepool/mixer"
)

// Sheet is a parsed and checked cue sheet. It is plain data. Overrides, such as command-line flags, must be
// set in its fields before any other use. After that it is read-only and safe for concurrent use.
type Sheet struct {
	rules.Rules
	Length *rules.Time // everything is cut there; nil: no cut
	Repeat rules.Time  // period of `repeat: true`, after which the timed Cues start over; 0: no repetition
	Cues   []Cue       // in file order, followed by the actions of List
	List   List        // in file order
	Goes   []Go        // scheduled GOs of a rehearsal
	Midi   []Midi      // commands of MIDI messages in a live show

	repeats bool // the sheet has `repeat: true`
}

// Cue is a timed instruction: an action, and the times when it acts.
type Cue struct {
	Line, Column int
	Number, Name string // for display; may be empty
	Action       Action

	At    rules.Time // of an action of the list: since the beginning of its list cue
	List  int        // actions of the list: 1 + index of the list cue in Sheet.List; 0: a cue of `cues`
	EndOf string     // written `at: end of ID`: the cue acts when the last voice with this id ends; empty: it acts at At

	// The cue acts Times times, at At + k x Every for k from 0.
	Every rules.Time
	Times uint64 // at least 1; an upper bound if EveryMax and `until` are set

	EveryMax rules.Time // if not 0, each interval is random between Every and EveryMax
	Span     int64      // with EveryMax: nanoseconds from At to `until`; 0: unlimited
	Chance   float64    // probability that a repetition acts, up to 1; 0: always
}

// Target returns the target of the action of c. It is the zero value if c has no action, or its action no target.
func (c *Cue) Target() Target {
	if c.Action == nil {
		return Target{}
	}
	if t := c.Action.target(); t != nil {
		return *t
	}
	return Target{}
}

// VoiceTarget returns the name of the target of c. The target "master" is returned as "all", except for set and fade
// cues, which then change only the bus.
func (c *Cue) VoiceTarget() string {
	t := c.Target()
	if _, set := c.Action.(*Set); t.Name == "master" && !set {
		return "all"
	}
	return t.Name
}

// Over returns the time within which c fades, sets or changes the scene. It is 0 for other actions.
func (c *Cue) Over() rules.Time {
	switch a := c.Action.(type) {
	case *Stop:
		return a.Over
	case *Set:
		return a.Over
	case *SetScene:
		return a.Over
	}
	return rules.Time{}
}

// LoopsForever reports whether c is a set that makes voices loop endlessly.
func (c *Cue) LoopsForever() bool {
	set, is := c.Action.(*Set)
	return is && set.Change.Fields&mixer.FieldRounds != 0 && set.Change.Rounds == mixer.Forever
}

// Starts returns an iterator over the starts of c with their indexes. These are the layers of its sound, or the start
// itself with index 0 if its sound has no layers. Cues with other actions have no starts.
func (c *Cue) Starts() iter.Seq2[int, *Play] {
	return func(yield func(int, *Play) bool) {
		p, is := c.Action.(*Play)
		if is && p.Layers == nil {
			yield(0, p)
		} else if is {
			for i := range p.Layers {
				if !yield(i, &p.Layers[i]) {
					return
				}
			}
		}
	}
}

// Config returns the configuration of a mixer for the sheet. MaxVoices is the size of the largest pool that the sheet,
// its scenes or its cues request. It is 0 if the sheet has no scenes and no cue resizes the pool.
func (s *Sheet) Config() mixer.Config {
	c := s.Rules.Config()
	for i := range s.Cues {
		if r, is := s.Cues[i].Action.(*Resize); is {
			c.MaxVoices = max(c.MaxVoices, r.Voices)
		}
	}
	if c.MaxVoices > 0 {
		c.MaxVoices = max(c.MaxVoices, c.Voices)
	}
	return c
}

// Label returns the label of c: its number, name and line if it has a number, and the id and bus of the sound that it
// plays. The bus master is left out.
func (c *Cue) Label() report.CueLabel {
	label := report.CueLabel{}
	if c.Number != "" {
		label = report.CueLabel{ListCue: c.Number, CueName: c.Name, CueLine: c.Line}
	}
	if p, is := c.Action.(*Play); is {
		if label.CueID = p.ID; p.Bus != "master" {
			label.CueBus = p.Bus
		}
	}
	return label
}

// ListLabel returns the text that names, in messages, the list cue of the action c, such as cue 2.5 "Thunder" (line
// 14). The result is "" if c is not an action of a list cue or the list cue has no number.
func (c *Cue) ListLabel() string {
	if c.List == 0 || c.Number == "" {
		return ""
	}
	label := c.Label()
	return label.CueText(0)
}

// canonicalize returns the name of t. The bus of the first output is the same as "master", so it first changes that
// name in t to "master".
func (r *reader) canonicalize(t *Target) string {
	if len(r.sheet.Outputs) > 0 && t.Name == r.sheet.Outputs[0].Name {
		t.Name = "master"
	}
	return t.Name
}

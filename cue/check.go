package cue

import (
	"fmt"

	"voicepool/mixer"
)

// CheckRender says why a sheet that names no length would never end: a loop
// that nothing stops, or a pause that nothing resumes or stops. The error is
// Errors, as of Parse; nil where the sheet has a length or comes to its end.
func (s *Sheet) CheckRender() error {
	if s.Length != nil {
		return nil
	}
	var wrong Errors
	ends := s.endings()
	for i := range s.Cues {
		c := &s.Cues[i]
		what := ""
		switch {
		case c.Verb == Play && c.Loop && c.Rounds == 0 && c.For == nil && !ends.over(s, c, s.moment(i)):
			what = fmt.Sprintf("%s loops and nothing stops it, so a render would never end; give it `for`, stop it with a cue, or give a length", quote(s.Sounds[c.Sound].Name))
		case c.Verb == Set && c.Change.Fields&mixer.FieldRounds != 0 && c.Change.Rounds == mixer.Forever && ends.loops(c, s.moment(i)):
			what = fmt.Sprintf("%s loops from here on and nothing stops it, so a render would never end; stop it, let it go with `loop: false`, or give a length", quote(c.Target))
		case c.Verb == Pause && ends.paused(c, s.moment(i)):
			what = fmt.Sprintf("nothing resumes or stops %s after this pause, so a render would never end; resume or stop it, or give a length", quote(c.Target))
		}
		if what != "" {
			wrong = append(wrong, &Error{File: s.File, Line: c.Line, Column: c.Column, Msg: what})
		}
	}
	if wrong == nil {
		return nil
	}
	return wrong
}

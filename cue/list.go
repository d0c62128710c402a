package cue

import (
	"errors"
	"fmt"

	"voicepool/bank/rules"
	"voicepool/cue/report"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/yaml"
	"voicepool/internal/words"
)

// Then determines how the next cue of the list begins.
type Then uint8

const (
	ThenWait     Then = iota // the next cue waits for GO
	ThenContinue             // the next cue begins ListCue.PostWait after this one
	ThenFollow               // the next cue begins at the frame where everything that this one plays has ended
)

// String returns the value of the key `then`: wait, continue or follow. It panics for other values of t.
func (t Then) String() string { return [...]string{"wait", "continue", "follow"}[t] }

// ListCue is a cue of the list. It begins on GO or follows the cue before it.
type ListCue struct {
	Line, Column int
	Number       string // unique; it need not be a number
	Name         string // Name, Note and Colour are for display
	Note, Colour string
	PreWait      rules.Time // delay from GO to the beginning
	Then         Then
	PostWait     rules.Time // delay of ThenContinue
	Disabled     bool       // written `arm: false`: the cue is disabled
	Timeline     bool       // written `start: timeline`: the clock of `cues` starts with this cue

	// The actions of this cue are Sheet.Cues[First:First+Count]. Their At is relative to the beginning of this cue.
	First, Count int
}

// Go is a scheduled or recorded GO, or another command for the whole show.
type Go struct {
	Line, Column int
	At           rules.Time // since the beginning of the show, pauses included
	Cue          string     // the number of a cue; empty: the next one
	Action       ShowAction
	Over         rules.Time // fade-out of ActionPanic
	From         rules.Time // ActionGo: the cue begins as if this time had elapsed since its GO
}

// ShowAction is a command for a whole show.
type ShowAction uint8

const (
	ActionGo     ShowAction = iota
	ActionPanic             // Player.Panic with Go.Over
	ActionPause             // Player.Hold(true)
	ActionResume            // Player.Hold(false)
)

// String returns the word in a file of GO times: go, panic, pause or resume. It panics for other values of d.
func (d ShowAction) String() string { return [...]string{"go", "panic", "pause", "resume"}[d] }

// state selects the trigger of a cue.
type state uint8

const (
	stateTimed   state = iota
	stateIdle          // a list cue, not started by a GO
	stateWaiting       // waits for the end of another cue or id
)

// numberOf returns the canonical form of the text of a cue number, so that equal numbers have equal forms: 2.50
// becomes 2.5.
func numberOf(text string) string { return words.CueNumber(text) }

// numbers returns the indexes of the cues in List by number. The keys are canonical, as numberOf returns them: 2.50
// has the key 2.5.
func (s *Sheet) numbers() map[string]int {
	all := map[string]int{}
	for i := range s.List {
		all[numberOf(s.List[i].Number)] = i
	}
	return all
}

// cueLabel returns the number, name and line of s.Cues[i] for messages. The result is the zero value if i is out of
// range or the cue has no number.
func (s *Sheet) cueLabel(i int) (c report.CueLabel) {
	if i >= 0 && i < len(s.Cues) && s.Cues[i].Number != "" {
		of := &s.Cues[i]
		c = report.CueLabel{ListCue: of.Number, CueName: of.Name, CueLine: of.Line}
	}
	return c
}

// Label returns the text that names s.Cues[i] in messages. For a cue with a number this is the number, the name if the
// cue has one, and the line, such as cue 2.5 "Thunder" (line 14). Otherwise, or if i is beyond the last cue, it is the
// index i, such as cue 7. For a negative i it is "by hand".
func (s *Sheet) Label(i int) string {
	c := s.cueLabel(i)
	return c.CueText(i)
}

// ListIndex returns the index in List of the cue with the given number. Numbers are compared as values: 2.50 equals
// 2.5. If the list has no such cue, the index is 0, and the error suggests the nearest number.
func (s *Sheet) ListIndex(number string) (int, error) {
	numbers := s.numbers()
	if i, some := numbers[numberOf(number)]; some {
		return i, nil
	}
	if len(numbers) == 0 {
		return 0, errors.New("cue: the sheet has no list of cues that wait for GO")
	}
	return 0, fmt.Errorf("cue: no cue of the list has the number %s; the nearest is %s",
		yaml.Quote(number), yaml.Quote(words.Nearest(number, fields.Sorted(numbers))))
}

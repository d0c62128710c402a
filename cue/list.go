package cue

import (
	"errors"
	"fmt"

	"voicepool/bank/rules"
	"voicepool/cue/report"
	"voicepool/internal/fields"
	"voicepool/internal/words"
	"voicepool/internal/yaml"
)

// Then is what comes after a cue of the list.
type Then uint8

const (
	ThenWait     Then = iota // for GO
	ThenContinue             // the next cue, ListCue.Wait after this one has begun
	ThenFollow               // the next cue, at the frame at which all that this one plays is over
)

func (t Then) String() string { return [...]string{"wait", "continue", "follow"}[t] }

// ListCue is a cue of the list: it waits for GO, or follows the one before it.
type ListCue struct {
	Line, Column int
	Number       string // unique; it need not be a number
	Name         string // this one, Note and Colour are for people
	Note, Colour string
	Pre          rules.Time // from its GO to where it begins
	Then         Then
	Wait         rules.Time // of ThenContinue
	Off          bool       // written `arm: false`: it counts as not there
	Timeline     bool       // written `start: timeline`: the clock of `cues` starts where it begins

	// Its actions in Sheet.Cues, where they come after those of `cues`. Their At is from where the
	// cue begins.
	First, Count int
}

// Go is a GO of a rehearsal, or what else is done to the show as a whole.
type Go struct {
	Line, Column int
	At           rules.Time // since the show began, pauses included
	Cue          string     // its number; empty: the one that stands by
	Does         Deed
	Over         rules.Time // of DoPanic
	From         rules.Time // of DoGo: it begins as it would be so long after its GO
}

// Deed is what is done to a show.
type Deed uint8

const (
	DoGo     Deed = iota
	DoPanic       // Player.Panic, within Go.Over
	DoPause       // Player.Hold
	DoResume      // the end of that
)

func (d Deed) String() string { return [...]string{"go", "panic", "pause", "resume"}[d] }

// state is what has a cue act.
type state uint8

const (
	byTime state = iota
	idle         // nothing: it is of the list, and no GO has reached it
	waits        // the end of something
)

// numberOf returns the form in which numbers of cues are compared: 2.50 and 2.5 are one number.
func numberOf(text string) string { return words.CueNumber(text) }

// numbers returns the places of the cues of the list by their numbers, as numberOf has them.
func (s *Sheet) numbers() map[string]int {
	all := map[string]int{}
	for i := range s.List {
		all[numberOf(s.List[i].Number)] = i
	}
	return all
}

// called returns what people call a cue of Cues.
func (s *Sheet) called(i int) (c report.Called) {
	if i >= 0 && i < len(s.Cues) && s.Cues[i].Number != "" {
		of := &s.Cues[i]
		c = report.Called{ListCue: of.Number, CueName: of.Name, CueLine: of.Line}
	}
	return c
}

// Label returns what messages call a cue of Cues: cue 2.5 "Thunder" (line 14), or cue 7, its place,
// where it has no number.
func (s *Sheet) Label(i int) string {
	c := s.called(i)
	return c.CueText(i)
}

// Place returns the place in List of the cue that a number is of. The error names the nearest.
func (s *Sheet) Place(number string) (int, error) {
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

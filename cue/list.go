package cue

import (
	"errors"
	"fmt"
	"slices"

	"voicepool/bank/rules"
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

// List is the list of cues of a sheet, in file order. An index of a cue is valid in 0..len-1.
type List []ListCue

// Standby returns the index of the first enabled cue of the list at or after index from. If no such cue exists, it
// returns len(l).
func (l List) Standby(from int) int {
	for from < len(l) && l[from].Disabled {
		from++
	}
	return from
}

// Chain returns the indexes of all cues that one GO starts. The first is head. The enabled cues after it follow if they
// begin by themselves, up to the next cue that waits for GO. The result is nil if head is len(l).
func (l List) Chain(head int) (all []int) {
	for i := head; i < len(l); i = l.Standby(i + 1) {
		all = append(all, i)
		if l[i].Then == ThenWait {
			break
		}
	}
	return all
}

// GoCount returns how many GO commands an operator needs to play the whole list. It counts the enabled cues of the
// list that wait for GO. Cues that follow another cue by themselves do not count. The result is 0 for an empty list.
func (l List) GoCount() (n int) {
	for i := l.Standby(0); i < len(l); n++ {
		chain := l.Chain(i)
		i = l.Standby(chain[len(chain)-1] + 1)
	}
	return n
}

// Numbers returns the indexes of the cues by number. The keys are canonical: 2.50 has the key 2.5.
func (l List) Numbers() map[string]int {
	all := map[string]int{}
	for i := range l {
		all[words.CueNumber(l[i].Number)] = i
	}
	return all
}

// StartsTimeline reports whether an enabled cue of the list starts the clock of `cues`. Otherwise that clock starts
// with the show.
func (l List) StartsTimeline() bool {
	return slices.ContainsFunc(l, func(c ListCue) bool { return c.Timeline && !c.Disabled })
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
	ActionPanic             // fades everything out within Go.Over
	ActionPause             // freezes the show
	ActionResume            // continues a frozen show
)

// String returns the word in a file of GO times: go, panic, pause or resume. It panics for other values of d.
func (d ShowAction) String() string { return [...]string{"go", "panic", "pause", "resume"}[d] }

// ListIndex returns the index in List of the cue with the given number. Numbers are compared as values: 2.50 equals
// 2.5. If the list has no such cue, the index is 0, and the error suggests the nearest number.
func (s *Sheet) ListIndex(number string) (int, error) {
	numbers := s.List.Numbers()
	if i, some := numbers[words.CueNumber(number)]; some {
		return i, nil
	}
	if len(numbers) == 0 {
		return 0, errors.New("cue: the sheet has no list of cues that wait for GO")
	}
	return 0, fmt.Errorf("cue: no cue of the list has the number %s; the nearest is %s",
		yaml.Quote(number), yaml.Quote(words.Nearest(number, fields.Sorted(numbers))))
}

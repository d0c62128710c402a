// Package sheetlen computes the length of a cue sheet and the number of voices that it needs.
package sheetlen

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"voicepool/bank/rules"
	"voicepool/cmd/internal/cli/console"
	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/internal/words"
	"voicepool/mixer"
	"voicepool/sounds/library"
)

// renderLimit is the time limit of the render that finds the length of a sheet.
const renderLimit = 5 * time.Second

// Estimate is the length of a sheet and the number of voices that it needs.
type Estimate struct {
	Seconds     *float64 `json:"seconds"` // null: unknown
	Endless     bool     `json:"endless"`
	WaitingCues int      `json:"waits"`          // cues that wait for GO, if the sheet has no GO times
	Voices      *int     `json:"voices"`         // maximum simultaneous voices without steals; null: unknown
	Pool        []int    `json:"pool"`           // the minimum and the maximum number of slots
	Partial     bool     `json:"partial"`        // the time limit was reached, so the values are lower bounds
	Missing     int      `json:"missing_sounds"` // number of unavailable sounds, which are ignored
	HasTails    bool     `json:"rings"`          // effects have tails, so Seconds is an upper bound
	lines       []string // lines of endless actions
	goes        bool     // the length depends on GO times
	unknown     error
}

// Of computes how long the valid cue sheet lasts and how many voices it needs. For that it renders the sheet silently
// for at most 5 s. lib provides the sounds; missing sounds are ignored. For a sheet without cues the result is nil,
// without an error. If cues wait for GO, the result has only their number and the pool size. If a signal ends
// interrupted, Of returns that as the error. Other failures are stored in the result; Estimate.Faults returns them.
func Of(interrupted *console.Interrupts, sheet *cue.Sheet, lib *library.Library) (*Estimate, error) {
	if sheet.Cues == nil && sheet.List == nil {
		return nil, nil
	}
	x := &Estimate{Pool: slotsOf(sheet)}
	x.goes = len(sheet.List) > 0
	if sheet.CheckGoes() != nil {
		x.WaitingCues = sheet.List.GoCount()
		return x, nil
	}
	endless, _ := errors.AsType[rules.Errors](play.CheckRender(sheet))
	for _, e := range endless {
		x.lines = append(x.lines, fmt.Sprint(e.Line))
	}
	e, err := console.Within(interrupted, func() (play.Estimate, error) { return play.EstimateOf(interrupted, sheet, lib, renderLimit) })
	if interrupted.Err() != nil {
		return nil, err
	}
	x.unknown = err
	if x.Endless, x.Partial, x.Missing, x.HasTails = e.Endless, e.Cut, e.Missing, e.HasTail; err != nil {
		return x, nil
	}
	if x.Voices = &e.Voices; !e.Endless {
		seconds := float64(e.Frames) / float64(sheet.Rate)
		x.Seconds = &seconds
	}
	return x, nil
}

// CanFillPool reports whether the sheet may need more voices than the pool has slots. A nil x is allowed: a bank may.
func (x *Estimate) CanFillPool() bool {
	return x == nil || x.Voices == nil || x.Partial || *x.Voices > x.Pool[0]
}

// Faults returns the errors that have stopped the computation of x, or nil. A nil x is allowed and has no errors. The
// parameter file is the name of the sheet for messages.
func (x *Estimate) Faults(file string) rules.Errors {
	if x == nil || x.unknown == nil {
		return nil
	}
	if wrong, listed := errors.AsType[rules.Errors](x.unknown); listed {
		return wrong
	}
	return rules.Errors{{File: file, Msg: console.Message(x.unknown)}}
}

// slotsOf returns two numbers: the smallest and the largest number of slots that the pool can have while sheet plays.
// Its settings, cues and scenes change the number, and so does a growing pool.
func slotsOf(sheet *cue.Sheet) []int {
	least, most := sheet.Voices, sheet.Voices
	note := func(voices int) {
		if voices > 0 {
			least, most = min(least, voices), max(most, voices)
		}
	}
	if sheet.Overflow == mixer.GrowPool {
		note(cmp.Or(sheet.Grow.Max, 4*sheet.Voices)) // the mixer's default
	}
	for i := range sheet.Cues {
		if r, is := sheet.Cues[i].Action.(*cue.Resize); is {
			note(r.Voices)
		}
	}
	for i := range sheet.Scenes {
		note(sheet.Scenes[i].Voices)
	}
	return []int{least, most}
}

// String describes the length and the voices of a sheet in one line, such as "lasts 12.0 s; 5 voices at once, of 32
// slots". The line does not contain the name of the sheet. x must not be nil.
func (x *Estimate) String() string {
	text := ""
	switch {
	case x.WaitingCues > 0:
		return "waits for GO at " + words.Count(x.WaitingCues, "cue")
	case x.unknown != nil:
		return "its duration is unknown: " + console.Message(x.unknown)
	case x.Endless && len(x.lines) == 1:
		text = "never ends, by line " + x.lines[0]
	case x.Endless:
		text = "never ends, by lines " + strings.Join(x.lines, ", ")
	case x.Partial:
		text = fmt.Sprintf("lasts more than %s: the rest was not played in %v", words.Clock(*x.Seconds), renderLimit)
	default:
		text = "lasts " + words.Clock(*x.Seconds)
		if x.HasTails {
			text = "lasts at most " + words.Clock(*x.Seconds) + ", with the tails of effects"
		}
	}
	if x.goes {
		text += " with the times of GO in it"
	}
	slots := words.Count(x.Pool[1], "slot")
	if x.Pool[0] < x.Pool[1] {
		slots = fmt.Sprintf("%d to %s", x.Pool[0], slots)
	}
	least := ""
	if x.Partial {
		least = "at least "
	}
	if *x.Voices > x.Pool[0] {
		text += fmt.Sprintf("; needs %s%s at once, the pool has %s", least, words.Count(*x.Voices, "voice"), slots)
	} else {
		text += fmt.Sprintf("; %s%s at once, of %s", least, words.Count(*x.Voices, "voice"), slots)
	}
	if x.Missing > 0 {
		text += "; without " + words.Count(x.Missing, "sound") + " that cannot be had"
	}
	return text
}

// Package checkreport builds the results of checking a sheet or a bank: errors, notes for renders and
// games, and a summary.
package checkreport

import (
	"fmt"
	"slices"
	"strings"

	"voicepool/bank/rules"
	"voicepool/cue"
	rule "voicepool/internal/sheet/parse"
	"voicepool/internal/words"
)

// Problem is one finding.
type Problem struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
	Kind    string `json:"kind"` // sheet or sound for an error; note for requirements of a render or a game; warning
	Text    string `json:"-"`    // of the printed line
}

// Contents summarizes sheet in one line, such as "3 cues, 2 sounds, 1 bus". The line also has its cue list, outputs and
// scenes, if there are any. The number of cues leaves out the cues of the list. It is missing for a bank, and for a
// sheet whose cues are all in its list.
func Contents(sheet *cue.Sheet) string {
	buses := "1 bus"
	if n := len(sheet.Buses); n != 1 {
		buses = fmt.Sprintf("%d buses", n)
	}
	parts := []string{words.Count(len(sheet.Sounds), "sound"), buses}
	cues := len(sheet.Cues)
	for i := range sheet.List {
		cues -= sheet.List[i].Count
	}
	if cues > 0 || sheet.Cues != nil && sheet.List == nil {
		parts = slices.Insert(parts, 0, words.Count(cues, "cue"))
	}
	if n := len(sheet.List); n > 0 {
		parts = slices.Insert(parts, 0, "a list of "+words.Count(n, "cue"))
	}
	if n := len(sheet.Outputs); n > 0 {
		parts = append(parts, words.Count(n, "output"))
	}
	if n := len(sheet.Scenes); n > 0 {
		parts = append(parts, words.Count(n, "scene"))
	}
	return strings.Join(parts, ", ")
}

// Of converts the errors in list to problems of a kind: "sheet", "note" or "warning". If the kind is "sheet", an error
// about a sound gets the kind "sound" instead. For a note or a warning, the text to print begins with "note: " or
// "warning: ".
func Of(kind string, list rules.Errors) (all []Problem) {
	for _, e := range list {
		p := Problem{e.File, e.Line, e.Column, words.OneLine(e.Msg), kind, words.OneLine(e.Error())}
		switch {
		case kind == "note":
			p.Text = "note: " + p.Text
		case kind == "warning":
			p.Text = "warning: " + p.Text
		case e.Sound != nil:
			p.Kind = "sound"
		}
		all = append(all, p)
	}
	return all
}

// EmbeddedNote returns a note for a bank that uses an embedded sound: a game must import a package to have that sound.
// The note is at the first such sound. A bank is a sheet without cues. For other sheets, and for a bank without
// embedded sounds, the result is nil.
func EmbeddedNote(sheet *cue.Sheet) rules.Errors {
	if sheet.Cues != nil || sheet.List != nil {
		return nil
	}
	for i := range sheet.Sounds {
		for _, f := range sheet.Sounds[i].Files {
			if _, found := sheet.Find(f.Name); found {
				return rules.Errors{{File: sheet.File, Line: f.Line, Column: f.Column, Msg: fmt.Sprintf(
					"%q is an embedded sound, and a game has those if it imports sounds/embedded: %s", f.Name, rule.EmbeddedHint)}}
			}
		}
	}
	return nil
}

package cue

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/yaml"
	"voicepool/internal/words"
	"voicepool/mixer"
)

// edit replaces old by new at a place in a text.
type edit struct {
	at  yaml.Position
	old string
	new string
}

// Trimmed returns a copy of src, the text of a sheet, with changed gains of list cues. The keys of trims are cue
// numbers, and the values are decibels to add; unknown numbers are ignored. Only the gains of starts (`play`) change. A
// new gain is limited to the range of the mixer and rounded to 0.01 dB. The rest of the text, including comments, stays
// unchanged. It returns an error if src is not valid YAML or a gain cannot be edited in place.
func Trimmed(src []byte, trims map[string]float64) ([]byte, error) {
	root, wrong := yaml.Read(src, "cue sheet")
	if wrong != nil {
		return nil, fmt.Errorf("cue: %w", wrong)
	}
	lines := strings.SplitAfter(string(src), "\n")
	var edits []edit
	for _, item := range items(root, "list") {
		p := fields.Find(item, "cue")
		if p == nil {
			continue
		}
		by := 0.0
		for number, trim := range trims {
			if words.CueNumber(number) == words.CueNumber(p.Value.Text) {
				by = trim
			}
		}
		if by == 0 {
			continue
		}
		for _, action := range append(items(item, "do"), item) {
			if p := fields.Find(action, "crossfade"); p != nil && p.Value.Kind == yaml.Mapping {
				action = p.Value
			}
			play := fields.Find(action, "play")
			if play == nil {
				continue
			}
			e, err := trimEdit(lines, action, play, by)
			if err != nil {
				return nil, fmt.Errorf("cue: line %d: %w", action.Line, err)
			}
			edits = append(edits, e)
		}
	}
	slices.SortFunc(edits, func(a, b edit) int { // from back to front
		return (b.at.Line-a.at.Line)<<20 + b.at.Column - a.at.Column
	})
	for _, e := range edits {
		line := []rune(lines[e.at.Line-1])
		at := e.at.Column - 1
		lines[e.at.Line-1] = string(line[:at]) + e.new + string(line[at+len([]rune(e.old)):])
	}
	return []byte(strings.Join(lines, "")), nil
}

// items returns a copy of the list under key in the YAML mapping n. It is nil if n is not a mapping or has no such
// list.
func items(n *yaml.Node, key string) []*yaml.Node {
	if n == nil || n.Kind != yaml.Mapping {
		return nil
	}
	if p := fields.Find(n, key); p != nil && p.Value.Kind == yaml.List {
		return slices.Clone(p.Value.Items)
	}
	return nil
}

// trimEdit returns the edit of the text that changes the gain of action, the YAML node of a start. by is the change in
// decibels; if the start has no gain, the edit inserts by as its gain. The new gain is limited to the range of the
// mixer and rounded to 0.01 dB. lines are the lines of the text. play is the pair of action with the key `play`. It
// returns an error if the text cannot be edited there.
func trimEdit(lines []string, action *yaml.Node, play *yaml.Pair, by float64) (edit, error) {
	text := func(gain float64) string {
		return strconv.FormatFloat(math.Round(100*min(max(gain, mixer.MinGain), mixer.MaxGain))/100, 'f', -1, 64)
	}
	if p := fields.Find(action, "gain"); p != nil {
		old := p.Value.Text
		number, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(old, "dB")), 64)
		if err != nil || !hasTextAt(lines, p.Value.Position, old) {
			return edit{}, fmt.Errorf("gain %s cannot be changed; write it as a plain number", yaml.Quote(old))
		}
		return edit{p.Value.Position, old, text(number + by)}, nil
	}
	key, end := "gain: ", play.Value.Position
	line := []rune(lines[play.Line-1])
	token := play.Value.Text
	if play.Value.Quoted {
		token = quotedPrefix(line[end.Column-1:])
	}
	if !hasTextAt(lines, end, token) {
		return edit{}, fmt.Errorf("play %s cannot be followed by a gain; give the cue a gain by hand", yaml.Quote(play.Value.Text))
	}
	if line[play.Column-1] == '"' {
		key = `"gain": `
	}
	if first := []rune(lines[action.Line-1]); first[action.Column-1] != '{' { // in block style: a new line before the key
		at := yaml.Position{Line: play.Line, Column: play.Column}
		return edit{at, "", key + text(by) + "\n" + strings.Repeat(" ", play.Column-1)}, nil
	}
	return edit{end, token, token + ", " + key + text(by)}, nil
}

// quotedPrefix returns the quoted text at the beginning of line, with its quotes. It returns "" if the closing quote is
// missing. line must not be empty.
func quotedPrefix(line []rune) string {
	for i := 1; i < len(line); i++ {
		switch {
		case line[0] == '"' && line[i] == '\\', line[0] == '\'' && line[i] == '\'' && i+1 < len(line) && line[i+1] == '\'':
			i++
		case line[i] == line[0]:
			return string(line[:i+1])
		}
	}
	return ""
}

// hasTextAt reports whether the given text begins in lines at the place at, whose line and column count from 1. It is
// false for an empty text and for a place outside the lines.
func hasTextAt(lines []string, at yaml.Position, text string) bool {
	if text == "" || at.Line < 1 || at.Line > len(lines) {
		return false
	}
	line := []rune(lines[at.Line-1])
	return at.Column >= 1 && at.Column <= len(line) && strings.HasPrefix(string(line[at.Column-1:]), text)
}

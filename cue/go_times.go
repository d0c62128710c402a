package cue

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"voicepool/bank/rules"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/yaml"
	"voicepool/internal/words"
)

// ReadGoes replaces s.Goes, the scheduled commands of a show, by the commands in text. Each line begins with a time. A
// time alone is a GO for the next cue of the list. The number of a cue may follow, and then `from` and a time in that
// cue. In place of a cue, a line may have panic with an optional fade time, pause or resume. Empty lines and text after
// a # are ignored.
//
// The parameter file is the file name in error messages. The commands must be in the order of their times. The error is
// a rules.Errors with all invalid lines. If all lines are valid, it has only the first command that is out of order or
// does not fit the list. On an error s.Goes does not change.
func (s *Sheet) ReadGoes(file string, text []byte) error {
	r := newReader(&Sheet{}, file)
	var goes []Go
	line := 0
	for row := range bytes.Lines(text) {
		line++
		at, number, _ := strings.Cut(strings.TrimSpace(s.stripComment(string(row))), " ")
		if at == "" {
			continue
		}
		number, over, _ := strings.Cut(strings.TrimSpace(number), " ")
		if s.hasNumber(number) {
			number, over = strings.TrimSpace(number+" "+over), ""
		}
		g := Go{Line: line, Column: 1 + strings.Index(string(row), at), Cue: strings.TrimSpace(number)}
		var err error
		if g.At, err = rules.ParseTime(at); err != nil {
			r.Fail(yaml.Position{Line: line, Column: g.Column}, "%v; a line is a time and, if need be, the number of a cue, such as: 5.5s 2", err)
			continue
		}
		if err = g.parseArguments(s, strings.TrimSpace(over)); err != nil {
			r.Fail(yaml.Position{Line: line, Column: g.Column}, "%v", err)
			continue
		}
		goes = append(goes, g)
	}
	if !r.Failed() {
		r.checkGoes(s, goes)
	}
	if err := r.Errors(); err != nil {
		return err
	}
	s.Goes = goes
	return nil
}

// stripComment returns row, a line of a file of GO times, without its comment. A comment begins with #. A # that
// belongs to the number of a cue in the list of s does not begin a comment.
func (s *Sheet) stripComment(row string) string {
	for end := len(row); end >= 0; end = strings.LastIndexByte(row[:end], '#') {
		_, afterTime, _ := strings.Cut(strings.TrimSpace(row[:end]), " ")
		number, from, _ := strings.Cut(strings.TrimSpace(afterTime), fromWord)
		if strings.Contains(number, "#") && s.hasNumber(number) && !strings.Contains(from, "#") {
			return row[:end]
		}
	}
	row, _, _ = strings.Cut(row, "#")
	return row
}

// hasNumber reports whether the list of s has a cue with the given number. Numbers are compared as values: 2.50 equals
// 2.5.
func (s *Sheet) hasNumber(number string) bool {
	_, found := s.List.Numbers()[words.CueNumber(number)]
	return found
}

// panicOver is the fade-out of a panic without a time of its own.
var panicOver, _ = rules.ParseTime("1s")

// fromWord separates the number of a cue and the offset into it.
const fromWord = " from "

// parseArguments parses a line of a file of GO times after its time. g.Cue must hold the first word after the time;
// args has the other words. The function sets Action, Cue, Over and From of g. The words panic, pause and resume are
// actions, unless the list of s has a cue with that number. A panic may have a fade time, which is 1 s by default.
// Other text is the number of a cue, with an optional `from` and a time. The error names an invalid time or an
// argument that is not allowed.
func (g *Go) parseArguments(s *Sheet, args string) (err error) {
	text := strings.TrimSpace(g.Cue + " " + args)
	for d := ActionPanic; d <= ActionResume && !s.hasNumber(g.Cue); d++ {
		if g.Cue == d.String() {
			g.Action, g.Cue = d, ""
		}
	}
	switch {
	case g.Action == ActionPanic && args != "":
		if g.Over, err = rules.ParseTime(args); err != nil {
			return fmt.Errorf("panic: %w", err)
		}
	case g.Action == ActionPanic:
		g.Over = panicOver
	case g.Action != ActionGo && args != "":
		return fmt.Errorf("%v takes no argument, not %s", g.Action, yaml.Quote(args))
	case g.Action == ActionGo:
		g.Cue = text
		number, from, found := strings.Cut(text, fromWord)
		if !found || s.hasNumber(text) {
			break
		}
		if g.From, err = rules.ParseTime(strings.TrimSpace(from)); err != nil {
			return fmt.Errorf("from: %w", err)
		}
		g.Cue = strings.TrimSpace(number)
	}
	return nil
}

// WriteGoes writes goes, commands such as GO and panic, to w. Each command becomes one line in the format that ReadGoes
// reads. The offset From of a GO is written only if its Cue is set. The error is the writer's.
func (s *Sheet) WriteGoes(w io.Writer, goes []Go) error {
	var b bytes.Buffer
	for i := range goes {
		g := &goes[i]
		b.WriteString(g.At.String())
		switch {
		case g.Action == ActionPanic:
			fmt.Fprintf(&b, " %v %v", g.Action, g.Over)
		case g.Action != ActionGo:
			fmt.Fprintf(&b, " %v", g.Action)
		case g.Cue != "":
			b.WriteString(" " + g.Cue)
			if !g.From.IsZero() {
				fmt.Fprintf(&b, "%s%v", fromWord, g.From)
			}
		}
		b.WriteByte('\n')
	}
	_, err := w.Write(b.Bytes())
	return err
}

// checkGoes checks goes, the scheduled GO commands, against the list of sheet s. It records an error in r for the
// first wrong one and then stops. A GO is wrong if its time is before the time of its predecessor. It is also wrong if
// it names an unknown or disabled cue, or if it names no cue and the list has ended.
func (r *reader) checkGoes(s *Sheet, goes []Go) {
	next, numbers := s.List.Standby(0), s.List.Numbers()
	for i := range goes {
		g, at := &goes[i], yaml.Position{Line: goes[i].Line, Column: goes[i].Column}
		if i > 0 && g.At.Compare(goes[i-1].At) < 0 {
			r.Fail(at, "goes: a GO at %v comes after the one at %v; put them in the order of their times", g.At, goes[i-1].At)
			return
		}
		if g.Action != ActionGo {
			continue
		}
		if g.Cue != "" {
			var found bool
			if next, found = numbers[words.CueNumber(g.Cue)]; !found {
				r.Fail(at, "goes: no cue of the list has the number %s%s", yaml.Quote(g.Cue), r.Suggest(g.Cue, func() []string { return fields.Sorted(numbers) }))
				return
			}
			if s.List[next].Disabled {
				r.Fail(at, "goes: cue %s has `arm: false`, so no GO reaches it", yaml.Quote(g.Cue))
				return
			}
		}
		if next == len(s.List) {
			r.Fail(at, "goes: no cue is on standby for the GO at %v: the list has ended; leave it out", g.At)
			return
		}
		chain := s.List.Chain(next)
		next = s.List.Standby(chain[len(chain)-1] + 1)
	}
}

// CheckGoes returns an error if the sheet has a list of cues but no times of GO, so that it needs an operator. The
// error is a rules.Errors with the place of the first cue of the list. Without a list, or with times of GO, the result
// is nil.
func (s *Sheet) CheckGoes() error {
	if len(s.List) == 0 || len(s.Goes) > 0 {
		return nil
	}
	l := &s.List[0]
	return rules.Errors{{File: s.File, Line: l.Line, Column: l.Column, Msg: fmt.Sprintf(
		"cue %s waits for GO, and no time is given for it; give `goes: [2s, ...]`, or a file of times with --goes", yaml.Quote(l.Number))}}
}

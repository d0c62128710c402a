package cue

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"voicepool/bank/rules"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/yaml"
)

// ReadGoes replaces s.Goes by the GOs in text. Each line has a time and, optionally, the number of a cue and `from` a
// time in it, or panic, pause or resume. Empty lines and text after a # are ignored. file is the file name in errors.
// The error is a rules.Errors; s.Goes does not change then.
func (s *Sheet) ReadGoes(file string, text []byte) error {
	r := newReader(&Sheet{}, file)
	var goes []Go
	line := 0
	for row := range bytes.Lines(text) {
		line++
		words := s.stripComment(string(row))
		at, number, _ := strings.Cut(strings.TrimSpace(words), " ")
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

// stripComment returns row, a line of GO times, without its comment, which begins with #. A # that belongs to the
// number of a cue does not begin a comment.
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

// hasNumber reports whether the list has a cue with the given number. Numbers are compared as values: 2.50 is 2.5.
func (s *Sheet) hasNumber(number string) bool {
	_, found := s.numbers()[numberOf(number)]
	return found
}

// panicOver is the fade-out of a panic without a time of its own.
var panicOver, _ = rules.ParseTime("1s")

// fromWord separates the number of a cue and the offset into it.
const fromWord = " from "

// parseArguments parses the part of a line of GO times after the time: its first word, which must be in g.Cue, and
// args, the other words. It sets Action, Cue, Over and From of g. If s has a cue with the number "panic", "pause" or
// "resume", that word means the cue. The error names an invalid time or an argument that is not allowed.
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

// WriteGoes writes goes to w in the format that ReadGoes reads, one per line. The error is the writer's.
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

// checkGoes records an error for the first GO in goes that is earlier than its predecessor, names an unknown or
// disabled cue of s, or comes when the list has ended.
func (r *reader) checkGoes(s *Sheet, goes []Go) {
	next, numbers := s.standby(0), s.numbers()
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
			if next, found = numbers[numberOf(g.Cue)]; !found {
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
		chain := s.chain(next)
		next = chain[len(chain)-1] + 1
		next = s.standby(next)
	}
}

// standby returns the index of the first enabled cue of the list at or after index from, or len(s.List).
func (s *Sheet) standby(from int) int {
	for from < len(s.List) && s.List[from].Disabled {
		from++
	}
	return from
}

// chain returns the list indexes of the cues that one GO starts: head, and the enabled cues that follow it by
// themselves. It is nil if head is len(s.List).
func (s *Sheet) chain(head int) (all []int) {
	for i := head; i < len(s.List); i = s.standby(i + 1) {
		all = append(all, i)
		if s.List[i].Then == ThenWait {
			break
		}
	}
	return all
}

// CheckGoes returns an error if the sheet has a list but no times of GO, so that only an operator can play it. The
// error is a rules.Errors at the first cue of the list. It is nil if the sheet has no list.
func (s *Sheet) CheckGoes() error {
	if len(s.List) == 0 || len(s.Goes) > 0 {
		return nil
	}
	l := &s.List[0]
	return rules.Errors{{File: s.File, Line: l.Line, Column: l.Column, Msg: fmt.Sprintf(
		"cue %s waits for GO, and no time is given for it; give `goes: [2s, ...]`, or a file of times with --goes", yaml.Quote(l.Number))}}
}

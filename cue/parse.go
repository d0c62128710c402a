package cue

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"voicepool/bank/rules"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/parse"
	"voicepool/internal/sheet/yaml"
	"voicepool/internal/words"
	"voicepool/sounds/embedded"
)

// Load reads the sheet in the file at path and checks it; the path "-" means standard input. It returns the results of
// Parse. If the file cannot be read, the error wraps the system's error. An empty file gives a rules.Errors and no
// sheet.
func Load(path string) (*Sheet, error) {
	src, err := readFile(path)
	if err != nil {
		return nil, fmt.Errorf("cue: %s: %w", path, words.Cause(err))
	}
	if len(bytes.TrimSpace(src)) == 0 {
		r := newReader(&Sheet{}, path)
		r.Fail(yaml.Position{Line: 1, Column: 1}, "the file is empty; a cue sheet has `cues` or a `list`, a bank has `sounds`")
		return nil, r.Errors()
	}
	return Parse(path, src)
}

// readFile returns the contents of the file at path, or of standard input for "-". It reads at most one byte more than
// a sheet may have, so that Parse reports a file that is too large. The error is the system's.
func readFile(path string) ([]byte, error) {
	f := os.Stdin
	if path != "-" {
		var err error
		if f, err = os.Open(path); err != nil {
			return nil, err
		}
		defer f.Close()
	}
	return io.ReadAll(io.LimitReader(f, yaml.MaxBytes+1))
}

// Parse reads a sheet from src and checks it. file is its name in messages and the base of relative paths. Errors are
// returned as rules.Errors in line order. Checks that need the sounds come later, in NewPlayer.
//
// With an error, Parse also returns a sheet without cues but with the sounds it understood, so that LoadSounds can find
// further errors. That sheet is nil if src is not valid YAML.
func Parse(file string, src []byte) (*Sheet, error) {
	s := &Sheet{}
	r := newReader(s, file)
	read := r.Text(src, "cue sheet", s.fields(), func(root *yaml.Node) {
		cues, list := fields.Find(root, "cues"), fields.Find(root, "list")
		if cues == nil && list == nil {
			return
		}
		for _, at := range r.SuccessorPositions() {
			r.Fail(at, "then is for banks, which a game plays; in a cue sheet, give the successor its own cue")
		}
		if p := fields.Find(root, "music"); p != nil {
			r.Fail(p.Position, "music is for banks, which a game plays; in a cue sheet, play the files of the segments")
		}
		for _, key := range parse.LoadKeys {
			if p := fields.Find(root, key); p != nil {
				r.Fail(p.Position, "%s is for banks, which a game plays; a cue sheet loads all its sounds", key)
			}
		}
		d := newDraft(r)
		if cues != nil {
			d.parseCues(cues.Value)
		}
		if list != nil {
			d.parseList(list.Value)
		}
		d.resolve()
		if p := fields.Find(root, "repeat"); p != nil && s.repeats {
			d.parseRepeat(p, cues)
		}
		if p := fields.Find(root, "goes"); p != nil {
			d.parseGoes(p.Value)
		}
		if p := fields.Find(root, "midi"); p != nil {
			d.parseMidi(p.Value)
		}
	})
	if err := r.Errors(); err != nil {
		if s.Cues, s.List, s.Goes, s.Midi = nil, nil, nil, nil; !read {
			s = nil
		}
		return s, err
	}
	return s, nil
}

// parseRepeat makes the sheet repeat after its length: it moves s.Length to s.Repeat. It records an error instead if
// the sheet has no cues with times, no length, a length of 0, or a cue at or after that length. p is the YAML pair with
// the key `repeat`. cues is the pair with the key `cues`, or nil.
func (d *draft) parseRepeat(p, cues *yaml.Pair) {
	s := d.sheet
	switch {
	case cues == nil:
		d.Fail(p.Position, "repeat needs `cues`, which have times; a list waits for GO")
	case s.Length == nil || s.Length.IsZero():
		d.Fail(p.Position, "repeat needs `length`, the time after which the cues begin again")
	default:
		for i := range s.Cues {
			if c := &s.Cues[i]; c.List == 0 && c.At.Compare(*s.Length) >= 0 {
				d.Fail(yaml.Position{Line: c.Line, Column: c.Column}, "at: the sheet repeats at %v, so this cue at %v never runs; increase `length`", *s.Length, c.At)
				return
			}
		}
		s.Repeat, s.Length = *s.Length, nil
	}
}

// fields returns the keys at the top of a sheet, except the keys that sheets and banks share (rules.Rules). If a field
// has a destination, the parsed value is stored there, in s. Parse handles the other keys itself.
func (s *Sheet) fields() []fields.Field {
	return []fields.Field{
		{Key: "cues"},
		{Key: "list"},
		{Key: "goes"},
		{Key: "midi"},
		{Key: "length", To: optionalTime(&s.Length)},
		{Key: "repeat", To: &s.repeats},
	}
}

// reader turns the nodes of a sheet into a Sheet and collects errors.
type reader struct {
	*parse.Reader
	sheet *Sheet

	ids    []string         // of the cues, in order of first use
	known  map[string]bool  // ids that cues may refer to
	played map[string][]int // by id, or "" for no id: indexes of the sounds played under it
}

// newReader returns a reader that parses into s and has not recorded errors yet. file is the file name in errors. Cues
// may play embedded sounds by name.
func newReader(s *Sheet, file string) *reader {
	return &reader{
		Reader: parse.New(&s.Rules, file, nil, embedded.Sources()), sheet: s,
		known: map[string]bool{}, played: map[string][]int{},
	}
}

// optionalTime returns a destination for parsing a time that may be missing. If the time is given, *to points to it
// afterwards; otherwise *to stays nil.
func optionalTime(to **rules.Time) fields.Value {
	return fields.Optional(to, func(t *rules.Time) any { return t })
}

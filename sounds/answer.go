package sounds

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"voicepool/pcm"
	"voicepool/sounds/internal/source"
)

// A file is decoded in another process by this exchange: the parent writes a
// line, what it asks for, and the file; the child answers with a line, and the
// samples, float32 in little-endian order. The child may have been taken over by
// the file, so nothing it says is believed. The lines are words with blanks
// between them, see request and answer; "-" is none. They are not JSON:
// encoding/json would add 0.2 MB to every game.

// request returns the line with which a file of so many bytes is to be decoded.
func (l Limits) request(size int64) string {
	return fmt.Sprintln("decode", size, l.Bytes, l.Frames, l.Memory, l.Channels, l.MinRate, l.MaxRate, int64(l.Time))
}

// readRequest reads such a line.
func readRequest(in *bufio.Reader) (size int64, l Limits, err error) {
	w, err := readLine(in)
	if err != nil || w.text() != "decode" {
		return 0, l, errAnother
	}
	size = w.number()
	l = Limits{
		Bytes: w.number(), Frames: w.number(), Memory: w.number(), Channels: int(w.number()),
		MinRate: int(w.number()), MaxRate: int(w.number()), Time: time.Duration(w.number()),
	}
	if w.wrong || len(w.rest) > 0 || size < 0 {
		return 0, l, errAnother
	}
	return size, l, nil
}

// answer is what the child found: a clip, whose samples follow, or why there
// is none.
type answer struct {
	Fault string
	Kind  string // of the fault: one of faultKinds, or none of them
	*Clip
	Frames  int64
	damages int64 // how many lines of them follow
}

// line writes an answer.
func (a *answer) line() string {
	if a.Clip == nil {
		return fmt.Sprintln("fault", cmp.Or(a.Kind, "-"), strconv.Quote(a.Fault))
	}
	gain, loop := "-", "- -"
	if a.Gain != nil {
		gain = strconv.FormatFloat(float64(*a.Gain), 'g', -1, 64)
	}
	if a.Loop != nil {
		loop = fmt.Sprint(a.Loop[0], a.Loop[1])
	}
	lines := fmt.Sprint("clip ", a.Format, " ", cmp.Or(a.Encoding, "-"), " ", a.Channels, " ", a.Rate, " ", a.Speakers, " ", a.Frames, " ", gain, " ", loop)
	if len(a.Damages)+len(a.Notes) > 0 {
		lines += fmt.Sprint(" ", len(a.Damages))
	}
	for _, note := range a.Notes {
		if note = strings.ReplaceAll(strconv.Quote(note), " ", `\x20`); len(lines)+len(note) < maxLine/2 {
			lines += " " + note
		}
	}
	lines += "\n"
	for i := range a.Damages {
		d := &a.Damages[i]
		lines += fmt.Sprintln("damage", d.Frame, d.Frames, strconv.Quote(short(d.Err.Error())))
	}
	return lines
}

// short cuts a text off so that a line has room for it, where a byte may take four in its quotes.
func short(text string) string { return text[:min(len(text), maxLine/8)] }

// damage reads the line of a damaged place.
func (a *answer) damage(w *words) error {
	if w.text() != "damage" {
		return errAnother
	}
	d := Damage{Frame: w.number(), Frames: w.number(), Rate: a.Rate}
	text, err := strconv.Unquote(strings.Join(w.rest, " "))
	if w.wrong || err != nil || d.Frame < 0 || d.Frames < 0 || d.Frame > a.Frames || d.Frames > a.Frames-d.Frame {
		return errAnother
	}
	d.Err = source.Broken("%s", printable(text))
	a.Damages = append(a.Damages, d)
	return nil
}

// parse reads an answer's line.
func (a *answer) parse(w *words) error {
	switch w.text() {
	case "fault":
		a.Kind = w.text()
		var err error
		if a.Fault, err = strconv.Unquote(strings.Join(w.rest, " ")); err != nil || a.Fault == "" {
			return errAnother
		}
		return nil
	case "clip":
	default:
		return errAnother
	}
	a.Clip = &Clip{Format: w.text(), Encoding: w.text(), Channels: int(w.number()), Rate: int(w.number()), Speakers: uint32(w.number())}
	a.Frames = w.number()
	if text := w.text(); text != "" {
		gain, err := strconv.ParseFloat(text, 64)
		w.wrong = w.wrong || err != nil
		a.Gain = new(pcm.Decibels)
		*a.Gain = pcm.Decibels(gain)
	}
	if len(w.rest) > 0 && w.rest[0] != "-" {
		a.Loop = &pcm.Loop{w.number(), w.number()}
	} else {
		w.text()
		w.text()
	}
	if len(w.rest) > 0 {
		a.damages = w.number()
	}
	for len(w.rest) > 0 && !w.wrong {
		note, err := strconv.Unquote(w.text())
		w.wrong = w.wrong || err != nil
		a.Notes = append(a.Notes, printable(note))
	}
	if w.wrong {
		return errAnother
	}
	return nil
}

// printable returns a text of another process as one line that can be printed.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text)
}

// maxLine bounds the line that either side begins with.
const maxLine = 4096

// errAnother: a line is not what was to come.
var errAnother = errors.New("another line")

// readLine reads one line, no longer than the reader's buffer.
func readLine(r *bufio.Reader) (*words, error) {
	line, err := r.ReadSlice('\n')
	switch {
	case err != nil && len(line) == 0:
		return nil, errSilent
	case err != nil:
		return nil, err
	}
	return &words{rest: strings.Split(strings.TrimSuffix(string(line), "\n"), " ")}, nil
}

// words are what is left of a line.
type words struct {
	rest  []string
	wrong bool // there was no word, or no number
}

// text takes a word; "-" is "".
func (w *words) text() string {
	if len(w.rest) == 0 {
		w.wrong = true
		return ""
	}
	word := w.rest[0]
	w.rest = w.rest[1:]
	if word == "-" {
		return ""
	}
	return word
}

// number takes a whole number.
func (w *words) number() int64 {
	n, err := strconv.ParseInt(w.text(), 10, 64)
	w.wrong = w.wrong || err != nil
	return n
}

package library

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

// Protocol between the parent and the child process that decodes a file (see Limits.Isolate): the parent writes
// a request line and the bytes of the file. The child writes an answer line, a line per damaged place, and the
// samples as float32 in little-endian order. The parent validates every field of the answer, because a malicious
// file may have taken over the child. A line consists of words separated by blanks; "-" is the empty word. The
// format is not JSON because encoding/json would add 0.2 MB to every game.

// request returns the first line that the parent sends to a child, with its line break. It requests the decoding of a
// file of size bytes under the limits l. The command l.Isolate is not part of it.
func (l Limits) request(size int64) string {
	return fmt.Sprintln("decode", size, l.Bytes, l.Frames, l.Memory, l.Channels, l.MinRate, l.MaxRate, int64(l.Time))
}

// readRequest reads the request line, the first line of in, and returns its contents: the size of the file in bytes
// and the limits. Afterwards in is at the first byte of the file. An invalid or missing line gives errProtocol.
func readRequest(in *bufio.Reader) (size int64, l Limits, err error) {
	w, err := readLine(in)
	if err != nil || w.text() != "decode" {
		return 0, l, errProtocol
	}
	size = w.number()
	l = Limits{
		Bytes: w.number(), Frames: w.number(), Memory: w.number(), Channels: int(w.number()),
		MinRate: int(w.number()), MaxRate: int(w.number()), Time: time.Duration(w.number()),
	}
	if w.invalid || len(w.remaining) > 0 || size < 0 {
		return 0, l, errProtocol
	}
	return size, l, nil
}

// isolateReply is the answer of the child: a clip, or the error that prevented decoding.
type isolateReply struct {
	Fault string
	Kind  string // of the fault, see faultKinds; empty: another error
	*Clip
	Frames  int64
	damages int64 // number of damage lines that follow
}

// encode returns the lines of the child's answer, each with a line break. For an error this is one line. For a clip,
// the first line has its properties and notes, and one further line follows for each damaged place. A note that would
// make the first line longer than 2 kB is left out. Long texts of damage errors are cut, but a.Fault is not: the
// caller has to cut it (truncated). The caller sends the samples after these lines.
func (a *isolateReply) encode() string {
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
		lines += fmt.Sprintln("damage", d.Frame, d.Frames, strconv.Quote(truncated(d.Err.Error())))
	}
	return lines
}

// truncated returns the first maxLine/8 bytes of text, or all of a shorter text. Quoting may make four bytes of each,
// and the text must still fit in a line. It may cut a character.
func truncated(text string) string { return text[:min(len(text), maxLine/8)] }

// parseDamage parses a line about a damaged place and appends the place to a.Damages. w holds the words of the line.
// It returns errProtocol if the line is invalid or the place is outside the a.Frames frames of the clip. Requires
// that parse has read a clip.
func (a *isolateReply) parseDamage(w *lineWords) error {
	if w.text() != "damage" {
		return errProtocol
	}
	d := Damage{Frame: w.number(), Frames: w.number(), Rate: a.Rate}
	text, err := strconv.Unquote(strings.Join(w.remaining, " "))
	if w.invalid || err != nil || d.Frame < 0 || d.Frames < 0 || d.Frame > a.Frames || d.Frames > a.Frames-d.Frame {
		return errProtocol
	}
	d.Err = source.DecodeErrorf("%s", printable(text))
	a.Damages = append(a.Damages, d)
	return nil
}

// parse parses the first line of a child's answer into a. w holds the words of the line. A line about an error sets
// a.Fault and a.Kind. A line about a clip sets a.Clip, a.Frames, and a.damages, the number of damage lines that
// follow; the clip has no samples and no damages yet. It returns errProtocol if the line is invalid. It does not
// check whether the values are plausible.
func (a *isolateReply) parse(w *lineWords) error {
	switch w.text() {
	case "fault":
		a.Kind = w.text()
		var err error
		if a.Fault, err = strconv.Unquote(strings.Join(w.remaining, " ")); err != nil || a.Fault == "" {
			return errProtocol
		}
		return nil
	case "clip":
	default:
		return errProtocol
	}
	a.Clip = &Clip{Format: w.text(), Encoding: w.text(), Channels: int(w.number()), Rate: int(w.number()), Speakers: uint32(w.number())}
	a.Frames = w.number()
	if text := w.text(); text != "" {
		gain, err := strconv.ParseFloat(text, 64)
		w.invalid = w.invalid || err != nil
		a.Gain = new(pcm.Decibels)
		*a.Gain = pcm.Decibels(gain)
	}
	if len(w.remaining) > 0 && w.remaining[0] != "-" {
		a.Loop = &pcm.Loop{w.number(), w.number()}
	} else {
		w.text()
		w.text()
	}
	if len(w.remaining) > 0 {
		a.damages = w.number()
	}
	for len(w.remaining) > 0 && !w.invalid {
		note, err := strconv.Unquote(w.text())
		w.invalid = w.invalid || err != nil
		a.Notes = append(a.Notes, printable(note))
	}
	if w.invalid {
		return errProtocol
	}
	return nil
}

// printable returns text with a question mark in place of each unprintable character, so that it is safe to print on
// one line.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text)
}

// maxLine is the size of the largest line of the protocol, in bytes.
const maxLine = 4096

// errProtocol reports a line that violates the protocol.
var errProtocol = errors.New("another line")

// readLine reads one line of r and returns its words, which were separated by blanks. It returns errIncomplete if r
// ends before the first byte of the line, io.EOF for a line without a line break, and bufio.ErrBufferFull for a line
// longer than the buffer of r.
func readLine(r *bufio.Reader) (*lineWords, error) {
	line, err := r.ReadSlice('\n')
	switch {
	case err != nil && len(line) == 0:
		return nil, errIncomplete
	case err != nil:
		return nil, err
	}
	return &lineWords{remaining: strings.Split(strings.TrimSuffix(string(line), "\n"), " ")}, nil
}

// lineWords holds the unread words of a line.
type lineWords struct {
	remaining []string
	invalid   bool // a word was missing or was not a number
}

// text removes the next word of the line and returns it. The word "-" is returned as "". At the end of the line, text
// returns "" and sets w.invalid.
func (w *lineWords) text() string {
	if len(w.remaining) == 0 {
		w.invalid = true
		return ""
	}
	word := w.remaining[0]
	w.remaining = w.remaining[1:]
	if word == "-" {
		return ""
	}
	return word
}

// number removes the next word of the line and returns it as a decimal integer. If the word is missing or is not an
// integer of 64 bits, number sets w.invalid, and the result has no meaning.
func (w *lineWords) number() int64 {
	n, err := strconv.ParseInt(w.text(), 10, 64)
	w.invalid = w.invalid || err != nil
	return n
}

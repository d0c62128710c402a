// Package midi controls a show with a MIDI device: notes, programs and controllers by the table of
// a sheet, and MIDI Show Control. It reads raw MIDI from a file or a pipe, such as Linux's
// /dev/snd/midiC1D0, without a driver.
package midi

import (
	"bufio"
	"io"
	"strings"

	"gitlab.com/gomidi/midi/v2"

	"voicepool/cue"
)

// Listen controls a show with MIDI: it reads raw MIDI from src and calls do with the show command for each message,
// such as `go 2.5` or `panic`. Messages without a command are ignored. For each complete message Listen calls table,
// which returns the current MIDI entries of the sheet. It returns nil at the end of src, or the read error of src.
func Listen(src io.Reader, table func() []cue.Midi, do func(command string)) error {
	in, s := bufio.NewReader(src), splitter{}
	for {
		b, err := in.ReadByte()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if m := s.next(b); m != nil {
			if command := Command(m, table()); command != "" {
				do(command)
			}
		}
	}
}

// Command returns the show command for one complete raw MIDI message. For note starts, program changes and controllers
// it searches table, the MIDI entries of a sheet. The result is "go" with the cue of the entry, or else the action of
// the entry. An entry for the channel of the message has precedence over an entry for all channels. A controller counts
// only with a value of at least 64, and the end of a note does not count.
//
// Command understands MIDI Show Control without the table. If no command matches, the result is "".
func Command(message []byte, table []cue.Midi) string {
	m := midi.Message(message)
	var channel, number, value uint8
	kind := cue.MidiNote
	switch {
	case m.GetNoteStart(&channel, &number, &value):
	case m.GetProgramChange(&channel, &number):
		kind = cue.MidiProgram
	case m.GetControlChange(&channel, &number, &value) && value >= 64:
		kind = cue.MidiControl
	case len(message) > 1 && message[0] == 0xF0:
		return showControl(message[1 : len(message)-1])
	default:
		return ""
	}
	for _, of := range [...]int{int(channel) + 1, 0} {
		for _, t := range table {
			if t.Kind == kind && t.Number == int(number) && t.Channel == of {
				if t.Cue != "" {
					return "go " + t.Cue
				}
				return t.Action
			}
		}
	}
	return ""
}

// The supported commands of MIDI Show Control. (MIDI Show Control 1.1, RP-002/RP-014, table 4:
// general commands.)
const (
	mscGo     = 0x01
	mscStop   = 0x02
	mscResume = 0x03
	mscAllOff = 0x08
)

// showControl returns the show command of a MIDI Show Control message: go, pause, resume or panic. body is the system
// exclusive message without its first and last byte, F0 and F7. Its bytes are 7F DEVICE 02 FORMAT COMMAND DATA; DEVICE
// and FORMAT are ignored.
//
// The data of a GO begin with the number of the cue, which ends at a zero byte. Spaces and characters outside of ASCII
// in it become question marks. Without data the GO is for the cue on standby. For any other message the result is "".
func showControl(body []byte) string {
	if len(body) < 5 || body[0] != 0x7F || body[2] != 0x02 {
		return ""
	}
	switch body[4] {
	case mscGo:
		number, _, _ := strings.Cut(string(body[5:]), "\x00")
		number = strings.Map(func(r rune) rune {
			if r <= ' ' || r > '~' { // the GO is refused with a message that shows its number
				return '?'
			}
			return r
		}, number)
		return strings.TrimSpace("go " + number)
	case mscStop:
		return "pause"
	case mscResume:
		return "resume"
	case mscAllOff:
		return "panic"
	}
	return ""
}

package oto

import "strings"

// longest is how many bytes of a driver's message are of use: ALSA's goes on
// with every device that it did not find.
const longest = 240

// message is an error of the driver in one short line and without its
// prefixes, which every level of it puts before the one below.
type message struct{ error }

func bare(err error) error { return message{err} }

func (m message) Unwrap() error { return m.error }

func (m message) Error() string {
	line := strings.Join(strings.Fields(m.error.Error()), " ")
	line = strings.ReplaceAll(line, "oto: ", "")
	if len(line) > longest {
		line = strings.ToValidUTF8(line[:longest], "") + " ..."
	}
	return line
}

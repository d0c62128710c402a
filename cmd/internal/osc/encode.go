// Package osc sends the messages of Open Sound Control that a show has in it, by UDP. The encoder is
// its own: the format is four types and a rule for padding, and the one Go library that people know,
// hypebeast/go-osc, cannot be fetched from the module proxy.
package osc

import (
	"encoding/binary"
	"math"

	"voicepool/cue"
)

// Append appends a message as OSC 1.0 has it: address, types and values, each padded to 4 bytes.
func Append(b []byte, m *cue.Message) []byte {
	types := []byte{','}
	for _, arg := range m.Args {
		t := byte('F')
		switch arg := arg.(type) {
		case int32:
			t = 'i'
		case float32:
			t = 'f'
		case string:
			t = 's'
		case bool:
			if arg {
				t = 'T'
			}
		}
		types = append(types, t)
	}
	b = appendText(appendText(b, m.Address), string(types))
	for _, arg := range m.Args {
		switch arg := arg.(type) {
		case int32:
			b = binary.BigEndian.AppendUint32(b, uint32(arg))
		case float32:
			b = binary.BigEndian.AppendUint32(b, math.Float32bits(arg))
		case string:
			b = appendText(b, arg)
		}
	}
	return b
}

// appendText appends a text and one to four zeros, up to a multiple of 4 bytes.
func appendText(b []byte, text string) []byte {
	b = append(b, text...)
	return append(b, 0, 0, 0, 0)[:len(b)+4-len(text)%4]
}

// Package osc implements Open Sound Control. It encodes and decodes packets, frames them with SLIP
// for TCP, and sends the messages of a show over UDP. It has its own codec, because the format is
// small, and the best-known Go library, hypebeast/go-osc, has been dormant since 2022.
package osc

import (
	"encoding/binary"
	"math"

	"voicepool/cue"
)

// Impulse is the argument of type I.
type Impulse struct{}

// Time is the argument of type t: seconds since 1900 in the upper 32 bits, their fraction in the
// lower 32.
type Time uint64

// Char is the argument of type c: an ASCII character.
type Char uint32

// RGBA is the argument of type r: a color.
type RGBA [4]byte

// MIDI is the argument of type m: the port, the status byte and two data bytes.
type MIDI [4]byte

// Unknown is an argument of a type that OSC does not define. Arguments after it cannot be read.
type Unknown byte

// Append appends m to b as one message in the format of OSC 1.0 and returns the longer slice. An argument of a Go type
// that Decode does not return is sent as F, false. m.To is not used.
func Append(b []byte, m *cue.Message) []byte {
	types := appendTypes([]byte{','}, m.Args)
	return appendValues(appendText(appendText(b, m.Address), string(types)), m.Args)
}

// appendTypes appends the OSC type letter of each argument to types, with [ and ] around the letters of an array, and
// returns the longer slice.
func appendTypes(types []byte, args []any) []byte {
	for _, arg := range args {
		if array, is := arg.([]any); is {
			types = append(appendTypes(append(types, '['), array), ']')
			continue
		}
		types = append(types, typeOf(arg))
	}
	return types
}

// appendValues appends the values of args to b, big-endian and each padded to a multiple of 4 bytes, and returns the
// longer slice. Arrays are flattened. Types without data, such as bool, and unsupported types append no bytes.
func appendValues(b []byte, args []any) []byte {
	for _, arg := range args {
		switch arg := arg.(type) {
		case int32:
			b = binary.BigEndian.AppendUint32(b, uint32(arg))
		case float32:
			b = binary.BigEndian.AppendUint32(b, math.Float32bits(arg))
		case string:
			b = appendText(b, arg)
		case []byte:
			b = appendBlob(b, arg)
		case int64:
			b = binary.BigEndian.AppendUint64(b, uint64(arg))
		case float64:
			b = binary.BigEndian.AppendUint64(b, math.Float64bits(arg))
		case Time:
			b = binary.BigEndian.AppendUint64(b, uint64(arg))
		case Char:
			b = binary.BigEndian.AppendUint32(b, uint32(arg))
		case RGBA:
			b = append(b, arg[:]...)
		case MIDI:
			b = append(b, arg[:]...)
		case []any:
			b = appendValues(b, arg)
		}
	}
	return b
}

// typeOf returns the OSC type letter of arg, which is not an array. An Unknown gives its own letter, and an unsupported
// Go type gives F, like false.
func typeOf(arg any) byte {
	switch arg := arg.(type) {
	case int32:
		return 'i'
	case float32:
		return 'f'
	case string:
		return 's'
	case []byte:
		return 'b'
	case int64:
		return 'h'
	case float64:
		return 'd'
	case Time:
		return 't'
	case Char:
		return 'c'
	case RGBA:
		return 'r'
	case MIDI:
		return 'm'
	case Unknown:
		return byte(arg)
	case Impulse:
		return 'I'
	case nil:
		return 'N'
	case bool:
		if arg {
			return 'T'
		}
	}
	return 'F'
}

// appendText appends text and one to four zeros to b, so that the added bytes are a multiple of 4, and returns the
// longer slice.
func appendText(b []byte, text string) []byte {
	b = append(b, text...)
	return append(b, 0, 0, 0, 0)[:len(b)+4-len(text)%4]
}

// appendBlob appends the length of blob (4 bytes, big-endian), blob itself, and up to three zeros to b, so that the
// added bytes are a multiple of 4. It returns the longer slice.
func appendBlob(b, blob []byte) []byte {
	b = append(binary.BigEndian.AppendUint32(b, uint32(len(blob))), blob...)
	return append(b, 0, 0, 0)[:len(b)+-len(blob)&3]
}

// AppendBundle appends a bundle for immediate execution (time tag 1) to b and returns the longer slice. Each element is
// an encoded message or bundle, whose size is written before it.
func AppendBundle(b []byte, elements ...[]byte) []byte {
	b = append(b, bundleMark...)
	b = binary.BigEndian.AppendUint64(b, 1)
	for _, e := range elements {
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(e))), e...)
	}
	return b
}

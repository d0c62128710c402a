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

// Append appends the message m to b in the format of OSC 1.0 and returns the longer slice. The field m.To is not used.
// Supported arguments have the Go types that Decode returns. An argument of another type is sent as F, which means
// false.
func Append(b []byte, m *cue.Message) []byte {
	types := appendTypes([]byte{','}, m.Args)
	return appendValues(appendText(appendText(b, m.Address), string(types)), m.Args)
}

// appendTypes appends the OSC type letter of each argument in args to types, and returns the longer slice. The letters
// of an array are between [ and ].
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

// appendValues appends the values of args to b and returns the longer slice. Numbers are big-endian, and each value is
// padded to a multiple of 4 bytes. The elements of an array are appended in turn. Types without data, such as bool, and
// unsupported types append no bytes.
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

// typeOf returns the OSC type letter of arg, such as i for an int32. arg must not be an array. For an Unknown it
// returns the letter that it holds. For an unsupported Go type it returns F, like false.
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

// appendText appends text to b as an OSC string and returns the longer slice. One to four zero bytes follow the text,
// so that the length of the string is a multiple of 4.
func appendText(b []byte, text string) []byte {
	b = append(b, text...)
	return append(b, 0, 0, 0, 0)[:len(b)+4-len(text)%4]
}

// appendBlob appends blob to b in the format of OSC and returns the longer slice. The length of blob is written first,
// in 4 bytes, big-endian. Up to three zero bytes at the end make the length a multiple of 4.
func appendBlob(b, blob []byte) []byte {
	b = append(binary.BigEndian.AppendUint32(b, uint32(len(blob))), blob...)
	return append(b, 0, 0, 0)[:len(b)+-len(blob)&3]
}

// AppendBundle appends a bundle of OSC packets to b and returns the longer slice. Each element is an encoded message or
// bundle. Its size is written before it. The time tag of the bundle is 1, which means immediately.
func AppendBundle(b []byte, elements ...[]byte) []byte {
	b = append(b, bundleMark...)
	b = binary.BigEndian.AppendUint64(b, 1)
	for _, e := range elements {
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(e))), e...)
	}
	return b
}

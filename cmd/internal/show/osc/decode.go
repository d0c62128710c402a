package osc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"voicepool/cue"
)

const (
	// MaxPacket is the maximum size of a packet in bytes.
	MaxPacket = 64 << 10

	// MaxMessages is the maximum number of messages in a packet, including nested bundles.
	MaxMessages = 1024

	// MaxDepth is the maximum nesting depth of bundles.
	MaxDepth = 8

	bundleMark = "#bundle\x00"
)

// ErrPacket is wrapped by the errors of Decode.
var ErrPacket = errors.New("osc: the packet cannot be read")

// Decode parses packet, an OSC message or a bundle, and returns its messages in order. Time tags of bundles are
// ignored. Arguments are int32, float32, string, []byte, bool, nil, Impulse, int64, float64, Time, Char, RGBA, MIDI,
// []any of these, or Unknown.
//
// A malformed packet and a packet beyond MaxPacket, MaxMessages or MaxDepth are errors. They wrap ErrPacket, and the
// messages are then nil.
func Decode(packet []byte) ([]*cue.Message, error) {
	if len(packet) > MaxPacket {
		return nil, fmt.Errorf("%w: it has more than %d bytes", ErrPacket, MaxPacket)
	}
	d := decoder{}
	if err := d.packet(packet, 0); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPacket, err)
	}
	return d.messages, nil
}

// decoder collects the messages of a packet. After an error they are incomplete.
type decoder struct{ messages []*cue.Message }

var (
	errShort    = errors.New("it ends too early")
	errTrailing = errors.New("something follows")
	errText     = errors.New("a text is not UTF-8, or is not padded with zeros")
	errArray    = errors.New("an array is not closed, or closed twice")
	errLength   = errors.New("its length is not a multiple of 4")
)

// packet parses b, an OSC message or a bundle, and appends the messages to d.messages. Messages of nested bundles are
// included. The parameter depth is the number of bundles around b. Errors are a bundle inside MaxDepth others, and
// incomplete or superfluous bytes.
func (d *decoder) packet(b []byte, depth int) error {
	if len(b) == 0 || len(b)%4 != 0 {
		return errLength
	}
	rest, bundle := bytes.CutPrefix(b, []byte(bundleMark))
	if !bundle {
		return d.message(b)
	}
	if depth == MaxDepth {
		return fmt.Errorf("bundles lie more than %d deep", MaxDepth)
	}
	if len(rest) < 8 {
		return errShort
	}
	for rest = rest[8:]; len(rest) > 0; {
		if len(rest) < 4 {
			return errShort
		}
		size := binary.BigEndian.Uint32(rest)
		if rest = rest[4:]; uint64(size) > uint64(len(rest)) {
			return errShort
		}
		if err := d.packet(rest[:size], depth+1); err != nil {
			return err
		}
		rest = rest[size:]
	}
	return nil
}

// message parses b, a single OSC message, and appends it to d.messages. Old programs omit the type string; such a
// message has no arguments. Errors are an address without a leading slash, types that are not ASCII, bytes after the
// last argument, and more than MaxMessages messages.
func (d *decoder) message(b []byte) error {
	if len(d.messages) == MaxMessages {
		return fmt.Errorf("it has more than %d messages", MaxMessages)
	}
	address, b, err := text(b)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(address, "/") {
		return errors.New("an address begins with /")
	}
	m := &cue.Message{Address: address}
	d.messages = append(d.messages, m)
	if len(b) == 0 {
		return nil
	}
	types, b, err := text(b)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(types, ",") {
		return errors.New("types begin with a comma")
	}
	if strings.IndexFunc(types, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
		return errors.New("types are ASCII")
	}
	m.Args, b, err = arguments(types[1:], b)
	if err != nil {
		return err
	}
	if len(b) > 0 {
		return errTrailing
	}
	return nil
}

// arguments parses the values in b and returns them, with the remaining bytes. types is the OSC type string without its
// comma. Brackets in it become nested []any. Unbalanced brackets, arrays nested more than MaxDepth deep, and too few
// bytes are errors.
//
// A type that OSC does not define has a value of unknown size. There arguments stops: it appends an Unknown, closes
// open arrays and returns no remaining bytes and no error.
func arguments(types string, b []byte) (args []any, rest []byte, err error) {
	var outer [][]any // the arrays around args
	for _, t := range []byte(types) {
		switch {
		case t == '[' && len(outer) == MaxDepth:
			return nil, nil, fmt.Errorf("arrays lie more than %d deep", MaxDepth)
		case t == '[':
			outer = append(outer, args)
			args = []any{}
			continue
		case t == ']' && len(outer) == 0:
			return nil, nil, errArray
		case t == ']':
			args = append(outer[len(outer)-1], any(args))
			outer = outer[:len(outer)-1]
			continue
		case strings.IndexByte(valueTypes, t) < 0:
			for len(outer) > 0 {
				args = append(outer[len(outer)-1], any(args))
				outer = outer[:len(outer)-1]
			}
			return append(args, Unknown(t)), nil, nil
		}
		var arg any
		if arg, b, err = argument(t, b); err != nil {
			return nil, nil, err
		}
		args = append(args, arg)
	}
	if len(outer) > 0 {
		return nil, nil, errArray
	}
	return args, b, nil
}

// valueTypes are the types of values that OSC 1.0 defines.
const valueTypes = "ifsbhtdScrmTFNI"

// argument parses one value at the beginning of b and returns it, with the remaining bytes. t is the OSC type letter of
// the value and must be in valueTypes. The Go type of the result is in the list at Decode. A blob is copied, and its
// padding is not checked. If b has too few bytes, the error is errShort. An invalid string gives errText.
func argument(t byte, b []byte) (arg any, rest []byte, err error) {
	size := 0
	switch t {
	case 'i', 'f', 'b', 'c', 'r', 'm':
		size = 4
	case 'h', 'd', 't':
		size = 8
	}
	if len(b) < size {
		return nil, nil, errShort
	}
	switch rest = b[size:]; t {
	case 'i':
		return int32(binary.BigEndian.Uint32(b)), rest, nil
	case 'f':
		return math.Float32frombits(binary.BigEndian.Uint32(b)), rest, nil
	case 'h':
		return int64(binary.BigEndian.Uint64(b)), rest, nil
	case 'd':
		return math.Float64frombits(binary.BigEndian.Uint64(b)), rest, nil
	case 't':
		return Time(binary.BigEndian.Uint64(b)), rest, nil
	case 'T', 'F':
		return t == 'T', rest, nil
	case 'N':
		return nil, rest, nil
	case 'I':
		return Impulse{}, rest, nil
	case 'c':
		return Char(binary.BigEndian.Uint32(b)), rest, nil
	case 'r':
		return RGBA(b[:4]), rest, nil
	case 'm':
		return MIDI(b[:4]), rest, nil
	case 's', 'S':
		return anyText(b)
	default: // 'b'
		n := uint64(binary.BigEndian.Uint32(b))
		if (n+3)&^3 > uint64(len(rest)) {
			return nil, nil, errShort
		}
		return bytes.Clone(rest[:n]), rest[(n+3)&^3:], nil
	}
}

// anyText parses an OSC string like the function text, but returns the string as an any. After an error that string is
// "".
func anyText(b []byte) (any, []byte, error) {
	s, rest, err := text(b)
	return s, rest, err
}

// text parses an OSC string at the beginning of b. It returns the string, and the bytes after it. One to four zero
// bytes must follow the string, up to a multiple of 4 bytes. If they are missing, the error is errShort. If the padding
// is not zero or the string is not UTF-8, the error is errText.
func text(b []byte) (s string, rest []byte, err error) {
	end := bytes.IndexByte(b, 0)
	if end < 0 {
		return "", nil, errShort
	}
	next := end + 4 - end%4
	if next > len(b) {
		return "", nil, errShort
	}
	for _, pad := range b[end:next] {
		if pad != 0 {
			return "", nil, errText
		}
	}
	if !utf8.Valid(b[:end]) {
		return "", nil, errText
	}
	return string(b[:end]), b[next:], nil
}

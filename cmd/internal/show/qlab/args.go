package qlab

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"voicepool/bank/rules"
	"voicepool/cmd/internal/show/osc"
	"voicepool/internal/words"
)

// text returns argument i of the message, counted from 0, as a string. Numbers become decimal text, bools "true" or
// "false", and an osc.Char its character. A missing argument is an error, and so is an argument of another type, such
// as a blob.
func (c *call) text(i int) (string, error) {
	if i >= len(c.args) {
		return "", fmt.Errorf("argument %d is missing", i+1)
	}
	switch arg := c.args[i].(type) {
	case string:
		return arg, nil
	case int32:
		return strconv.Itoa(int(arg)), nil
	case int64:
		return strconv.FormatInt(arg, 10), nil
	case float32:
		return strconv.FormatFloat(float64(arg), 'f', -1, 32), nil
	case float64:
		return strconv.FormatFloat(arg, 'f', -1, 64), nil
	case bool:
		return strconv.FormatBool(arg), nil
	case osc.Char:
		return string(rune(arg)), nil
	}
	return "", fmt.Errorf("argument %d is %s, not a text or a number", i+1, typeName(c.args[i]))
}

// typeName returns a phrase for the type of arg, such as "a blob", for error messages. It covers the types that
// call.text rejects. For other types it returns "of another type".
func typeName(arg any) string {
	switch arg.(type) {
	case []any:
		return "an array"
	case []byte:
		return "a blob"
	case osc.MIDI:
		return "a MIDI message"
	case osc.RGBA:
		return "a colour"
	case osc.Time:
		return "a time tag"
	case osc.Impulse:
		return "an impulse"
	case nil:
		return "nil"
	}
	return "of another type"
}

// readable returns an error if an argument has a type that OSC does not define (osc.Unknown). The error describes the
// first such argument. Otherwise the result is nil. The elements of arrays are not checked.
func readable(args []any) error {
	for i, arg := range args {
		if t, is := arg.(osc.Unknown); is {
			return fmt.Errorf("argument %d has the type %q, which OSC does not define; send a text (s), a number (i, f, h, d), true (T) or false (F)", i+1, rune(t))
		}
	}
	return nil
}

// number returns argument i of the message, counted from 0, as a number. A text such as "2.5" is accepted, because many
// remotes send only text. A missing argument, another text, and a number with a unit are errors.
func (c *call) number(i int) (float64, error) {
	text, err := c.text(i)
	if err != nil {
		return 0, err
	}
	x, unit, ok := words.ParseDecibels(text)
	if !ok || unit {
		return 0, fmt.Errorf("%q is not a number", words.OneLine(text))
	}
	return x, nil
}

// decibels returns argument i of the message, counted from 0, as a gain in dB. The argument is a number or a text, such
// as -6, "-6" or "-6dB". The range is not checked. A missing argument and another text are errors.
func (c *call) decibels(i int) (float64, error) {
	text, err := c.text(i)
	if err != nil {
		return 0, err
	}
	x, _, ok := words.ParseDecibels(text)
	if !ok {
		return 0, fmt.Errorf("%q is not a number of decibels, such as -6 or -6dB", words.OneLine(text))
	}
	return x, nil
}

// cutoff returns argument i of the message, counted from 0, as the cutoff frequency of a filter in Hz. The text "off"
// gives 0, which means that the filter is off. Other arguments must be numbers. Their range is not checked.
func (c *call) cutoff(i int) (float64, error) {
	if text, err := c.text(i); err == nil && text == "off" {
		return 0, nil
	}
	return c.number(i)
}

// boolean returns argument i of the message, counted from 0, as a bool. true and 1 give true; false and 0 give false.
// Their texts are accepted, too. Other values and a missing argument are errors.
func (c *call) boolean(i int) (bool, error) {
	text, err := c.text(i)
	if err != nil {
		return false, err
	}
	switch text {
	case "true", "1":
		return true, nil
	case "false", "0":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither 0 nor 1", words.OneLine(text))
}

// time returns argument i of the message, counted from 0, as a duration. The argument is a number of seconds, or a text
// as in cue sheets, such as "500ms". A missing argument, a negative time and another text are errors.
func (c *call) time(i int) (time.Duration, error) {
	text, err := c.text(i)
	if err != nil {
		return 0, err
	}
	t, err := rules.ParseTime(text)
	if err != nil {
		return 0, err
	}
	return t.Duration(1e6), nil
}

// pressed reports whether the message is the press of a button, by its first argument. A missing argument, 1, true and
// an impulse are a press. 0 and false are the release of the button, which gives false without an error. Texts, other
// numbers and a second argument are errors.
func (c *call) pressed() (bool, error) {
	if len(c.args) == 0 {
		return true, nil
	}
	if err := c.maxArgs(1); err != nil {
		return false, err
	}
	if _, impulse := c.args[0].(osc.Impulse); impulse {
		return true, nil
	}
	text, err := c.text(0)
	if err != nil {
		return false, err
	}
	if _, is := c.args[0].(string); is {
		return false, fmt.Errorf("it takes no text; a button sends the number 1 when it is pressed and 0 when it is released, not %q", words.OneLine(text))
	}
	switch text {
	case "1", "true":
		return true, nil
	case "0", "-0", "false":
		return false, nil
	}
	return false, fmt.Errorf("%s is neither 1, the press of a button, nor 0, its release", text)
}

// maxArgs returns an error if the message has more than n arguments, otherwise nil.
func (c *call) maxArgs(n int) error {
	switch {
	case len(c.args) <= n:
		return nil
	case n == 0:
		return errors.New("it takes no arguments")
	}
	return fmt.Errorf("it takes at most %s", words.Count(n, "argument"))
}

// reader reads the value of a key from argument i.
type reader func(c *call, i int) error

// pairs reads arguments of the message as keys and values in turn. The parameter from is the index of the first key.
// keys has a reader for each known key; pairs calls it with the index of the value, and the reader stores the value.
//
// An unknown or repeated key, a missing value, and an error of a reader are errors. Values before the fault are then
// already stored.
func (c *call) pairs(from int, keys map[string]reader) error {
	seen := map[string]bool{}
	for i := from; i < len(c.args); i += 2 {
		key, ok := c.args[i].(string)
		if !ok {
			return fmt.Errorf("argument %d is not a key (want keys and values in turn)", i+1)
		}
		read, known := keys[key]
		switch {
		case !known:
			return fmt.Errorf("unknown key %q; did you mean %q?", words.OneLine(key), cmp.Or(words.Synonym(key, sorted(keys)), words.Nearest(key, sorted(keys))))
		case seen[key]:
			return fmt.Errorf("%s is given twice", key)
		case i+1 == len(c.args):
			return fmt.Errorf("%s: its value is missing", key)
		}
		seen[key] = true
		if err := read(c, i+1); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}

// storeIn returns a reader for call.pairs. The reader parses its argument with the function read and stores the value
// in *dst. After an error, *dst has the value that read returned, normally zero.
func storeIn[T any](dst *T, read func(*call, int) (T, error)) reader {
	return func(c *call, i int) (err error) {
		*dst, err = read(c, i)
		return err
	}
}

// storePointerIn returns a reader for call.pairs. The reader parses its argument with the function read and sets *dst
// to a pointer to the value. So *dst stays nil if the message does not have the key. After an error *dst is set, too.
func storePointerIn[T any](dst **T, read func(*call, int) (T, error)) reader {
	return func(c *call, i int) error {
		value, err := read(c, i)
		*dst = &value
		return err
	}
}

// integer returns argument i of the message, counted from 0, as an integer from -1e9 to 1e9. A text such as "5" is
// accepted. A fraction, a number outside of that range, and a missing argument are errors.
func (c *call) integer(i int) (int, error) {
	x, err := c.number(i)
	if err == nil && (x != math.Trunc(x) || math.Abs(x) > 1e9) {
		err = fmt.Errorf("%g is not a whole number from -1e9 to 1e9", x)
	}
	return int(x), err
}

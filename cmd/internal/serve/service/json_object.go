package service

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"voicepool/bank/rules"
	"voicepool/cmd/internal/serve/problemjson"
	"voicepool/cmd/internal/serve/room"
	"voicepool/internal/words"
)

// jsonObject is a JSON object that is read strictly: only known fields, each at most once, of the right
// type. The first error is kept in err. After it, all reads return zero values.
type jsonObject struct {
	prefix string // the prefix of its fields in messages, such as "commands[2].with."
	keys   []string
	values []json.RawMessage
	err    *problemjson.Problem
}

// parseObject parses text, a JSON object, strictly. known lists the fields that it may have. prefix precedes field
// names in errors, such as "with.", and may be "". Empty text is an object without fields. The result is never nil. Its
// field err holds the first error, with the HTTP status 400, such as an unknown or repeated field. But an error of the
// JSON syntax has precedence over these.
func parseObject(text []byte, prefix string, known ...string) *jsonObject {
	o := &jsonObject{prefix: prefix}
	if len(bytes.TrimSpace(text)) == 0 {
		return o
	}
	if !utf8.Valid(text) {
		return o.failSyntax("it is not valid UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	open, err := d.Token()
	if err != nil {
		return o.failSyntax(syntax(err))
	}
	if open != json.Delim('{') {
		return o.failSyntax("want an object, such as {}")
	}
	for d.More() {
		token, err := d.Token()
		key, isText := token.(string)
		if err != nil || !isText {
			return o.failSyntax(syntax(err))
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return o.failSyntax(syntax(err))
		}
		if !slices.Contains(known, key) {
			if o.err == nil { // parsing continues, because a reply needs the ref field
				o.err = problemjson.New(400, "unknown field %q", prefix+words.OneLine(key)).WithField(prefix + words.OneLine(key)).WithNearest(cmp.Or(words.Synonym(key, known), words.Nearest(key, known)))
			}
			continue
		}
		if slices.Contains(o.keys, key) {
			o.fail(key, "is given twice")
			continue
		}
		o.keys, o.values = append(o.keys, key), append(o.values, value)
	}
	if _, err := d.Token(); err != nil {
		return o.failSyntax(syntax(err))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return o.failSyntax("unexpected text after the object")
	}
	return o
}

// syntax returns the reason in an error message for err, an error of the JSON decoder. If the text ends too early, the
// reason reports that. A syntax error gives its message and its byte offset. For any other err, also nil, the reason is
// that the name of a field is expected.
func syntax(err error) string {
	var s *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return "it ends too early"
	case errors.As(err, &s):
		return words.OneLine(s.Error()) + " at byte " + strconv.FormatInt(s.Offset, 10)
	}
	return "want the name of a field"
}

// decodeMap decodes the field key of o into a map. The parameter to is a pointer to that map. An absent field, or an
// earlier error of o, leaves the map unchanged. A value of another type, or null, is recorded as an error of o. want
// describes valid values in its message.
func (o *jsonObject) decodeMap(key string, to any, want string) {
	if v := o.raw(key); v != nil && (string(v) == "null" || json.Unmarshal(v, to) != nil) {
		o.fail(key, "it takes "+want)
	}
}

// failSyntax records in o.err that the text is not a valid JSON object, and returns o. why is the reason in the
// message. It replaces an earlier error. The error names no field.
func (o *jsonObject) failSyntax(why string) *jsonObject {
	o.err = problemjson.New(400, "the JSON cannot be read: %s", why)
	if o.prefix != "" {
		o.err.Detail = o.prefix[:len(o.prefix)-1] + ": " + o.err.Detail
	}
	return o
}

// fail records an error of the field key in o.err, unless there is an earlier error. why is the second part of the
// message, after the name of the field.
func (o *jsonObject) fail(key, why string) {
	if o.err == nil {
		o.err = problemjson.New(400, "%s: %s", o.prefix+key, why).WithField(o.prefix + key)
	}
}

// rejectType records in o.err that v, the JSON value of the field key, has the wrong type. It has no effect if there is
// an earlier error. The message describes the valid values with room.ValidValues, or as a number. v must not be empty.
func (o *jsonObject) rejectType(key string, v json.RawMessage) {
	want, text := room.ValidValues(key), string(v)
	switch {
	case want == "":
		want = "a number"
	case v[0] == '{':
		text = "a mapping"
	case v[0] == '[':
		text = "a list"
	case v[0] != '"':
		text = strconv.Quote(text)
	}
	if o.err == nil {
		o.err = problemjson.New(400, "%s takes %s, not %s", o.prefix+key, want, text).WithField(o.prefix + key)
	}
}

// raw returns the undecoded JSON value of the field key. It returns nil if the field is absent, or if o.err is not nil.
func (o *jsonObject) raw(key string) json.RawMessage {
	if i := slices.Index(o.keys, key); i >= 0 && o.err == nil {
		return o.values[i]
	}
	return nil
}

// require records an error for the first of keys that is missing in o, unless there is an earlier error.
func (o *jsonObject) require(keys ...string) {
	for _, key := range keys {
		if !slices.Contains(o.keys, key) {
			o.fail(key, "is missing")
		}
	}
}

// text returns the value of the field key as a string of at most 256 bytes. A number or boolean is returned as its JSON
// text, as in sheets. If the field is absent, text returns "". An object, a list, null and a longer string are recorded
// as errors of o; the longer string is still returned.
func (o *jsonObject) text(key string) (s string) {
	v := o.raw(key)
	if v == nil {
		return ""
	}
	switch {
	case v[0] == '[' || v[0] == '{' || v[0] == 'n', v[0] == '"' && json.Unmarshal(v, &s) != nil:
		o.fail(key, "want a string")
		return ""
	case v[0] != '"':
		s = string(v)
	}
	if len(s) > maxNameLength {
		o.fail(key, "it is longer than "+strconv.Itoa(maxNameLength)+" bytes")
	}
	return s
}

// maxNameLength limits the strings of a call in bytes: names, ids and cue numbers.
const maxNameLength = 256

// number returns the value of the field key, a finite number. If room.IsDecibels(key), the field may also be a string
// with the unit, such as "-6dB". number returns nil if the field is absent. It also returns nil for an invalid value,
// and records that as an error of o.
func (o *jsonObject) number(key string) *float64 {
	v := o.raw(key)
	if v == nil {
		return nil
	}
	if v[0] == '"' && room.IsDecibels(key) {
		if x, ok := decibels(v); ok {
			return &x
		}
	}
	x, err := strconv.ParseFloat(string(v), 64)
	switch {
	case v[0] != '-' && (v[0] < '0' || v[0] > '9'):
		o.rejectType(key, v)
		return nil
	case err != nil || math.IsInf(x, 0):
		o.fail(key, "the number is too large")
		return nil
	}
	return &x
}

// cutoff returns the value of the field key, the cutoff frequency of a filter in Hz. The string "off" gives 0. cutoff
// returns nil if the field is absent. It also returns nil for an invalid value, and records that as an error of o.
func (o *jsonObject) cutoff(key string) *float64 {
	if string(o.raw(key)) == `"off"` {
		return new(float64)
	}
	return o.number(key)
}

// decibels parses v, a JSON string that holds a gain with its unit, such as "-6dB". ok is false for any other value,
// also for a number or a string without the unit.
func decibels(v json.RawMessage) (x float64, ok bool) {
	var text string
	if json.Unmarshal(v, &text) != nil {
		return 0, false
	}
	x, unit, ok := words.ParseDecibels(text)
	return x, ok && unit
}

// integer returns the value of the field key, a whole number from -2^53 to 2^53. It returns nil if the field is absent.
// It also returns nil for an invalid value, and records that as an error of o.
func (o *jsonObject) integer(key string) *int64 {
	x := o.number(key)
	if x == nil {
		return nil
	}
	if *x != math.Trunc(*x) || math.Abs(*x) > 1<<53 {
		o.fail(key, "want a whole number")
		return nil
	}
	return new(int64(*x))
}

// boolean returns the value of the field key, true or false. It returns nil if the field is absent. It also returns nil
// for an invalid value, and records that as an error of o.
func (o *jsonObject) boolean(key string) *bool {
	switch v := o.raw(key); string(v) {
	case "":
	case "true", "false":
		return new(string(v) == "true")
	default:
		o.rejectType(key, v)
	}
	return nil
}

// name returns the value of the field key as a string, with the rules of text. An empty string is recorded as an error
// of o. An absent field is not an error and gives "".
func (o *jsonObject) name(key string) string {
	s := o.text(key)
	if s == "" && o.raw(key) != nil {
		o.fail(key, "the name is empty")
	}
	return s
}

// positiveTime returns the value of the field key as a time, with the rules of time. A time of 0 is recorded as an
// error of o. An absent field is not an error and gives nil.
func (o *jsonObject) positiveTime(key string) *time.Duration {
	d := o.time(key)
	if d != nil && *d == 0 {
		o.fail(key, "a time of 0 would be silent; leave it out")
	}
	return d
}

// time returns the value of the field key as a duration. The field is a number of seconds, or a string as in a sheet,
// such as "250ms". time returns nil if the field is absent. It also returns nil for an invalid value, and records that
// as an error of o.
func (o *jsonObject) time(key string) *time.Duration {
	v := o.raw(key)
	if v == nil {
		return nil
	}
	text := string(v)
	if v[0] == '"' {
		text = o.text(key)
	} else if v[0] != '-' && (v[0] < '0' || v[0] > '9') {
		o.fail(key, "want a time: a number of seconds, or a string such as \"250ms\"")
	}
	if o.err != nil {
		return nil
	}
	d, err := duration(text)
	if err != nil {
		o.fail(key, words.OneLine(err.Error()))
		return nil
	}
	return &d
}

// duration parses text, a time as in sheets, such as "250ms". A number without a unit is in seconds. A negative time is
// an error.
func duration(text string) (time.Duration, error) {
	t, err := rules.ParseTime(text)
	return t.Duration(nanoseconds), err
}

// nanoseconds is a sample rate of one frame per nanosecond.
const nanoseconds = 1e9

// orDefault returns *p, or x if p is nil.
func orDefault[T any](p *T, x T) T {
	if p == nil {
		return x
	}
	return *p
}

// orZero returns *p, or the zero value if p is nil.
func orZero[T any](p *T) (x T) { return orDefault(p, x) }

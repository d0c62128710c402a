package effect

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"voicepool/internal/words"
	"voicepool/pcm"
)

// ErrEffect is wrapped by the errors of New and Effect.Set: an unknown kind, an unknown parameter, or a
// value out of range.
var ErrEffect = errors.New("effect: bad value")

// maxValues is the largest number of values of a kind.
const maxValues = 40

// Effect describes an effect: its kind and its values. The zero Effect has no kind. Effects may be copied and
// compared.
type Effect struct {
	ID   string // its name, unique on its bus; "": the name of the kind
	Key  string // for a compressor: the name of the bus whose signal controls it (sidechain); "": its own input
	kind *Kind
	set  [maxValues]float64
}

// Values maps the names of values, as returned by Kind.Path ("time", "bands.1.freq"), to numbers. Times are
// in seconds; a choice is its index in Param.Choices. Values that are not listed keep their defaults.
type Values map[string]float64

// New returns an effect of a kind: "eq", "compressor", "delay", "reverb", "drive" or "width". Control side.
// The error wraps ErrEffect. It suggests the nearest valid name, or states the allowed range.
func New(kind string, values Values) (Effect, error) {
	k := KindOf(kind)
	if k == nil {
		return Effect{}, fmt.Errorf("%w: there is no effect %q; the nearest is %q", ErrEffect, kind, words.Nearest(kind, Names()))
	}
	e := Effect{kind: k}
	for i := range k.Len() {
		e.set[i] = k.Param(i).Default
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if err := e.Set(name, values[name]); err != nil {
			return Effect{}, err
		}
	}
	return e, nil
}

// Kind returns the kind of the effect; nil for the zero Effect.
func (e *Effect) Kind() *Kind { return e.kind }

// Name returns ID, or the name of the kind if ID is empty.
func (e *Effect) Name() string {
	switch {
	case e.ID != "":
		return e.ID
	case e.kind == nil:
		return ""
	}
	return e.kind.Name
}

// String returns Name.
func (e Effect) String() string { return e.Name() }

// Set changes one value of the effect. name is its name as in Values, and the parameter to is the new value. Existing
// Processors do not change. Control side. The error wraps ErrEffect. On an error all values stay unchanged.
func (e *Effect) Set(name string, to float64) error {
	if e.kind == nil {
		return fmt.Errorf("%w: the zero Effect has no values", ErrEffect)
	}
	i := e.kind.Find(name)
	if i < 0 {
		return fmt.Errorf("%w: %s has no %q; the nearest is %q", ErrEffect, e.kind.Name, name, words.Nearest(name, e.kind.paths()))
	}
	p := e.kind.Param(i)
	if !p.Allows(to) {
		if p.Choices != nil {
			return fmt.Errorf("%w: %s of %s is %s, it takes %s", ErrEffect, name, e.kind.Name, formatNumber(to), p.Range())
		}
		off := ""
		if p.Off {
			off = "; 0 is off"
		}
		return fmt.Errorf("%w: %s: %w%s", ErrEffect, e.kind.Name, &pcm.RangeError{Name: name, Value: to, Min: p.From, Max: p.To, Unit: string(p.Unit)}, off)
	}
	e.set[i] = to
	return nil
}

// Value returns the value at an index, which Kind.Find returns for a name. A time is in seconds, a choice is its
// index.
func (e *Effect) Value(i int) float64 { return e.set[i] }

// Tail returns an upper bound of the tail, in frames. The tail is the time after the end of a full-scale input until
// the output stays below -90 dBFS. rate is the sample rate in Hz. moves lists values that may be set later with
// Processor.Set: the bound also holds after any of these changes, in any combination. For the zero Effect the result
// is 0.
func (e *Effect) Tail(rate int, moves []Values) int64 {
	if e.kind == nil {
		return 0
	}
	v := e.set
	longest := e.kind.tail(v[:e.kind.Len()], rate)
	for range 2 { // a tail is monotonic in each value, regardless of the others
		for i := range e.kind.Len() {
			for _, move := range moves {
				x, ok := move[e.kind.Path(i)]
				if !ok {
					continue
				}
				previous := v[i]
				v[i] = x
				if n := e.kind.tail(v[:e.kind.Len()], rate); n > longest {
					longest = n
				} else {
					v[i] = previous
				}
			}
		}
	}
	return longest
}

// Allows reports whether the parameter accepts x: a value From..To, 0 if it can be off, or the index of a choice. It
// does not accept NaN.
func (p *Param) Allows(x float64) bool {
	switch {
	case p.Off && x == 0:
		return true
	case p.Choices != nil && x != float64(int(x)):
		return false
	}
	return x >= p.From && x <= p.To
}

// Range describes the allowed values in English: "20 to 20000 Hz, or off".
func (p *Param) Range() string {
	switch {
	case len(p.Choices) == len(onOff):
		return "true or false"
	case p.Choices != nil:
		return strings.Join(p.Choices, ", ")
	}
	text := formatNumber(p.From) + " to " + formatNumber(p.To)
	if p.Unit != None {
		text += " " + string(p.Unit)
	}
	if p.Off {
		text += ", or off"
	}
	return text
}

// Spell formats x, which Allows must accept, as it is written in cue sheets: 350ms, off, true, peak.
func (p *Param) Spell(x float64) string {
	switch {
	case len(p.Choices) == len(onOff):
		return strconv.FormatBool(x != 0)
	case p.Choices != nil:
		return p.Choices[int(x)]
	case p.Off && x == 0:
		return "off"
	case p.Unit == Seconds:
		return formatTime(x)
	}
	return formatNumber(x)
}

// formatTime formats x seconds as text that parses to the same number: in ms below a second if that is exact,
// otherwise in s.
func formatTime(x float64) string {
	ms := strconv.FormatFloat(x*1000, 'f', 9, 64)
	ms = strings.TrimSuffix(strings.TrimRight(ms, "0"), ".")
	if back, err := strconv.ParseFloat(ms, 64); err == nil && x < 1 && back/1000 == x && x != 0 {
		return ms + "ms"
	}
	s := strconv.FormatFloat(x, 'f', -1, 64)
	if _, decimals, _ := strings.Cut(s, "."); len(decimals) > 18 { // the maximum in a sheet
		s = strconv.FormatFloat(x, 'f', 18, 64)
	}
	return s + "s"
}

// formatNumber returns the shortest text of a number.
func formatNumber(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

package effect

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"voicepool/internal/words"
)

// ErrEffect is wrapped by the errors of New and Set: an unknown kind or parameter, or a value that is
// out of range.
var ErrEffect = errors.New("effect: bad value")

// maxValues is as many as any kind has.
const maxValues = 40

// Effect is an effect as it is described: its kind and its values. The zero Effect is none. Effects
// may be copied and compared.
type Effect struct {
	ID   string // what it is called on its bus; "": as its kind is
	Key  string // of a compressor: the bus whose level counts; "": its own
	kind *Kind
	set  [maxValues]float64
}

// Values are values by their names, as Kind.Path has them: "time", "bands.1.freq". Times are in
// seconds, a choice is the place of one of Param.Choices. What is not named keeps its default.
type Values map[string]float64

// New returns an effect of a kind. Control side. The error wraps ErrEffect and names the nearest kind or
// parameter, or the range.
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

// Kind returns what it is; nil for the zero Effect.
func (e *Effect) Kind() *Kind { return e.kind }

// Name returns what it is called on its bus.
func (e *Effect) Name() string {
	switch {
	case e.ID != "":
		return e.ID
	case e.kind == nil:
		return ""
	}
	return e.kind.Name
}

// Set sets one value. Control side. The error wraps ErrEffect and names the nearest parameter, or the
// range; then nothing has changed.
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
		return fmt.Errorf("%w: %s of %s is %s, it takes %s", ErrEffect, name, e.kind.Name, short(to), p.Range())
	}
	e.set[i] = to
	return nil
}

// Value returns a value by its place, see Kind.Find.
func (e *Effect) Value(i int) float64 { return e.set[i] }

// Tail returns for how many frames of a rate the effect rings at most, louder than -90 dBFS, after an
// input of full scale has ended, whichever of some moves have been made.
func (e *Effect) Tail(rate int, moves []Values) int64 {
	if e.kind == nil {
		return 0
	}
	v := e.set
	longest := e.kind.tail(v[:e.kind.Len()], rate)
	for range 2 { // a tail grows or falls with each value, whatever the others are
		for i := range e.kind.Len() {
			for _, move := range moves {
				x, ok := move[e.kind.Path(i)]
				if !ok {
					continue
				}
				was := v[i]
				v[i] = x
				if n := e.kind.tail(v[:e.kind.Len()], rate); n > longest {
					longest = n
				} else {
					v[i] = was
				}
			}
		}
	}
	return longest
}

// Allows reports whether a value is in range; NaN is not.
func (p *Param) Allows(x float64) bool {
	switch {
	case p.Off && x == 0:
		return true
	case p.Choices != nil && x != float64(int(x)):
		return false
	}
	return x >= p.From && x <= p.To
}

// Range says what a value may be: "20 to 20000 Hz, or off".
func (p *Param) Range() string {
	switch {
	case len(p.Choices) == len(onOff):
		return "true or false"
	case p.Choices != nil:
		return strings.Join(p.Choices, ", ")
	}
	text := short(p.From) + " to " + short(p.To)
	if p.Unit != None {
		text += " " + string(p.Unit)
	}
	if p.Off {
		text += ", or off"
	}
	return text
}

// Spell returns a value as sheets have it: 350ms, off, true, peak.
func (p *Param) Spell(x float64) string {
	switch {
	case len(p.Choices) == len(onOff):
		return strconv.FormatBool(x != 0)
	case p.Choices != nil:
		return p.Choices[int(x)]
	case p.Off && x == 0:
		return "off"
	case p.Unit == Seconds:
		return spellTime(x)
	}
	return short(x)
}

// spellTime spells a time in seconds, which reads as the same number.
func spellTime(x float64) string {
	ms := strconv.FormatFloat(x*1000, 'f', 9, 64)
	ms = strings.TrimSuffix(strings.TrimRight(ms, "0"), ".")
	if back, err := strconv.ParseFloat(ms, 64); err == nil && x < 1 && back/1000 == x && x != 0 {
		return ms + "ms"
	}
	s := strconv.FormatFloat(x, 'f', -1, 64)
	if _, decimals, _ := strings.Cut(s, "."); len(decimals) > 18 { // more than a sheet takes
		s = strconv.FormatFloat(x, 'f', 18, 64)
	}
	return s + "s"
}

// short spells a number as people do.
func short(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

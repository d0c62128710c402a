package expect

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"voicepool/bank/rules"
	"voicepool/internal/listening"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/yaml"
	"voicepool/internal/words"
	"voicepool/pcm"
)

// split splits the value of p. A single value is the value of first. "1 ± 0.5", also with "+-" or "+/-", gives the
// value and its tolerance; the key of second is then "the tolerance of KEY", for messages. "[1, 2]" gives both ends. If
// a list does not have two items, split records an error in r, and ok is false.
func split(r *fields.Reader, p *yaml.Pair) (first, second yaml.Pair, form form, ok bool) {
	first, second = *p, *p
	if n := p.Value; n.Kind == yaml.List {
		if len(n.Items) != 2 {
			r.Fail(n.Position, "a range of %s is [least, most], not a list of %d", p.Key, len(n.Items))
			return first, second, form, false
		}
		first.Value, second.Value = n.Items[0], n.Items[1]
		return first, second, ends, true
	}
	for _, sign := range []string{"±", "+/-", "+-"} {
		if value, tolerance, ok := strings.Cut(p.Value.Text, sign); ok && p.Value.Kind == yaml.Scalar {
			part := func(text string) *yaml.Node {
				return &yaml.Node{Position: p.Value.Position, Kind: yaml.Scalar, Text: strings.TrimSpace(text)}
			}
			first.Value, second.Value = part(value), part(tolerance)
			second.Key = "the tolerance of " + p.Key
			return first, second, tolerant, true
		}
	}
	return first, second, single, true
}

// form is the form of a value in a rule.
type form uint8

const (
	single   form = iota // a value
	tolerant             // a value with its tolerance
	ends                 // a range
)

// tolerantShape returns the schema of a value that split understands. of is the schema of one number or time.
func tolerantShape(of fields.Schema) fields.Schema {
	return fields.Schema{"anyOf": []fields.Schema{
		of, {"type": "string", "minLength": 1}, {"type": "array", "items": of, "minItems": 2, "maxItems": 2},
	}}
}

// window is a range of times, with both ends.
type window struct {
	from, to rules.Time
	text     string // for messages: "1s ± 10ms", "from 1s to 2s"
	set      bool
	centred  bool // from is the centre, and to the tolerance
}

// defaultTolerance is the tolerance of times without one, as in a file.
const defaultTolerance = "10ms"

// Read parses the value of p into w and reports whether it is valid. If not, it records an error.
func (w *window) Read(r *fields.Reader, p *yaml.Pair, within fields.Limits) bool {
	first, second, form, ok := split(r, p)
	if ok && form == single {
		second.Value = &yaml.Node{Kind: yaml.Scalar, Text: defaultTolerance}
	}
	if !ok || !r.Value(&first, &fields.Field{To: &w.from}) || !r.Value(&second, &fields.Field{To: &w.to}) {
		return false
	}
	w.text, w.set, w.centred = first.Value.Text+" ± "+second.Value.Text, true, form != ends
	if form == ends {
		w.text = "from " + first.Value.Text + " to " + second.Value.Text
		if w.from.Compare(w.to) > 0 {
			r.Fail(p.Value.Position, "a range of %s is [first, last]; here the first is later", p.Key)
			return false
		}
	}
	return true
}

// Text returns "", because rules are never written.
func (w *window) Text() (string, bool) { return "", false }

// Schema returns the schema of a time, of a time with a tolerance, and of a range.
func (w *window) Schema(fields.Limits) fields.Schema {
	return tolerantShape(fields.Schema{"type": []string{"number", "string"}})
}

// frames returns the range in frames at rate, relative to the frame zero, with both ends.
func (w *window) frames(rate int, zero int64) (from, to int64) {
	from, to = w.from.Frames(rate), w.to.Frames(rate)
	if w.centred {
		from, to = from-to, from+to
	}
	return zero + from, zero + min(to, math.MaxInt64-max(zero, 0))
}

// interval is a window that must be a range with two different ends.
type interval struct{ *window }

// Read parses the value of p, two different times in ascending order. If it is invalid, Read records an error and
// returns false.
func (d *interval) Read(r *fields.Reader, p *yaml.Pair, within fields.Limits) bool {
	if p.Value.Kind != yaml.List {
		r.Fail(p.Value.Position, "%s takes two times, such as [1s, 2s], not %s", p.Key, p.Value.Kind)
		return false
	}
	if !d.window.Read(r, p, within) {
		return false
	}
	if d.from.Compare(d.to) == 0 {
		r.Fail(p.Value.Position, "%s takes two times, such as [1s, 2s]; these are equal", p.Key)
		return false
	}
	return true
}

// Schema returns the schema of a range of times.
func (d *interval) Schema(fields.Limits) fields.Schema {
	return fields.Schema{"type": "array", "items": fields.Schema{"type": []string{"number", "string"}}, "minItems": 2, "maxItems": 2}
}

// span is a range of numbers, with both ends.
type span struct {
	least, most float64
	text        string // for messages: "-20 ± 1 dB", "2 to 4"
	set         bool

	tolerance float64 // of a number without a tolerance
	unit      string  // for messages
	whole     bool    // only whole numbers
	atMost    bool    // a number without a tolerance is the largest
}

// Read parses the value of p into s and reports whether it is valid. If not, it records an error.
func (s *span) Read(r *fields.Reader, p *yaml.Pair, within fields.Limits) bool {
	first, second, form, ok := split(r, p)
	if !ok {
		return false
	}
	a, b := 0.0, s.tolerance
	if !s.number(r, &first, &a, within) {
		return false
	}
	limits := within
	if form == tolerant {
		limits.From, limits.To = 0, within.To-within.From
	}
	if form != single && !s.number(r, &second, &b, limits) {
		return false
	}
	name := func(x float64) string { return fields.Shortest(x) }
	s.set = true
	switch {
	case form == ends && a > b:
		r.Fail(p.Value.Position, "a range of %s is [least, most]; here the first is larger", p.Key)
		return false
	case form == ends:
		s.least, s.most, s.text = a, b, name(a)+" to "+name(b)+s.unit
	case form == single && s.atMost:
		s.least, s.most, s.text = math.Inf(-1), a, "at most "+name(a)+s.unit
	case b == 0:
		s.least, s.most, s.text = a, a, name(a)+s.unit
	default:
		s.least, s.most, s.text = a-b, a+b, name(a)+" ± "+name(b)+s.unit
	}
	return true
}

// number parses the value of p into *to.
func (s *span) number(r *fields.Reader, p *yaml.Pair, to *float64, within fields.Limits) bool {
	if !s.whole {
		return r.Value(p, &fields.Field{To: to, Within: within})
	}
	n, ok := r.Whole(p, int64(within.From), int64(within.To))
	*to = float64(n)
	return ok
}

// Text returns "", because rules are never written.
func (s *span) Text() (string, bool) { return "", false }

// Schema returns the schema of a number, of a number with a tolerance, and of a range.
func (s *span) Schema(within fields.Limits) fields.Schema {
	kind := "number"
	if s.whole {
		kind = "integer"
	}
	return tolerantShape(fields.Schema{"type": kind, "minimum": within.From, "maximum": within.To})
}

// contains reports whether x is in the range. A billionth is allowed for rounding.
func (s *span) contains(x float64) bool { return x >= s.least-1e-9 && x <= s.most+1e-9 }

// side is the side of a sound: a word, or a range of pans.
type side struct {
	span
	word string // left, right, center; "": a range
}

// Read parses the value of p into s and reports whether it is valid. If not, it records an error.
func (s *side) Read(r *fields.Reader, p *yaml.Pair, within fields.Limits) bool {
	switch text := p.Value.Text; {
	case p.Value.Kind != yaml.Scalar:
	case text == "left", text == "right", text == "center":
		s.word, s.text = text, text
		return true
	case !strings.ContainsAny(text, "0123456789"):
		hint := r.Suggest(text, func() []string { return []string{"left", "right", "center"} })
		r.Fail(p.Value.Position, "side takes left, right, center or a pan from -1 to 1, not %s%s", yaml.Quote(text), hint)
		return false
	}
	return s.span.Read(r, p, within)
}

// Schema returns the schema of span, which allows any string. Read checks the words.
func (s *side) Schema(within fields.Limits) fields.Schema { return s.span.Schema(within) }

// check compares s with the mean squares of left and right. It returns "" if they agree, and otherwise their levels.
func (s *side) check(left, right float64) string {
	l, r, pan := float64(pcm.FromPower(left)), float64(pcm.FromPower(right)), listening.Pan(left, right)
	if left == 0 && right == 0 {
		return "the mix is silent"
	}
	d, ok := l-r, false
	switch s.word {
	case "left":
		ok = d > listening.SideThreshold
	case "right":
		ok = d < -listening.SideThreshold
	case "center":
		ok = math.Abs(d) <= listening.SideThreshold
	default:
		ok = s.contains(pan)
	}
	if ok {
		return ""
	}
	return fmt.Sprintf("left has %s dB and right %s dB, a pan of %.2f", words.Level(l), words.Level(r), pan)
}

// levelOutside formats a level in dB that s does not contain. If one decimal would look as if s contained it, the text
// has four.
func (s *span) levelOutside(db float64) string {
	if s.contains(math.Round(db*10) / 10) {
		return strconv.FormatFloat(db, 'f', 4, 64)
	}
	return words.Level(db)
}

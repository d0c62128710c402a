package parse

import (
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/yaml"
)

// cutoff is a destination for the cutoff of a filter, in Hz; 0: off.
type cutoff struct{ to *float64 }

// Cutoff returns a destination that parses the cutoff of a filter into *to: a number of Hz, or off as 0.
func Cutoff(to *float64) fields.Value { return cutoff{to} }

// Read parses the value of p, a number of Hz within the limits, or off as 0, into *c.to and reports whether it is
// valid. If not, it records an error.
func (c cutoff) Read(r *fields.Reader, p *yaml.Pair, within fields.Limits) bool {
	if p.Value.Kind == yaml.Scalar && p.Value.Text == "off" {
		*c.to = 0
		return true
	}
	return r.Value(p, &fields.Field{To: c.to, Within: within})
}

// Text returns the number of Hz and true, or off and false.
func (c cutoff) Text() (string, bool) {
	if *c.to == 0 {
		return "off", false
	}
	return fields.Shortest(*c.to), true
}

// Schema returns the schema of a number or off.
func (c cutoff) Schema(within fields.Limits) fields.Schema {
	number := fields.Schema{"type": "number", "minimum": within.From, "maximum": within.To}
	return fields.Schema{"anyOf": []fields.Schema{number, {"enum": []string{"off"}}}}
}

package parse

import (
	"strings"

	"voicepool/bank/rules"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/yaml"
)

const maxGroup = 1 << 20 // names in a group

// LoadKeys lists the keys of a file that are about loading. They are invalid in a file with cues.
var LoadKeys = []string{"groups", "preload", "memory"}

// parseLoadGroups parses n, the mapping of all load groups, into the rules. Errors are recorded. The sounds and the
// music must have been parsed before.
func (r *Reader) parseLoadGroups(n *yaml.Node) {
	known := map[string]bool{}
	for name, i := range r.Sounds {
		if r.rules.Sounds[i].Listed { // not the sound of a segment
			known[name] = true
		}
	}
	for i := range r.rules.Music {
		known[r.rules.Music[i].Name] = true
	}
	r.Named(n, "groups", func(p *yaml.Pair) {
		if p.Value.Kind != yaml.List || len(p.Value.Items) > maxGroup {
			r.Fail(p.Value.Position, "a group is a list of at most %d sounds and themes, such as [step, forest]", maxGroup)
			return
		}
		g := rules.LoadGroup{Line: p.Line, Column: p.Column, Name: p.Key, Sounds: make([]string, len(p.Value.Items))}
		for i, item := range p.Value.Items {
			one := yaml.Pair{Key: p.Key, Position: p.Position, Value: item}
			r.Value(&one, &fields.Field{To: fields.Name{To: &g.Sounds[i], Kind: "sound or theme", Known: known}})
		}
		r.rules.LoadGroups = append(r.rules.LoadGroups, g)
	})
}

// memory is a destination for a size in bytes, such as 64MB.
type memory int64

// Read parses the value of p into *m and reports whether it is valid. If not, it records an error.
func (m *memory) Read(r *fields.Reader, p *yaml.Pair, _ fields.Limits) bool {
	if number, ok := strings.CutSuffix(p.Value.Text, "MB"); ok && p.Value.Kind == yaml.Scalar {
		if n, ok := fields.ParseWhole(strings.TrimSuffix(number, " "), 1, 1<<20); ok {
			*m = memory(n * 1e6)
			return true
		}
	}
	return r.RejectValue(p, "1 to 1048576 MB, such as 64MB")
}

// Text returns "" and false, because rules about loading are never written.
func (m *memory) Text() (string, bool) { return "", false }

// Schema returns the schema of a size.
func (m *memory) Schema(fields.Limits) fields.Schema {
	return fields.Schema{"type": "string", "pattern": "^[1-9][0-9]* ?MB$"}
}

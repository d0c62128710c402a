package parse

import (
	"fmt"

	"voicepool/bank/rules"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/yaml"
	"voicepool/mixer"
)

// limit is a destination for a number of voices, or {voices, per, full}.
type limit rules.Limit

// Read parses the value of p, a number of voices or a mapping, into l and reports whether it is valid. It records
// errors. Inside a mapping, only a missing `voices` makes the result false.
func (l *limit) Read(r *fields.Reader, p *yaml.Pair, _ fields.Limits) bool {
	if p.Value.Kind != yaml.Mapping {
		return r.Value(p, &fields.Field{To: &l.Voices, Within: Counts})
	}
	var counted limitScope
	r.Read(p.Value, "limit", l.fields(&counted))
	l.PerOwner = counted == perOwner
	if fields.Missing(p.Value, "voices") {
		r.Fail(p.Position, "limit needs `voices`, the largest number at once")
		return false
	}
	return true
}

// fields returns the fields of the mapping, which parse into l, except `per`, which is parsed into limitScope.
func (l *limit) fields(counted *limitScope) []fields.Field {
	return []fields.Field{
		{Key: "voices", To: &l.Voices, Within: Counts},
		{Key: "per", To: fields.Choice(counted, perSound, perOwner)},
		{Key: "full", To: fields.Choice(&l.Full, mixer.StealQuietest, mixer.StealOldest, mixer.Reject)},
	}
}

// Schema returns the schema of a number or the mapping.
func (l *limit) Schema(fields.Limits) fields.Schema {
	number := fields.Schema{"type": "integer", "minimum": Counts.From, "maximum": Counts.To}
	mapping := fields.Mapping{Fields: l.fields(new(limitScope)), Required: []string{"voices"}}
	return fields.Schema{"anyOf": []fields.Schema{number, mapping.Schema(fields.Limits{})}}
}

// Text returns the number of voices, or the mapping if the limit has other values, and whether there is a limit.
func (l *limit) Text() (string, bool) {
	number := fmt.Sprint(l.Voices)
	if !l.PerOwner && l.Full == mixer.StealQuietest {
		return number, l.Voices != 0
	}
	text := "{voices: " + number
	if l.PerOwner {
		text += ", per: owner"
	}
	return text + fmt.Sprintf(", full: %v}", l.Full), l.Voices != 0
}

// limitScope selects whether a limit applies per sound or per owner.
type limitScope bool

const (
	perSound limitScope = false
	perOwner limitScope = true
)

// String returns the word of the key `per` in a file: owner or sound.
func (p limitScope) String() string {
	if p == perOwner {
		return "owner"
	}
	return "sound"
}

package parse

import (
	"slices"
	"strings"

	"voicepool/bank/rules"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/yaml"
	"voicepool/internal/words"
	"voicepool/mixer"
	"voicepool/pcm"
)

// sendsField returns the field `sends` of a bus, parsed by read. nil is enough for the schema.
func sendsField(read func(*yaml.Pair) bool) fields.Field {
	return fields.Field{Key: "sends", To: read, Shape: sendsShape()}
}

// sendsShape returns the shape of sends: a mapping from buses to a gain, or to a mapping with gain and pre.
func sendsShape() fields.Names {
	long := fields.Mapping{Fields: sendFields(&mixer.Send{}), Required: []string{"gain"}}
	return fields.Names{Of: fields.Either{sendGain(), long}}
}

// SendMovesField returns the field `sends` with new gains of sends, parsed by read.
func SendMovesField(read func(*yaml.Pair) bool) fields.Field {
	return fields.Field{Key: "sends", To: read, Shape: fields.Names{Of: sendGain()}}
}

// sendGain returns the shape of the gain of a send.
func sendGain() fields.Shape {
	return fields.Ranged{Of: new(pcm.Decibels), Within: Decibels}
}

// sendFields returns the fields of a send in its long form, which parse into s.
func sendFields(s *mixer.Send) []fields.Field {
	return []fields.Field{
		{Key: "gain", To: &s.Gain, Within: Decibels},
		{Key: "pre", To: &s.Pre},
	}
}

// parseSends parses the sends of bus from p, a mapping from buses to gains or mappings, and appends the valid ones to
// *to. It records errors and always returns true.
func (r *Reader) parseSends(p *yaml.Pair, bus string, to *[]mixer.Send) bool {
	r.Named(p.Value, "sends", func(p *yaml.Pair) {
		s := mixer.Send{To: p.Key}
		if r.checkSendTarget(p, bus) && parseSend(&r.Reader, p, &s, true) {
			*to = append(*to, s)
		}
	})
	return true
}

// parseSend parses the value of p into s: the gain of a send, or, if more is true, also a mapping. It records errors
// in r. The result is false if a plain gain is invalid, but true for any mapping.
func parseSend(r *fields.Reader, p *yaml.Pair, s *mixer.Send, more bool) bool {
	if !more || p.Value.Kind != yaml.Mapping {
		return r.Value(p, &fields.Field{Key: p.Key, To: &s.Gain, Within: Decibels})
	}
	r.Read(p.Value, "a send", sendFields(s))
	if fields.Missing(p.Value, "gain") {
		r.Fail(p.Position, "a send needs `gain`, such as {%s: {gain: -12, pre: true}}", p.Key)
		return true
	}
	return true
}

// checkSendTarget reports whether bus may send to the bus that the key of p names: another known bus, not the master.
// If not, it records an error.
func (r *Reader) checkSendTarget(p *yaml.Pair, bus string) bool {
	switch {
	case p.Key == "master" || r.isMaster(p.Key):
		r.Fail(p.Position, "sends: the master has all buses already; name another bus")
	case p.Key == bus:
		r.Fail(p.Position, "sends: a bus cannot send to itself")
	case !r.Buses[p.Key]:
		r.Fail(p.Position, "sends: there is no bus %s%s", yaml.Quote(p.Key), r.Suggest(p.Key, func() []string { return fields.Sorted(r.Buses) }))
	default:
		return true
	}
	return false
}

// SendMoves parses new gains for the sends of bus from p, in a scene or a cue, and appends them to *to. It records
// errors, also for a send that the bus lacks.
func (r *Reader) SendMoves(p *yaml.Pair, bus string, to *[]mixer.Send) {
	existing := r.SendsOf(bus)
	r.Named(p.Value, "sends", func(p *yaml.Pair) {
		if !slices.ContainsFunc(existing, func(s mixer.Send) bool { return s.To == p.Key }) {
			why := "the bus has no sends"
			if len(existing) > 0 {
				why = "it sends to " + strings.Join(words.Names(existing, func(s *mixer.Send) string { return s.To }), ", ")
			}
			r.Fail(p.Position, "sends: bus %s does not send to %s; %s", yaml.Quote(bus), yaml.Quote(p.Key), why)
			return
		}
		s := mixer.Send{To: p.Key}
		if r.Value(p, &fields.Field{To: &s.Gain, Within: Decibels}) {
			*to = append(*to, s)
		}
	})
}

// SendsOf returns the sends of the bus called bus, which share memory with the rules. It is nil if the bus is
// unknown.
func (r *Reader) SendsOf(bus string) []mixer.Send {
	if i := slices.IndexFunc(r.rules.Buses, func(b rules.Bus) bool { return b.Name == bus }); i >= 0 {
		return r.rules.Buses[i].Sends
	}
	return nil
}

// WriteSends formats all, the sends of a bus or voice, as the mapping of a file.
func WriteSends(all []mixer.Send) string {
	var line fields.Line
	for _, s := range all {
		gain := fields.Shortest(float64(s.Gain))
		if s.Pre {
			gain = "{gain: " + gain + ", pre: true}"
		}
		line.Raw(fields.Quoted(s.To), gain)
	}
	return "{" + line.String() + "}"
}

// voiceSends is a destination for the sends of a voice.
type voiceSends struct {
	to    *[]mixer.Send
	known map[string]bool
	more  bool
}

// VoiceSends returns a destination that parses the sends of a sound or start into *to. known contains the names of
// the buses. If more is false, only plain gains are valid.
func VoiceSends(to *[]mixer.Send, known map[string]bool, more bool) fields.Value {
	return voiceSends{to, known, more}
}

// Read replaces *v.to by the valid sends in the mapping of p and reports whether all are valid. It records errors,
// also for more sends than a voice may have.
func (v voiceSends) Read(r *fields.Reader, p *yaml.Pair, _ fields.Limits) bool {
	*v.to = nil
	if n := len(p.Value.Pairs); p.Value.Kind == yaml.Mapping && n > mixer.VoiceSends {
		r.Fail(p.Value.Position, "sends has %d entries; a voice sends to at most %d buses", n, mixer.VoiceSends)
		return false
	}
	good := p.Value.Kind == yaml.Mapping
	r.Named(p.Value, "sends", func(p *yaml.Pair) {
		s := mixer.Send{To: p.Key}
		switch {
		case p.Key == "master":
			r.Fail(p.Position, "sends: the master has all voices already; name another bus")
		case !v.known[p.Key]:
			r.Fail(p.Position, "sends: there is no bus %s%s", yaml.Quote(p.Key), r.Suggest(p.Key, func() []string { return fields.Sorted(v.known) }))
		case parseSend(r, p, &s, v.more):
			*v.to = append(*v.to, s)
			return
		}
		good = false
	})
	return good
}

// Text returns the sends in the format of a file, and whether there are any.
func (v voiceSends) Text() (string, bool) { return WriteSends(*v.to), len(*v.to) > 0 }

// Schema returns the schema of a mapping from buses to gains or mappings.
func (v voiceSends) Schema(fields.Limits) fields.Schema { return sendsShape().Schema(Decibels) }

// CheckSendTargets records an error for each element of sends that leads to bus, which the voice of the sends plays on,
// or to the master. The node n is the mapping with the key `sends`. The error is at the key, or at n if the key is
// missing.
func (r *Reader) CheckSendTargets(n *yaml.Node, sends []mixer.Send, bus string) {
	at := n.Position
	if p := fields.Find(n, "sends"); p != nil {
		at = p.Position
	}
	for _, s := range sends {
		switch {
		case s.To == bus:
			r.Fail(at, "sends: the voice plays on the bus %s already; name another bus", yaml.Quote(bus))
		case r.isMaster(s.To):
			r.Fail(at, "sends: %s is the master, which has all voices already; name another bus", yaml.Quote(s.To))
		}
	}
}

package parse

import (
	"slices"
	"strings"

	"voicepool/bank/rules"
	"voicepool/internal/fields"
	"voicepool/internal/yaml"
	"voicepool/mixer"
	"voicepool/pcm"
)

// sendsField is the field of the sends of a bus, which a function reads.
func sendsField(read func(*yaml.Pair) bool) fields.Field {
	return fields.Field{Key: "sends", To: read, Like: sendsShape()}
}

// sendsShape is what sends look like: gains, or more of each.
func sendsShape() fields.Names {
	long := fields.Mapping{Fields: sendFields(&mixer.Send{}), Needs: []string{"gain"}}
	return fields.Names{Of: fields.Either{sendGain(), long}}
}

// SendMoves is the field in which gains of sends are moved.
func SendMoves(read func(*yaml.Pair) bool) fields.Field {
	return fields.Field{Key: "sends", To: read, Like: fields.Names{Of: sendGain()}}
}

// sendGain is what a gain of a send looks like.
func sendGain() fields.Shape {
	return fields.Ranged{Of: new(pcm.Decibels), Within: Decibels}
}

func sendFields(s *mixer.Send) []fields.Field {
	return []fields.Field{
		{Key: "gain", To: &s.Gain, Within: Decibels},
		{Key: "pre", To: &s.Pre},
	}
}

// sends reads the sends of a bus: gains by the buses to which they lead, or more of each.
func (r *Reader) sends(p *yaml.Pair, bus string, to *[]mixer.Send) bool {
	r.Named(p.Value, "sends", func(p *yaml.Pair) {
		s := mixer.Send{To: p.Key}
		if r.sendTo(p, bus) && readSend(&r.Reader, p, &s, true) {
			*to = append(*to, s)
		}
	})
	return true
}

// readSend reads a send: its gain, or, where there may be more, more of it.
func readSend(r *fields.Reader, p *yaml.Pair, s *mixer.Send, more bool) bool {
	if !more || p.Value.Kind != yaml.Mapping {
		return r.Value(p, &fields.Field{Key: p.Key, To: &s.Gain, Within: Decibels})
	}
	r.Read(p.Value, "a send", sendFields(s))
	if fields.Missing(p.Value, "gain") {
		r.Fail(p.Place, "a send needs `gain`, such as {%s: {gain: -12, pre: true}}", p.Key)
		return true
	}
	return true
}

// sendTo reports whether there is a bus to which another one can send.
func (r *Reader) sendTo(p *yaml.Pair, bus string) bool {
	switch {
	case p.Key == "master" || r.isMaster(p.Key):
		r.Fail(p.Place, "sends: all buses come to the master; name another bus")
	case p.Key == bus:
		r.Fail(p.Place, "sends: a bus cannot send to itself")
	case !r.Buses[p.Key]:
		r.Fail(p.Place, "sends: there is no bus %s%s", yaml.Quote(p.Key), r.Suggest(p.Key, func() []string { return fields.Sorted(r.Buses) }))
	default:
		return true
	}
	return false
}

// SendMoves reads gains of sends that move, of a bus that has some: of a scene or a cue.
func (r *Reader) SendMoves(p *yaml.Pair, bus string, to *[]mixer.Send) {
	has := r.SendsOf(bus)
	r.Named(p.Value, "sends", func(p *yaml.Pair) {
		if !slices.ContainsFunc(has, func(s mixer.Send) bool { return s.To == p.Key }) {
			why := "it has none"
			if len(has) > 0 {
				var names []string
				for _, s := range has {
					names = append(names, s.To)
				}
				why = "it sends to " + strings.Join(names, ", ")
			}
			r.Fail(p.Place, "sends: bus %s does not send to %s; %s", yaml.Quote(bus), yaml.Quote(p.Key), why)
			return
		}
		s := mixer.Send{To: p.Key}
		if r.Value(p, &fields.Field{To: &s.Gain, Within: Decibels}) {
			*to = append(*to, s)
		}
	})
}

// SendsOf returns the sends of a bus.
func (r *Reader) SendsOf(bus string) []mixer.Send {
	if i := slices.IndexFunc(r.rules.Buses, func(b rules.Bus) bool { return b.Name == bus }); i >= 0 {
		return r.rules.Buses[i].Sends
	}
	return nil
}

// WriteSends spells sends as a file has them.
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

// voiceSends are the sends of a voice, by the buses to which they lead.
type voiceSends struct {
	to    *[]mixer.Send
	known map[string]bool
	more  bool
}

// VoiceSends is a place for the sends of a sound or a start, or, without more, for gains of them. known
// are the buses.
func VoiceSends(to *[]mixer.Send, known map[string]bool, more bool) fields.Value {
	return voiceSends{to, known, more}
}

// Read reads them.
func (v voiceSends) Read(r *fields.Reader, p *yaml.Pair, _ fields.Limits) bool {
	*v.to = nil
	if n := len(p.Value.Pairs); p.Value.Kind == yaml.Mapping && n > mixer.VoiceSends {
		r.Fail(p.Value.Place, "sends has %d entries; a voice sends to at most %d buses", n, mixer.VoiceSends)
		return false
	}
	good := p.Value.Kind == yaml.Mapping
	r.Named(p.Value, "sends", func(p *yaml.Pair) {
		s := mixer.Send{To: p.Key}
		switch {
		case p.Key == "master":
			r.Fail(p.Place, "sends: all voices come to the master; name another bus")
		case !v.known[p.Key]:
			r.Fail(p.Place, "sends: there is no bus %s%s", yaml.Quote(p.Key), r.Suggest(p.Key, func() []string { return fields.Sorted(v.known) }))
		case readSend(r, p, &s, v.more):
			*v.to = append(*v.to, s)
			return
		}
		good = false
	})
	return good
}

// Text returns them as a file has them.
func (v voiceSends) Text() (string, bool) { return WriteSends(*v.to), len(*v.to) > 0 }

// Schema returns gains, or more, by the names of buses.
func (v voiceSends) Schema(fields.Limits) fields.Schema { return sendsShape().Schema(Decibels) }

// SendsHome reports a voice that sends to the bus that it is on, or to the first output, which is the
// master: where it says so, or what is at n.
func (r *Reader) SendsHome(n *yaml.Node, sends []mixer.Send, bus string) {
	at := n.Place
	if p := fields.Given(n, "sends"); p != nil {
		at = p.Place
	}
	for _, s := range sends {
		switch {
		case s.To == bus:
			r.Fail(at, "sends: the voice is on the bus %s itself", yaml.Quote(bus))
		case r.isMaster(s.To):
			r.Fail(at, "sends: %s is the master, to which all voices come; name another bus", yaml.Quote(s.To))
		}
	}
}

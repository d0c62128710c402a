package cue

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/yaml"
)

// Message is an action: an Open Sound Control 1.0 message that is sent to another program, such as a light desk.
// A player of package play passes it to its Options.Send.
type Message struct {
	To      string // HOST:PORT
	Address string // /eos/cue/12/fire
	Args    []any  // each an int32, a float32, a string or a bool
}

// String returns the address and the destination of the message, such as osc /go to 127.0.0.1:8000.
func (m *Message) String() string { return "osc " + m.Address + " to " + m.To }

// maxMessage is the largest size of a message in bytes. It fits in one packet on any network.
const maxMessage = 1400

// Size returns the size of the message in bytes, encoded as an OSC packet. This includes the padding of texts to
// multiples of four bytes.
func (m *Message) Size() int {
	padded := func(text int) int { return text + 4 - text%4 } // a string ends with a zero byte
	n := padded(len(m.Address)) + padded(len(",")+len(m.Args))
	for _, arg := range m.Args {
		switch arg := arg.(type) {
		case int32, float32:
			n += 4
		case string:
			n += padded(len(arg))
		}
	}
	return n
}

// messageFields returns the keys that an OSC message in a sheet may have. Each field has a function that parses its
// value into m and records errors in d.
func (d *draft) messageFields(m *Message) []fields.Field {
	plain := fields.Schema{"type": []string{"number", "string", "boolean"}}
	return []fields.Field{
		{Key: "to", To: func(p *yaml.Pair) bool { return d.parseDestination(p, &m.To) }, Shape: new(string)},
		{Key: "address", To: func(p *yaml.Pair) bool { return d.parseAddress(p, &m.Address) }, Shape: fields.Schema{"type": "string", "pattern": "^/[^ #*,?\\[\\]{}]+$"}},
		{Key: "args", To: func(p *yaml.Pair) bool { return d.parseArguments(p, &m.Args) }, Shape: fields.Schema{"type": "array", "items": plain}},
	}
}

// parseMessage parses the OSC message of a cue and reports whether it is valid. p is the pair with the message as its
// value. The result is stored in a new d.message. If the message is invalid, an error with its place is recorded in d,
// and d.message may be set nevertheless.
func (d *draft) parseMessage(p *yaml.Pair) bool {
	m, n := new(Message), p.Value
	if n.Kind != yaml.Mapping {
		d.Fail(n.Position, "osc is a mapping, such as {to: 127.0.0.1:8000, address: /go, args: [1]}, not %s", n.Kind)
		return false
	}
	own, ok := d.messageFields(m), true
	unknown := d.Each(n, "an osc message", []string{"to", "address", "args"}, func(i int, p *yaml.Pair) { ok = d.Value(p, &own[i]) && ok })
	for _, key := range [...]string{"to", "address"} {
		if fields.Missing(n, key) && !unknown {
			d.Fail(n.Position, "an osc message needs `%s`, such as {to: 127.0.0.1:8000, address: /go}", key)
			return false
		}
	}
	if size := m.Size(); size > maxMessage {
		d.Fail(p.Position, "osc: this message has %d bytes; one packet has at most %d", size, maxMessage)
		return false
	}
	d.message = m
	return ok && !unknown
}

// parseDestination parses the value of p, a destination as HOST:PORT, and reports whether it is valid. It stores the
// text in *to. If the text is invalid, it is stored nevertheless, and an error is recorded in d. The host name may have
// all printable ASCII characters except space, / and brackets. An IPv6 address in brackets must have a colon. The host
// is not checked further and not resolved. The port is 1..65,535.
func (d *draft) parseDestination(p *yaml.Pair, to *string) bool {
	if !d.Word(p, to) {
		return false
	}
	colon := strings.LastIndexByte(*to, ':')
	host, port := (*to)[:max(colon, 0)], (*to)[colon+1:]
	if inner, six := strings.CutPrefix(host, "["); six { // an IPv6 address
		host, six = strings.CutSuffix(inner, "]")
		if !six || !strings.Contains(host, ":") {
			host = ""
		}
	} else if strings.Contains(host, ":") {
		host = ""
	}
	if colon < 0 || host == "" || strings.ContainsFunc(host, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("[]/", r) }) {
		d.Fail(p.Value.Position, "to: %s is not a host with a port, such as 127.0.0.1:8000 or [::1]:8000", yaml.Quote(*to))
		return false
	}
	if n, ok := fields.ParseWhole(port, 1, math.MaxUint16); !ok || strconv.FormatInt(n, 10) != port {
		d.Fail(p.Value.Position, "to: the port of %s is not a number from 1 to 65535", yaml.Quote(*to))
		return false
	}
	return true
}

// notInAddresses are characters with a special meaning in OSC addresses.
const notInAddresses = " #*,?[]{}"

// parseAddress parses the value of p, an OSC address such as /go, and reports whether it is valid. An address is / and
// at least one more character, all of them printable ASCII without space, # * , ? [ ] { }. parseAddress stores the text
// in *to. If the text is invalid, it is stored nevertheless, and an error is recorded in d.
func (d *draft) parseAddress(p *yaml.Pair, to *string) bool {
	if !d.Word(p, to) {
		return false
	}
	i := strings.IndexFunc(*to, func(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune(notInAddresses, r) })
	switch {
	case !strings.HasPrefix(*to, "/") || len(*to) == 1:
		d.Fail(p.Value.Position, "address: %s does not begin with / and a name, such as /eos/cue/12/fire", yaml.Quote(*to))
	case i >= 0:
		r := []rune((*to)[i:])[0]
		d.Fail(p.Value.Position, "address: %s has %s; an OSC address has printable ASCII except space and # * , ? [ ] { }", yaml.Quote(*to), yaml.Quote(string(r)))
	default:
		return true
	}
	return false
}

// parseArguments parses the value of p, the list of arguments of an OSC message, and reports whether all are valid. It
// stores them in *to. At the first invalid argument it records an error in d and leaves *to unchanged.
func (d *draft) parseArguments(p *yaml.Pair, to *[]any) bool {
	if p.Value.Kind != yaml.List {
		d.Fail(p.Value.Position, "args is a list, such as [1, 0.5, text, true], not %s", p.Value.Kind)
		return false
	}
	all := make([]any, 0, len(p.Value.Items))
	for _, n := range p.Value.Items {
		arg, wrong := parseArgument(n)
		if wrong != "" {
			d.Fail(n.Position, "args: %s", wrong)
			return false
		}
		all = append(all, arg)
	}
	*to = slices.Clip(all)
	return true
}

// parseArgument returns the value of n, one argument of an OSC message. true and false become a bool, a whole number an
// int32, and another number a float32. All other text, and text in quotes, becomes a string. A list or mapping is
// invalid, and so are a text with a zero character and a number that is too large for 32 bits. If n is invalid, arg is
// nil and wrong is an error text; otherwise wrong is "".
func parseArgument(n *yaml.Node) (arg any, wrong string) {
	text := n.Text
	switch {
	case n.Kind != yaml.Scalar:
		return nil, "a value is a number, a text, true or false, not " + n.Kind.String()
	case strings.ContainsRune(text, 0):
		return nil, "a text of OSC ends at a zero character; leave it out of " + yaml.Quote(text)
	case n.Quoted:
		return text, ""
	case text == "true" || text == "false":
		return text == "true", ""
	case strings.Trim(text, "0123456789.eE+-") != "" || !strings.ContainsAny(text, "0123456789"):
		return text, ""
	}
	if !strings.ContainsAny(text, ".eE") {
		whole, err := strconv.ParseInt(text, 10, 32)
		switch {
		case err == nil:
			return int32(whole), ""
		case errors.Is(err, strconv.ErrRange):
			return nil, text + " does not fit into the 32 bits of a whole number; write " + text + ".0 for a rounded number, or put it in quotes for a text"
		}
		return text, ""
	}
	switch x, err := strconv.ParseFloat(text, 32); {
	case err == nil:
		return float32(x), ""
	case errors.Is(err, strconv.ErrRange):
		return nil, text + " does not fit into the 32 bits of a number; put it in quotes for a text"
	}
	return text, ""
}

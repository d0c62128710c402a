package evidence

import (
	"net"
	"net/netip"
	"os"
	"os/user"
	"regexp"
	"strings"

	"voicepool/internal/words"
)

// hidden replaces names that a report must not contain.
const hidden = "#"

var (
	// network matches the rest of a sink's name that can name another machine.
	network = regexp.MustCompile(`\b(tunnel|raop|rtp)[-_.].*`)
	// address matches the address of a Bluetooth or network device.
	address = regexp.MustCompile(`[0-9A-Fa-f]{2}([:_-][0-9A-Fa-f]{2}){5}`)
	// ip4 matches an IPv4 address and its port.
	ip4 = regexp.MustCompile(`[0-9]{1,3}(\.[0-9]{1,3}){3}(:[0-9]+)?`)
	// ip6 matches a word that can be an IPv6 address, perhaps with a colon or full stop after it.
	ip6 = regexp.MustCompile(`[0-9A-Za-z:.%]*:[0-9A-Za-z:.%]*:[0-9A-Za-z:.%]*`)
	// lookup matches the search for a host by its name.
	lookup = regexp.MustCompile(`\blookup [^\s:]+`)
	// paths matches a path with at least two elements.
	paths = regexp.MustCompile(`(/[^\s/,;:()"]+){2,}|[A-Za-z]:\\[^\s,;()"]+`)
	// word matches parts of names, among them serial numbers.
	word = regexp.MustCompile(`[0-9A-Za-z]{6,}`)
	// figure matches a number in a sentence.
	figure = regexp.MustCompile(`^[0-9.]+[,;]?$`)
	// digit matches a digit.
	digit = regexp.MustCompile(`[0-9]`)
)

// public returns text in one line without paths outside /dev, addresses of devices and networks, hosts that were looked
// up, serial numbers and the given secrets. A serial
// number is a word of six or more letters and digits with at least three digits, but no number between spaces. Secrets
// are matched without regard to case; shorter ones than three bytes are ignored, because they match by chance.
func public(text string, secrets []string) string {
	text = words.OneLine(text)
	for _, s := range secrets {
		if len(s) >= 3 {
			text = regexp.MustCompile(`(?i)`+regexp.QuoteMeta(s)).ReplaceAllString(text, hidden)
		}
	}
	text = network.ReplaceAllString(text, "$1."+hidden)
	text = paths.ReplaceAllStringFunc(text, func(path string) string {
		if strings.HasPrefix(path, "/dev/") {
			return path
		}
		return hidden
	})
	text = lookup.ReplaceAllString(text, "lookup "+hidden)
	text = ip4.ReplaceAllString(text, hidden)
	text = ip6.ReplaceAllStringFunc(text, func(s string) string {
		ip := strings.TrimRight(s, ":.")
		if _, err := netip.ParseAddr(ip); err == nil {
			return hidden + s[len(ip):]
		}
		return s
	})
	text = address.ReplaceAllString(text, hidden)
	fields := strings.Split(text, " ")
	for i, f := range fields {
		if !figure.MatchString(f) {
			fields[i] = word.ReplaceAllStringFunc(f, func(s string) string {
				if len(digit.FindAllString(s, -1)) >= 3 {
					return hidden
				}
				return s
			})
		}
	}
	return strings.Join(fields, " ")
}

// secretsHere returns the names of this machine, of its user and of the sound servers of PULSE_SERVER.
func secretsHere() (list []string) {
	if name, err := os.Hostname(); err == nil {
		short, _, _ := strings.Cut(name, ".")
		list = append(list, name, short)
	}
	if u, err := user.Current(); err == nil {
		list = append(list, userNames(u)...)
	}
	return append(list, serverHosts(os.Getenv("PULSE_SERVER"))...)
}

// userNames returns the names of a user, and their parts: of DOMAIN\user, and each word of the full name.
func userNames(u *user.User) []string {
	list := append([]string{u.Username, u.Name}, strings.Split(u.Username, `\`)...)
	return append(list, strings.Fields(u.Name)...)
}

// serverHosts returns the hosts in a value of PULSE_SERVER, as in "{laptop}unix:/run/pulse tcp:music.home:4713", and
// their names without a domain.
func serverHosts(value string) (list []string) {
	for _, s := range strings.FieldsFunc(value, func(c rune) bool { return strings.ContainsRune("{} \t\n", c) }) {
		if strings.HasPrefix(s, "unix:") || strings.HasPrefix(s, "/") {
			continue
		}
		for _, protocol := range []string{"tcp:", "tcp4:", "tcp6:"} {
			s = strings.TrimPrefix(s, protocol)
		}
		if host, _, err := net.SplitHostPort(s); err == nil {
			s = host
		}
		list = append(list, s)
		if short, _, found := strings.Cut(s, "."); found && !ip4.MatchString(s) {
			list = append(list, short)
		}
	}
	return list
}

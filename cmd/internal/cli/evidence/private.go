package evidence

import (
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
	// paths matches a path with at least two elements.
	paths = regexp.MustCompile(`(/[^\s/,;:()"]+){2,}|[A-Za-z]:\\[^\s,;()"]+`)
	// word matches parts of names, among them serial numbers.
	word = regexp.MustCompile(`[0-9A-Za-z]{6,}`)
	// figure matches a number in a sentence.
	figure = regexp.MustCompile(`^[0-9.]+[,;]?$`)
	// digit matches a digit.
	digit = regexp.MustCompile(`[0-9]`)
)

// public returns text in one line without paths outside /dev, network addresses, serial numbers and the given secrets. A serial
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

// secretsHere returns the names of this machine and of its user.
func secretsHere() (list []string) {
	if name, err := os.Hostname(); err == nil {
		short, _, _ := strings.Cut(name, ".")
		list = append(list, name, short)
	}
	if u, err := user.Current(); err == nil {
		list = append(list, u.Username, u.Name)
	}
	return list
}

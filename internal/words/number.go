package words

import "strings"

// CueNumber returns the canonical form of a cue number: 2.5 and 02.50 are equal. Other texts are returned
// unchanged.
func CueNumber(text string) string {
	whole, part, found := strings.Cut(text, ".")
	if strings.Trim(whole+part, "0123456789") != "" || whole == "" || found && part == "" {
		return text
	}
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	return strings.TrimSuffix(whole+"."+strings.TrimRight(part, "0"), ".")
}

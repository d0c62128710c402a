package sounds

import (
	"path/filepath"
	"runtime"
	"strings"
	"unicode"
)

// withFile puts the name of a file into the command that a message names, so that it can be run as it
// stands: {file} is the file, {file.flac} and {file.wav} are the same with another ending.
func withFile(message, name string) string {
	if !strings.Contains(message, "{file") {
		return message
	}
	if name == "-" || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) || name == "" {
		name = "FILE" // standard input, or a name that no line shows
	}
	if runtime.GOOS != "windows" && (strings.HasPrefix(name, "-") || strings.Contains(name, ":")) && !filepath.IsAbs(name) {
		name = "./" + name // else it is an option, or the name of a protocol
	}
	base := strings.TrimSuffix(name, filepath.Ext(name))
	return strings.NewReplacer("{file}", quoted(name), "{file.flac}", quoted(other(base, name, ".flac")), "{file.wav}", quoted(other(base, name, ".wav"))).Replace(message)
}

// other returns base with an ending, and with one more word where that is name itself.
func other(base, name, ending string) string {
	if strings.EqualFold(base+ending, name) {
		base += "-converted"
	}
	return base + ending
}

// harmless is what no shell takes for anything but a letter.
const harmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./:,@"

// quoted returns a name as a shell reads it.
func quoted(name string) string {
	letters := harmless
	if runtime.GOOS == "windows" {
		letters += `\`
	}
	switch {
	case name != "" && !strings.ContainsFunc(name, func(r rune) bool { return !strings.ContainsRune(letters, r) }):
		return name
	case runtime.GOOS == "windows":
		return `"` + name + `"`
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

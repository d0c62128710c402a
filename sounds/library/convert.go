package library

import (
	"path/filepath"
	"runtime"
	"strings"
	"unicode"
)

// fillFileName returns message with the name of a file filled into the conversion command that message may contain.
// {file} becomes name; {file.flac} and {file.wav} become name with another extension. Each is quoted for a shell if
// necessary. Without such placeholders message is returned unchanged.
//
// If name is empty or "-", or contains an unprintable character, FILE takes its place. Except on Windows, a relative
// name gets "./" in front if it begins with "-" or contains a colon: a tool could take it for an option or a URL.
func fillFileName(message, name string) string {
	if !strings.Contains(message, "{file") {
		return message
	}
	if name == "-" || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) || name == "" {
		name = "FILE" // standard input, or an unprintable name
	}
	if runtime.GOOS != "windows" && (strings.HasPrefix(name, "-") || strings.Contains(name, ":")) && !filepath.IsAbs(name) {
		name = "./" + name // otherwise the tool would read it as an option or as a URL
	}
	base := strings.TrimSuffix(name, filepath.Ext(name))
	return strings.NewReplacer("{file}", quoted(name), "{file.flac}", quoted(withExtension(base, name, ".flac")), "{file.wav}", quoted(withExtension(base, name, ".wav"))).Replace(message)
}

// withExtension returns base with the extension ending, such as ".wav". base is the name of an input file without its
// extension, and name that file. If the result would be name itself, in any case of its letters, "-converted" is
// added to base.
func withExtension(base, name, ending string) string {
	if strings.EqualFold(base+ending, name) {
		base += "-converted"
	}
	return base + ending
}

// shellSafe lists the characters that need no quotes in a shell.
const shellSafe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./:,@"

// quoted returns name as one word for the shell of this operating system. If all characters are in shellSafe, on
// Windows also a backslash, name is unchanged. Otherwise it is in quotes: single ones, on Windows double ones. An
// empty name is quoted, too. On Windows, quotes inside name are not escaped.
func quoted(name string) string {
	letters := shellSafe
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

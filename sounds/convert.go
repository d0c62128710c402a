package sounds

import (
	"path/filepath"
	"runtime"
	"strings"
	"unicode"
)

// fillFileName puts name, the name of a file, into the command of an error message. {file} becomes the name,
// {file.flac} and {file.wav} the name with another extension, quoted for a shell. An empty or unprintable name, and
// "-", become FILE. Except on Windows, a relative name that a tool could take for an option or a URL gets "./" in
// front. A message without these words is returned unchanged.
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

// withExtension returns base with the extension ending, such as ".wav". If the result would be name, the input file,
// in any case of its letters, it adds "-converted" to base.
func withExtension(base, name, ending string) string {
	if strings.EqualFold(base+ending, name) {
		base += "-converted"
	}
	return base + ending
}

// shellSafe lists the characters that need no quotes in a shell.
const shellSafe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./:,@"

// quoted returns name as one word for the shell of this operating system: unchanged if all its characters are safe,
// otherwise in quotes. An empty name is quoted.
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

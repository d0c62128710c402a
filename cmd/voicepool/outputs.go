package main

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"voicepool/cmd/internal/console"
	"voicepool/cue"
	"voicepool/internal/links"
)

// output is a file that a command is about to write.
type output struct {
	flag string // as in messages: "-o out.wav"
	path string
}

// noteName says so where a file that is going to be a WAV has a name that promises
// another format.
func noteName(c *console.Console, path string) {
	switch ending := strings.ToLower(filepath.Ext(path)); ending {
	case ".mp3", ".flac", ".ogg", ".oga", ".opus", ".m4a", ".aac", ".aif", ".aiff", ".wma":
		c.Say("%s: its name ends in %s, but it is a WAV all the same", oneLine(path), ending)
	}
}

// input is a file that a command reads.
type input struct {
	path string
	in   io.Reader // instead of path: standard input
	what string    // as in messages: "the sheet a.yaml"
}

// fileOutput adds the file of a flag, unless the flag names none.
func fileOutput(list []output, flag, sep, path string) []output {
	if path == "" || path == "-" {
		return list
	}
	return append(list, output{oneLine(flag + sep + path), path})
}

// sheetInputs is what a command reads that plays the sheet of a file.
func sheetInputs(c *console.Console, path string, sheet *cue.Sheet) []input {
	if path == "-" {
		list := []input{{in: c.In, what: "the sheet on standard input"}}
		return append(list, soundInputs(sheet, "a sound that the sheet plays")...)
	}
	list := []input{{path: path, what: "the sheet " + oneLine(path)}}
	return append(list, soundInputs(sheet, "a sound that "+oneLine(path)+" plays")...)
}

// soundInputs is every file of a sheet's sounds.
func soundInputs(sheet *cue.Sheet, what string) []input {
	var list []input
	for i := range sheet.Sounds {
		for _, f := range sheet.Sounds[i].Files {
			if f.Path != "" {
				list = append(list, input{path: sheet.Source(&sheet.Sounds[i], f, false).File, what: what})
			}
		}
	}
	return list
}

// keepInputs finds an output that would replace an input, or another output,
// under whatever name. Only regular files can be lost in that way.
func keepInputs(outputs []output, inputs []input) error {
	there := make([]fs.FileInfo, len(outputs)) // nil: nothing that could be lost
	found := false
	for i, o := range outputs {
		there[i] = regular(os.Stat(o.path))
		found = found || there[i] != nil
		for j, other := range outputs[:i] {
			if os.SameFile(there[i], there[j]) || there[i] == nil && there[j] == nil && samePlace(o.path, other.path) {
				return console.Usage("%s is the same file as %s", o.flag, other.flag)
			}
		}
	}
	if !found {
		return nil
	}
	for _, in := range inputs {
		info := in.stat()
		for i, o := range outputs {
			if info != nil && os.SameFile(info, there[i]) {
				return console.Usage("%s is %s", o.flag, in.what)
			}
		}
	}
	return nil
}

func (i input) stat() fs.FileInfo {
	if i.in == nil {
		return regular(os.Stat(i.path))
	}
	file, ok := i.in.(*os.File)
	if !ok {
		return nil
	}
	return regular(file.Stat())
}

// regular returns what is known of a regular file, and nil of all others.
func regular(info fs.FileInfo, err error) fs.FileInfo {
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return info
}

// samePlace reports whether two files that are not there yet would be one.
func samePlace(a, b string) bool {
	a, b = behind(a), behind(b)
	if filepath.Base(a) != filepath.Base(b) || exists(a) || exists(b) {
		return false
	}
	in, err := os.Stat(filepath.Dir(a))
	if err != nil {
		return false
	}
	other, err := os.Stat(filepath.Dir(b))
	return err == nil && os.SameFile(in, other)
}

// behind returns where a file will be that is written to a path, if anybody can know.
func behind(path string) string {
	if target, err := links.Follow(path); err == nil {
		return target
	}
	return path
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

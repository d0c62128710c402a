// Package output has the files that a command writes: none replaces what the command reads,
// or another, and each appears complete under its name.
package output

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"voicepool/cmd/internal/console"
	"voicepool/cue"
	"voicepool/internal/links"
	"voicepool/internal/whole"
	"voicepool/internal/words"
)

// List is the files that a command is about to write.
type List []place

// place is one of them.
type place struct {
	flag string // as in messages: "-o out.wav"
	path string
	file *os.File // instead of path: standard output or standard error
}

// Input is a file that a command reads.
type Input struct {
	Path string
	In   io.Reader // instead of Path: standard input
	What string    // as in messages: "the sheet a.yaml"
}

// Of returns a list of the file of a flag, or of none.
func Of(flag, sep, path string) List { return List(nil).And(flag, sep, path) }

// And returns the list with the file of a flag, unless the flag names none; - is standard output.
func (l List) And(flag, sep, path string) List {
	switch path {
	case "":
		return l
	case "-":
		return l.Print(flag+sep+path, os.Stdout)
	}
	return append(l, place{flag: words.OneLine(flag + sep + path), path: path})
}

// Print returns the list with what is printed to standard output or standard error; what is how
// messages call it.
func (l List) Print(what string, file *os.File) List { return append(l, place{flag: what, file: file}) }

// NoteName says so where a file that is going to be a WAV has a name that promises
// another format.
func NoteName(c *console.Console, path string) {
	if c.Quiet {
		return
	}
	switch ending := strings.ToLower(filepath.Ext(path)); ending {
	case ".mp3", ".flac", ".ogg", ".oga", ".opus", ".m4a", ".aac", ".aif", ".aiff", ".aifc", ".wma":
		c.Say("%s: its name ends in %s, but it is a WAV all the same", words.OneLine(path), ending)
	}
}

// SheetInputs is what a command reads that plays the sheet of a file; in is standard input.
func SheetInputs(in io.Reader, path string, sheet *cue.Sheet) []Input {
	list, plays := []Input{{Path: path, What: "the sheet " + words.OneLine(path)}}, words.OneLine(path)
	if path == "-" {
		list, plays = []Input{{In: in, What: "the sheet on standard input"}}, "the sheet"
	}
	for i := range sheet.Sounds {
		for _, f := range sheet.Sounds[i].Files {
			if f.Path != "" {
				list = append(list, Input{Path: sheet.Source(&sheet.Sounds[i], f, false).File, What: "a sound that " + plays + " plays"})
			}
		}
	}
	return list
}

// Keep finds an output that would replace an input, or another output, under whatever
// name. Regular files can be lost in that way, and two outputs in a pipe.
func (l List) Keep(inputs []Input) error {
	there := make([]fs.FileInfo, len(l)) // nil: nothing that could be lost
	found := false
	for i, o := range l {
		there[i] = o.stat()
		found = found || there[i] != nil
		for j, other := range l[:i] {
			unmade := there[i] == nil && there[j] == nil && o.file == nil && other.file == nil
			if os.SameFile(there[i], there[j]) || unmade && samePlace(o.path, other.path) {
				return console.Usage("%s is the same file as %s", o.flag, other.flag)
			}
		}
		if o.file != nil || whole.IsDescriptor(o.path) {
			continue
		}
		// The shell has opened those, and a file that replaces them takes their name away.
		if os.SameFile(there[i], regular(os.Stdout.Stat())) {
			return console.Usage("%s is the same file as standard output", o.flag)
		}
		if os.SameFile(there[i], regular(os.Stderr.Stat())) {
			return console.Usage("%s is the same file as standard error", o.flag)
		}
	}
	if !found {
		return nil
	}
	for _, in := range inputs {
		info := in.stat()
		for i, o := range l {
			if info != nil && os.SameFile(info, there[i]) {
				return console.Usage("%s is %s", o.flag, in.What)
			}
		}
	}
	return nil
}

// stat returns what is known of what could be lost, or nil.
func (p place) stat() fs.FileInfo {
	info, err := fs.FileInfo(nil), error(nil)
	if p.file != nil {
		info, err = p.file.Stat()
	} else {
		info, err = os.Stat(p.path)
	}
	if err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 {
		return info
	}
	return regular(info, err)
}

func (i Input) stat() fs.FileInfo {
	if file, ok := i.In.(*os.File); ok {
		return regular(file.Stat())
	}
	return regular(os.Stat(i.Path)) // of a pipe, no file
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
	in, _ := os.Stat(filepath.Dir(a))
	other, _ := os.Stat(filepath.Dir(b))
	return os.SameFile(in, other)
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

// File is a file that appears complete under its name. That it can be made is tried before
// anything is played, so that a name which cannot be written fails at once. Nothing of it is there
// until Save, so a process that is killed leaves nothing behind. A nil File is none.
type File struct {
	path string
	file *whole.File // open: a pipe, a device; nil: Save makes the file
}

// Open is Create, until ctx ends.
func Open(ctx context.Context, path string) (*File, error) {
	return console.Within(ctx, func() (*File, error) { return Create(path) })
}

// Create makes a File, and opens it where it is not a regular one; an empty path or - gives nil.
func Create(path string) (*File, error) {
	if path == "" || path == "-" {
		return nil, nil
	}
	f := &File{path: path}
	if err := f.open(); err != nil {
		return nil, err
	}
	if !f.file.Direct() {
		f.Discard()
	}
	return f, nil
}

// open opens the file, if it is not open.
func (f *File) open() error {
	if f.file != nil {
		return nil
	}
	file, err := whole.Create(f.path, ".json")
	if err != nil {
		return fmt.Errorf("%s: %w", f.path, words.Cause(err))
	}
	f.file = file
	return nil
}

// Save fills the file with write, and gives it its name.
func (f *File) Save(write func(io.Writer) error) error {
	if f == nil {
		return nil
	}
	if err := f.open(); err != nil {
		return err
	}
	defer f.Discard()
	out := bufio.NewWriter(f.file)
	err := write(out)
	if err == nil {
		err = out.Flush()
	}
	if err == nil {
		err = f.file.Keep()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.path, words.Cause(err))
	}
	return nil
}

// SaveFrom is Save of what writes itself.
func (f *File) SaveFrom(w io.WriterTo) error {
	return f.Save(func(out io.Writer) error {
		_, err := w.WriteTo(out)
		return err
	})
}

// Discard leaves nothing behind; after Save it does nothing.
func (f *File) Discard() {
	if f != nil && f.file != nil {
		f.file.Discard()
		f.file = nil
	}
}

// Standard returns standard output, whose errors say so.
func Standard() io.Writer { return namedWriter{"standard output", os.Stdout} }

// namedWriter says in its errors what it writes to. It can seek where the file
// can.
type namedWriter struct {
	name string
	*os.File
}

func (w namedWriter) Write(p []byte) (int, error) {
	n, err := w.File.Write(p)
	if err != nil {
		err = errors.New(w.name + ": " + words.Cause(err).Error())
	}
	return n, err
}

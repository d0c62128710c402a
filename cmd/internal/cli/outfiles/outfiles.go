// Package outfiles manages the output files of a command. They never replace an input of the command
// or each other, and each appears under its name only when it is complete.
package outfiles

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

	"voicepool/cmd/internal/cli/console"
	"voicepool/cue"
	"voicepool/internal/links"
	"voicepool/internal/whole"
	"voicepool/internal/words"
)

// List is the list of a command's output files.
type List []output

// output is one output of a command: a path, or standard output or error.
type output struct {
	flag string // as in messages: "-o out.wav"
	path string
	file *os.File // instead of path: standard output or standard error
}

// Input is a file that a command reads.
type Input struct {
	Path  string
	In    io.Reader // instead of Path: standard input
	Label string    // as in messages: "the sheet a.yaml"
}

// Of returns a list with the output file path of a command; "-" means standard output. For an empty path the list is
// empty. Error messages identify the file by flag, sep and path joined, such as "-o out.wav". Of does not create the
// file.
func Of(flag, sep, path string) List { return List(nil).And(flag, sep, path) }

// And returns the list with the output file path added; "-" means standard output. If path is empty, it returns l
// unchanged. Error messages identify the file by flag, sep and path joined, such as "-o out.wav". And does not create
// the file.
func (l List) And(flag, sep, path string) List {
	switch path {
	case "":
		return l
	case "-":
		return l.Print(flag+sep+path, os.Stdout)
	}
	return append(l, output{flag: words.OneLine(flag + sep + path), path: path})
}

// Print returns the list with the output file added, which is standard output or standard error. The parameter what
// identifies it in error messages. Print does not write to file.
func (l List) Print(what string, file *os.File) List {
	return append(l, output{flag: what, file: file})
}

// NoteName prints a note on c if path, the name of a WAV file to write, has the extension of another audio format. If
// c.Quiet is set, it prints no note.
func NoteName(c *console.Console, path string) {
	if c.Quiet {
		return
	}
	switch ending := strings.ToLower(filepath.Ext(path)); ending {
	case ".mp3", ".flac", ".ogg", ".oga", ".opus", ".m4a", ".aac", ".aif", ".aiff", ".aifc", ".wma":
		c.Say("%s: the name ends in %s, but the file is a WAV", words.OneLine(path), ending)
	}
}

// SheetInputs returns the files that a command reads if it plays sheet: the sheet and the sound files that it names.
// The sheet is the file at path. If path is "-", it is the parameter in, the standard input.
func SheetInputs(in io.Reader, path string, sheet *cue.Sheet) []Input {
	list, plays := []Input{{Path: path, Label: "the sheet " + words.OneLine(path)}}, words.OneLine(path)
	if path == "-" {
		list, plays = []Input{{In: in, Label: "the sheet on standard input"}}, "the sheet"
	}
	for i := range sheet.Sounds {
		for _, f := range sheet.Sounds[i].Files {
			if f.Path != "" {
				list = append(list, Input{Path: sheet.Source(&sheet.Sounds[i], f, false).File, Label: "a sound that " + plays + " plays"})
			}
		}
	}
	return list
}

// CheckDistinct protects files from being overwritten. It returns a usage error if an output in l is the same file as
// an input or another output, also under another name. Another usage error is an output that is the file of a
// redirected standard output or standard error. CheckDistinct changes no file.
func (l List) CheckDistinct(inputs []Input) error {
	there := make([]fs.FileInfo, len(l)) // nil for a new file and other outputs without risk
	found := false
	for i, o := range l {
		there[i] = o.stat()
		found = found || there[i] != nil
		for j, other := range l[:i] {
			unmade := there[i] == nil && there[j] == nil && o.file == nil && other.file == nil
			if os.SameFile(there[i], there[j]) || unmade && sameFile(o.path, other.path) {
				return console.Usage("%s is the same file as %s", o.flag, other.flag)
			}
		}
		if o.file != nil || whole.IsDescriptor(o.path) {
			continue
		}
		// The shell has opened these files, and the output would replace them.
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
				return console.Usage("%s is %s", o.flag, in.Label)
			}
		}
	}
	return nil
}

// stat returns the file information of the output if it exists and is a regular file, a pipe or a socket. Otherwise it
// returns nil, because a write cannot overwrite an input there.
func (p output) stat() fs.FileInfo {
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

// stat returns the file information of the input if it is a regular file. Otherwise, or if the file does not exist, it
// returns nil.
func (i Input) stat() fs.FileInfo {
	if file, ok := i.In.(*os.File); ok {
		return regular(file.Stat())
	}
	return regular(os.Stat(i.Path)) // a pipe has no file
}

// regular returns info if err is nil and info describes a regular file, otherwise nil.
func regular(info fs.FileInfo, err error) fs.FileInfo {
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return info
}

// sameFile reports whether two paths where no file exists yet would create the same file. They would if, after links,
// they have the same name in the same folder. If a file exists at a or at b, or the folder does not exist, it returns
// false.
func sameFile(a, b string) bool {
	a, b = resolve(a), resolve(b)
	if filepath.Base(a) != filepath.Base(b) || exists(a) || exists(b) {
		return false
	}
	in, _ := os.Stat(filepath.Dir(a))
	other, _ := os.Stat(filepath.Dir(b))
	return os.SameFile(in, other)
}

// resolve returns the target of path if path is a symbolic link; the target need not exist. Otherwise it returns path,
// also if links form a cycle.
func resolve(path string) string {
	if target, err := links.Follow(path); err == nil {
		return target
	}
	return path
}

// exists reports whether a file exists at path, after links. If the file cannot be examined, the result is false.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// File is an output that appears under its name only when it is complete. Create checks early that the file can be
// written, so that an invalid path fails before the playback. The file has no content on the disk until Save, so a
// killed process leaves no partial file. The methods of a nil File have no effect.
type File struct {
	path string
	file *whole.File // an open pipe or device; nil: Save creates the file
}

// Open returns a File, an output that appears at path only when it is complete, like Create. If ctx ends first, it
// returns the cause of ctx, for example at a pipe without a reader. The caller must call Save or Discard. For an empty
// path and for "-", Open returns a nil File, which is valid, and no error.
func Open(ctx context.Context, path string) (*File, error) {
	return console.Within(ctx, func() (*File, error) { return Create(path) })
}

// Create returns a File, an output that appears at path only when it is complete, and checks that path can be written.
// A pipe or device stays open; a regular file is created by Save. The caller must call Save or Discard. For an empty
// path and for "-", Create returns a nil File, which is valid, and no error.
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

// open creates the file under a temporary name in the same folder, or opens a pipe or device. It stores the result in
// f.file. If f.file is open already, it has no effect. Errors begin with the path.
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

// Save writes the content of the file and then gives the file its name, in place of an old file. It calls write with a
// buffered writer to get the content. If write or another step fails, an old file remains, and the error begins with
// the path. A nil File returns nil and does not call write.
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
		err = f.file.Commit()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.path, words.Cause(err))
	}
	return nil
}

// SaveFrom saves the file with the content that w writes, and gives the file its name, in place of an old file. After
// an error the old file remains. A nil File returns nil and does not call w.
func (f *File) SaveFrom(w io.WriterTo) error {
	return f.Save(func(out io.Writer) error {
		_, err := w.WriteTo(out)
		return err
	})
}

// Discard removes the unfinished temporary file, or closes the pipe or device. After Save, and for a nil File, it has
// no effect.
func (f *File) Discard() {
	if f != nil && f.file != nil {
		f.file.Discard()
		f.file = nil
	}
}

// Standard returns standard output as a writer. Its errors begin with "standard output". The writer can seek if
// standard output is a file.
func Standard() io.Writer { return namedWriter{"standard output", os.Stdout} }

// namedWriter adds the name of the file to its errors. It can seek if the file can.
type namedWriter struct {
	name string
	*os.File
}

// Write writes p to the file. The text of an error begins with the name of the file. The error does not wrap its
// cause.
func (w namedWriter) Write(p []byte) (int, error) {
	n, err := w.File.Write(p)
	if err != nil {
		err = errors.New(w.name + ": " + words.Cause(err).Error())
	}
	return n, err
}

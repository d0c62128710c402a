package catalog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"voicepool/internal/words"
	"voicepool/sounds/embedded"
	"voicepool/sounds/library"
	"voicepool/sounds/tone"
)

// Named is a sound named on a command line or found in a folder: a file, an embedded or generated sound, or "-" for
// standard input.
type Named struct {
	Name  string
	File  string // empty: not a file
	guess bool   // found in a folder, and possibly not a sound
	tone  bool   // package tone generates it
}

// Resolve finds out which sound the argument name of a command line means. "-" means standard input. A file that
// exists comes before a generated sound, and that before an embedded sound. Any other name means a file, too, although
// it does not exist. Resolve does not read the sound and returns no error.
func Resolve(name string) Named {
	if name == "-" {
		return Named{Name: name}
	}
	if _, err := os.Stat(name); err != nil {
		if tone.Is(name) {
			return Named{Name: name, tone: true}
		}
		if _, ok := embedded.Open(name); ok {
			return Named{Name: name}
		}
	}
	return Named{Name: name, File: name}
}

// Tone reports whether the sound is a tone, generated from its name. If the name does not describe a valid tone, Tone
// returns true and an error with the reason.
func (s Named) Tone() (bool, error) {
	if !s.tone {
		return false, nil
	}
	if _, err := tone.Parse(s.Name); err != nil {
		return true, errors.New(tone.Reason(err))
	}
	return true, nil
}

// Find returns the sounds that paths name. For a folder these are all regular files in it and its subfolders, also
// files that are not sounds; Gather drops those. If paths is empty, Find returns all embedded sounds. The result
// skipped has a line with the reason for each other entry of a folder. Find fails only if a folder cannot be read.
func Find(paths []string) (list []Named, skipped []string, err error) {
	if len(paths) == 0 {
		for _, name := range embedded.Names() {
			list = append(list, Named{Name: name})
		}
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() {
			list = append(list, Resolve(path))
			continue
		}
		w := walk{visit: func(file string) {
			list = append(list, Named{Name: file, File: file, guess: !soundName(file)})
		}}
		if err := w.folder(path); err != nil {
			return nil, nil, err
		}
		skipped = append(skipped, w.skipped...)
	}
	return list, skipped, nil
}

// soundName reports whether file has the extension of an audio format, in upper or lower case. It may be a format that
// voicepool cannot read.
func soundName(file string) bool {
	return slices.Contains([]string{".wav", ".wave", ".flac", ".ogg", ".oga", ".mp3", ".opus", ".m4a", ".aac", ".aif", ".aiff", ".aifc", ".wma", ".wv", ".mpc", ".spx"}, strings.ToLower(filepath.Ext(file)))
}

// InFolder returns the files in folder and its subfolders that have the extension of an audio format. Their paths are
// relative to folder. Entries that are neither files nor folders are skipped without a message. A folder without such
// files is an error, and a folder that cannot be read, too.
func InFolder(folder string) (files []string, err error) {
	w := walk{visit: func(file string) {
		if name, relErr := filepath.Rel(folder, file); relErr == nil && soundName(file) {
			files = append(files, name)
		}
	}}
	err = w.folder(folder)
	if err == nil && len(files) == 0 {
		err = errors.New("it contains no sounds")
	}
	return files, err
}

// maxInput is the maximum number of bytes read from standard input. It equals the limit of files.
const maxInput = 256 << 20

// source returns the source of the sound s for loading it with a library. If s is "-", it reads all of in, the
// standard input. If a file does not exist but its name looks like an embedded sound, the error suggests an embedded
// sound. Other missing files are not an error here.
func (s Named) source(in io.Reader) (library.Source, error) {
	switch {
	case s.File != "":
		return library.Source{File: s.File}, Missing(s.File)
	case s.tone:
		return library.Source{Name: s.Name, File: s.Name, FS: tone.FS{}}, nil
	case s.Name != "-":
		return embedded.Source(s.Name), nil
	}
	data, err := ReadInput(in)
	if err != nil {
		return library.Source{}, err
	}
	return library.Source{Name: "-", File: StandardInput, FS: &inputFS{data}}, nil
}

// ReadInput reads all of the parameter in, the standard input, and returns the bytes. More than 256 MiB are an error.
// Errors begin with "standard input".
func ReadInput(in io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	switch {
	case err != nil:
		return nil, errors.New("standard input: " + words.Cause(err).Error())
	case len(data) > maxInput:
		return nil, errors.New("standard input: more than 256 MiB")
	}
	return data, nil
}

// Missing checks for an embedded sound with a mistyped name. If file does not exist and has neither a dot nor a slash
// in its name, the error suggests the nearest embedded sound. In all other cases the result is nil.
func Missing(file string) error {
	_, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(file, `./\`) {
		return fmt.Errorf("%s: no such file or embedded sound; the nearest is %s, and voicepool sounds lists all", file, words.Nearest(file, embedded.Names()))
	}
	return nil
}

// StandardInput is the file name of standard input in a library.
const StandardInput = "standard input"

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
	"voicepool/sounds"
	"voicepool/sounds/embedded"
	"voicepool/sounds/tone"
)

// Named is a sound as a command line names it: a file, else an embedded sound, or - for
// standard input.
type Named struct {
	Name  string
	File  string // empty: not a file
	guess bool   // found in a folder, perhaps no sound
	tone  bool   // package tone makes it
}

// Resolve says what a name on the command line means. A file that is there goes
// before the embedded or generated sound of its name.
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

// Tone returns whether package tone makes the sound, or what is wrong with its name.
func (s Named) Tone() (bool, error) {
	if !s.tone {
		return false, nil
	}
	if _, err := tone.Parse(s.Name); err != nil {
		return true, errors.New(tone.Reason(err))
	}
	return true, nil
}

// Find returns what arguments name, of none the embedded sounds. In a folder that is every file with
// the name or the content of a sound, behind links too. skipped says what was passed over, and why.
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

// soundName reports whether a file is called like a sound, of a format that can be
// read or not.
func soundName(file string) bool {
	return slices.Contains([]string{".wav", ".wave", ".flac", ".ogg", ".oga", ".mp3", ".opus", ".m4a", ".aac", ".aif", ".aiff", ".aifc", ".wma", ".wv", ".mpc", ".spx"}, strings.ToLower(filepath.Ext(file)))
}

// InFolder returns the files of a folder, and of the folders in it, that are called
// like sounds, by their paths in it.
func InFolder(folder string) (files []string, err error) {
	w := walk{visit: func(file string) {
		if name, relErr := filepath.Rel(folder, file); relErr == nil && soundName(file) {
			files = append(files, name)
		}
	}}
	err = w.folder(folder)
	if err == nil && len(files) == 0 {
		err = errors.New("there is no sound in it")
	}
	return files, err
}

// maxInput bounds what is read from standard input, as files are bounded.
const maxInput = 256 << 20

// source returns where a library finds the sound.
func (s Named) source(in io.Reader) (sounds.Source, error) {
	switch {
	case s.File != "":
		return sounds.Source{File: s.File}, Missing(s.File)
	case s.tone:
		return sounds.Source{Name: s.Name, File: s.Name, FS: tone.FS{}}, nil
	case s.Name != "-":
		return embedded.Source(s.Name), nil
	}
	data, err := ReadInput(in)
	if err != nil {
		return sounds.Source{}, err
	}
	return sounds.Source{Name: "-", File: StandardInput, FS: &inputFS{data}}, nil
}

// ReadInput reads all of standard input.
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

// Missing names what is most often wrong with a name in words of its own.
func Missing(file string) error {
	_, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(file, `./\`) {
		return fmt.Errorf("%s: no such file or embedded sound; the nearest is %s, and voicepool sounds lists all", file, words.Nearest(file, embedded.Names()))
	}
	return nil
}

// StandardInput is the name of what comes from standard input, so that a library loads it as
// it loads all others.
const StandardInput = "standard input"

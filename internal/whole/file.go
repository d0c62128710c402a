// Package whole makes files that appear complete under their names, or not at all.
package whole

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"voicepool/internal/links"
)

// File is written beside the place that it will have. What is there and is not a regular
// file (a device, a pipe, standard output as /dev/stdout) is written directly. It is for
// one goroutine at a time.
type File struct {
	*os.File
	target string // where part goes in the end
	part   string // the file beside target; "" where it is written directly or is ended
}

// Create makes a file; while it is written, its name ends in ending. A regular file that
// is there is replaced by Keep, and keeps its permissions; a link goes on pointing where
// it does, and the file appears there.
func Create(path, ending string) (*File, error) { return create(path, ending, false) }

// Begin is Create of a file that stands under its name from the beginning, where nothing else
// does: what was written is found there when the process dies. Discard removes it.
func Begin(path, ending string) (*File, error) { return create(path, ending, true) }

func create(path, ending string, begun bool) (*File, error) {
	if path == "/dev/stdout" {
		return &File{File: os.Stdout}, nil
	}
	if path == "" || os.IsPathSeparator(path[len(path)-1]) {
		return nil, errors.New("not the name of a file")
	}
	info, err := os.Stat(path)
	there := err == nil
	switch {
	case there && info.IsDir():
		return nil, errors.New("is a directory")
	case there:
		// Its folder would let us replace a file that may not be written.
		old, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil || !info.Mode().IsRegular() || IsDescriptor(path) {
			return &File{File: old}, err
		}
		old.Close()
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	f := &File{}
	if f.target, err = links.Follow(path); err != nil {
		return nil, err
	}
	mode := fs.FileMode(0o666)
	if there {
		mode = info.Mode().Perm()
	}
	if begun && !there {
		f.part = f.target
		f.File, err = os.OpenFile(f.part, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		return f, err
	}
	for f.File == nil {
		f.part = filepath.Join(filepath.Dir(f.target), fmt.Sprintf(".voicepool-%08x%s", rand.Uint32(), ending))
		f.File, err = os.OpenFile(f.part, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	if there {
		if err := f.Chmod(mode); err != nil {
			f.Discard()
			return nil, err
		}
	}
	return f, nil
}

// IsDescriptor tells the names of what this process has open already: behind
// them may be a regular file, but not one to be replaced.
func IsDescriptor(path string) bool {
	path = filepath.ToSlash(path)
	return path == "/dev/stdout" || path == "/dev/stderr" || strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/")
}

// Direct reports whether what is written is there at once.
func (f *File) Direct() bool { return f.part == "" }

// Keep gives the file its name. Where that fails it leaves nothing behind.
func (f *File) Keep() error {
	err := f.close()
	if err == nil && f.part != "" {
		err = os.Rename(f.part, f.target)
	}
	if err == nil {
		f.part = ""
	}
	f.Discard()
	return err
}

// Discard leaves nothing behind; after Keep it does nothing.
func (f *File) Discard() {
	f.close()
	if f.part != "" {
		os.Remove(f.part)
		f.part = ""
	}
}

// close closes all but the standard output, which is the process's own.
func (f *File) close() error {
	if f.File == os.Stdout {
		return nil
	}
	return f.Close()
}

package output

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"voicepool/cmd/internal/console"
	"voicepool/internal/links"
	"voicepool/internal/words"
)

// File is a file that appears complete under its name. It is opened before anything is
// played, so that a name which cannot be written fails at once. A nil File is none.
type File struct {
	path string
	file *os.File
	part string // what becomes path in the end; empty: path is written directly
}

// Open is Create, until ctx ends.
func Open(ctx context.Context, path string) (*File, error) {
	return console.Within(ctx, func() (*File, error) { return Create(path) })
}

// Create opens the file; an empty path or - gives nil.
func Create(path string) (*File, error) {
	if path == "" || path == "-" {
		return nil, nil
	}
	f := &File{path: path}
	mode := fs.FileMode(0o666)
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		err = errors.New("is a directory")
	case err == nil && !info.Mode().IsRegular():
		f.file, err = os.OpenFile(path, os.O_WRONLY, 0)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
	default:
		there := err == nil
		if f.path, err = links.Follow(path); err != nil {
			break
		}
		if there {
			// Its folder would let us replace a file that may not be written.
			var old *os.File
			if old, err = os.OpenFile(path, os.O_WRONLY, 0); err != nil {
				break
			}
			old.Close()
			mode = info.Mode().Perm()
		}
		part := filepath.Join(filepath.Dir(f.path), fmt.Sprintf(".voicepool-%08x.json", rand.Uint32()))
		if f.file, err = os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode); err == nil {
			f.part = part
		}
	}
	if err != nil {
		f.Discard()
		return nil, fmt.Errorf("%s: %w", path, words.Cause(err))
	}
	return f, nil
}

// Save fills the file with write, and gives it its name.
func (f *File) Save(write func(io.Writer) error) error {
	if f == nil {
		return nil
	}
	out := bufio.NewWriter(f.file)
	err := write(out)
	if err == nil {
		err = out.Flush()
	}
	if closed := f.file.Close(); err == nil {
		err = closed
	}
	f.file = nil
	if err == nil && f.part != "" {
		if err = os.Rename(f.part, f.path); err == nil {
			f.part = ""
		}
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
	if f == nil {
		return
	}
	if f.file != nil {
		f.file.Close()
		f.file = nil
	}
	if f.part != "" {
		os.Remove(f.part)
		f.part = ""
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

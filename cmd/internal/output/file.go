package output

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"voicepool/cmd/internal/console"
	"voicepool/internal/whole"
	"voicepool/internal/words"
)

// File is a file that appears complete under its name. It is opened before anything is
// played, so that a name which cannot be written fails at once. A nil File is none.
type File struct {
	path string
	file *whole.File
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
	file, err := whole.Create(path, ".json")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, words.Cause(err))
	}
	return &File{path, file}, nil
}

// Save fills the file with write, and gives it its name.
func (f *File) Save(write func(io.Writer) error) error {
	if f == nil {
		return nil
	}
	defer f.file.Discard()
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
	if f != nil {
		f.file.Discard()
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

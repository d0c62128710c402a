package wav

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"voicepool/internal/links"
	"voicepool/pcm"
)

// File writes a WAV file that appears under its name, complete, in Close, and
// leaves nothing behind where that fails. It is for one goroutine at a time.
type File struct {
	path    string // the name in messages
	writer  *Writer
	file    *os.File
	shared  bool   // file is the process's own standard output
	target  string // where part goes in the end
	part    string // the file beside target; "" where path is written directly
	ended   bool
	failure error
}

// Create makes a file, beside the place it will have. What is there and is not
// a regular file (a device, a pipe, standard output as /dev/stdout) is written
// directly. A regular file that is there is replaced in Close, and keeps its
// permissions; a link goes on pointing where it does, and the file appears there.
// The errors name path.
//
// A file that is made or replaced leaves 64 MiB of its disk free, or a twentieth of a smaller disk:
// with less than that, Create and Write fail with ErrSpace. Where the system does not tell how much
// there is, a file ends when its disk is full.
func Create(path string, c Config) (*File, error) { return createOn(diskRoom, path, c) }

// createOn is Create on a disk of which look says how much room it has.
func createOn(look func(folder string) (room, bool), path string, c Config) (*File, error) {
	f := &File{path: path}
	if err := f.open(); err != nil {
		return nil, f.named(err)
	}
	out := io.Writer(f.file)
	if f.part != "" {
		guarded := roomFor(f.file, look)
		if err := guarded.check(0); err != nil {
			f.discard()
			return nil, f.named(err)
		}
		out = guarded
	}
	w, err := NewWriter(out, c)
	if err != nil {
		f.discard()
		return nil, err
	}
	f.writer = w
	return f, nil
}

func (f *File) open() (err error) {
	if f.path == "/dev/stdout" {
		f.file, f.shared = os.Stdout, true
		return nil
	}
	if f.path == "" || os.IsPathSeparator(f.path[len(f.path)-1]) {
		return errors.New("not the name of a file")
	}
	info, err := os.Stat(f.path)
	switch {
	case err == nil && info.IsDir():
		return errors.New("is a directory")
	case err == nil && (!info.Mode().IsRegular() || isDescriptor(f.path)):
		f.file, err = os.OpenFile(f.path, os.O_WRONLY, 0)
		return err
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	there := err == nil

	if f.target, err = links.Follow(f.path); err != nil {
		return err
	}
	mode := fs.FileMode(0o666)
	if there {
		// Its folder would let us replace a file that may not be written.
		old, err := os.OpenFile(f.path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		old.Close()
		mode = info.Mode().Perm()
	}
	for {
		part := filepath.Join(filepath.Dir(f.target), fmt.Sprintf(".voicepool-%08x.wav", rand.Uint32()))
		f.file, err = os.OpenFile(part, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if err == nil {
			f.part = part
			break
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	if there {
		if err := f.file.Chmod(mode); err != nil {
			f.discard()
			return err
		}
	}
	return nil
}

// isDescriptor tells the names of what this process has open already: behind
// them may be a regular file, but not one to be replaced.
func isDescriptor(path string) bool {
	path = filepath.ToSlash(path)
	return path == "/dev/stderr" || strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/")
}

// Rate returns the frames per second.
func (f *File) Rate() int { return f.writer.Rate() }

// Frames returns how many frames were written.
func (f *File) Frames() int64 { return f.writer.Frames() }

// Clipped returns how many samples did not fit; see Writer.Clipped.
func (f *File) Clipped() int64 { return f.writer.Clipped() }

// Write appends frames; see Writer.Write.
func (f *File) Write(frames []pcm.Frame) error {
	if f.ended {
		return f.named(ErrClosed)
	}
	return f.named(f.writer.Write(frames))
}

// Close completes the file and gives it its name. Where that fails, or a Write
// has failed, it removes what there was and returns the first error. Closing
// again returns the same.
func (f *File) Close() error {
	if f.ended {
		return f.failure
	}
	f.ended = true
	err := f.writer.Close()
	if !f.shared {
		if e := f.file.Close(); err == nil {
			err = e
		}
	}
	if err == nil && f.part != "" {
		err = os.Rename(f.part, f.target)
	}
	if err != nil && f.part != "" {
		os.Remove(f.part)
	}
	f.failure = f.named(err)
	return f.failure
}

// Abort gives up and leaves nothing behind: what was under the name before is
// still there. After Close it does nothing, so that it can be deferred.
func (f *File) Abort() {
	if f.ended {
		return
	}
	f.ended = true
	f.discard()
}

func (f *File) discard() {
	if !f.shared {
		f.file.Close()
	}
	if f.part != "" {
		os.Remove(f.part)
	}
}

// named returns err with the prefix of the package and the name that the user
// knows, which is not that of the file beside it.
func (f *File) named(err error) error {
	if err == nil {
		return nil
	}
	for _, known := range []error{ErrFormat, ErrLength, ErrClosed} {
		if errors.Is(err, known) {
			return fmt.Errorf("%w: %s", err, f.path)
		}
	}
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	default:
		if inner := errors.Unwrap(err); inner != nil {
			err = inner
		}
	}
	return fmt.Errorf("wav: %s: %w", f.path, err)
}

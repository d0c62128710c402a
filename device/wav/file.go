package wav

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"voicepool/internal/whole"
	"voicepool/pcm"
)

// File writes a WAV file. One of Create appears under its name, complete, in Close, and leaves
// nothing behind where that fails; see Record for the other. It is for one goroutine at a time.
type File struct {
	path    string // the name in messages
	writer  *Writer
	file    *whole.File
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
func Create(path string, c Config) (*File, error) {
	return createOn(diskRoom, whole.Create, path, c)
}

// Record is Create of a file that keeps what it has, whatever happens. Its header is right after
// every second, so it can be played if the process dies. If its disk is full or fails, Close keeps
// all that was written, under the name, and returns the error.
//
// Where no file is there, the recording stands under its name at once. One that is there stays until
// Close; the recording is beside it meanwhile, as .voicepool-*.wav.
func Record(path string, c Config) (*File, error) {
	f, err := createOn(diskRoom, whole.Begin, path, c)
	if err == nil {
		f.keep()
	}
	return f, err
}

// keep makes the file one of Record.
func (f *File) keep() {
	if !f.file.Direct() && f.writer.config.Frames == 0 {
		f.writer.kept = f.file
	}
}

// createOn is Create on a disk of which look says how much room it has; begin is of package whole.
func createOn(look func(folder string) (room, bool), begin func(path, ending string) (*whole.File, error), path string, c Config) (*File, error) {
	f := &File{path: path}
	var err error
	if f.file, err = begin(path, ".wav"); err != nil {
		return nil, f.named(err)
	}
	out := io.Writer(f.file.File)
	if !f.file.Direct() {
		guarded := &roomy{f.file.File, filepath.Dir(f.file.Name()), look}
		if err := guarded.check(0); err != nil {
			f.file.Discard()
			return nil, f.named(err)
		}
		out = guarded
	}
	w, err := NewWriter(out, c)
	if err != nil {
		f.file.Discard()
		return nil, err
	}
	f.writer = w
	return f, nil
}

// Rate returns the frames per second.
func (f *File) Rate() int { return f.writer.Rate() }

// Outputs returns how many stereo outputs are written.
func (f *File) Outputs() int { return f.writer.Outputs() }

// Frames returns how many frames of each output were written.
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

// Close completes the file and gives it its name. Where that fails, or a Write has failed, it
// removes what there was, except of a recording, and returns the first error. Closing again returns
// the same.
func (f *File) Close() error {
	if f.ended {
		return f.failure
	}
	f.ended = true
	err := f.writer.Close()
	if err == nil {
		err = f.file.Keep()
	} else if f.writer.rescue() {
		_ = f.file.Keep() // the first error is told
	}
	f.file.Discard()
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
	f.file.Discard()
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
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	} else if link, ok := errors.AsType[*os.LinkError](err); ok {
		err = link.Err
	} else if inner := errors.Unwrap(err); inner != nil {
		err = inner
	}
	return fmt.Errorf("wav: %s: %w", f.path, err)
}

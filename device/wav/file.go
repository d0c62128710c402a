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

// File writes a WAV file. A file of Create appears under its name, complete, at Close; if that fails, it leaves
// no file behind. See Record for the alternative. A File is for one goroutine at a time.
type File struct {
	path    string // the name in messages
	writer  *Writer
	file    *whole.File
	ended   bool
	failure error
}

// Create creates a WAV file that is written next to path and renamed to path by Close. If path exists and is
// not a regular file (a device, a pipe, standard output as /dev/stdout), Create writes to it directly. An
// existing regular file is replaced at Close, and keeps its permissions; a symbolic link is kept, and its
// target is replaced. The errors name path.
//
// A created or replaced file leaves 64 MiB of its disk free, or a twentieth of a smaller disk: with less free
// space, Create and Write fail with ErrSpace. If the system does not report the free space, Write fails when
// the disk is full.
func Create(path string, c Config) (*File, error) {
	return createOn(readDiskSpace, whole.Create, path, c)
}

// Record is like Create for a file that keeps all written frames, whatever happens. Its header is updated every
// second, so it can be played even if the process dies. If its disk is full or fails, Close keeps the written
// frames under the name, and returns the error.
//
// If path does not exist, the recording appears under its name immediately. An existing file stays until Close;
// until then the recording is next to it, as .voicepool-*.wav.
func Record(path string, c Config) (*File, error) {
	f, err := createOn(readDiskSpace, whole.CreatePersistent, path, c)
	if err == nil {
		f.enableHeaderUpdates()
	}
	return f, err
}

// enableHeaderUpdates makes the file a recording, as Record does: its header is updated while it is written. It has
// no effect on a pipe or device, or if the length was announced.
func (f *File) enableHeaderUpdates() {
	if !f.file.Direct() && f.writer.config.Frames == 0 {
		f.writer.recording = f.file
	}
}

// createOn is Create with two functions to replace: statDisk returns the free space of the disk of a folder, and
// createFile, a function of package whole, opens the file.
func createOn(statDisk func(folder string) (diskSpace, bool), createFile func(path, ending string) (*whole.File, error), path string, c Config) (*File, error) {
	f := &File{path: path}
	var err error
	if f.file, err = createFile(path, ".wav"); err != nil {
		return nil, f.addPath(err)
	}
	out := io.Writer(f.file.File)
	if !f.file.Direct() {
		guarded := &guardedFile{f.file.File, filepath.Dir(f.file.Name()), statDisk}
		if err := guarded.check(0); err != nil {
			f.file.Discard()
			return nil, f.addPath(err)
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

// Rate returns the sample rate in Hz.
func (f *File) Rate() int { return f.writer.Rate() }

// Outputs returns the number of stereo outputs.
func (f *File) Outputs() int { return f.writer.Outputs() }

// Frames returns the number of frames written, of each output.
func (f *File) Frames() int64 { return f.writer.Frames() }

// Clipped returns the number of clipped samples; see Writer.Clipped.
func (f *File) Clipped() int64 { return f.writer.Clipped() }

// Write appends frames; see Writer.Write.
func (f *File) Write(frames []pcm.Frame) error {
	if f.ended {
		return f.addPath(ErrClosed)
	}
	return f.addPath(f.writer.Write(frames))
}

// Close completes the file and moves it to its name. If that fails, or a Write has failed, it removes the file,
// unless it is a recording, and returns the first error. Further calls return the same error.
func (f *File) Close() error {
	if f.ended {
		return f.failure
	}
	f.ended = true
	err := f.writer.Close()
	if err == nil {
		err = f.file.Commit()
	} else if f.writer.repair() {
		_ = f.file.Commit() // the first error is returned
	}
	f.file.Discard()
	f.failure = f.addPath(err)
	return f.failure
}

// Abort discards the file: a previous file of that name is unchanged. After Close it has no effect, so it can
// be deferred.
func (f *File) Abort() {
	if f.ended {
		return
	}
	f.ended = true
	f.file.Discard()
}

// addPath adds the package and the user's file name to err, instead of the name of the temporary file. nil stays
// nil.
func (f *File) addPath(err error) error {
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

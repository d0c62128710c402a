package sounds

import (
	"context"
	"io"
	"io/fs"
	"os"

	"voicepool/sounds/internal/source"
)

// openFile opens a file of the operating system. It does not open what is no file:
// opening a device may do something, and reading one may never end. A pipe is read
// like a file; ctx ends the wait for its other side where the system can.
func openFile(ctx context.Context, path string) (io.ReadCloser, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	switch mode := info.Mode(); {
	case notFile(mode) != nil:
		return nil, notFile(mode)
	case mode&fs.ModeNamedPipe != 0:
		return openPipe(ctx, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return checked(f)
}

// checked returns f, or closes it if it is no file.
func checked(f fs.File) (io.ReadCloser, error) {
	if info, err := f.Stat(); err == nil {
		if err := notFile(info.Mode()); err != nil {
			_ = f.Close()
			return nil, err
		}
	}
	return f, nil
}

// notFile says what something is that cannot be read as a file; nil if it can. Of
// a directory it says so before the system does, whose words differ.
func notFile(mode fs.FileMode) error {
	switch {
	case mode.IsDir():
		return source.Unknown("is a directory")
	case mode&fs.ModeSocket != 0:
		return source.Unknown("is a socket, not a file")
	case mode&(fs.ModeDevice|fs.ModeCharDevice) != 0:
		return source.Unknown("is a device, not a file")
	}
	return nil
}

// mode returns what kind of file a source is, 0 where nobody says before it is
// opened.
func (s Source) mode() fs.FileMode {
	stat := os.Stat
	if s.FS != nil {
		f, ok := s.FS.(fs.StatFS)
		if !ok {
			return 0
		}
		stat = f.Stat
	}
	info, err := stat(s.File)
	if err != nil { // opening will say it
		return 0
	}
	return info.Mode()
}

// seekable refuses what cannot be a stream, before it is opened and may wait.
func (s Source) seekable() error {
	mode := s.mode()
	if mode&fs.ModeNamedPipe != 0 {
		return source.Fault(ErrStream, "a pipe cannot be a stream, which is opened again by each Play: load it")
	}
	return notFile(mode)
}

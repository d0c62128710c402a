package sounds

import (
	"io"
	"io/fs"
	"os"

	"voicepool/sounds/internal/source"
)

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

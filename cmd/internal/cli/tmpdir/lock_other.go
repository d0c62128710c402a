//go:build !unix || js

package tmpdir

import (
	"errors"
	"io/fs"
	"os"
)

// Lock creates the file at path for this process alone, until the file is closed. If another process has the file
// open, Lock returns ErrLocked. It first removes an old file, which Windows does not do with open files.
func Lock(path string) (*os.File, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, ErrLocked
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
}

// LockFile returns errors.ErrUnsupported, because this system has no file locks.
func LockFile(*os.File) error { return errors.ErrUnsupported }

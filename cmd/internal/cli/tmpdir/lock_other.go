//go:build !unix || js

package tmpdir

import (
	"errors"
	"io/fs"
	"os"
)

// Lock creates the file path for this process alone, until the file is closed. It relies on Windows, which does not
// remove open files. If another process has the file open, the error is ErrLocked.
func Lock(path string) (*os.File, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, ErrLocked
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
}

// LockFile returns errors.ErrUnsupported, because this system has no file locks.
func LockFile(*os.File) error { return errors.ErrUnsupported }

//go:build !unix || js

package scratch

import (
	"errors"
	"io/fs"
	"os"
)

// Lock takes a file for this process alone, until it is closed: Windows lets nobody remove a file that is open.
// The error wraps ErrLocked where another has it.
func Lock(path string) (*os.File, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, ErrLocked
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
}

// LockFile returns an error: there are no locks here.
func LockFile(*os.File) error { return errors.ErrUnsupported }

//go:build unix && !js

package tmpdir

import (
	"errors"
	"os"
	"syscall"
)

// Lock opens the file at path, or creates it, and locks it for this process alone. The lock ends when the file is
// closed or the process ends. Lock does not wait: if another process has the lock, it returns ErrLocked.
func Lock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := LockFile(f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// LockFile locks the open file f. The lock ends when f is closed or the process ends. LockFile does not wait: if
// another open file has the lock, it returns ErrLocked. Any other error means that the file system does not support
// locks.
func LockFile(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

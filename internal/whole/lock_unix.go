//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package whole

import (
	"errors"
	"os"
	"syscall"
)

// lockPart locks the new file at path until the result is closed or the process ends. The result is nil if
// another process has removed the file, or is about to. A disk without locks is no error.
func lockPart(path string, file *os.File) (*os.File, error) {
	lock, err := duplicate(file)
	if err != nil {
		return nil, err
	}
	if errors.Is(flock(lock), syscall.EWOULDBLOCK) || !isAt(path, lock) {
		lock.Close()
		return nil, nil
	}
	return lock, nil
}

// duplicate returns a second descriptor of an open file, which keeps its lock when the file is closed. The file
// may have no permission to be opened again.
func duplicate(file *os.File) (*os.File, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err := syscall.Dup(int(file.Fd()))
	if err != nil {
		return nil, os.NewSyscallError("dup", err)
	}
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), file.Name()), nil
}

// removeAbandoned removes the regular file at path if no process has it locked.
func removeAbandoned(path string) {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return
	}
	lock, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return
	}
	defer lock.Close() // after the removal: until then no other process takes the name
	if flock(lock) == nil && isAt(path, lock) {
		os.Remove(path)
	}
}

// flock locks file without waiting for another process.
func flock(file *os.File) error {
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err != syscall.EINTR {
			return err
		}
	}
}

// isAt reports whether path names the open file.
func isAt(path string, file *os.File) bool {
	named, err := os.Lstat(path)
	if err != nil {
		return false
	}
	open, err := file.Stat()
	return err == nil && os.SameFile(named, open)
}

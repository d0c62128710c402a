//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package operator

import (
	"os"

	"golang.org/x/sys/unix"
)

// unbuffered switches the terminal f to a mode without line buffer and echo, so that each key can be read at once.
// Input that was typed before is discarded. Ctrl-C still sends a signal. restore sets the earlier mode again. If f is
// not a terminal, the result is an error and f is unchanged.
func unbuffered(f *os.File) (restore func(), err error) {
	fd := int(f.Fd())
	old, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, err
	}
	now := *old
	now.Lflag &^= unix.ICANON | unix.ECHO
	now.Cc[unix.VMIN], now.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(fd, setTermios, &now); err != nil {
		return nil, err
	}
	discardInput(fd)
	return func() { _ = unix.IoctlSetTermios(fd, setTermios, old) }, nil // the terminal may be gone
}

// DiscardInput discards pending input of the terminal that controls this process (/dev/tty), such as keys typed too
// early. Without such a terminal it has no effect.
func DiscardInput() {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return // no terminal
	}
	defer f.Close()
	discardInput(int(f.Fd()))
}

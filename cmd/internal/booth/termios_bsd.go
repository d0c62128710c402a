//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package booth

import "golang.org/x/sys/unix"

const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA
)

// forget discards pending input of a terminal, without waiting for its output.
func forget(fd int) {
	const input = 1 // FREAD
	_ = unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, input)
}

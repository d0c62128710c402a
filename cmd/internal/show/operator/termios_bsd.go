//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package operator

import "golang.org/x/sys/unix"

const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA
)

// discardInput discards pending input of the terminal with the descriptor fd. It does not wait for pending output.
func discardInput(fd int) {
	const input = 1 // FREAD
	_ = unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, input)
}

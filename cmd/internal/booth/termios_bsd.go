//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package booth

import "golang.org/x/sys/unix"

const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA
)

// forget drops what was typed before. It does not wait for what is written to be read.
func forget(fd int) {
	const input = 1 // FREAD
	_ = unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, input)
}

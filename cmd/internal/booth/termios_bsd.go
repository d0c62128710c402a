//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package booth

import "golang.org/x/sys/unix"

const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETAF // what was typed before is for nobody
)

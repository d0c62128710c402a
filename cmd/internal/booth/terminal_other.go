//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package booth

import (
	"errors"
	"os"
)

// single returns an error: on this system, the keys of a terminal do not control a show.
func single(*os.File) (func(), error) { return nil, errors.ErrUnsupported }

// Forget is a no-op on this system.
func Forget() {}

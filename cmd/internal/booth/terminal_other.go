//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package booth

import (
	"errors"
	"os"
)

func single(*os.File) (func(), error) { return nil, errors.ErrUnsupported }

// Forget is a no-op on this system.
func Forget() {}

//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly || windows)

package booth

import (
	"errors"
	"os"
)

func single(*os.File) (func(), error) { return nil, errors.ErrUnsupported }

// Forget does nothing here: there are no terminals.
func Forget() {}

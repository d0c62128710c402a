//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package operator

import (
	"errors"
	"os"
)

// unbuffered returns an error: this system does not support keys that control a show.
func unbuffered(*os.File) (func(), error) { return nil, errors.ErrUnsupported }

// Forget has no effect on this system.
func Forget() {}

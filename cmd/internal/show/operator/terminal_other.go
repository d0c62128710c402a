//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package operator

import (
	"errors"
	"os"
)

// unbuffered returns errors.ErrUnsupported and a nil function: this system does not support keys that control a show.
func unbuffered(*os.File) (func(), error) { return nil, errors.ErrUnsupported }

// DiscardInput discards pending keys on Unix systems. On this system it has no effect.
func DiscardInput() {}

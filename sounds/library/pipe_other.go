//go:build !linux

package library

import (
	"context"
	"io"
	"os"
)

// openPipe opens the named pipe at path for reading. It may block forever, so callers run it in a goroutine that they
// can abandon. It ignores the context.
func openPipe(_ context.Context, path string) (io.ReadCloser, error) { return os.Open(path) }

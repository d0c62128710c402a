//go:build !linux

package sounds

import (
	"context"
	"io"
	"os"
)

// openPipe opens a pipe, which may wait for its other side for ever: whoever calls
// it leaves it behind.
func openPipe(_ context.Context, path string) (io.ReadCloser, error) { return os.Open(path) }

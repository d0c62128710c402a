//go:build !unix || js

package serve

import "os"

// lock takes a file. Nothing keeps others from it here.
func lock(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) }

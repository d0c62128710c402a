//go:build !unix || js

package farm

import "os"

// lock takes a file, which others cannot remove while it is open.
func lock(path string) (*os.File, error) {
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
}

//go:build unix && !js

package whole

import "os"

// SyncFolder waits until the names in a folder have been written to the disk.
func SyncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

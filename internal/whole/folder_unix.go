//go:build unix && !js

package whole

import "os"

// SyncFolder has the names in a folder be on the disk.
func SyncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

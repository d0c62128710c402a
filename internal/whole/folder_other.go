//go:build !unix || js

package whole

// SyncFolder does nothing: folders cannot be synced here.
func SyncFolder(string) error { return nil }

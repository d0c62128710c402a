//go:build !unix || js

package whole

// SyncFolder returns nil without an effect: folders cannot be synced here.
func SyncFolder(string) error { return nil }

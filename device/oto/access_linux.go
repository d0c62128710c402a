//go:build !android && !nooto

package oto

import "syscall"

// writable says whether this user may write to path, without opening it.
func writable(path string) bool {
	const readWrite = 4 | 2
	return syscall.Access(path, readWrite) == nil
}

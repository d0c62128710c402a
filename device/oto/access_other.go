//go:build (freebsd || netbsd || openbsd || dragonfly) && !nooto

package oto

// writable is asked on Linux only.
func writable(string) bool { return true }

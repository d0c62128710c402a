//go:build !nooto && (!linux || android || !(amd64 || arm64))

package oto

// hush has no effect on systems without libasound, or without a way to call it.
func hush() (restore func()) { return func() {} }

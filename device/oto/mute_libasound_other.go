//go:build !nooto && (!linux || android || !(amd64 || arm64))

package oto

// muteLibasound has no effect on systems without libasound, or without a way to call it.
func muteLibasound() (restore func()) { return func() {} }

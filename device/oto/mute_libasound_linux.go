//go:build !android && !nooto && (amd64 || arm64)

package oto

import "github.com/ebitengine/purego"

// muteLibasound silences libasound while the driver looks for a card: it would print some 25 lines about missing
// devices to standard error. restore enables the messages again, because the program may use libasound itself.
func muteLibasound() (restore func()) {
	restore = func() {}
	lib, err := purego.Dlopen("libasound.so.2", purego.RTLD_LAZY|purego.RTLD_GLOBAL)
	if err != nil {
		return restore
	}
	set, err := purego.Dlsym(lib, "snd_lib_error_set_handler")
	if err != nil {
		return restore
	}
	// The handler is variadic, so a Go function cannot be used. Any C function that ignores its arguments and
	// has no side effects will do.
	nothing, err := purego.Dlsym(lib, "getpid")
	if err != nil {
		return restore
	}
	purego.SyscallN(set, nothing)
	return func() { purego.SyscallN(set, 0) }
}

//go:build !android && !nooto && (amd64 || arm64)

package oto

import "github.com/ebitengine/purego"

// hush keeps libasound from printing on standard error what it does not find,
// some 25 lines of it, while the driver looks for a card. The program may use
// libasound itself: so what it prints is its own affair again after restore.
func hush() (restore func()) {
	restore = func() {}
	lib, err := purego.Dlopen("libasound.so.2", purego.RTLD_LAZY|purego.RTLD_GLOBAL)
	if err != nil {
		return restore
	}
	set, err := purego.Dlsym(lib, "snd_lib_error_set_handler")
	if err != nil {
		return restore
	}
	// The handler has variable arguments, which no Go function can take. Any C
	// function that looks at no argument and changes nothing will do.
	nothing, err := purego.Dlsym(lib, "getpid")
	if err != nil {
		return restore
	}
	purego.SyscallN(set, nothing)
	return func() { purego.SyscallN(set, 0) }
}

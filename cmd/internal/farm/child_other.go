//go:build !unix

package farm

import "os/exec"

// apart is a no-op on systems without process groups.
func apart(*exec.Cmd) {}

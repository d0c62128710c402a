//go:build !unix

package renderfarm

import "os/exec"

// apart is a no-op on systems without process groups.
func apart(*exec.Cmd) {}

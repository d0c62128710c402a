//go:build !unix

package renderfarm

import "os/exec"

// apart has no effect, because this system has no process groups.
func apart(*exec.Cmd) {}

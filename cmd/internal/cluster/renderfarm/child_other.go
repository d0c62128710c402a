//go:build !unix

package renderfarm

import "os/exec"

// setProcessGroup has no effect, because this system has no process groups: the end of the context kills only the
// child itself.
func setProcessGroup(*exec.Cmd) {}

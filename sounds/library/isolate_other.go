//go:build !unix

package library

import "os/exec"

// setProcessGroup has no effect on this system: when the context of a command ends, only the child itself is killed,
// not the processes that it started.
func setProcessGroup(*exec.Cmd) {}

//go:build !unix

package sounds

import "os/exec"

// lead does nothing: only the child itself is killed, not the processes that it started.
func lead(*exec.Cmd) {}

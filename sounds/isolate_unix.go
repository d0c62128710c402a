//go:build unix

package sounds

import (
	"os/exec"
	"syscall"
)

// lead starts the child in its own process group so that it can be killed as a whole: the child may be a
// wrapper that starts another process.
func lead(child *exec.Cmd) {
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	child.Cancel = func() error { return syscall.Kill(-child.Process.Pid, syscall.SIGKILL) }
}

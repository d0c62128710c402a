//go:build unix && !linux

package renderfarm

import (
	"os/exec"
	"syscall"
)

// apart makes child start in its own process group, so that it can be killed as a whole.
func apart(child *exec.Cmd) {
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	child.Cancel = func() error { return syscall.Kill(-child.Process.Pid, syscall.SIGKILL) }
}

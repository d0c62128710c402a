package renderfarm

import (
	"os/exec"
	"syscall"
)

// setProcessGroup prepares child, which has not started, so that it runs in its own process group and the end of its
// context kills the whole group. Linux also kills child when the worker dies.
func setProcessGroup(child *exec.Cmd) {
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	child.Cancel = func() error { return syscall.Kill(-child.Process.Pid, syscall.SIGKILL) }
}

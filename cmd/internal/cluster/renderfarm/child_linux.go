package renderfarm

import (
	"os/exec"
	"syscall"
)

// apart makes child start in its own process group, so that it can be killed as a whole. Linux also kills it when
// the worker dies.
func apart(child *exec.Cmd) {
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	child.Cancel = func() error { return syscall.Kill(-child.Process.Pid, syscall.SIGKILL) }
}

package renderfarm

import (
	"os/exec"
	"syscall"
)

// setProcessGroup makes child run in a process group of its own, so that the end of its context kills the child and all
// its processes. Linux also kills child when the worker dies. Call it before child starts. It sets child.SysProcAttr
// and child.Cancel.
func setProcessGroup(child *exec.Cmd) {
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	child.Cancel = func() error { return syscall.Kill(-child.Process.Pid, syscall.SIGKILL) }
}

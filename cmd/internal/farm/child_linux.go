package farm

import (
	"os/exec"
	"syscall"
)

// apart gives a process a group of its own, which is killed as one, and when the worker dies.
func apart(child *exec.Cmd) {
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	child.Cancel = func() error { return syscall.Kill(-child.Process.Pid, syscall.SIGKILL) }
}

//go:build unix

package library

import (
	"os/exec"
	"syscall"
)

// setProcessGroup configures the command child before it is started. The child will run in a process group of its own.
// When the context of the command ends, the whole group is killed, because the child may be a wrapper that has started
// another process. setProcessGroup sets child.SysProcAttr and child.Cancel.
func setProcessGroup(child *exec.Cmd) {
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	child.Cancel = func() error { return syscall.Kill(-child.Process.Pid, syscall.SIGKILL) }
}

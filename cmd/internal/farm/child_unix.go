//go:build unix && !linux

package farm

import (
	"os/exec"
	"syscall"
)

// apart gives a process a group of its own, which is killed as one.
func apart(child *exec.Cmd) {
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	child.Cancel = func() error { return syscall.Kill(-child.Process.Pid, syscall.SIGKILL) }
}

//go:build unix

package sounds

import (
	"os/exec"
	"syscall"
)

// setProcessGroup configures child, before it is started, to run in a process group of its own, and to have the whole
// group killed when its context ends: the child may be a wrapper that starts another process.
func setProcessGroup(child *exec.Cmd) {
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	child.Cancel = func() error { return syscall.Kill(-child.Process.Pid, syscall.SIGKILL) }
}

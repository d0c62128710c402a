//go:build unix

package sounds

import (
	"os/exec"
	"syscall"
)

// lead makes a child the leader of a group, which is killed as a whole: it may
// be a wrapper that starts another one.
func lead(child *exec.Cmd) {
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	child.Cancel = func() error { return syscall.Kill(-child.Process.Pid, syscall.SIGKILL) }
}

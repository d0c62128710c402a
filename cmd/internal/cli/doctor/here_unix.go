//go:build unix

package doctor

import (
	"os"
	"os/user"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Usable returns an error if this process may not read and write the file at path, or if that does not exist.
func (localMachine) Usable(path string) error { return unix.Access(path, unix.R_OK|unix.W_OK) }

// Owner returns the names of the user and of the group that own the file at path. A name that cannot be found is "".
func (localMachine) Owner(path string) (owner, group string) {
	info, err := os.Stat(path)
	if err != nil {
		return "", ""
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", ""
	}
	if u, err := user.LookupId(strconv.Itoa(int(stat.Uid))); err == nil {
		owner = u.Username
	}
	if g, err := user.LookupGroupId(strconv.Itoa(int(stat.Gid))); err == nil {
		group = g.Name
	}
	return owner, group
}

//go:build linux || darwin || freebsd

package wav

import "syscall"

// readDiskSpace returns the free space and the size of the disk of a folder. The result is false if the system does
// not report them.
func readDiskSpace(folder string) (diskSpace, bool) {
	var s syscall.Statfs_t
	for {
		switch err := syscall.Statfs(folder, &s); err {
		case nil:
			block := uint64(s.Bsize)
			return diskSpace{uint64(max(int64(s.Bavail), 0)) * block, s.Blocks * block}, s.Blocks > 0
		case syscall.EINTR:
		default:
			return diskSpace{}, false
		}
	}
}

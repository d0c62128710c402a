package wav

import (
	"errors"
	"fmt"
	"os"
)

// ErrSpace is wrapped by the errors of Create, Record and File.Write if the disk is nearly full, see Create.
var ErrSpace = errors.New("wav: the disk is nearly full")

// A File leaves 64 MiB of a disk free, or a twentieth of a smaller disk.
const (
	minFreeBytes = 64 << 20
	minFreeShare = 20
)

// diskSpace is the space of a disk.
type diskSpace struct{ free, size uint64 } // in bytes: free for this user, and total

// guardedFile writes to a file while its disk has enough free space.
type guardedFile struct {
	*os.File
	folder   string
	statDisk func(folder string) (diskSpace, bool) // ok is false if unknown
}

// check returns an error if writing more bytes would leave too little of the disk free. It returns nil if the
// free space is unknown.
func (r *guardedFile) check(more int) error {
	has, ok := r.statDisk(r.folder)
	keep := min(has.size/minFreeShare, minFreeBytes)
	if !ok || has.free >= keep+uint64(more) {
		return nil
	}
	return &spaceError{has.free, keep}
}

// Write writes p, unless that would leave too little of the disk free.
func (r *guardedFile) Write(p []byte) (int, error) {
	if err := r.check(len(p)); err != nil {
		return 0, err
	}
	return r.File.Write(p)
}

type spaceError struct{ free, reserve uint64 }

// Error returns a message with the free and the required space.
func (e *spaceError) Error() string {
	return fmt.Sprintf("the disk is nearly full: %s are left, and %s must remain; make room, or write to another disk", mebibytes(e.free), mebibytes(e.reserve))
}

// Is reports whether target is ErrSpace.
func (e *spaceError) Is(target error) bool { return target == ErrSpace }

// mebibytes formats a number of bytes in MiB with one decimal, or in KiB below 1 MiB.
func mebibytes(n uint64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

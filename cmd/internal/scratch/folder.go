// Package scratch gives a process folders of its own, and removes those of processes that were killed.
//
//	folder, free, err := scratch.New(os.TempDir(), "voicepool-farm-")
//	defer free()
package scratch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"voicepool/internal/words"
)

// ErrLocked is the error of a file that another process has locked.
var ErrLocked = errors.New("another process has it")

// young is how old a folder has to be before others look whether it is anybody's.
const young = 10 * time.Second

// New makes a folder in parent, whose name begins with prefix. It is this process's own until free is called,
// which removes it, or the process ends. Folders of this prefix whose processes have ended are removed.
func New(parent, prefix string) (folder string, free func(), err error) {
	sweep(parent, prefix)
	if folder, err = os.MkdirTemp(parent, prefix); err != nil {
		return "", nil, words.Cause(err)
	}
	held, err := Lock(filepath.Join(folder, ".lock"))
	if err != nil {
		os.RemoveAll(folder)
		return "", nil, words.Cause(err)
	}
	return folder, func() {
		os.RemoveAll(folder)
		held.Close()
	}, nil
}

// sweep removes the folders of processes that were killed: what they were writing may be large.
func sweep(parent, prefix string) {
	found, _ := filepath.Glob(filepath.Join(parent, prefix+"*"))
	for _, folder := range found {
		info, err := os.Lstat(folder)
		if err != nil || info.Mode()&fs.ModeType != fs.ModeDir || time.Since(info.ModTime()) < young {
			continue
		}
		if held, err := Lock(filepath.Join(folder, ".lock")); err == nil {
			os.RemoveAll(folder)
			held.Close()
		}
	}
}

// Package tmpdir gives a process its own temporary folders, and removes folders left by killed
// processes.
//
//	folder, free, err := tmpdir.New(os.TempDir(), "voicepool-farm-")
//	defer free()
package tmpdir

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

// minAge is the minimum age of a folder before other processes check whether it is in use.
const minAge = 10 * time.Second

// New makes a temporary folder in parent, with a name that begins with prefix. It locks the file .lock in the folder,
// so that other processes do not remove it. The function remove removes the folder. New first removes folders with the
// same prefix that ended processes have left, if they are older than 10 s. If New fails, it leaves no new folder.
func New(parent, prefix string) (folder string, remove func(), err error) {
	sweep(parent, prefix)
	if folder, err = os.MkdirTemp(parent, prefix); err != nil {
		return "", nil, words.Cause(err)
	}
	lock, err := Lock(filepath.Join(folder, ".lock"))
	if err != nil {
		os.RemoveAll(folder)
		return "", nil, words.Cause(err)
	}
	return folder, func() {
		os.RemoveAll(folder)
		lock.Close()
	}, nil
}

// sweep removes the folders in parent that killed processes have left. Their names begin with prefix. It skips folders
// younger than 10 s and folders whose file .lock is locked. Errors are ignored.
func sweep(parent, prefix string) {
	found, _ := filepath.Glob(filepath.Join(parent, prefix+"*"))
	for _, folder := range found {
		info, err := os.Lstat(folder)
		if err != nil || info.Mode()&fs.ModeType != fs.ModeDir || time.Since(info.ModTime()) < minAge {
			continue
		}
		if lock, err := Lock(filepath.Join(folder, ".lock")); err == nil {
			os.RemoveAll(folder)
			lock.Close()
		}
	}
}

package farm

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"voicepool/internal/words"
)

// ownFolder begins the names of workers' folders.
const ownFolder = "voicepool-farm-"

// young is how old a folder has to be before others look whether it is anybody's.
const young = 10 * time.Second

// newFolder makes the folder of a worker, which is its own until free is called or the process ends.
func newFolder(parent string) (folder string, free func(), err error) {
	sweep(parent)
	if folder, err = os.MkdirTemp(parent, ownFolder); err != nil {
		return "", nil, words.Cause(err)
	}
	held, err := lock(filepath.Join(folder, "lock"))
	if err != nil {
		os.RemoveAll(folder)
		return "", nil, words.Cause(err)
	}
	return folder, func() {
		os.RemoveAll(folder)
		held.Close()
	}, nil
}

// sweep removes the folders of workers that were killed: what they were writing may be large.
func sweep(parent string) {
	found, _ := filepath.Glob(filepath.Join(parent, ownFolder+"*"))
	for _, folder := range found {
		info, err := os.Lstat(folder)
		if err != nil || info.Mode()&fs.ModeType != fs.ModeDir || time.Since(info.ModTime()) < young {
			continue
		}
		if held, err := lock(filepath.Join(folder, "lock")); err == nil {
			os.RemoveAll(folder)
			held.Close()
		}
	}
}

// Package links resolves symbolic links to the path at which a file should be written.
package links

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// most is the maximum number of links in a chain.
const most = 40

// errLoop is the error for a cycle of links.
var errLoop = errors.New("too many symbolic links")

// Follow returns path or, if it is a symbolic link, the final target, which need not exist. A file created at
// the result leaves the links unchanged.
func Follow(path string) (string, error) {
	for range most {
		info, err := os.Lstat(path)
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return path, nil
			}
			return "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			return path, nil
		}
		target, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(target) {
			target = folder(path) + string(filepath.Separator) + target
		}
		// In a folder that is a link, ".." is the parent of its target.
		above, err := filepath.EvalSymlinks(folder(target))
		if err != nil {
			return "", err
		}
		path = filepath.Join(above, filepath.Base(target))
	}
	return "", errLoop
}

// folder returns the folder of a path, without resolving "..".
func folder(path string) string {
	dir, _ := filepath.Split(path)
	return cmp.Or(dir, ".")
}

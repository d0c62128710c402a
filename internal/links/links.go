// Package links follows symbolic links to the place where a file is to be written.
package links

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// most is how many links may follow each other.
const most = 40

// errLoop is the error of links that lead back to themselves.
var errLoop = errors.New("too many symbolic links")

// Follow returns the name behind path that is no symbolic link: path itself, or what it leads to,
// whether there is a file or not. So a file that is made there leaves the links as they are.
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
		// Of a folder that is a link, ".." is what is above its target.
		above, err := filepath.EvalSymlinks(folder(target))
		if err != nil {
			return "", err
		}
		path = filepath.Join(above, filepath.Base(target))
	}
	return "", errLoop
}

// folder returns where a name stands, with its ".." as they are.
func folder(path string) string {
	dir, _ := filepath.Split(path)
	return cmp.Or(dir, ".")
}

package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"voicepool/internal/words"
)

// walk visits the regular files of a folder and its subfolders in name order. It follows links but visits each folder
// once, so that it ends.
type walk struct {
	visit   func(file string)
	skipped []string // skipped entries with reasons
	seen    []visitedFolder
}

// visitedFolder is a visited folder and its path.
type visitedFolder struct {
	path string
	info fs.FileInfo
}

// folder calls w.visit for each regular file in the folder path and its subfolders, in name order. It adds a line to
// w.skipped for each folder that it has visited before, and for each entry that is neither a file nor a folder. If a
// folder cannot be read, folder stops and returns the error.
func (w *walk) folder(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	for _, p := range w.seen {
		if os.SameFile(p.info, info) {
			w.skip(path, fmt.Sprintf("it is the folder %s again", words.OneLine(p.path)))
			return nil
		}
	}
	w.seen = append(w.seen, visitedFolder{path, info})
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := w.entry(filepath.Join(path, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// entry handles one entry of a folder. If path is a regular file, it calls w.visit. If path is a folder, it visits the
// files in it. For any other entry, it adds a line with the reason to w.skipped and returns nil. A link or file that
// cannot be examined is reported as a broken link there.
func (w *walk) entry(path string) error {
	info, err := os.Stat(path)
	var pathErr *fs.PathError
	switch {
	case errors.As(err, &pathErr):
		w.skip(path, "a broken link: "+pathErr.Err.Error())
	case err != nil:
		return err
	case info.IsDir():
		return w.folder(path)
	case info.Mode().IsRegular():
		w.visit(path)
	default:
		w.skip(path, "neither a file nor a folder")
	}
	return nil
}

// skip adds a line to w.skipped. It reports that path is not visited, with the reason in the parameter why.
func (w *walk) skip(path, why string) {
	w.skipped = append(w.skipped, fmt.Sprintf("%s: skipped: %s", words.OneLine(path), why))
}

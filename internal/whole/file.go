// Package whole writes files atomically: a file appears under its name when it is complete.
package whole

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"voicepool/internal/links"
)

// File is written under a temporary name in the folder of its target. Targets that exist and are not regular
// files (a device, a pipe, standard output as /dev/stdout) are written directly. One goroutine at a time may
// use it.
type File struct {
	*os.File
	target string   // final path
	part   string   // temporary path; "": written directly, or ended
	lock   *os.File // holds the lock of part until part is renamed or removed; nil without a part
}

// Create makes a file whose temporary name ends in ending. It removes the unfinished files of killed
// processes with the same path and ending, on systems with file locks. Commit replaces an existing regular file
// and preserves its permissions. If path is a symbolic link, the link stays and the file replaces its target.
func Create(path, ending string) (*File, error) { return create(path, ending, false) }

// CreatePersistent is Create of a file that stays if the process dies. If path does not exist, the file has that
// name from the beginning. Otherwise it is a hidden file in the same folder until Commit; Create does not remove it.
// Discard removes the file in both cases.
func CreatePersistent(path, ending string) (*File, error) { return create(path, ending, true) }

// create makes a file as CreatePersistent does if persistent is true, otherwise as Create does.
func create(path, ending string, persistent bool) (*File, error) {
	if path == "/dev/stdout" {
		return &File{File: os.Stdout}, nil
	}
	if path == "" || os.IsPathSeparator(path[len(path)-1]) {
		return nil, errors.New("not the name of a file")
	}
	info, err := os.Stat(path)
	there := err == nil
	switch {
	case there && info.IsDir():
		return nil, errors.New("is a directory")
	case there:
		// Write permission of the folder would allow to replace a file without write permission.
		old, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil || !info.Mode().IsRegular() || IsDescriptor(path) {
			return &File{File: old}, err
		}
		old.Close()
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	f := &File{}
	if f.target, err = links.Follow(path); err != nil {
		return nil, err
	}
	mode := fs.FileMode(0o666)
	if there {
		mode = info.Mode().Perm()
	}
	if persistent && !there {
		f.part = f.target
		f.File, err = os.OpenFile(f.part, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		return f, err
	}
	if err := f.makePart(ending, mode, persistent); err != nil {
		return nil, err
	}
	if there {
		if err := f.Chmod(mode); err != nil {
			f.Discard()
			return nil, err
		}
	}
	return f, nil
}

// checkedParts is the number of part names of a target that Create checks for unfinished files.
const checkedParts = 16

// makePart creates part, locks it, and removes the parts of the same target that no process has locked. A persistent
// part has another name, and is not removed when its process is killed.
// The name is made from a hash of the target's: a long name may have no room for more letters.
func (f *File) makePart(ending string, mode fs.FileMode, persistent bool) error {
	folder, base := filepath.Split(f.target)
	hash := fnv.New64a()
	hash.Write([]byte(base))
	prefix := ".voicepool-"
	if persistent {
		prefix += "kept-"
	}
	for i := 0; i < checkedParts || f.File == nil; i++ {
		part := filepath.Join(folder, fmt.Sprintf("%s%016x-%d%s", prefix, hash.Sum64(), i, ending))
		if !persistent {
			removeAbandoned(part)
		}
		if f.File != nil {
			continue
		}
		file, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) {
			continue // another process writes it
		}
		if err != nil {
			return err
		}
		lock, err := lockPart(part, file)
		if err != nil {
			file.Close()
			os.Remove(part)
			return err
		}
		if lock == nil {
			file.Close() // another process took it for abandoned before it was locked, and removes it
			continue
		}
		f.File, f.lock, f.part = file, lock, part
	}
	return nil
}

// IsDescriptor reports whether path names an open file of this process. Such a path may be a regular file,
// but must not be replaced.
func IsDescriptor(path string) bool {
	path = filepath.ToSlash(path)
	return path == "/dev/stdout" || path == "/dev/stderr" || strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/")
}

// Direct reports whether the file is written directly, without a temporary name.
func (f *File) Direct() bool { return f.part == "" }

// Commit closes the file and renames it to its target. On failure it removes the temporary file. For a file that is
// written directly it only closes it.
func (f *File) Commit() error {
	err := f.close()
	if err == nil && f.part != "" {
		err = os.Rename(f.part, f.target)
	}
	if err == nil {
		f.part = ""
	}
	f.Discard()
	return err
}

// Discard closes the file and removes the temporary file; after Commit it has no effect.
func (f *File) Discard() {
	f.close()
	if f.part != "" {
		os.Remove(f.part)
		f.part = ""
	}
	if f.lock != nil {
		f.lock.Close()
		f.lock = nil
	}
}

// close closes the file unless it is the standard output of the process.
func (f *File) close() error {
	if f.File == os.Stdout {
		return nil
	}
	return f.Close()
}

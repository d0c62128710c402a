package catalog

import (
	"bytes"
	"io/fs"
	"time"
)

// inputFS is a file system with one file, StandardInput.
type inputFS struct{ data []byte }

// Open opens the only file of this file system, called StandardInput, at its beginning. For any other name the error
// wraps fs.ErrNotExist.
func (f *inputFS) Open(name string) (fs.File, error) {
	if name != StandardInput {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return inputFile{bytes.NewReader(f.data)}, nil
}

// inputFile is the open file and its FileInfo.
type inputFile struct{ *bytes.Reader }

// Stat returns f itself as the file information. Its size is the number of bytes read from standard input.
func (f inputFile) Stat() (fs.FileInfo, error) { return f, nil }

// Close implements fs.File. It has no effect.
func (f inputFile) Close() error { return nil }

// Name returns StandardInput.
func (f inputFile) Name() string { return StandardInput }

// Mode returns the mode of a regular file that can only be read.
func (f inputFile) Mode() fs.FileMode { return 0o444 }

// ModTime returns the zero time.
func (f inputFile) ModTime() time.Time { return time.Time{} }

// IsDir returns false.
func (f inputFile) IsDir() bool { return false }

// Sys returns nil.
func (f inputFile) Sys() any { return nil }

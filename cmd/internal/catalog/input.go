package catalog

import (
	"bytes"
	"io/fs"
	"time"
)

// inputFS is a file system with one file, StandardInput.
type inputFS struct{ data []byte }

func (f *inputFS) Open(name string) (fs.File, error) {
	if name != StandardInput {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return inputFile{bytes.NewReader(f.data)}, nil
}

// inputFile is the open file and its FileInfo.
type inputFile struct{ *bytes.Reader }

func (f inputFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f inputFile) Close() error               { return nil }
func (f inputFile) Name() string               { return StandardInput }
func (f inputFile) Mode() fs.FileMode          { return 0o444 }
func (f inputFile) ModTime() time.Time         { return time.Time{} }
func (f inputFile) IsDir() bool                { return false }
func (f inputFile) Sys() any                   { return nil }

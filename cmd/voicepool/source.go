package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"voicepool/internal/words"
	"voicepool/sounds"
	"voicepool/sounds/embedded"
)

// namedSound is a sound as a command line names it: a file, else an embedded
// sound, or - for standard input.
type namedSound struct {
	name  string
	file  string // empty: not a file
	guess bool   // found in a folder, perhaps no sound
}

// resolve says what a name on the command line means. A file that is there goes
// before the embedded sound of its name.
func resolve(name string) namedSound {
	if name == "-" {
		return namedSound{name: name}
	}
	if _, err := os.Stat(name); err != nil {
		if _, ok := embedded.Open(name); ok {
			return namedSound{name: name}
		}
	}
	return namedSound{name: name, file: name}
}

// maxInput bounds what is read from standard input, as files are bounded.
const maxInput = 256 << 20

// source returns where a bank finds the sound.
func (s namedSound) source(in io.Reader) (sounds.Source, error) {
	if s.name != "-" {
		if s.file != "" {
			if err := plainError(s.file); err != nil {
				return sounds.Source{}, err
			}
		}
		if s.file == "" {
			return sounds.Source{Name: s.name}, nil
		}
		return sounds.Source{File: s.file}, nil
	}
	data, err := readInput(in)
	if err != nil {
		return sounds.Source{}, err
	}
	return sounds.Source{Name: "-", File: standardInput, FS: inputFS(data)}, nil
}

// readInput reads all of standard input.
func readInput(in io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	switch {
	case err != nil:
		return nil, errors.New("standard input: " + cause(err).Error())
	case len(data) > maxInput:
		return nil, errors.New("standard input: more than 256 MiB")
	}
	return data, nil
}

// plainError names what is most often wrong with a name in words of its own.
func plainError(file string) error {
	_, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(file, `./\`) {
		return fmt.Errorf("%s: no such file or embedded sound; the nearest is %s, and voicepool sounds lists all", file, words.Nearest(file, embedded.Names()))
	}
	return nil
}

// standardInput is the name of the only file of an inputFS.
const standardInput = "standard input"

// inputFS is a file system whose only file is what came from standard input, so
// that a bank loads it as it loads all others.
type inputFS []byte

func (data inputFS) Open(name string) (fs.File, error) {
	if name != standardInput {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &inputFile{Reader: bytes.NewReader(data), size: int64(len(data))}, nil
}

// inputFile is the file, and what is known of it.
type inputFile struct {
	*bytes.Reader
	size int64
}

func (f *inputFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f *inputFile) Close() error               { return nil }
func (f *inputFile) Name() string               { return standardInput }
func (f *inputFile) Size() int64                { return f.size }
func (f *inputFile) Mode() fs.FileMode          { return 0o444 }
func (f *inputFile) ModTime() time.Time         { return time.Time{} }
func (f *inputFile) IsDir() bool                { return false }
func (f *inputFile) Sys() any                   { return nil }

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"voicepool/cue/report"
	"voicepool/internal/links"
)

// reportFile is the file of --report. It is opened before anything is played,
// so that a name which cannot be written fails at once, and appears complete.
type reportFile struct {
	path string
	file *os.File
	part string // what becomes path in the end; empty: path is written directly
}

// createReport opens the file; an empty path or - gives nil, which is none.
func createReport(path string) (*reportFile, error) {
	if path == "" || path == "-" {
		return nil, nil
	}
	r := &reportFile{path: path}
	mode := fs.FileMode(0o666)
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		err = errors.New("is a directory")
	case err == nil && !info.Mode().IsRegular():
		r.file, err = os.OpenFile(path, os.O_WRONLY, 0)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
	default:
		there := err == nil
		if r.path, err = links.Follow(path); err != nil {
			break
		}
		if there {
			// Its folder would let us replace a file that may not be written.
			var old *os.File
			if old, err = os.OpenFile(path, os.O_WRONLY, 0); err != nil {
				break
			}
			old.Close()
			mode = info.Mode().Perm()
		}
		part := filepath.Join(filepath.Dir(r.path), fmt.Sprintf(".voicepool-%08x.json", rand.Uint32()))
		if r.file, err = os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode); err == nil {
			r.part = part
		}
	}
	if err != nil {
		r.discard()
		return nil, fmt.Errorf("%s: %w", path, cause(err))
	}
	return r, nil
}

// fill writes what is in the file with write.
func (r *reportFile) fill(write func(io.Writer) error) error {
	if r == nil {
		return nil
	}
	out := bufio.NewWriter(r.file)
	err := write(out)
	if err == nil {
		err = out.Flush()
	}
	if closed := r.file.Close(); err == nil {
		err = closed
	}
	r.file = nil
	return r.named(err)
}

// save fills the file, and gives it its name.
func (r *reportFile) save(write func(io.Writer) error) error {
	if err := r.fill(write); err != nil {
		return err
	}
	return r.commit()
}

// saveReport saves a report in the file.
func (r *reportFile) saveReport(told *report.Report) error {
	return r.save(func(w io.Writer) error {
		_, err := told.WriteTo(w)
		return err
	})
}

// commit gives a filled file its name.
func (r *reportFile) commit() error {
	if r == nil || r.part == "" {
		return nil
	}
	if err := os.Rename(r.part, r.path); err != nil {
		return r.named(err)
	}
	r.part = ""
	return nil
}

func (r *reportFile) named(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", r.path, cause(err))
}

// discard leaves nothing behind; after commit it does nothing.
func (r *reportFile) discard() {
	if r == nil {
		return
	}
	if r.file != nil {
		r.file.Close()
		r.file = nil
	}
	if r.part != "" {
		os.Remove(r.part)
		r.part = ""
	}
}

package source

import (
	"errors"
	"io"
	"io/fs"
	"time"
)

// leastWindow is how many bytes of a file are read at a time, at least.
const leastWindow = 64 << 10

// Probe is how many bytes of its beginning it takes to know a format.
const Probe = 68 << 10

// Input is a file as decoders read it: bytes in order, of which a window is in
// memory, or all of them. A failed read looks like the end, and stays in Err.
type Input struct {
	buf   []byte // what comes next, as far as it has been read
	At    int64  // where in the file buf begins
	Size  int64  // of the file
	Err   error  // what reading failed with
	whole []byte // all of the file; nil: it is read from file

	file     io.ReadCloser
	open     func() (io.ReadCloser, error) // to go back in what cannot seek
	store    []byte                        // what buf is a part of
	Modified time.Time
}

// Whole returns a file that is in memory.
func Whole(data []byte) *Input {
	return &Input{buf: data, whole: data[:len(data):len(data)], Size: int64(len(data))}
}

// Anew returns a file that is in memory, from its beginning.
func (in *Input) Anew() *Input { return Whole(in.whole) }

// Open opens a file for reading bit by bit. What has no size, as a pipe, is
// an error.
func Open(open func() (io.ReadCloser, error)) (*Input, error) {
	f, err := open()
	if err != nil {
		return nil, err
	}
	in := &Input{file: f, open: open}
	if s, ok := f.(interface{ Stat() (fs.FileInfo, error) }); ok {
		if stat, err := s.Stat(); err == nil {
			in.Size, in.Modified = stat.Size(), stat.ModTime()
		}
	}
	if s, ok := f.(io.Seeker); ok {
		if in.Size, err = s.Seek(0, io.SeekEnd); err == nil {
			_, err = s.Seek(0, io.SeekStart)
		}
		if err != nil {
			_ = f.Close()
			return nil, err
		}
	}
	return in, nil
}

// Close gives the file back.
func (in *Input) Close() error {
	if in.file == nil {
		return nil
	}
	return in.file.Close()
}

// Left is how many bytes come.
func (in *Input) Left() int64 { return in.Size - in.At }

// Peek returns what comes, at least n bytes unless there are fewer. It is valid
// until the next call of any method.
func (in *Input) Peek(n int) []byte {
	if len(in.buf) >= n || in.file == nil || in.Err != nil || int64(len(in.buf)) >= in.Left() {
		return in.buf
	}
	if len(in.store) < n {
		in.store = make([]byte, leastWindow+n)
	}
	have := copy(in.store, in.buf)
	for have < n {
		k, err := Read(in.file.Read, in.store[have:], "bytes")
		have += k
		if errors.Is(err, io.EOF) {
			in.Size = in.At + int64(have)
		} else {
			in.Err = err
		}
		if err != nil {
			break
		}
	}
	in.buf = in.store[:have]
	in.Size = max(in.Size, in.At+int64(have))
	return in.buf
}

// Take returns the next n bytes, fewer at the end only, and moves behind them.
// The window stays as small as it is.
func (in *Input) Take(n int64) []byte {
	n = min(n, in.Left())
	b := make([]byte, 0, n)
	for int64(len(b)) < n {
		piece := in.Peek(1)
		piece = piece[:min(int64(len(piece)), n-int64(len(b)))]
		if len(piece) == 0 {
			break
		}
		b = append(b, piece...)
		in.Skip(int64(len(piece)))
	}
	return b
}

// Skip passes over n bytes.
func (in *Input) Skip(n int64) { in.MoveTo(in.At + min(n, in.Left())) }

// MoveTo makes At the place of what comes next; beyond the end, the end.
func (in *Input) MoveTo(at int64) {
	at = min(max(at, 0), in.Size)
	end := in.At + int64(len(in.buf))
	switch {
	case in.file == nil:
		in.buf = in.whole[at:]
	case in.At <= at && at <= end:
		in.buf = in.buf[at-in.At:]
	default:
		in.buf = nil
		if in.Err == nil {
			in.Err = in.move(end, at)
		}
	}
	in.At = at
}

// move brings the file from one place to another.
func (in *Input) move(from, to int64) error {
	if s, ok := in.file.(io.Seeker); ok {
		_, err := s.Seek(to, io.SeekStart)
		return err
	}
	if to < from {
		_ = in.file.Close()
		f, err := in.open()
		if err != nil {
			return err
		}
		in.file, from = f, 0
	}
	if _, err := io.CopyN(io.Discard, in.file, to-from); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

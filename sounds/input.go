package sounds

import (
	"errors"
	"io"
	"io/fs"
	"time"
)

// leastWindow is how many bytes of a file are read at a time, at least.
const leastWindow = 64 << 10

// probe is how many bytes of its beginning it takes to know a format.
const probe = 68 << 10

// input is a file as decoders read it: bytes in order, of which a window is in
// memory, or all of them. A failed read looks like the end, and stays in err.
type input struct {
	buf   []byte // what comes next, as far as it has been read
	at    int64  // where in the file buf begins
	size  int64  // of the file
	err   error  // what reading failed with
	whole []byte // all of the file; nil: it is read from file

	file     io.ReadCloser
	open     func() (io.ReadCloser, error) // to go back in what cannot seek
	store    []byte                        // what buf is a part of
	modified time.Time
}

// newWhole returns a file that is in memory.
func newWhole(data []byte) *input {
	return &input{buf: data, whole: data[:len(data):len(data)], size: int64(len(data))}
}

// openInput opens a file for reading bit by bit. What has no size, as a pipe, is
// an error.
func openInput(open func() (io.ReadCloser, error)) (*input, error) {
	f, err := open()
	if err != nil {
		return nil, err
	}
	in := &input{file: f, open: open}
	if s, ok := f.(interface{ Stat() (fs.FileInfo, error) }); ok {
		if stat, err := s.Stat(); err == nil {
			in.size, in.modified = stat.Size(), stat.ModTime()
		}
	}
	if s, ok := f.(io.Seeker); ok {
		if in.size, err = s.Seek(0, io.SeekEnd); err == nil {
			_, err = s.Seek(0, io.SeekStart)
		}
		if err != nil {
			_ = f.Close()
			return nil, err
		}
	}
	return in, nil
}

// close gives the file back.
func (in *input) close() error {
	if in.file == nil {
		return nil
	}
	return in.file.Close()
}

// left is how many bytes come.
func (in *input) left() int64 { return in.size - in.at }

// peek returns what comes, at least n bytes unless there are fewer. It is valid
// until the next call of any method.
func (in *input) peek(n int) []byte {
	if len(in.buf) >= n || in.file == nil || in.err != nil || int64(len(in.buf)) >= in.left() {
		return in.buf
	}
	if len(in.store) < n {
		in.store = make([]byte, leastWindow+n)
	}
	have := copy(in.store, in.buf)
	for empty := 0; have < n; {
		k, err := in.file.Read(in.store[have:])
		if k < 0 || k > len(in.store)-have {
			k, err = 0, errors.New("the file says that it gave more than it was asked for")
		}
		have += k
		switch {
		case errors.Is(err, io.EOF):
			in.size = in.at + int64(have)
			n = have
		case err != nil:
			in.err = err
			n = have
		case k > 0:
			empty = 0
		default:
			if empty++; empty == 3 {
				in.err = io.ErrNoProgress
				n = have
			}
		}
	}
	in.buf = in.store[:have]
	in.size = max(in.size, in.at+int64(have))
	return in.buf
}

// take returns the next n bytes, fewer at the end only, and moves behind them.
// The window stays as small as it is.
func (in *input) take(n int64) []byte {
	n = min(n, in.left())
	if in.file == nil {
		b := in.buf[:n]
		in.skip(n)
		return b
	}
	b := make([]byte, 0, n)
	for int64(len(b)) < n {
		piece := in.peek(1)
		piece = piece[:min(int64(len(piece)), n-int64(len(b)))]
		if len(piece) == 0 {
			break
		}
		b = append(b, piece...)
		in.skip(int64(len(piece)))
	}
	return b
}

// skip passes over n bytes.
func (in *input) skip(n int64) { in.seek(in.at + min(n, in.left())) }

// seek makes at the place of what comes next; beyond the end, the end.
func (in *input) seek(at int64) {
	at = min(max(at, 0), in.size)
	end := in.at + int64(len(in.buf))
	switch {
	case in.file == nil:
		in.buf = in.whole[at:]
	case in.at <= at && at <= end:
		in.buf = in.buf[at-in.at:]
	default:
		in.buf = nil
		if in.err == nil {
			in.err = in.move(end, at)
		}
	}
	in.at = at
}

// move brings the file from one place to another.
func (in *input) move(from, to int64) error {
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

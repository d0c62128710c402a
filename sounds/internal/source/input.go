package source

import (
	"errors"
	"io"
	"io/fs"
	"time"
)

// minWindow is the minimum number of bytes read from a file at a time.
const minWindow = 64 << 10

// Probe is the number of bytes at the beginning of a file that determine its format.
const Probe = 68 << 10

// Input is a file for decoders: a sequence of bytes with a window or all of them in memory. A read error looks
// like the end of the file, and is stored in Err.
type Input struct {
	buf  []byte // the buffered bytes at At
	At   int64  // position of buf in the file
	Size int64  // of the file
	Err  error  // the read error
	data []byte // the whole file; nil: it is read from file

	file     io.ReadCloser
	open     func() (io.ReadCloser, error) // reopens a file that cannot seek
	memory   []byte                        // memory of buf
	Modified time.Time
}

// FromMemory returns an Input for a file in memory, at its beginning. It does not copy data, which must not change.
func FromMemory(data []byte) *Input {
	return &Input{buf: data, data: data[:len(data):len(data)], Size: int64(len(data))}
}

// Reopen returns a second Input of the same file, at its beginning. The file must be in memory, so in must come from
// FromMemory. in does not move.
func (in *Input) Reopen() *Input { return FromMemory(in.data) }

// Open opens a file with the function open and returns an Input that reads it in windows. A file without Seek is
// opened again with open to move back. A file that implements io.Seeker but cannot seek, such as a pipe, is an error.
// A file without Seek whose Stat reports no size has size 0 and appears empty. The error is of open or of seeking.
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

// Close closes the file. It has no effect on an Input of FromMemory.
func (in *Input) Close() error {
	if in.file == nil {
		return nil
	}
	return in.file.Close()
}

// Remaining returns the number of bytes from At to the end of the file, according to Size.
func (in *Input) Remaining() int64 { return in.Size - in.At }

// Peek returns the buffered bytes at the current position, at least n of them, without moving. There are fewer than n
// only if the file is shorter or a read fails, which sets in.Err. If the file ends earlier than announced, Peek
// corrects in.Size. The bytes are valid until the next call of any method.
func (in *Input) Peek(n int) []byte {
	if len(in.buf) >= n || in.file == nil || in.Err != nil || int64(len(in.buf)) >= in.Remaining() {
		return in.buf
	}
	if len(in.memory) < n {
		in.memory = make([]byte, minWindow+n)
	}
	buffered := copy(in.memory, in.buf)
	for buffered < n {
		k, err := Read(in.file.Read, in.memory[buffered:], "bytes")
		buffered += k
		if errors.Is(err, io.EOF) {
			in.Size = in.At + int64(buffered)
		} else {
			in.Err = err
		}
		if err != nil {
			break
		}
	}
	in.buf = in.memory[:buffered]
	in.Size = max(in.Size, in.At+int64(buffered))
	return in.buf
}

// ReadBytes returns a copy of the next n bytes and moves past them. The copy is shorter at the end of the file, or if a
// read fails, which sets in.Err. It reads in pieces, so the window in memory does not grow with n.
func (in *Input) ReadBytes(n int64) []byte {
	n = min(n, in.Remaining())
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

// Skip moves the position in.At ahead by n bytes, at most to the end of the file. An error of the file sets in.Err.
func (in *Input) Skip(n int64) { in.MoveTo(in.At + min(n, in.Remaining())) }

// MoveTo moves the position in.At to the byte offset at, limited to the beginning and the end of the file. An error
// of the file sets in.Err; afterwards no bytes can be read.
func (in *Input) MoveTo(at int64) {
	at = min(max(at, 0), in.Size)
	end := in.At + int64(len(in.buf))
	switch {
	case in.file == nil:
		in.buf = in.data[at:]
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

// move moves the read position of the file itself from the byte offset from to the byte offset to. A file without
// Seek is read up to the offset to. To move back, it is opened again with in.open. A file that ends before the offset
// is not an error. It returns errors of the file.
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

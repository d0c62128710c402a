//go:build unix

package library_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"voicepool/sounds"
	"voicepool/sounds/library"
)

// fifo returns the path of a new named pipe.
func fifo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe.wav")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// nearEnergy fails the test if do does not return. The limit only ends a test that hangs: a busy machine can stall a
// test for a minute.
func nearEnergy(t *testing.T, what string, do func()) {
	t.Helper()
	const limit = 5 * time.Minute
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-time.After(limit):
		t.Fatalf("%s does not return within %v", what, limit)
	}
}

// TestPipeGivesUp checks that Load of a pipe ends with its context. It covers a pipe without a writer, a silent
// writer, and half a file.
func TestPipeGivesUp(t *testing.T) {
	t.Parallel()
	for _, isolate := range []bool{false, true} {
		for name, written := range map[string]string{"no writer": "", "silent writer": "-", "half a file": "RIFF"} {
			t.Run(fmt.Sprintf("%s, isolated %v", name, isolate), func(t *testing.T) {
				var opt library.Options
				if isolate {
					opt.Limits = isolated(t, "decode")
				}
				path := fifo(t)
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				if written != "" {
					w, err := os.OpenFile(path, os.O_RDWR, 0) // O_RDWR does not wait for a reader
					if err != nil {
						t.Fatal(err)
					}
					defer w.Close()
					if _, err := io.WriteString(w, strings.TrimPrefix(written, "-")); err != nil {
						t.Fatal(err)
					}
				}
				time.AfterFunc(20*time.Millisecond, cancel)
				nearEnergy(t, "Load", func() {
					_, err := library.NewLibrary(opt).Load(ctx, library.Source{File: path})
					if !errors.Is(err, context.Canceled) || !strings.HasSuffix(err.Error(), "pipe.wav: given up: context canceled") {
						t.Errorf("error %v", err)
					}
				})
			})
		}
	}
}

// TestPipeIdle checks that without a context that ends, the time limit ends the wait after at least a second.
func TestPipeIdle(t *testing.T) {
	t.Parallel()
	path := fifo(t)
	lib := library.NewLibrary(library.Options{Limits: library.Limits{Time: time.Millisecond}})
	nearEnergy(t, "LoadFile", func() {
		_, err := lib.LoadFile(path)
		if want := "sounds: " + path + ": nothing could be read for 1s"; !errors.Is(err, library.ErrLimit) || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	})
}

// TestPipe loads from pipes that deliver the data in pieces of any size, also when the writer waits, and also
// in a child process.
func TestPipe(t *testing.T) {
	data := wavBytes(48000, 1, make([]int16, 30000))
	for _, isolate := range []bool{false, true} {
		var opt library.Options
		if isolate {
			opt.Limits = isolated(t, "decode")
		}
		path := fifo(t)
		written := make(chan error, 1)
		go func() {
			w, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err == nil {
				_, err = w.Write(data[:5])
			}
			if err == nil {
				_, err = w.Write(data[5:])
			}
			if err == nil {
				err = w.Close()
			}
			written <- err
		}()
		nearEnergy(t, "LoadFile", func() {
			s, err := library.NewLibrary(opt).LoadFile(path)
			if err != nil || s.Frames() != 30000 {
				t.Errorf("%v, want 30000 frames", err)
			}
		})
		if err := <-written; err != nil {
			t.Error(err)
		}
	}
	path := fifo(t)
	go func() {
		if w, err := os.OpenFile(path, os.O_WRONLY, 0); err == nil {
			_ = w.Close()
		}
	}()
	nearEnergy(t, "LoadFile", func() {
		if _, err := library.NewLibrary(library.Options{}).LoadFile(path); err == nil || !strings.HasSuffix(err.Error(), "the file is empty") {
			t.Errorf("a writer that writes nothing: %v", err)
		}
	})
}

// TestProcessSubstitution checks that <(command) of a shell can be loaded. A second load finds the pipe empty
// and does not wait.
func TestProcessSubstitution(t *testing.T) {
	if _, err := os.Stat("/dev/fd"); err != nil {
		t.Skipf("this system does not name open files: %v", err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	go func() {
		_, _ = w.Write(wavBytes(48000, 1, make([]int16, 100000)))
		_ = w.Close()
	}()
	path := fmt.Sprintf("/dev/fd/%d", r.Fd())
	nearEnergy(t, "LoadFile", func() {
		s, err := library.NewLibrary(library.Options{}).LoadFile(path)
		if err != nil || s.Frames() != 100000 {
			t.Errorf("%v, want 100000 frames", err)
		}
		if _, err = library.NewLibrary(library.Options{}).LoadFile(path); err == nil || !strings.HasSuffix(err.Error(), "the file is empty") {
			t.Errorf("a second time: %v", err)
		}
	})
}

// TestSpecialFiles checks that special files are rejected before they are opened, and that the error names
// their kind.
func TestSpecialFiles(t *testing.T) {
	dir := t.TempDir()
	socket := filepath.Join(dir, "socket")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	dangling, loop := filepath.Join(dir, "dangling"), filepath.Join(dir, "loop")
	if err := errors.Join(os.Symlink("nowhere", dangling), os.Symlink("loop", loop)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, want string
		kind       error
	}{
		{path: dir, want: "is a directory", kind: library.ErrFormat},
		{path: socket, want: "is a socket, not a file", kind: library.ErrFormat},
		{path: "/dev/zero", want: "is a device, not a file", kind: library.ErrFormat},
		{path: "/dev/null", want: "is a device, not a file", kind: library.ErrFormat},
		{path: dangling, want: "no such file or directory", kind: fs.ErrNotExist},
		{path: loop, want: "too many levels of symbolic links", kind: syscall.ELOOP},
	} {
		for _, isolate := range []bool{false, true} {
			var opt library.Options
			if isolate {
				opt.Limits = isolated(t, "decode")
			}
			lib := library.NewLibrary(opt)
			for name, load := range map[string]func() (*sounds.Sound, error){
				"LoadFile": func() (*sounds.Sound, error) { return lib.LoadFile(c.path) },
				"OpenStream": func() (*sounds.Sound, error) {
					return lib.OpenStream(library.Source{File: c.path}, library.StreamOptions{})
				},
			} {
				if _, err := load(); !errors.Is(err, c.kind) || err.Error() != "sounds: "+c.path+": "+c.want {
					t.Errorf("%s, isolated %v: %v, want %s", name, isolate, err, c.want)
				}
			}
		}
	}
}

// TestPipeAsStream checks that a pipe is rejected as a stream, because each Play opens a stream again. This
// also holds if the pipe has replaced a file.
func TestPipeAsStream(t *testing.T) {
	path := fifo(t)
	dir, name := filepath.Split(path)
	for _, src := range []library.Source{{File: path}, {File: name, FS: os.DirFS(dir)}} {
		nearEnergy(t, "OpenStream", func() {
			_, err := library.NewLibrary(library.Options{}).OpenStream(src, library.StreamOptions{})
			if want := "sounds: " + src.File + ": a pipe cannot be a stream, which is opened again by each Play: load it"; !errors.Is(err, library.ErrStream) || err.Error() != want {
				t.Errorf("error %v, want %s", err, want)
			}
		})
	}
	file := filepath.Join(dir, "file.wav")
	if err := os.WriteFile(file, wavBytes(48000, 1, make([]int16, 30000)), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := library.NewLibrary(library.Options{}).OpenStream(library.Source{File: file}, library.StreamOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path, file); err != nil {
		t.Fatal(err)
	}
	nearEnergy(t, "Open", func() {
		if _, err := s.Open(sounds.PlayRange{}); !errors.Is(err, library.ErrStream) {
			t.Errorf("error %v", err)
		}
	})
}

// TestHoles checks that an oversized sparse file is rejected before it is read.
func TestHoles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "holes.wav")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Truncate(300<<20), f.Close()); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = library.NewLibrary(library.Options{}).LoadFile(path)
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, library.ErrLimit) || got > 8<<20 {
		t.Errorf("%v, after %d bytes of memory", err, got)
	}
}

// slowFS is a file system whose Open or Read blocks until it is released.
type slowFS struct {
	open, read chan struct{}
	closed     chan struct{}
}

func (s *slowFS) Open(string) (fs.File, error) { <-s.open; return s, nil }
func (s *slowFS) Stat() (fs.FileInfo, error)   { return nil, errors.ErrUnsupported }
func (s *slowFS) Read([]byte) (int, error)     { <-s.read; return 0, io.EOF }
func (s *slowFS) Close() error                 { close(s.closed); return nil }

// TestSlowFS checks that a hanging file system cannot block Load, and that the file is closed once Open
// returns.
func TestSlowFS(t *testing.T) {
	for _, where := range []string{"Open", "Read"} {
		s := &slowFS{make(chan struct{}), make(chan struct{}), make(chan struct{})}
		if where == "Read" {
			close(s.open)
		}
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(20*time.Millisecond, cancel)
		nearEnergy(t, "Load", func() {
			_, err := library.NewLibrary(library.Options{}).Load(ctx, library.Source{File: "x", FS: s})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", where, err)
			}
		})
		if where == "Open" {
			close(s.open)
		}
		close(s.read)
		nearEnergy(t, "Close", func() { <-s.closed })
	}
	panics := readerFunc(func([]byte) (int, error) { panic("broken") })
	if _, err := library.Decode(context.Background(), "x", panics, library.Limits{}); !errors.Is(err, library.ErrDecode) {
		t.Errorf("a reader that panics: %v", err)
	}
	lies := readerFunc(func(p []byte) (int, error) { return len(p) + 1, nil })
	if _, err := library.Decode(context.Background(), "x", lies, library.Limits{}); !errors.Is(err, library.ErrDecode) {
		t.Errorf("a reader that gives more than it was asked for: %v", err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

package wav

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"voicepool/internal/whole"
	"voicepool/pcm"
)

// told returns the number of frames in the header of a file, the actual number, and whether the sizes in the
// header are consistent.
func told(t *testing.T, path string, f Format) (announced, there int64, agree bool) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	text := make([]byte, min(info.Size(), 1000))
	if _, err := io.ReadFull(file, text); err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(text, []byte("data"))
	if at < 0 {
		t.Fatalf("no data in %d bytes", len(text))
	}
	bytes := int64(binary.LittleEndian.Uint32(text[at+4:]))
	riff := int64(binary.LittleEndian.Uint32(text[4:]))
	size := int64(configOf(f, 1000, 1).frameBytes())
	return bytes / size, (info.Size() - int64(at) - 8) / size, riff == bytes+int64(at) && bytes%size == 0
}

// TestRecordIsValidAfterEverySecond checks that during a recording the header includes everything except the
// last second, at any rate, format and block size.
func TestRecordIsValidAfterEverySecond(t *testing.T) {
	for _, rate := range []int{8, 1000, 48000} {
		for _, format := range []Format{S16, S24, F32} {
			for _, block := range []int{1, 7, 512, 100000} {
				if rate/block > 1000 {
					continue
				}
				t.Run(fmt.Sprint(rate, format, block), func(t *testing.T) {
					path := filepath.Join(t.TempDir(), "out.wav")
					f, err := Record(path, Config{Rate: rate, Format: format})
					if err != nil {
						t.Fatal(err)
					}
					frames := make([]pcm.Frame, block)
					for f.Frames() < int64(3*rate) {
						if err := f.Write(frames); err != nil {
							t.Fatal(err)
						}
						announced, there, agree := told(t, path, format)
						if announced > there || f.Frames()-announced >= int64(rate) || !agree {
							t.Fatalf("after %d frames %d are announced and %d there, sizes agree: %v", f.Frames(), announced, there, agree)
						}
					}
					if err := f.Close(); err != nil {
						t.Fatal(err)
					}
					if announced, there, agree := told(t, path, format); announced != f.Frames() || there != f.Frames() || !agree {
						t.Errorf("of %d frames %d are announced and %d there", f.Frames(), announced, there)
					}
				})
			}
		}
	}
}

// TestRecordOnFullDisk checks that frames written before the disk was full are kept in a valid file under the
// name, up to a truncated write. The file replaces an older one.
func TestRecordOnFullDisk(t *testing.T) {
	for _, format := range []Format{S16, S24, F32} {
		for _, limit := range []uint64{104, 105, 107, 70000, 200000, 200001} { // maximum size of the file in bytes
			for _, old := range []bool{false, true} {
				t.Run(fmt.Sprint(format, limit, old), func(t *testing.T) {
					t.Chdir(t.TempDir())
					if old {
						os.WriteFile("out.wav", []byte("old"), 0o600)
					}
					f, err := createOn(nobodyKnows, whole.CreatePersistent, "out.wav", Config{Rate: 1000, Format: format})
					if err != nil {
						t.Fatal(err)
					}
					f.enableHeaderUpdates()
					full := errors.New("no space left")
					f.writer.w = &short{f.file, int64(limit), full}
					frames := make([]pcm.Frame, 333)
					for err == nil {
						err = f.Write(frames)
					}
					if closed := f.Close(); !errors.Is(closed, full) || closed.Error() != err.Error() {
						t.Errorf("Write says %v, Close %v", err, closed)
					}
					if left, _ := os.ReadDir("."); len(left) != 1 {
						t.Errorf("there are %d files", len(left))
					}
					head := len(header(configOf(format, 1000, 1), 0, true))
					want := (int64(limit) - int64(head)) / int64(configOf(format, 1000, 1).frameBytes())
					if announced, there, agree := told(t, "out.wav", format); announced != want || there != want || !agree {
						t.Errorf("%d frames are announced, %d there, want %d; sizes agree: %v", announced, there, want, agree)
					}
				})
			}
		}
	}
}

// TestRecordLeavesRoom checks that a recording that stops to leave space on its disk is kept, too.
func TestRecordLeavesRoom(t *testing.T) {
	t.Chdir(t.TempDir())
	look := func(string) (diskSpace, bool) {
		info, err := os.Stat("out.wav")
		if err != nil {
			return diskSpace{1 << 20, 1 << 20}, true
		}
		return diskSpace{1<<20 - uint64(info.Size()), 1 << 20}, true
	}
	f, err := createOn(look, whole.CreatePersistent, "out.wav", Config{})
	if err != nil {
		t.Fatal(err)
	}
	f.enableHeaderUpdates()
	for frames := make([]pcm.Frame, 512); err == nil; {
		err = f.Write(frames)
	}
	if closed := f.Close(); !errors.Is(err, ErrSpace) || !errors.Is(closed, ErrSpace) {
		t.Errorf("Write says %v, Close %v", err, closed)
	}
	if announced, there, agree := told(t, "out.wav", S24); announced != there || announced < 120000 || !agree {
		t.Errorf("%d frames are announced, %d there", announced, there)
	}
}

// TestRecordBesideAnother checks that an existing file stays until Close. An aborted recording is removed.
func TestRecordBesideAnother(t *testing.T) {
	t.Chdir(t.TempDir())
	os.WriteFile("old.wav", []byte("old"), 0o640)
	for _, c := range []struct {
		path        string
		early, late bool // whether the recording has the name: before Close, after it
		abort       bool
		files       int // at the end
	}{
		{path: "old.wav", abort: true, files: 1},
		{path: "new.wav", early: true, abort: true, files: 1},
		{path: "old.wav", late: true, files: 1},
		{path: "new.wav", early: true, late: true, files: 2},
	} {
		f, err := Record(c.path, Config{})
		if err != nil {
			t.Fatal(err)
		}
		f.Write(make([]pcm.Frame, 100))
		begun := func() bool {
			text, _ := os.ReadFile(c.path)
			return bytes.HasPrefix(text, []byte("RIFF"))
		}
		if got := begun(); got != c.early {
			t.Errorf("%s: before the end it has the recording: %v", c.path, got)
		}
		if c.abort {
			f.Abort()
		} else if err := f.Close(); err != nil {
			t.Error(err)
		}
		left, _ := os.ReadDir(".")
		if got := begun(); got != c.late || len(left) != c.files {
			t.Errorf("%s: at the end it has the recording: %v, among %d files", c.path, got, len(left))
		}
	}
}

func nobodyKnows(string) (diskSpace, bool) { return diskSpace{}, false }

// short accepts a limited number of bytes, like a full disk.
type short struct {
	file *whole.File
	left int64
	err  error
}

func (s *short) Write(p []byte) (int, error) {
	n, err := s.file.Write(p[:min(int64(len(p)), s.left)])
	if s.left -= int64(n); err == nil && n < len(p) {
		err = s.err
	}
	return n, err
}

package wav

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"voicepool/internal/whole"
	"voicepool/pcm"
)

// TestFileLeavesRoom checks that a file ends with an error before its disk is full, and is removed.
func TestFileLeavesRoom(t *testing.T) {
	const mb = 1 << 20
	for _, c := range []struct {
		free, size uint64 // at first
		most       uint64 // bytes written before the error
		least      uint64
		message    string
	}{
		{
			free: 100 * mb, size: 1000 * mb, most: 50 * mb, least: 50*mb - blockBytes,
			message: "wav: out.wav: the disk is nearly full: 50.0 MiB are left, and 50.0 MiB must remain; make room, or write to another disk",
		},
		{
			free: 100 * mb, size: 1 << 40, most: 36 * mb, least: 36*mb - blockBytes,
			message: "wav: out.wav: the disk is nearly full: 64.0 MiB are left, and 64.0 MiB must remain; make room, or write to another disk",
		},
		{free: mb, size: mb, most: mb, least: mb - mb/20 - 2*blockBytes},
		{
			free: 64*mb - 1, size: 1 << 40,
			message: "wav: out.wav: the disk is nearly full: 64.0 MiB are left, and 64.0 MiB must remain; make room, or write to another disk",
		},
		{
			size:    1 << 40,
			message: "wav: out.wav: the disk is nearly full: 0 KiB are left, and 64.0 MiB must remain; make room, or write to another disk",
		},
	} {
		t.Chdir(t.TempDir())
		asked := uint64(0) // size of the file when it checks the disk
		look := func(folder string) (diskSpace, bool) {
			parts, _ := filepath.Glob(filepath.Join(folder, ".voicepool-*"))
			for _, part := range parts {
				if info, err := os.Stat(part); err == nil {
					asked = uint64(info.Size())
				}
			}
			return diskSpace{c.free - min(c.free, asked), c.size}, true
		}
		f, err := createOn(look, whole.Create, "out.wav", Config{Format: F32})
		frames := make([]pcm.Frame, 4096)
		for i := 0; err == nil && i < 5000; i++ {
			err = f.Write(frames)
		}
		if !errors.Is(err, ErrSpace) || c.message != "" && err.Error() != c.message {
			t.Errorf("of %d bytes %d free: %v", c.size, c.free, err)
		}
		if asked > c.most || asked < c.least {
			t.Errorf("of %d bytes %d free: %d were written, want %d..%d", c.size, c.free, asked, c.least, c.most)
		}
		if f != nil {
			if closed := f.Close(); !errors.Is(closed, ErrSpace) {
				t.Errorf("Close gave %v", closed)
			}
		}
		if left, _ := os.ReadDir("."); len(left) != 0 {
			t.Errorf("%d files are left", len(left))
		}
	}
}

// TestFileWithoutFigure checks that a file is written if the free space is unknown, and so is a target that is
// not a regular file.
func TestFileWithoutFigure(t *testing.T) {
	t.Chdir(t.TempDir())
	f, err := createOn(func(string) (diskSpace, bool) { return diskSpace{}, false }, whole.Create, "out.wav", Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Write(make([]pcm.Frame, 50000)), f.Close()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(os.DevNull); err != nil {
		t.Skip("this system has no null device")
	}
	f, err = createOn(func(string) (diskSpace, bool) { return diskSpace{0, 1 << 40}, true }, whole.Create, os.DevNull, Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Write(make([]pcm.Frame, 50000)), f.Close()); err != nil {
		t.Error(err)
	}
}

// TestDiskRoom checks that the system's numbers are plausible.
func TestDiskRoom(t *testing.T) {
	if has, ok := readDiskSpace(t.TempDir()); ok && (has.size == 0 || has.free > has.size) {
		t.Errorf("the disk of a temporary folder has %+v", has)
	}
	if has, ok := readDiskSpace(filepath.Join(t.TempDir(), "none")); ok {
		t.Errorf("the disk of a folder that is not there has %+v", has)
	}
}

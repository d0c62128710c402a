package wav_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"voicepool/device/wav"
	"voicepool/pcm"
)

// names lists a folder.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func create(t *testing.T, path string, c wav.Config) *wav.File {
	t.Helper()
	f, err := wav.Create(path, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Abort)
	return f
}

func TestFileAppearsInClose(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "out.wav")
	f := create(t, name, wav.Config{})
	if err := f.Write(edges); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before Close the file is there (%v)", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := os.ReadFile(filepath.Join("testdata", "s24-file.wav"))
	if string(got) != string(want) {
		t.Errorf("the file has %d bytes, not those of testdata/s24-file.wav", len(got))
	}
	if f.Frames() != 10 || f.Rate() != 48000 || f.Clipped() != 7 {
		t.Errorf("%d frames at %d, %d clipped, want 10, 48000, 7", f.Frames(), f.Rate(), f.Clipped())
	}
	if err := f.Close(); err != nil {
		t.Errorf("second Close = %v", err)
	}
	f.Abort()
	if err := f.Write(edges); !errors.Is(err, wav.ErrClosed) {
		t.Errorf("Write after Close = %v, want %v", err, wav.ErrClosed)
	}
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("the folder has %v, want out.wav only", got)
	}
}

func TestAbortLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "out.wav")
	f := create(t, name, wav.Config{})
	f.Write(make([]pcm.Frame, 100000))
	f.Abort()
	f.Abort()
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("the folder has %v, want nothing", got)
	}
	if err := f.Close(); err != nil || len(names(t, dir)) != 0 {
		t.Errorf("Close after Abort = %v and leaves %v", err, names(t, dir))
	}

	if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	f = create(t, name, wav.Config{})
	f.Write(edges)
	f.Abort()
	if got, _ := os.ReadFile(name); string(got) != "old" || len(names(t, dir)) != 1 {
		t.Errorf("after Abort the file has %q, want %q; the folder %v", got, "old", names(t, dir))
	}
}

func TestFileWithErrorLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	f := create(t, filepath.Join(dir, "out.wav"), wav.Config{Frames: 20})
	f.Write(edges)
	err := f.Close()
	if !errors.Is(err, wav.ErrLength) || !strings.HasSuffix(err.Error(), "out.wav") {
		t.Errorf("Close = %v, want %v and the name", err, wav.ErrLength)
	}
	if again := f.Close(); again != err {
		t.Errorf("second Close = %v, want %v", again, err)
	}
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("the folder has %v, want nothing", got)
	}
}

func TestReplacesAndKeepsPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has neither these permissions nor links for everybody")
	}
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real.wav"), filepath.Join(dir, "link.wav")
	if err := os.WriteFile(real, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	// More permissions than the umask gives to a new file.
	if err := os.Chmod(real, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real.wav", link); err != nil {
		t.Fatal(err)
	}
	f := create(t, link, wav.Config{})
	f.Write(edges)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link became a file (%v, %v)", info, err)
	}
	info, err := os.Stat(real)
	if err != nil || info.Mode().Perm() != 0o666 || info.Size() < 60 {
		t.Errorf("behind the link: %v bytes, %v (%v), want a WAV with -rw-rw-rw-", info.Size(), info.Mode(), err)
	}
}

func TestCreateErrors(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct{ path, want string }{
		{dir, "is a directory"},
		{filepath.Join(dir, "none", "out.wav"), "no such file or directory"},
		{"", "not the name of a file"},
		{filepath.Join(dir, "none") + "/", "not the name of a file"},
	} {
		_, err := wav.Create(test.path, wav.Config{})
		if err == nil || err.Error() != "wav: "+test.path+": "+test.want {
			t.Errorf("Create(%q) = %v, want wav: %s: %s", test.path, err, test.path, test.want)
		}
	}
	if _, err := wav.Create(filepath.Join(dir, "out.wav"), wav.Config{Rate: -1}); !errors.Is(err, wav.ErrFormat) {
		t.Errorf("a rate of -1: %v, want %v", err, wav.ErrFormat)
	}
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("the folder has %v, want nothing", got)
	}
}

func TestDevFull(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("this system has no /dev/full")
	}
	f := create(t, "/dev/full", wav.Config{})
	err := f.Write(make([]pcm.Frame, 100000))
	if !errors.Is(err, syscall.ENOSPC) || err.Error() != "wav: /dev/full: no space left on device" {
		t.Errorf("Write = %v, want wav: /dev/full: no space left on device", err)
	}
	if err := f.Close(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Close = %v, want %v", err, syscall.ENOSPC)
	}

	// A few frames reach the device only in Close.
	f = create(t, "/dev/full", wav.Config{})
	if err := f.Write(edges); err != nil {
		t.Errorf("Write of 10 frames = %v", err)
	}
	if err := f.Close(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Close = %v, want %v", err, syscall.ENOSPC)
	}
}

func TestDevNull(t *testing.T) {
	if _, err := os.Stat("/dev/null"); err != nil {
		t.Skip("this system has no /dev/null")
	}
	f := create(t, "/dev/null", wav.Config{})
	f.Write(edges)
	if err := f.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
	if info, err := os.Stat("/dev/null"); err != nil || info.Mode().IsRegular() {
		t.Errorf("/dev/null became %v (%v)", info, err)
	}
}

// TestFollowsDanglingLinks checks that a link to a missing target stays a link, and the file appears at its
// target. A link to a missing folder is an error.
func TestFollowsDanglingLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no links for everybody")
	}
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.MkdirAll(at("far/deep"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{
		"near": "near.wav", "far/up": "../up.wav", "folder": "far/deep", "chain": "near2", "near2": "far/chain.wav",
		"whole": at("whole.wav"), "loop": "loop", "gone": "no/such/folder.wav", "far/deep/up": "../up2.wav",
		"through": "folder/../up3.wav",
	} {
		if err := os.Symlink(target, at(name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"near": "near.wav", "far/up": "up.wav", "chain": "far/chain.wav", "whole": "whole.wav", "folder/up": "far/up2.wav",
		"through": "far/up3.wav",
	} {
		f := create(t, at(name), wav.Config{})
		f.Write(edges)
		if err := f.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if info, err := os.Lstat(at(name)); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("the link %s became a file (%v)", name, err)
		}
		if info, err := os.Lstat(at(target)); err != nil || info.Size() < 60 {
			t.Errorf("behind the link %s there is no %s: %v", name, target, err)
		}
	}
	for _, name := range []string{"loop", "gone"} {
		if f, err := wav.Create(at(name), wav.Config{}); err == nil {
			f.Abort()
			t.Errorf("the link %s is taken", name)
		} else if !strings.HasPrefix(err.Error(), "wav: "+at(name)+": ") {
			t.Errorf("the link %s: %v", name, err)
		}
		if info, err := os.Lstat(at(name)); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("the link %s is none any more (%v)", name, err)
		}
	}
}
